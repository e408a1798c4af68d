/** What people do to one issue and its pull request, and what they wait for. */
import assert from 'node:assert/strict';
import { parseMarker } from '../../src/github/identifiers.ts';
import { countLabelings } from '../../src/local/demo/narrator.ts';
import { findPullRequests } from '../../src/local/demo/timeline.ts';
import { readTrailers } from '../../src/local/demo/timeline-commits.ts';
import { commitsBetween } from '../../src/local/forge/commit-graph.ts';
import { listRefs, readCommit } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import {
  addLabels,
  createComment,
  createIssue,
  type ReviewText,
  removeLabel,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { pullRequestBase } from '../../src/local/forge/pull-request-diff.ts';
import { personActor } from '../../src/local/forge/setup.ts';
import type { Account, Issue, IssueComment, Repository, Review } from '../../src/local/forge/state.ts';
import type { ModelRequest } from '../../src/local/model/model-request.ts';
import type { World } from './world.ts';

export interface Thread {
  readonly world: World;
  readonly repository: Repository;
  readonly issue: Issue;
}

/** A new issue by the maintainer. */
export function openIssue(world: World, repository: Repository, title: string, body = 'Please.'): Thread {
  const issue = createIssue(world.forge, personActor(world.people.maintainer), repository, { title, body });
  return { world, repository, issue };
}

export function setTrigger({ world, repository, issue }: Thread, by = world.people.maintainer): void {
  addLabels(world.forge, personActor(by), repository, issue, ['plan']);
}

export function removeTrigger({ world, repository, issue }: Thread): void {
  removeLabel(world.forge, personActor(world.people.maintainer), repository, issue, 'plan');
}

export function comment(thread: Thread, on: Issue, by: Account, body: string): IssueComment {
  return createComment(thread.world.forge, personActor(by), thread.repository, on, body);
}

export function review(thread: Thread, by: Account, text: ReviewText): Review {
  return submitReview(thread.world.forge, personActor(by), thread.repository, pullOf(thread), text);
}

export function pullsOf({ repository, issue }: Thread): readonly PullRequestIssue[] {
  return findPullRequests(repository, issue.number);
}

/** The newest pull request. */
export function pullOf(thread: Thread): PullRequestIssue {
  const pull = pullsOf(thread).at(-1);
  assert.ok(pull !== undefined, 'expected a pull request');
  return pull;
}

/** Waits, and fails at once where the run has failed. */
export function waitIn<T>(thread: Thread, what: string, find: () => T | null): Promise<T> {
  return thread.world.wait(`${what} of issue #${thread.issue.number}`, () => {
    const found = find();
    if (found === null && thread.issue.labels.includes('plan: failed')) {
      throw new Error(`expected ${what}, but the run failed: ${stickyComment(thread).body}`);
    }
    return found;
  });
}

/** Waits for the `time`-th plan, with all that belongs to it. */
export function waitForPlan(thread: Thread, time = 1): Promise<PullRequestIssue> {
  return waitIn(thread, `plan ${time}`, () => {
    const isShown =
      countLabelings(thread.issue, 'plan: review') >= time && thread.issue.labels.includes('plan: review');
    return isShown && isSettled(thread, 'is ready for review in') ? pullOf(thread) : null;
  });
}

export function waitForCode(thread: Thread): Promise<PullRequestIssue> {
  return waitIn(thread, 'the implementation', () => {
    const isShown = thread.issue.labels.includes('plan: done') && isSettled(thread, 'ready for code review');
    return isShown ? pullOf(thread) : null;
  });
}

/** The sticky comment comes last in a look that shows a state. */
function isSettled(thread: Thread, words: string): boolean {
  return thread.issue.comments.some(({ body }) => isStatus(body) && body.includes(words));
}

export function stickyComments({ issue }: Thread): readonly IssueComment[] {
  return issue.comments.filter(({ body, author }) => author?.type === 'Bot' && isStatus(body));
}

function isStatus(body: string): boolean {
  return parseMarker(body)?.kind === 'status';
}

export function stickyComment(thread: Thread): IssueComment {
  const [found] = stickyComments(thread);
  assert.ok(found !== undefined, 'expected a status comment');
  return found;
}

/** The markers of all that the app has said in the thread, on the issue and on its pull requests. */
export function markersOf(thread: Thread): readonly string[] {
  const bodies = [thread.issue, ...pullsOf(thread)].flatMap((each) => [
    ...each.comments.map(({ body }) => body),
    ...(each.pullRequest?.threads ?? []).flatMap(({ comments }) => comments.map(({ body }) => body)),
  ]);
  return bodies.flatMap((body) => {
    const marker = parseMarker(body);
    return marker === null ? [] : [`${marker.kind} ${marker.cause}`];
  });
}

export interface BranchCommit {
  readonly sha: string;
  readonly subject: string;
  readonly trailers: ReadonlyMap<string, string>;
}

/** What the pull request adds to its base, oldest first. */
export function commitsOf({ repository }: Thread, pull: PullRequestIssue): readonly BranchCommit[] {
  const { gitDir } = repository;
  return commitsBetween(gitDir, pullRequestBase(repository, pull), pull.pullRequest.headSha).map((sha) => {
    const { message } = readCommit(gitDir, sha);
    return { sha, subject: message.split('\n', 1)[0] ?? '', trailers: readTrailers(message) };
  });
}

export function refsOf({ repository }: Thread): Readonly<Record<string, string>> {
  return Object.fromEntries(listRefs(repository.gitDir));
}

/** The model requests of the thread, by the issue's line in their first message. */
export function requestsOf(thread: Thread): readonly ModelRequest[] {
  const { model } = thread.world;
  return model.requests.filter(({ messages }) => JSON.stringify(messages[0]).includes(titleOf(thread)));
}

function titleOf({ issue }: Thread): string {
  return JSON.stringify(issue.title).slice(1, -1);
}

export function isImplementation(request: ModelRequest): boolean {
  return (request.tools ?? []).some(({ name }) => name === 'write');
}

/** GitHub's times are of whole seconds: of two things in the same one neither is later. */
export async function nextSecond(world: World): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await world.wait('the next second', () => Math.floor(Date.now() / 1000) > second || null);
}

/**
 * Waits until the app has looked at everything that came before: looks at a thread follow one another, so an answer to a
 * command says that what went before it has been decided on.
 */
export async function lookedAt(thread: Thread): Promise<string> {
  const { world, issue } = thread;
  const asked = comment(thread, issue, world.people.maintainer, '/status');
  await waitIn(thread, 'the answer to /status', () => (asked.reactions.length > 0 ? true : null));
  const answer = issue.comments.find(({ body }) => parseMarker(body)?.cause === `comment:${asked.id}`);
  assert.ok(answer !== undefined, 'expected an answer to /status');
  return answer.body;
}
