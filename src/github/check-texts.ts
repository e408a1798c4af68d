/** What the checks `planwright/plan` and `planwright/code` say. Pure. */
import type { CheckState } from '../lifecycle/actions.ts';
import type { GateVerdict } from '../lifecycle/approval-gate.ts';
import { formatAmount, noCost, usesOf } from '../lifecycle/budget.ts';
import type { Approval, Task } from '../lifecycle/memory.ts';
import { cleanInline, fitBody, inlineCode, maxSummaryCharacters, type OutRules } from '../text/text-out.ts';
import type { AppKey } from './app-key.ts';
import { formatReceiptSection } from './receipt.ts';

export interface CheckText {
  readonly status: 'in_progress' | 'completed';
  readonly conclusion: 'action_required' | 'success' | null;
  readonly title: string;
  readonly summary: string;
}

/** What a check says, without what `closeCheck` puts below it. */
export function checkText(check: CheckState, rules: OutRules): CheckText {
  return check.name === 'planwright/plan' ? planText(check, rules) : codeText(check, rules);
}

/**
 * The text of a check within GitHub's limit, with a note below it where there is one, and last in the plan's check the
 * receipt of the approval, once the gate has opened.
 */
export function closeCheck(text: CheckText, check: CheckState, sign: AppKey['sign'], note = ''): CheckText {
  const approval = check.name === 'planwright/plan' ? check.verdict.approval : null;
  const receipt = approval === null ? '' : formatReceiptSection(approval, sign);
  const end = [note, receipt].map((part) => (part === '' ? '' : `\n\n${part}`)).join('');
  return { ...text, summary: fitBody(text.summary, maxSummaryCharacters, end.length) + end };
}

const actionRequired = { status: 'completed', conclusion: 'action_required' } as const;
const inProgress = { status: 'in_progress', conclusion: null } as const;
const success = { status: 'completed', conclusion: 'success' } as const;

function planText(check: Extract<CheckState, { name: 'planwright/plan' }>, rules: OutRules): CheckText {
  const { state, verdict } = check;
  const reasons = verdictText(verdict, rules);
  switch (state) {
    case 'writing':
      return {
        ...inProgress,
        title: 'The plan is being revised',
        summary: `The plan is being written. Its review begins when it is there.\n\n${reasons}`.trimEnd(),
      };
    case 'waiting':
      return {
        ...actionRequired,
        title: 'The plan waits for approval',
        summary: `Approve this pull request to have the plan implemented, or request changes. Nothing but the plan is written until then.\n\n${reasons}`,
      };
    case 'lost':
      return {
        ...actionRequired,
        title: 'The approval of the plan is gone',
        summary: `This pull request holds code, and nothing shows any more that the plan it came of is approved: no more work is done on it.\n\n${reasons}`,
      };
    case 'opened':
      if (!verdict.isOpen) {
        return {
          ...actionRequired,
          title: 'The plan was approved, and this commit cannot show it',
          summary: `A check belongs to a commit: what it says here, it would say of every pull request with the same head.\n\n${reasons}`,
        };
      }
      return {
        ...success,
        title: `The plan was approved by ${verdict.counted.map(({ login }) => login).join(', ') || 'a writer'}`,
        summary: `The plan was approved, and only the plan: the code needs a review of its own.${ceilingText(verdict.approval)}\n\n${reasons}`,
      };
  }
}

function ceilingText(approval: Approval | null): string {
  if (approval?.ceiling === undefined) return '';
  const most = usesOf(noCost, { ...approval.ceiling, wallTimeMs: null }).map((use) => formatAmount(use.kind, use.most));
  return ` With it, one run of the implementation may use at most ${most.join(', ')}.`;
}

/** Who counted, who did not and why, what is missing, what is to be known. */
function verdictText(verdict: GateVerdict, rules: OutRules): string {
  const sections = [
    section(
      'Counted',
      verdict.counted.map(({ login, permission, review }) => `${inlineCode(login)} (${permission}), review ${review}`),
    ),
    section(
      'Did not count',
      verdict.ignored.map(
        ({ login, reason, review }) => `${inlineCode(login)}, review ${review}: ${cleanInline(reason, rules)}`,
      ),
    ),
    section(
      'Missing',
      verdict.missing.map((reason) => cleanInline(reason, rules)),
    ),
    section(
      'To be known',
      verdict.warnings.map((warning) => cleanInline(warning, rules)),
    ),
  ];
  return sections.filter((part) => part !== null).join('\n\n');
}

function section(title: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : `### ${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function codeText(check: Extract<CheckState, { name: 'planwright/code' }>, rules: OutRules): CheckText {
  switch (check.state) {
    case 'no_code':
      return {
        ...actionRequired,
        title: 'There is no code to approve yet',
        summary:
          'This pull request holds a plan. An approval now is an approval of the plan; this check stays until a writer approves a commit that holds code.',
      };
    case 'building':
      return {
        ...inProgress,
        title: `The plan is being implemented${tally(check.tasks ?? [])}`,
        summary: `The approved plan is being implemented. The code will need a review of its own.${checklist(check.tasks ?? [], rules)}`,
      };
    case 'waiting':
      return {
        ...actionRequired,
        title: 'The code waits for review',
        summary:
          'The plan is implemented. The approval of the plan does not count for the code: a writer has to approve this commit.',
      };
    case 'approved':
      return {
        ...success,
        title: `The code was approved by ${check.approvers.join(', ')}`,
        summary: `Approved at this commit by ${check.approvers.map(inlineCode).join(', ')}.`,
      };
  }
}

function tally(tasks: readonly Task[]): string {
  const done = tasks.filter(({ status }) => status === 'done').length;
  return tasks.length === 0 ? '' : `: ${done} of ${tasks.length} steps done`;
}

function checklist(tasks: readonly Task[], rules: OutRules): string {
  const items = tasks.map(({ title, status }) => {
    const isAtWork = status === 'in_progress' ? ' (at work on it)' : '';
    return `- [${status === 'done' ? 'x' : ' '}] ${cleanInline(title, rules)}${isAtWork}`;
  });
  return items.length === 0 ? '' : `\n\n${items.join('\n')}`;
}
