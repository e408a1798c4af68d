/** What people read about their reviews of a plan: answers, what a revision changed, whose approval lapsed. Pure. */
import type { FeedbackAnswer } from '../lifecycle/memory.ts';
import { count, nameSome, shortId } from '../lifecycle/phrases.ts';
import type { LeftOut } from '../plan/left-out.ts';
import { cleanInline, cleanLine, cleanMarkdown, inlineCode, type OutRules } from '../text/text-out.ts';

/** The reply in a review thread; `commit` is the revision's, `null` where it left the plan as it was. */
export function answerComment(answer: FeedbackAnswer, commit: string | null, rules: OutRules): string {
  const text = answer.text.trim();
  const said = text.includes('\n') ? `\n\n${cleanMarkdown(text, rules)}` : ` ${cleanInline(text, rules)}`;
  return `${verdictOn(answer, commit)}${said}`.trimEnd();
}

function verdictOn({ changed, text }: FeedbackAnswer, commit: string | null): string {
  if (changed && commit !== null) return `**Changed in ${shortId(commit)}:**`;
  if (changed) return '**The plan was left as it is:**';
  return text.trim() === '' ? '**Kept:** the revision gives no reason.' : '**Kept because:**';
}

/** A remark as it is listed for everybody. */
export interface ToldRemark {
  readonly path: string;
  /** `null` for the whole file, and where the lines are gone. */
  readonly lines: { readonly start: number; readonly end: number } | null;
  /** Where its discussion is. */
  readonly url: string;
  readonly answer: FeedbackAnswer;
}

export interface RevisionText {
  /** The revision's commit; `null` where it left the plan as it was. */
  readonly commit: string | null;
  /** Where GitHub shows what changed. */
  readonly comparison: string | null;
  readonly remarks: readonly ToldRemark[];
  /** Lines of the new plan that changed where no remark stands, e.g. `3-5`; `null` where that cannot be told. */
  readonly beside: readonly string[] | null;
  /** Who is asked to look again. */
  readonly asked: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

const maxListCharacters = 40_000;
const maxNamed = 30;

/** What a revision changed for which remark, and what it did beside that. */
export function revisionComment(text: RevisionText, rules: OutRules): string {
  const asked = text.asked.map(inlineCode);
  const parts = [
    headOf(text),
    asked.length === 0
      ? null
      : `Asked to look again, as earlier verdicts were on another plan: ${nameSome(asked, maxNamed)}.`,
    besideText(text.beside),
    leftOutText(text.leftOut),
    text.remarks.length === 0 ? null : `**Remarks and what came of them**\n\n${remarkList(text, rules)}`,
  ];
  return parts.filter((part) => part !== null).join('\n\n');
}

function headOf({ commit, comparison }: RevisionText): string {
  if (commit === null) return '**The plan was looked at again and left as it is.**';
  const change = comparison === null ? '' : ` [What changed](${comparison}).`;
  return `**The plan was revised in ${shortId(commit)}.**${change} Approve this version to have it implemented, or request changes again.`;
}

function besideText(beside: readonly string[] | null): string | null {
  if (beside === null) return null;
  if (beside.length === 0) return 'Nothing else in the plan was changed.';
  return `Also changed, where no remark stands: ${nameSome(beside, maxNamed)}.`;
}

function remarkList({ remarks, commit }: RevisionText, rules: OutRules): string {
  const rows: string[] = [];
  let length = 0;
  for (const { path, lines, url, answer } of remarks) {
    const place = lines === null ? '' : ` ${linesOf(lines)}`;
    const row = `- [${inlineCode(path)}${place}](${url}): ${oneLineAnswer(answer, commit, rules)}`;
    length += row.length;
    if (length > maxListCharacters) break;
    rows.push(row);
  }
  const more = remarks.length - rows.length;
  return [...rows, ...(more > 0 ? [`- and ${more} more, each answered in its thread`] : [])].join('\n');
}

function oneLineAnswer(answer: FeedbackAnswer, commit: string | null, rules: OutRules): string {
  return answerComment({ ...answer, text: cleanLine(answer.text, 300) }, commit, rules);
}

function linesOf({ start, end }: { readonly start: number; readonly end: number }): string {
  return start === end ? `line ${start}` : `lines ${start}-${end}`;
}

/** How much of the reviews was not used, and why, without its words; `null` where all of it was. */
export function leftOutText(leftOut: readonly LeftOut[]): string | null {
  if (leftOut.length === 0) return null;
  const rows = leftOut.slice(0, maxNamed).map(({ login, why, count: comments }) => {
    const reason =
      why === 'may_not_review'
        ? 'only people who may review this plan are heard'
        : 'changed after the review was submitted; submit it again to have it heard';
    return `- ${count(comments, 'comment')} by ${inlineCode(login)}: ${reason}.`;
  });
  const more = leftOut.length - rows.length;
  const rest = more > 0 ? [`- and those of ${more} more people.`] : [];
  return ['**Left out:**', '', ...rows, ...rest].join('\n');
}

/** Whose approvals no longer count, and why. */
export function lapsedComment(
  lapsed: readonly { readonly login: string; readonly why: string }[],
  head: string | null,
  rules: OutRules,
): string {
  const rows = lapsed.slice(0, maxNamed).map(({ login, why }) => {
    return `- The approval by ${inlineCode(login)}: ${cleanInline(why, rules, 500)}.`;
  });
  const more = lapsed.length - rows.length;
  const list = [...rows, ...(more > 0 ? [`- and ${more} more.`] : [])].join('\n');
  const wanted = head === null ? 'the plan as it stands' : `the plan as it stands in ${shortId(head)}`;
  const what = lapsed.length === 1 ? 'An approval no longer counts' : 'Approvals no longer count';
  return `**${what}.** Nothing is implemented by ${lapsed.length === 1 ? 'it' : 'them'}.\n\n${list}\n\nPlease review ${wanted}: approve it, or request changes.`;
}
