/** How a dry run ended: what goes to standard output, what is said beside it, and the exit code. Pure. */
import { failureSentence } from '../github/comments.ts';
import { costLine } from '../github/cost-text.ts';
import type { Cost, Outcome } from '../lifecycle/memory.ts';
import { isEmptyPlan } from '../plan/plan-file.ts';
import { cleanLine } from '../text/text-out.ts';

/** 0 only where there is a plan. */
const exitCodes = {
  plan: 0,
  noPlan: 1,
  cannotStart: 2,
  question: 3,
  budget: 4,
  interrupted: 130,
} as const;

export interface Report {
  readonly code: (typeof exitCodes)[keyof typeof exitCodes];
  /** For standard output, as it would be committed; `null` where there is none. */
  readonly plan: string | null;
  /** For people, on standard error. */
  readonly notes: readonly string[];
}

/** What becomes of a run's result, which may be one that only a host or an implementation has. */
export type Ending = Outcome | { readonly kind: 'work_done' };

const maxLine = 2000;
const again = 'Run the same command again once that is mended.';

/** @param refused why the plan may not be committed, one line each */
export function reportEnding(ending: Ending, cost: Cost, refused: readonly string[]): Report {
  const report = judge(ending, refused);
  const spent = costLine(cost);
  return spent === null ? report : { ...report, notes: [...report.notes, spent] };
}

function judge(ending: Ending, refused: readonly string[]): Report {
  switch (ending.kind) {
    case 'plan_ready':
      return reportPlan(ending, refused);
    case 'question':
      return reportQuestions(ending.questions);
    case 'budget_reached':
      return without('budget', [
        `The budget is used up: ${line(ending.detail)}`,
        'There is no plan. Raise `budget` in .github/planwright.yml and commit that, or ask for less.',
      ]);
    case 'failed':
      return reportFailure(ending);
    case 'permission_asked':
      return without('question', [
        `The agent waits for leave to call ${line(ending.tool)}: ${line(ending.what)}`,
        'There is no plan, and nobody to ask in a dry run. Name the call under `permissions.allow` or `permissions.deny` in .github/planwright.yml.',
      ]);
    case 'plan_mode_asked':
    case 'amendment':
    case 'work_ready':
    case 'work_done':
      return without('noPlan', [`Expected a plan or a question, got ${ending.kind}. There is no plan.`]);
  }
}

function reportPlan({ plan, findings }: Extract<Outcome, { kind: 'plan_ready' }>, refused: readonly string[]): Report {
  if (isEmptyPlan(plan)) {
    return without('noPlan', ['The agent left plan mode without having written a plan. Say more of what is wanted.']);
  }
  if (refused.length > 0) {
    return without('noPlan', ['The plan holds what no commit may hold, so it is not shown:', ...list(refused)]);
  }
  const found = findings.length === 0 ? ['The plan lint found nothing.'] : ['The plan lint found:', ...list(findings)];
  return { code: exitCodes.plan, plan, notes: found };
}

function reportQuestions(questions: Extract<Outcome, { kind: 'question' }>['questions']): Report {
  const numbered = questions.flatMap(({ text, suggestions }, index) => [
    `${index + 1}. ${line(text)}`,
    ...suggestions.map((suggestion) => `   - ${line(suggestion)}`),
  ]);
  return without('question', [
    'There is no plan yet: the agent asks',
    ...numbered,
    'Write the answers into the issue file, e.g. as "## Answers" with a numbered list, and run the same command again.',
  ]);
}

function reportFailure({ reason, detail }: Extract<Outcome, { kind: 'failed' }>): Report {
  const said = detail === '' ? [] : [line(detail)];
  return without('noPlan', [failureSentence(reason), ...said, `There is no plan. ${again}`]);
}

function without(code: Exclude<keyof typeof exitCodes, 'plan'>, notes: readonly string[]): Report {
  return { code: exitCodes[code], plan: null, notes };
}

/** What ends a dry run before its agent is at work. */
export function reportFault(why: string): Report {
  return without('cannotStart', why.split('\n'));
}

export const interruptedReport: Report = without('interrupted', [
  'Interrupted. There is no plan; nothing is at work any more and nothing was left behind.',
]);

/** Texts of the model may hold anything; a terminal would obey control characters. */
function line(text: string): string {
  return cleanLine(text, maxLine);
}

function list(lines: readonly string[]): readonly string[] {
  return lines.map((each) => `- ${line(each)}`);
}
