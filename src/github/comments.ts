/**
 * What people read in comments: what happened, what it means for them, what to do next. Pure. Foreign text goes through
 * `text-out.ts` first; each body ends with the marker by which it is found again.
 */
import type { ThreadStatus } from '../lifecycle/actions.ts';
import { letterOf } from '../lifecycle/answer-marks.ts';
import type { PlanOfRecord } from '../lifecycle/facts.ts';
import type { FailureReason, Outcome, Question } from '../lifecycle/memory.ts';
import { nameAll, shortId } from '../lifecycle/phrases.ts';
import type { LeftOut } from '../plan/left-out.ts';
import { removeHidden } from '../text/hidden-characters.ts';
import { withArticle } from '../text/out-gate.ts';
import {
  cleanInline,
  cleanMarkdown,
  closeFence,
  fenced,
  fitBody,
  inlineCode,
  maxBodyCharacters,
  type OutRules,
  wholeInlineCode,
} from '../text/text-out.ts';
import { ceilingLines, costLine } from './cost-text.ts';
import { type Forbidden, Withheld } from './github.ts';
import { formatMarker, type Marker } from './identifiers.ts';
import { leftOutText } from './review-texts.ts';

/** A body with its marker, and a note before that where there is one, within GitHub's limit. */
export function markedBody(text: string, marker: Marker, note = ''): string {
  const end = `${note === '' ? '' : `\n\n${note}`}\n\n${formatMarker(marker)}`;
  return fitBody(closeFence(text), maxBodyCharacters, end.length) + end;
}

/** At the end of a text that something was taken out of. */
export function withheldNote(kinds: readonly string[]): string {
  const what = nameAll(kinds.map(withArticle));
  return `**A part of this text was withheld.** It held what looks like ${what}, and a notice stands in its place. Something could read that secret, so take it for leaked: whose it is, revokes it and makes a new one, and takes it out of where it was read from. The text is else as it was.`;
}

/** The one comment on the issue that always says where the thread stands. */
export function statusComment(status: ThreadStatus, rules: OutRules, leftOut: readonly LeftOut[] = []): string {
  const parts = [
    status.obstacles.length > 0 ? obstacleText(status.obstacles, rules) : stateText(status, rules),
    status.note === null ? null : closeFence(cleanMarkdown(status.note, rules)),
    status.previousPullRequest === null ? null : `The attempt before this one is #${status.previousPullRequest}.`,
    leftOutText(leftOut),
    costLines(status),
  ];
  return parts.filter((part) => part !== null).join('\n\n');
}

/** What was used, and of what. */
function costLines({ cost, ceilings }: ThreadStatus): string | null {
  const lines = [costLine(cost) ?? '', ...(ceilings === undefined ? [] : ceilingLines(ceilings))];
  return lines.join('\n').trim() || null;
}

/** Why a thread cannot go on, as an obstacle of its status comment. */
export function refusedText(error: Forbidden): string {
  if (error instanceof Withheld) {
    return `Something was to be said here and was not: ${error.message}. Who runs this app finds it in the log; \`/retry\` tries it once more.`;
  }
  return error.permission === null
    ? `GitHub refuses: ${error.message}`
    : `GitHub refuses: the permission \`${error.permission}\` is missing. It has to be granted to the app and then accepted for this installation: until that is done, GitHub acts as if the app had not asked for it.`;
}

function obstacleText(obstacles: readonly string[], rules: OutRules): string {
  const list = obstacles.map((obstacle) => `- ${cleanInline(obstacle, rules, 1000)}`).join('\n');
  return `**No plan can be written here yet.**\n\n${list}\n\nOnce this is mended, the request goes on by itself; \`/retry\` asks for it at once.`;
}

function stateText(status: ThreadStatus, rules: OutRules): string {
  const pull = status.pullRequest === null ? 'the pull request' : `#${status.pullRequest}`;
  switch (status.state) {
    case 'inactive':
      return '**Nothing is under way.** A person with write access starts a plan by setting the trigger label, or with `/plan`.';
    case 'pending':
      return '**A plan was asked for and is queued.** The repository will be read and not changed. Taking the label off, or `/cancel`, withdraws the request.';
    case 'planning':
      return status.pullRequest === null
        ? '**A plan is being written.** The repository is read and not changed; a draft pull request with the plan follows. Taking the label off, or `/cancel`, stops it.'
        : `**The plan in ${pull} is being revised.** Nothing but the plan file changes. Taking the label off, or \`/cancel\`, stops it.`;
    case 'awaiting_answer':
      return '**There are questions before the work can go on.** They are in a comment of their own; a reply by a writer or by the author of this issue is taken as the answer.';
    case 'awaiting_approval':
      return `**The plan is ready for review in ${pull}.** Approve the pull request to have it implemented, or request changes with comments on its lines. Until a person with write access approves, nothing but the plan is written.`;
    case 'exit_pending':
      return '**The work is being stopped.** Nothing more will be pushed.';
    case 'implementing':
      return `**The plan in ${pull} was approved and is being implemented.** The commits appear there once they are within the plan's scope and checked. Dismissing the approval, taking the label off, or \`/cancel\` stops it.`;
    case 'implemented':
      return `**The approved plan is implemented in ${pull}, which is ready for code review.** The approval was for the plan: the code needs a review of its own. Requesting changes there has them made.`;
    case 'failed':
      return failureText(status, rules);
    case 'abandoned':
      return status.isPullRequestOpen
        ? `**Nothing more is done here.** ${capital(pull)} is left as it is. Setting the label again, or \`/plan\`, goes on with it.`
        : `**This thread was given up.** ${capital(pull)} is left as it is. Setting the label again, or \`/plan\`, starts anew on another branch.`;
    case 'completed':
      return `**Done: ${pull} was merged.**`;
  }
}

const failures: Readonly<Record<FailureReason, string>> = {
  no_plan: 'The run ended without a plan.',
  plan_cut_off: 'The plan was cut off before it was complete, so it is not shown.',
  no_changes: 'The implementation ended without changing anything.',
  out_of_scope: 'The implementation changed files that the plan does not name, so nothing was pushed.',
  refusal: 'The model declined to do this.',
  context_exceeded: 'The conversation became longer than the model can hold.',
  input_too_large: 'There is more text to go by than one run takes.',
  input_unreadable: 'What people wrote cannot be read as they see it, so nothing of it is used.',
  repeated_calls: 'The model kept repeating the same call and was stopped.',
  model_error: 'The model could not be reached, or did not answer in a usable form.',
  unknown_stop: 'The model stopped for a reason that is not known here.',
  superseded: 'The branch changed while the run was at work, so its result no longer fits.',
  patch_refused: 'The changes hold something that may not be pushed, so nothing was.',
  push_refused: 'GitHub refused the push.',
  workspace: 'The repository could not be prepared or changed on disk.',
  crashed: 'The run ended unexpectedly.',
  permission:
    'The app lacks a permission that this needs: it has to be granted to the app, and accepted for the installation.',
};

/** What a run failed for, in one sentence. */
export function failureSentence(reason: FailureReason): string {
  return failures[reason];
}

function failureText(status: ThreadStatus, rules: OutRules): string {
  const what = status.failure === null ? 'The last run failed.' : failures[status.failure.reason];
  const detail =
    status.failure === null || status.failure.detail === '' ? '' : `\n\n${quoted(status.failure.detail, rules)}`;
  return `**${what}** Nothing is under way.${detail}\n\nA person with write access tries it again with \`/retry\`, or by setting the label again.`;
}

function quoted(text: string, rules: OutRules): string {
  const clean = cleanMarkdown(fitBody(text.trim(), 4000), rules);
  return clean
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why somebody's word started nothing. Names the person without notifying them. */
export function refusalComment(login: string, why: string, rules: OutRules): string {
  return `**Nothing was started.** This was asked for by ${inlineCode(login)}. ${cleanInline(why, rules)}`;
}

/** A run's questions, numbered; or its wish to go back to planning. `null` for every other outcome. */
export function questionsComment(outcome: Outcome | null, rules: OutRules): string | null {
  if (outcome?.kind === 'plan_mode_asked') {
    const reason = quoted(outcome.reason, rules);
    return `**The implementation asks to go back to planning.**\n\n${reason}\n\nA person with write access answers: \`/replan\` has the plan revised and reviewed again, and takes code that stands in the pull request out of it; \`/continue\` has the work go on as planned.`;
  }
  if (outcome?.kind === 'permission_asked') return permissionComment(outcome);
  if (outcome?.kind !== 'question') return null;
  const list = outcome.questions.map(({ text, suggestions }, index) => {
    const choices = suggestions.map((each, choice) => `   - ${letterOf(choice)}) ${cleanInline(each, rules)}`);
    return [`${index + 1}. ${cleanInline(text, rules)}`, ...choices].join('\n');
  });
  return `**Before the work can go on, please answer:**\n\n${list.join('\n')}\n\n${howToAnswer(outcome.questions)}`;
}

/**
 * All of a call that a writer is asked about: what is carried out is this and nothing else. As inline code, whose lines GitHub
 * breaks: of a long line in a block nobody sees the end.
 */
function permissionComment({ tool, what, rule }: Extract<Outcome, { kind: 'permission_asked' }>): string {
  const call = what === '' ? '.' : ` with:\n\n${wholeInlineCode(what)}`;
  const text =
    tool === 'write' || tool === 'edit' ? ' What it writes there is not shown here, but reviewed with the code.' : '';
  const why = rule === null ? "the repository's permission mode `ask`" : `the rule ${inlineCode(rule)}`;
  return `**The agent asks to make one call.** It wants to use ${inlineCode(tool)}${call}\n\nThis is left to people by ${why}.${text} Until it is answered nothing runs, and the work so far is kept. A person with write access answers: \`/allow\` has this one call made as it stands here, \`/deny\` with or without a reason refuses it, and the agent goes on without it.`;
}

const whoAnswers =
  'A reply by a person with write access or by the author of this issue counts, as long as it is not edited.';

function howToAnswer(questions: readonly Question[]): string {
  const hasChoices = questions.some(({ suggestions }) => suggestions.length > 0);
  const how = hasChoices ? 'in your own words or with the letter of a suggestion' : 'in your own words';
  if (questions.length === 1) {
    return `Reply here ${how}. ${whoAnswers} \`/continue\` by a person with write access has the work go on without an answer: the agent then says what it assumes.`;
  }
  const example = questions.slice(0, 2).map((each, index) => `${index + 1}. ${exampleOf(each)}`);
  return `Reply here ${how}, each answer behind the number of its question, in one comment or in several:\n\n${fenced(example.join('\n'))}\n\n${whoAnswers} The work goes on once every question has an answer. \`/continue\` by a person with write access has it go on with what is there: the agent then says what it assumes for the rest.`;
}

function exampleOf({ suggestions }: Question): string {
  return suggestions.length === 0 ? 'your answer' : letterOf(suggestions.length - 1);
}

/** To a comment that names none of several questions. Names the person without notifying them. */
export function numbersComment(login: string, open: readonly number[]): string {
  const [first = 1] = open;
  const which = open.length === 1 ? `question ${first} is` : `questions ${nameAll(open.map(String))} are`;
  return `**Which question does this answer?** The comment by ${inlineCode(login)} names none of them, so it is passed on as a remark and ${which} still open. Put the number of its question before each answer, e.g. \`${first}. your answer\`; or a person with write access says \`/continue\`, and the work goes on with what is there.`;
}

/** The plan as it stands, for `/view-plan`. */
export function planComment(plan: PlanOfRecord, pullRequest: number): string {
  const head = `The plan as it stands in #${pullRequest} (blob \`${shortId(plan.blob)}\`):`;
  return `${head}\n\n${fenced(removeHidden(plan.text.trimEnd()), 'markdown')}`;
}

/** What an implementation wants changed in the plan. */
export function amendmentComment(reason: string, comparison: string | null, rules: OutRules): string {
  const change = comparison === null ? '' : ` [What it would change](${comparison}).`;
  return `**The implementation asks for a change of the plan.**${change}\n\n${quoted(reason, rules)}\n\nThe work so far is kept. **Approve** this pull request to have it go on by the changed plan, or **request changes** to have the plan revised first. \`/cancel\` stops the work and leaves the branch as it is.`;
}

/** On the pull request of an issue that was deleted, transferred or made a discussion. */
export const goneComment =
  '**The issue of this pull request is gone from this repository, so nothing more is done here.** What was at work for it has been stopped, and reviews start nothing any more. The pull request and its branch are left as they are: they can be merged or closed. To go on, set the trigger label on the issue where it is now, or on a new one.';

/** Why an approval is dismissed before code lands. */
export function holdMessage(login: string): string {
  return `This approval by ${inlineCode(login)} was for the plan, and it is recorded: the plan is being implemented by it. It is set aside so that it does not count for the code, which comes next and needs a review of its own.`;
}
