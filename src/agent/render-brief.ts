import type {
  Discussion,
  Feedback,
  IssueText,
  LineRemark,
  Quoted,
  ResumedWork,
  RunBrief,
  Suggestion,
} from './brief.ts';
import { fence, fenceQuoted, oneLine } from './quote-text.ts';
import { renderAnswers } from './render-answers.ts';
import { renderInstructions } from './render-instructions.ts';
import type { RunSpec } from './run-protocol.ts';

type Context = Pick<RunSpec, 'base' | 'issue' | 'planPath' | 'request' | 'instructions'>;

export function identity({ base, issue, planPath }: Context): string {
  return `Issue: #${issue}\nBase commit: ${base}\nPlan file: ${planPath}`;
}

export function fenceRequest(issue: IssueText | null): string {
  if (issue === null) return changedIssue;
  const { author, trust, text, hidden } = issue.body;
  return fence(`the issue, by @${author} (${trust})`, `${oneLine(issue.title)}\n\n${text}`, hidden);
}

const changedIssue =
  'The text of the issue was edited by somebody without write access after the plan was asked for, so it is not given here. Go by the plan and by the conversation.';

function renderDiscussion({ comments, leftOut }: Discussion): readonly string[] {
  return [
    ...(comments.length === 0
      ? []
      : ['Said on the issue before the plan was asked for:', ...comments.map(fenceQuoted)]),
    ...(leftOut.length === 0 ? [] : [`Not given here: ${leftOut.join('; ')}.`]),
  ];
}

function renderRemark(remark: LineRemark): string {
  const path = oneLine(remark.path);
  const { lines } = remark;
  const place = remark.subject === 'file' ? 'the whole file' : 'lines that are gone';
  const where = lines === null ? `${path} (${place})` : `${path} lines ${lines.start}-${lines.end} (${remark.side})`;
  const outdated = remark.isOutdated ? ['The lines have changed since; this is how they read.'] : [];
  const quoted = remark.quoted === '' ? [] : [fence('the quoted lines', remark.quoted)];
  return [
    `Remark ${oneLine(remark.thread)}: ${where}`,
    ...outdated,
    ...quoted,
    ...remark.comments.map(fenceQuoted),
    ...remark.suggestions.map((suggestion, index) => renderSuggestion(suggestion, index + 1, lines)),
  ].join('\n');
}

function renderSuggestion({ author, lines }: Suggestion, number: number, where: LineRemark['lines']): string {
  const place = where === null ? 'the lines' : `lines ${where.start}-${where.end}`;
  const head = `Suggestion ${number} by @${oneLine(author)}`;
  if (lines.length === 0) return `${head}: delete ${place}.`;
  return `${head}: suggested replacement for ${place}\n${fence(`suggestion ${number}`, lines.join('\n'))}`;
}

export function renderFeedback({ bodies, remarks }: Feedback): readonly string[] {
  return [...bodies.map(fenceQuoted), ...remarks.map(renderRemark)];
}

/** A review whose words were all left out still is a verdict. */
function renderObjection(feedback: Feedback): readonly string[] {
  const rendered = renderFeedback(feedback);
  return rendered.length > 0 ? rendered : ['The review holds no words that may be used.'];
}

function renderNote(note: Quoted | null): readonly string[] {
  return note === null ? [] : [fenceQuoted(note)];
}

export function renderPlan(plan: string): string {
  return fence('the plan as it stands', plan);
}

/** What an implementation begins with, by what became of the work before the plan was amended. */
function beginning(resumed: ResumedWork | null, approval: string): readonly string[] {
  if (resumed === null) return [`The plan was approved by ${approval}. Implement it now.`];
  return [`The amended plan was approved by ${approval}.`, resumptions[resumed]];
}

const resumptions: Readonly<Record<ResumedWork, string>> = {
  kept: 'Your work is there as it was when you proposed the amendment, the finished steps included. Go on with it now, by the plan as it reads below.',
  loose:
    'Your work is in the working copy, but it holds changes that this plan does not name, so no step of it is kept. Undo those changes, then go through the steps again and mark each as done.',
  lost: 'The working copy holds nothing of your earlier work. Begin with the first step of the plan as it reads below.',
};

/** Who approved which commit. */
export function byWhom({ approvers, commit }: Extract<RunBrief, { kind: 'approved' }>): string {
  return `${approvers.map((login) => `@${oneLine(login)}`).join(', ')} at commit ${commit}`;
}

function renderApproval(brief: Extract<RunBrief, { kind: 'approved' }>): readonly string[] {
  const feedback = renderFeedback(brief.feedback);
  return [
    ...beginning(brief.resumed?.work ?? null, byWhom(brief)),
    fenceRequest(brief.issue),
    renderPlan(brief.plan),
    ...(feedback.length === 0 ? [] : ['The reviewers also said:', ...feedback]),
  ];
}

const codeRound = [
  'A reviewer requested changes to the code, which is in the working copy as it was pushed. Make them within the scope of the plan; its steps are done.',
  'Begin with update_tasks: one item for each thing that is asked for. What you leave as it is, say in deviations, and why.',
];

const lostAllowed = 'It was allowed: make it again where it is still needed, and the writer is asked again.';

function parts(brief: Exclude<RunBrief, { kind: 'declined' }>): readonly string[] {
  switch (brief.kind) {
    case 'request':
      return [
        'Write a plan for this issue.',
        fenceRequest(brief.issue),
        ...(brief.discussion === undefined ? [] : renderDiscussion(brief.discussion)),
        ...renderNote(brief.note),
        ...renderInstructions(brief.instructions),
      ];
    case 'changes_requested':
      return [
        'A reviewer requested changes to the plan. Revise it, then present it again with an answer for each remark.',
        ...renderObjection(brief.feedback),
        renderPlan(brief.plan),
      ];
    case 'replan':
      return [
        'The plan is wanted anew, for the base commit above. Read what changed, then write it again where it no longer fits.',
        ...renderNote(brief.note),
        ...(brief.plan === null ? [] : [renderPlan(brief.plan)]),
      ];
    case 'answered':
      return renderAnswers(brief);
    case 'permission':
      return [
        `The call that waited for a writer is no longer known. ${brief.isAllowed ? lostAllowed : 'It was denied: do without it.'}`,
        ...renderNote(brief.note),
      ];
    case 'continued':
      return ['A writer lets the work go on. Go on from where it is.'];
    case 'approved':
      return renderApproval(brief);
    case 'code_changes_requested':
      return [...codeRound, ...renderObjection(brief.feedback), renderPlan(brief.plan)];
  }
}

/**
 * What a run is told, as text: what this app says stands on lines of its own, what others wrote is fenced. The lines
 * `Issue: #<n>`, `Base commit: <sha>` and, for each remark, `Remark <thread>: <path> lines <a>-<b> (RIGHT)` are exact.
 */
export function renderBrief(brief: RunBrief, context: Context): string {
  if (brief.kind === 'declined') return 'User declined to enter plan mode.';
  const request = context.request === undefined ? [] : [fenceRequest(context.request)];
  const instructions = renderInstructions(context.instructions ?? []);
  return [identity(context), ...request, ...parts(brief), ...instructions].join('\n\n');
}
