import { type Actor, actingAccount } from '../access.ts';
import { isAncestor, mergeBase } from '../commit-graph.ts';
import { tell, tellAboutPull } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { NO_COMMIT } from '../git-repository.ts';
import { isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { fileHunks, filesBetween, followLine, hunkOfLine, pullRequestBase } from '../pull-request-diff.ts';
import { pushShape } from '../shapes/push.ts';
import type { Repository, ReviewThread } from '../state.ts';
import { record } from '../timeline.ts';
import { settleClosed } from './issues.ts';
import { settleMerged } from './merged.ts';

/**
 * What GitHub does once a ref has moved: the `push` event, and for open pull requests of that branch the new head,
 * outdated threads and `synchronize`; a deleted branch closes them, and a head that reached its base branch is merged.
 * @param before `NO_COMMIT` for a new ref
 * @param after `NO_COMMIT` for a deleted one
 */
export function afterPush(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  ref: string,
  before: string,
  after: string,
): void {
  repository.pushedAt = now(forge);
  tell(
    forge,
    actor,
    repository,
    'push',
    pushShape(forge, repository, { ref, before, after, pusher: actingAccount(actor) }),
  );
  if (!ref.startsWith('refs/heads/')) return;
  const branch = ref.slice('refs/heads/'.length);
  if (before !== NO_COMMIT && after !== NO_COMMIT) settleArrivals(forge, actor, repository, branch, before, after);
  for (const pull of repository.issues.filter(isPullRequest)) {
    const { headRef, headRepositoryId } = pull.pullRequest;
    if (pull.state === 'closed' || headRef !== branch || headRepositoryId !== repository.id) continue;
    if (after === NO_COMMIT) settleClosed(forge, actor, repository, pull);
    else moveHead(forge, actor, repository, pull, after);
  }
}

/** A pull request whose head has arrived in its base branch is merged, however it came there. */
function settleArrivals(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  branch: string,
  before: string,
  after: string,
): void {
  const { gitDir } = repository;
  for (const pull of repository.issues.filter(isPullRequest)) {
    const { baseRef, headSha } = pull.pullRequest;
    if (pull.state === 'closed' || baseRef !== branch || !isAncestor(gitDir, headSha, after)) continue;
    settleMerged(forge, actor, repository, pull, after, mergeBase(gitDir, before, headSha) ?? headSha);
  }
}

function moveHead(forge: Forge, actor: Actor, repository: Repository, pull: PullRequestIssue, after: string): void {
  const before = pull.pullRequest.headSha;
  if (before === after) return;
  pull.pullRequest.headSha = after;
  pull.updatedAt = now(forge);
  if (!isAncestor(repository.gitDir, before, after)) {
    record(forge, actor, pull, { kind: 'head_ref_force_pushed', before, after });
  }
  for (const thread of pull.pullRequest.threads) moveThread(repository, pull, thread, before);
  tellAboutPull(forge, actor, repository, pull, 'synchronize', { before, after });
}

/** Follows the thread's lines into the new head. What is outdated stays so. */
function moveThread(repository: Repository, pull: PullRequestIssue, thread: ReviewThread, before: string): void {
  if (thread.isOutdated) return;
  const moved = movedPosition(repository, pull, thread, before);
  thread.isOutdated = moved === null;
  thread.line = moved?.line ?? null;
  thread.startLine = moved?.startLine ?? null;
  if (moved === null) return;
  for (const comment of thread.comments) comment.commit = pull.pullRequest.headSha;
}

type Position = Pick<ReviewThread, 'line' | 'startLine'>;

function movedPosition(
  repository: Repository,
  pull: PullRequestIssue,
  thread: ReviewThread,
  before: string,
): Position | null {
  const { gitDir } = repository;
  const head = pull.pullRequest.headSha;
  const base = pullRequestBase(repository, pull);
  if (thread.line === null) {
    const isInDiff = filesBetween(gitDir, base, head).some((file) => file.path === thread.path);
    return isInDiff ? { line: null, startLine: null } : null;
  }
  const lines = [thread.startLine ?? thread.line, thread.line];
  const [startLine, line] = lines.map((each) =>
    thread.side === 'LEFT' ? each : followLine(gitDir, before, head, thread.path, each),
  );
  if (line === undefined || line === null || startLine === undefined || startLine === null) return null;
  if (thread.side === 'RIGHT' && line - startLine !== thread.line - (thread.startLine ?? thread.line)) return null;
  const hunk = hunkOfLine(fileHunks(gitDir, base, head, thread.path), thread.side, line);
  return hunk === null ? null : { line, startLine: thread.startLine === null ? null : startLine };
}
