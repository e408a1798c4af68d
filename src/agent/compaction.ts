/**
 * What a run is told once its conversation was summarized. All of it comes from the run's specification, its state and the
 * stored conversation, and nothing from the summary: a model that sums up plan mode may leave it out, or an approval in.
 */
import type { BetaContentBlockParam, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Task } from '../lifecycle/memory.ts';
import { isEmptyPlan, parsePlan } from '../plan/plan-file.ts';
import type { Feedback, RunBrief } from './brief.ts';
import { answeredCalls } from './conversation.ts';
import { fence, fenceQuoted, oneLine } from './quote-text.ts';
import { writeReminder } from './reminders.ts';
import { byWhom, fenceRequest, identity, renderFeedback, renderPlan } from './render-brief.ts';
import type { RunSpec } from './run-protocol.ts';
import type { RunState } from './run-state.ts';
import { askUserQuestionInput } from './tools/ask-user-question.ts';
import { boundText } from './tools/bounded-text.ts';

const MAX_QUESTIONS_BYTES = 20_000;
const MAX_ANSWER_BYTES = 10_000;
const MAX_SCOPE_BYTES = 10_000;

/** What a run has come to, as far as it is stated anew. */
export type Standing = Pick<RunState, 'plan' | 'tasks' | 'deviations'>;

const heading =
  'The conversation so far is summarized above. What follows is read anew from the records of this app; ' +
  'where the summary says anything else, this holds.';

const phases: Readonly<Record<RunSpec['phase'], string>> = {
  plan: 'Phase: planning. Nothing may be written but the plan file.',
  implement:
    'Phase: implementation. The repository may be changed within the scope of the plan; the plan file may not.',
};

function briefOf({ brief, told }: RunSpec): RunBrief | null {
  return told ?? brief;
}

/** Only a brief that is an approval speaks of one. */
function stateApproval(brief: RunBrief | null): readonly string[] {
  if (brief?.kind !== 'approved') return [];
  return [`The plan was approved by ${byWhom(brief)}.`];
}

function stateRequest(spec: RunSpec, brief: RunBrief | null): readonly string[] {
  const issue = brief?.kind === 'request' || brief?.kind === 'approved' ? brief.issue : spec.request;
  const note = brief?.kind === 'request' || brief?.kind === 'replan' ? brief.note : null;
  return [...(issue === undefined ? [] : [fenceRequest(issue)]), ...(note === null ? [] : [fenceQuoted(note)])];
}

/** Where they stand: their text went with the conversation. */
function stateInstructions({ instructions }: RunSpec, brief: RunBrief | null): readonly string[] {
  const files = brief?.kind === 'request' ? brief.instructions : (instructions ?? []);
  if (files.length === 0) return [];
  const list = files.map(({ path }) => `- ${oneLine(path)}`).join('\n');
  return [
    boundText(
      `Instructions of the repository; read again what is about what you do:\n${list}`,
      'find more with glob',
      MAX_SCOPE_BYTES,
    ),
  ];
}

function statePlan(plan: string | null): string {
  return plan === null || isEmptyPlan(plan) ? 'No plan has been written yet.' : renderPlan(plan);
}

function stateScope({ phase, scopeAllow, scopeMode }: RunSpec, plan: string | null): readonly string[] {
  if (phase === 'plan') return [];
  const parsed = plan === null ? { problems: [] } : parsePlan(plan);
  const files = 'plan' in parsed ? parsed.plan.files.map(({ path, change }) => `- ${oneLine(path)} (${change})`) : [];
  const allowed = scopeAllow.map((pattern) => `- ${oneLine(pattern)} (allowed beside the plan)`);
  const rule = scopeMode === 'block' ? 'anything else is refused' : 'anything else is shown to the reviewers';
  return [boundText([`Scope; ${rule}:`, ...files, ...allowed].join('\n'), 'the plan names all', MAX_SCOPE_BYTES)];
}

const marks: Readonly<Record<Task['status'], string>> = { pending: ' ', in_progress: '~', done: 'x' };

function stateProgress({ tasks, deviations }: Standing): readonly string[] {
  const list = tasks.map(({ title, status }) => `- [${marks[status]}] ${title}`);
  return [
    ...(list.length === 0 ? [] : [['Checklist (x done, ~ in progress):', ...list].join('\n')]),
    ...(deviations.length === 0
      ? []
      : [['Deviations told so far:', ...deviations.map((one) => `- ${oneLine(one)}`)].join('\n')]),
  ];
}

/**
 * The questions that were put to people, with what came back as it was told: the newest ones that fit, each whole, as a cut
 * between the two lines around a text would have all that follows read as a part of it.
 */
function stateQuestions(conversation: readonly BetaMessageParam[]): readonly string[] {
  const asked = answeredCalls(conversation, 'ask_user_question').flatMap(({ input, result }) => {
    const parsed = askUserQuestionInput.safeParse(input);
    if (!parsed.success) return [];
    const questions = parsed.data.questions.map(({ question }, index) => `${index + 1}. ${oneLine(question)}`);
    return [[...questions, result === null ? 'No answer yet.' : stateAnswer(result)].join('\n')];
  });
  const sizes = asked.toReversed().map((text) => Buffer.byteLength(text, 'utf8'));
  const fitting = sizes.findIndex((_, index) => sum(sizes.slice(0, index + 1)) > MAX_QUESTIONS_BYTES);
  const newest = asked.toReversed().slice(0, fitting === -1 ? asked.length : Math.max(1, fitting));
  const leftOut = asked.length > newest.length ? ['Older ones are left out; ask again where an answer matters.'] : [];
  return asked.length === 0
    ? []
    : [['Questions that you asked, the newest first:', ...newest, ...leftOut].join('\n\n')];
}

function stateAnswer(result: string): string {
  return fence('what came back', boundText(result, 'ask again where it matters', MAX_ANSWER_BYTES));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function feedbackOf(spec: RunSpec, brief: RunBrief | null): Feedback {
  const given = brief !== null && 'feedback' in brief ? brief.feedback : { bodies: [], remarks: [] };
  return { bodies: given.bodies, remarks: spec.remarks ?? given.remarks };
}

function stateFeedback(spec: RunSpec, brief: RunBrief | null): readonly string[] {
  const said = renderFeedback(feedbackOf(spec, brief));
  if (said.length === 0) return [];
  const isToAnswer = spec.phase === 'plan' && (spec.remarks ?? []).length > 0;
  const head = isToAnswer ? 'Feedback; each remark still needs an answer in exit_plan_mode:' : 'The reviewers said:';
  return [head, ...said];
}

/** What the run is, what it may write and where it stands. */
export function restate(spec: RunSpec, state: Standing, conversation: readonly BetaMessageParam[]): string {
  const brief = briefOf(spec);
  return [
    heading,
    identity(spec),
    phases[spec.phase],
    ...stateApproval(brief),
    ...stateRequest(spec, brief),
    ...stateInstructions(spec, brief),
    statePlan(state.plan),
    ...stateScope(spec, state.plan),
    ...stateProgress(state),
    ...stateQuestions(conversation),
    ...stateFeedback(spec, brief),
  ].join('\n\n');
}

/** What stands behind the summary. In plan mode the full reminder ends it, and reminders count from there. */
export function afterSummary(
  spec: RunSpec,
  state: Standing,
  conversation: readonly BetaMessageParam[],
): BetaMessageParam {
  const texts = [
    restate(spec, state, conversation),
    ...(spec.phase === 'plan' ? [writeReminder('full', spec.planPath)] : []),
  ];
  return { role: 'user', content: texts.map((text): BetaContentBlockParam => ({ type: 'text', text })) };
}
