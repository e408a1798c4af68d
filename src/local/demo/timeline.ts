/** What happened on the forge, as a reader of the issue and its pull request sees it: one line an event. */
import { commitsBetween, readCommit, resolveCommit } from '../forge/git-repository.ts';
import { isPullRequest, type PullRequestIssue } from '../forge/lookup.ts';
import { filesBetween, pullRequestBase } from '../forge/pull-request-diff.ts';
import type { Account, CheckRun, Issue, Repository, Review, TimelineEvent } from '../forge/state.ts';

export interface TimelineEntry {
  /** The same for as long as the event says the same. */
  readonly key: string;
  readonly topic: string;
  readonly text: string;
}

/** Returns a function that gives the events since its last call. It reads the forge's state and its git repository. */
export function createTimeline(repository: Repository, issueNumber: number): () => readonly TimelineEntry[] {
  const told = new Set<string>();
  const commitsAt = new Map<string, readonly TimelineEntry[]>();
  const commitsOf = (pull: PullRequestIssue): readonly TimelineEntry[] => {
    const head = pull.pullRequest.headSha;
    const known = commitsAt.get(head) ?? describeCommits(repository, pull);
    commitsAt.set(head, known);
    return known;
  };
  return () => {
    const issue = repository.issues.find((each) => each.number === issueNumber);
    if (issue === undefined) return [];
    const pulls = findPullRequests(repository, issueNumber);
    const all = [
      ...describeOpening(issue),
      ...issue.timeline.flatMap(describeLabel),
      ...pulls.flatMap((pull) => [...commitsOf(pull), ...describeOpening(pull)]),
      ...repository.checkRuns.map(describeCheck),
      ...pulls.flatMap((pull) => [...pull.timeline.flatMap(describeEvent), ...describeConversation(pull)]),
      ...pulls.flatMap(describeVerification),
      ...describeFailure(issue),
    ];
    return all.filter(({ key }) => {
      const isFresh = !told.has(key);
      told.add(key);
      return isFresh;
    });
  };
}

/** The pull requests of the issue's branches, oldest first. */
export function findPullRequests(repository: Repository, issueNumber: number): readonly PullRequestIssue[] {
  const branch = new RegExp(`^planwright/issue-${issueNumber}(?:-\\d+)?$`);
  return repository.issues.filter(isPullRequest).filter((pull) => branch.test(pull.pullRequest.headRef));
}

/** The trailers of a commit message's last paragraph, by name. */
export function readTrailers(message: string): ReadonlyMap<string, string> {
  const last = message.trimEnd().split('\n\n').at(-1) ?? '';
  return new Map([...last.matchAll(/^([A-Za-z-]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** At most `length` characters of the first line that says something. */
export function clip(text: string, length = 100): string {
  const visible = text.replaceAll(/<!--[\s\S]*?-->/g, '').split('\n');
  const line = visible.map((each) => each.trim()).find((each) => each !== '') ?? '';
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

function loginOf(account: Account | null): string {
  return account?.login ?? 'a deleted account';
}

function describeOpening(issue: Issue): readonly TimelineEntry[] {
  const isDraft = issue.pullRequest?.draft === true;
  const topic = isPullRequest(issue) ? 'pull request' : 'issue';
  const text = `#${issue.number} opened${isDraft ? ' as a draft' : ''} by ${loginOf(issue.author)}: ${clip(issue.title)}`;
  return [{ key: `opened:${issue.number}`, topic, text }];
}

/** The app shows the state of its work by labels; a person's label is an order. */
function describeLabel(event: TimelineEvent): readonly TimelineEntry[] {
  if (event.kind !== 'labeled') return [];
  const topic = event.actor?.type === 'Bot' ? 'run' : 'label';
  const by = topic === 'label' ? `, set by ${loginOf(event.actor)}` : '';
  return [{ key: `event:${event.id}`, topic, text: `${event.label}${by}` }];
}

function describeEvent(event: TimelineEvent): readonly TimelineEntry[] {
  const entry = (topic: string, text: string) => [{ key: `event:${event.id}`, topic, text }];
  if (event.kind === 'review_requested') return entry('reviewer', `${loginOf(event.reviewer)} is asked to review`);
  if (event.kind === 'ready_for_review') return entry('ready', 'ready for code review');
  if (event.kind === 'review_dismissed') {
    return entry('hold', `${event.previousState} review dismissed by ${loginOf(event.actor)}: ${clip(event.message)}`);
  }
  return event.kind === 'merged' || event.kind === 'closed' ? entry('pull request', event.kind) : [];
}

function describeCommits(repository: Repository, pull: PullRequestIssue): readonly TimelineEntry[] {
  const { gitDir } = repository;
  const shas = commitsBetween(gitDir, pullRequestBase(repository, pull), pull.pullRequest.headSha);
  return shas.flatMap((sha) => {
    const { message } = readCommit(gitDir, sha);
    const trailers = readTrailers(message);
    const files = filesBetween(gitDir, resolveCommit(gitDir, `${sha}^`) ?? sha, sha);
    const stat = files.map(({ path, additions, deletions }) => `${path} +${additions} −${deletions}`).join(', ');
    const topic = trailers.get('Planwright-Phase') === 'plan' ? 'plan' : 'commit';
    const entries = [
      { key: `commit:${sha}`, topic, text: `${sha.slice(0, 7)} ${clip(message, 72)} (${stat || 'no change'})` },
    ];
    return [...describeReceipt(pull, trailers), ...entries];
  });
}

/** What opened the gate, from the trailers; the same on every commit of an implementation. */
function describeReceipt(pull: PullRequestIssue, trailers: ReadonlyMap<string, string>): readonly TimelineEntry[] {
  const approvedBy = trailers.get('Planwright-Approved-By')?.replaceAll(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1');
  const plan = trailers.get('Planwright-Plan')?.slice(0, 7);
  if (approvedBy === undefined || plan === undefined) return [];
  const text = `plan ${plan} was approved by ${approvedBy}, as every commit says`;
  return [{ key: `receipt:${pull.number}:${text}`, topic: 'receipt', text }];
}

function describeCheck(check: CheckRun): TimelineEntry {
  const state = check.conclusion ?? check.status;
  const text = `${check.name} on ${check.headSha.slice(0, 7)}: ${state.replaceAll('_', ' ')}, ${clip(check.title ?? '')}`;
  return { key: `check:${check.id}:${text}`, topic: 'check', text };
}

/** What the app reports of the plan's own commands: that they ran, or why not. */
function describeVerification(pull: PullRequestIssue): readonly TimelineEntry[] {
  const section = /^## Verification\n+((?:- .+\n?)+)/m.exec(pull.body ?? '')?.[1] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('- '));
  return lines.map((line) => ({
    key: `verification:${pull.number}:${line}`,
    topic: 'verification',
    text: clip(line.slice(2).replaceAll('**', '')),
  }));
}

/** Why a run failed, as the app says it on the issue. */
function describeFailure(issue: Issue): readonly TimelineEntry[] {
  if (!issue.labels.includes('plan: failed')) return [];
  return issue.comments
    .filter((comment) => comment.author?.type === 'Bot')
    .flatMap((comment) => {
      const [first = '', detail] = comment.body.split('\n').filter((line) => line !== '');
      const reason = detail?.startsWith('> ') ? ` ${clip(detail.slice(2))}` : '';
      const text = `${clip(first.replaceAll('**', ''))}${reason}`;
      return [{ key: `failure:${comment.id}:${text}`, topic: 'failure', text }];
    });
}

const verdicts: Readonly<Record<string, string>> = {
  APPROVED: 'approves',
  CHANGES_REQUESTED: 'requests changes',
  COMMENTED: 'comments',
};

function describeConversation(pull: PullRequestIssue): readonly TimelineEntry[] {
  const { threads, reviews } = pull.pullRequest;
  const remarks = threads.flatMap((thread) =>
    thread.comments.map((comment) => ({
      review: comment.reviewId,
      isAnswer: comment.inReplyTo !== null,
      key: `remark:${comment.id}`,
      topic: comment.inReplyTo === null ? 'remark' : 'answer',
      text: `${thread.path}${thread.originalLine === null ? '' : `:${thread.originalLine}`} ${loginOf(comment.author)}: ${clip(comment.body)}`,
    })),
  );
  const comments = pull.comments.map((comment) => ({
    key: `comment:${comment.id}`,
    topic: 'comment',
    text: `${loginOf(comment.author)}: ${clip(comment.body)}`,
  }));
  const entries = reviews.flatMap((review) => {
    const own = remarks.filter((remark) => remark.review === review.id);
    return [
      ...describeReview(
        review,
        own.length,
        own.some((remark) => remark.isAnswer),
      ),
      ...own,
    ];
  });
  return [...entries.map(({ key, topic, text }) => ({ key, topic, text })), ...comments];
}

/** A reply in a thread is a review of its own on GitHub; the reply says it already. */
function describeReview(review: Review, remarks: number, isAnswer: boolean): readonly TimelineEntry[] {
  const verdict = verdicts[review.state];
  if (verdict === undefined || isAnswer) return [];
  const about = review.commit === null ? '' : ` at ${review.commit.slice(0, 7)}`;
  const count = remarks === 0 ? '' : `, ${remarks} line comment${remarks === 1 ? '' : 's'}`;
  const body = review.body === '' ? '' : `: ${clip(review.body)}`;
  return [
    {
      key: `review:${review.id}`,
      topic: 'review',
      text: `${loginOf(review.author)} ${verdict}${about}${count}${body}`,
    },
  ];
}
