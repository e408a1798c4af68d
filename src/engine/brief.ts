/** What a run is told: the request, the feedback or the answers that it is about, from what GitHub shows now. */
import type { Answer, Feedback, InstructionFile, LineRemark, Quoted, Resumption, RunBrief } from '../agent/brief.ts';
import { bindAnswers, type Said } from '../lifecycle/answers.ts';
import { pullRequestFrom } from '../lifecycle/branch.ts';
import { commentCause, reviewsAmong } from '../lifecycle/cause.ts';
import { readCommand } from '../lifecycle/command.ts';
import { isEligible } from '../lifecycle/eligibility.ts';
import type { Comment, Facts, Person, PullRequestFacts } from '../lifecycle/facts.ts';
import type { Question } from '../lifecycle/memory.ts';
import { isWriter, loginOf } from '../lifecycle/person.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { allComments } from '../lifecycle/thread-comments.ts';
import { formatFeedback, neededFiles } from '../plan/line-feedback.ts';
import { visibleLines } from '../text/visible-words.ts';
import { quote, quoteDiscussion, quoteIssue, type RequestInstant } from './quote-request.ts';
import type { RunRecord } from './run-record.ts';

export interface BriefSource {
  readonly run: RunRecord;
  readonly facts: Facts;
  readonly policy: Policy;
  readonly request: RequestInstant;
  /** The plan that the run is about; `null` before there is one. */
  readonly plan: string | null;
  /** A file's text at a commit; `null` where there is none, or the commit is gone. */
  readonly fileAt: (commit: string, path: string) => Promise<string | null>;
  /** How the repository wants to be worked on, as its base says. */
  readonly instructions: () => Promise<readonly InstructionFile[]>;
  /** The questions that the run answers; empty on every other run. */
  readonly asked: readonly Question[];
  /** The call that a writer's word is about; `null` on every other run. */
  readonly call: string | null;
  /** What became of the work that the run goes on with; `null` where it goes on with none. */
  readonly resumed: Resumption | null;
}

/** @throws {UnreadableText} where words of people cannot be read as people see them */
export async function writeBrief(source: BriefSource): Promise<RunBrief> {
  const { plan } = source;
  const { occasion } = source.run;
  switch (occasion.kind) {
    case 'request':
      return requestBrief(source, occasion.text);
    case 'reviews':
      return { kind: 'changes_requested', feedback: await readFeedback(source, occasion.reviews), plan: plan ?? '' };
    case 'replan':
      return { kind: 'replan', note: noteOf(source, occasion.text), plan };
    case 'answer':
      return { kind: 'answered', ...quoteAnswers(source, occasion.comments), isContinued: occasion.isContinued };
    case 'permission':
      return {
        kind: 'permission',
        call: source.call ?? '',
        isAllowed: occasion.isAllowed,
        note: wordOf(source, occasion.text),
      };
    case 'continued':
      return { kind: 'continued' };
    case 'declined':
      return { kind: 'declined' };
    case 'approval':
      return approvedBrief(source, occasion.reviews);
    case 'code_reviews':
      return {
        kind: 'code_changes_requested',
        plan: plan ?? '',
        feedback: await readFeedback(source, occasion.reviews),
      };
  }
}

async function requestBrief(source: BriefSource, note: string | null): Promise<RunBrief> {
  const discussion = quoteDiscussion(source.facts, source.request);
  return {
    kind: 'request',
    issue: quoteIssue(source.facts, source.request),
    ...(discussion === null ? {} : { discussion }),
    note: noteOf(source, note),
    instructions: await source.instructions(),
  };
}

async function approvedBrief(source: BriefSource, reviews: readonly number[]): Promise<RunBrief> {
  const { run, facts, plan, request, resumed } = source;
  return {
    kind: 'approved',
    plan: plan ?? '',
    commit: run.approval?.head ?? run.base,
    approvers: (run.approval?.reviewers ?? []).map((reviewer) => reviewer.login),
    feedback: await readFeedback(source, reviews),
    issue: quoteIssue(facts, request),
    ...(resumed === null ? {} : { resumed }),
  };
}

/** The remarks that a revision of the plan answers, whichever part of its work this is; `null` for every other run. */
export async function readRemarks(source: BriefSource): Promise<readonly LineRemark[] | null> {
  const reviews = reviewsAmong(source.run.causes);
  if (source.run.phase !== 'plan' || reviews.length === 0) return null;
  return (await readFeedback(source, reviews)).remarks;
}

/** Text after a command; its author is whoever gave the command that the run answers. */
function noteOf(source: BriefSource, text: string | null): Quoted | null {
  return text === null ? null : { trust: 'requester', ...quote(commentsOfRun(source)[0]?.author ?? null, text) };
}

/** Of two words on a call, that of whoever denied it: as in `lifecycle/awaiting-answer.ts`. */
function wordOf(source: BriefSource, text: string | null): Quoted | null {
  if (text === null) return null;
  const words = commentsOfRun(source);
  const comment = words.find(({ body }) => readCommand(body)?.name === 'deny') ?? words[0];
  return { trust: 'writer', ...quote(comment?.author ?? null, text) };
}

/** The comments that the run answers, oldest first. */
function commentsOfRun({ facts, run }: BriefSource): readonly Comment[] {
  return allComments(facts).filter(({ id }) => run.causes.includes(commentCause(id)));
}

/** Whoever is heard and is not the author of the issue was heard as a writer, whether or not that could be read once more. */
function trustOf(facts: Facts, author: Person | null): Quoted['trust'] {
  const isAuthor = author?.id === facts.issue.author?.id;
  return isAuthor && !isWriter(facts, author) ? 'issue author' : 'writer';
}

/** That they count was decided when they were heard; what was changed or deleted since is not told. */
function quoteAnswers({ facts, asked }: BriefSource, ids: readonly number[]) {
  const there = allComments(facts).filter(({ id, editedAt }) => ids.includes(id) && editedAt === null);
  const lines = new Map(there.map(({ id, author, body }) => [id, visibleLines(loginOf(author), body)]));
  const seen = there.map((comment) => ({ ...comment, seen: lines.get(comment.id)?.text ?? '' }));
  const { given, remarks } = bindAnswers(seen, asked);
  const quoteAll = (said: readonly Said[]) =>
    said.map(({ comment: { id, author }, text }): Quoted => {
      const hidden = lines.get(id)?.hidden ?? 0;
      return { trust: trustOf(facts, author), ...quote(author, text), ...(hidden === 0 ? {} : { hidden }) };
    });
  const answers = asked.map(({ text, suggestions }, index): Answer => {
    const choices = suggestions.length === 0 ? {} : { suggestions };
    return { question: index + 1, text, ...choices, answers: quoteAll(given[index] ?? []) };
  });
  return { answers, ...(remarks.length === 0 ? {} : { remarks: quoteAll(remarks) }) };
}

async function readFeedback(source: BriefSource, reviewIds: readonly number[]): Promise<Feedback> {
  const { facts, policy, run, fileAt } = source;
  const pullRequest = pullRequestFrom(facts, run.branch);
  if (pullRequest === null) return { bodies: [], remarks: [] };
  const texts = await readFiles(pullRequest, reviewIds, fileAt);
  return formatFeedback({
    reviews: pullRequest.reviews,
    threads: pullRequest.threads,
    reviewIds,
    maySpeak: (person) => isEligible(facts, policy, person),
    fileAt: (commit, path) => texts.get(`${commit}:${path}`) ?? null,
  });
}

async function readFiles(
  { threads }: PullRequestFacts,
  reviewIds: readonly number[],
  fileAt: BriefSource['fileAt'],
): Promise<ReadonlyMap<string, string | null>> {
  const texts = new Map<string, string | null>();
  for (const { commit, path } of neededFiles(threads, reviewIds)) {
    texts.set(`${commit}:${path}`, await fileAt(commit, path));
  }
  return texts;
}
