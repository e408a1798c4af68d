/** What a run is told: the request, the feedback or the answers that it is about, from what GitHub shows now. */
import type { Feedback, IssueText, LineRemark, Quoted, RunBrief, Trust } from '../agent/brief.ts';
import { pullRequestFrom } from '../lifecycle/branch.ts';
import { commentCause, reviewsAmong } from '../lifecycle/cause.ts';
import { isEligible } from '../lifecycle/eligibility.ts';
import type { Comment, Facts, Person, PullRequestFacts } from '../lifecycle/facts.ts';
import { isWriter, loginOf } from '../lifecycle/person.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { formatFeedback, neededFiles } from '../plan/line-feedback.ts';
import type { RunRecord } from './run-record.ts';

export interface BriefSource {
  readonly run: RunRecord;
  readonly facts: Facts;
  readonly policy: Policy;
  /** The plan that the run is about; `null` before there is one. */
  readonly plan: string | null;
  /** A file's text at a commit; `null` where there is none, or the commit is gone. */
  readonly fileAt: (commit: string, path: string) => Promise<string | null>;
}

/** Files that tell agents how a repository wants to be worked on; read from the base commit, as text. */
const instructionPaths = ['AGENTS.md', 'CLAUDE.md'] as const;

export async function writeBrief(source: BriefSource): Promise<RunBrief> {
  const { run, facts, plan } = source;
  const { occasion } = run;
  switch (occasion.kind) {
    case 'request':
      return {
        kind: 'request',
        issue: quoteIssue(facts),
        note: noteOf(source, occasion.text),
        instructions: await readInstructions(source),
      };
    case 'reviews':
      return { kind: 'changes_requested', feedback: await readFeedback(source, occasion.reviews), plan: plan ?? '' };
    case 'replan':
      return { kind: 'replan', note: noteOf(source, occasion.text), plan };
    case 'answer':
      return { kind: 'answered', answers: quoteAnswers(facts, occasion.comments) };
    case 'declined':
      return { kind: 'declined' };
    case 'approval':
      return {
        kind: 'approved',
        plan: plan ?? '',
        commit: run.approval?.head ?? run.base,
        approvers: (run.approval?.reviewers ?? []).map((reviewer) => reviewer.login),
        feedback: await readFeedback(source, occasion.reviews),
        issue: quoteIssue(facts),
      };
    case 'code_reviews':
      return {
        kind: 'code_changes_requested',
        plan: plan ?? '',
        feedback: await readFeedback(source, occasion.reviews),
      };
  }
}

/** The remarks that a revision of the plan answers, whichever part of its work this is; `null` for every other run. */
export async function readRemarks(source: BriefSource): Promise<readonly LineRemark[] | null> {
  const reviews = reviewsAmong(source.run.causes);
  if (source.run.phase !== 'plan' || reviews.length === 0) return null;
  return (await readFeedback(source, reviews)).remarks;
}

/** What the issue asks for, as it stands now. */
export function quoteIssue(facts: Facts): IssueText {
  const { number, title, body, author } = facts.issue;
  return { number, title, body: { author: loginOf(author), trust: trustOf(facts, author), text: body } };
}

function trustOf(facts: Facts, person: Person | null): Trust {
  return isWriter(facts, person) ? 'writer' : 'issue author';
}

/** Text after a command; its author is whoever gave the command that the run answers. */
function noteOf(source: BriefSource, text: string | null): Quoted | null {
  return text === null ? null : { ...speaker(source), text };
}

function speaker({ facts, run }: BriefSource): Omit<Quoted, 'text'> {
  const comment = commentsOf(facts).find(({ id }) => run.causes.includes(commentCause(id)));
  return { author: loginOf(comment?.author ?? null), trust: 'requester' };
}

function commentsOf(facts: Facts): readonly Comment[] {
  return [...facts.issue.comments, ...facts.pullRequests.flatMap((pullRequest) => pullRequest.comments)];
}

function quoteAnswers(facts: Facts, ids: readonly number[]): readonly Quoted[] {
  return commentsOf(facts)
    .filter((comment) => ids.includes(comment.id))
    .map(({ author, body }) => ({ author: loginOf(author), trust: trustOf(facts, author), text: body }));
}

async function readInstructions({ run, fileAt }: BriefSource): Promise<{ path: string; text: string }[]> {
  const files = await Promise.all(instructionPaths.map(async (path) => ({ path, text: await fileAt(run.base, path) })));
  return files.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]));
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
