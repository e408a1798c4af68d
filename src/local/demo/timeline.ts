/** What happened on the forge, as a reader of the issue and its pull request sees it: one line an event. */
import { isPullRequest, type PullRequestIssue } from '../forge/lookup.ts';
import type { Issue, Repository, TimelineEvent } from '../forge/state.ts';
import { clip } from './plain-line.ts';
import { describeCheck, describeCommits } from './timeline-commits.ts';
import { describeConversation, loginOf } from './timeline-conversation.ts';
import { describeFailure, describeReport } from './timeline-report.ts';

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
      ...repository.checkRuns.flatMap(describeCheck),
      ...pulls.flatMap((pull) => [...pull.timeline.flatMap(describeEvent), ...describeConversation(pull)]),
      ...pulls.flatMap(describeReport),
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
