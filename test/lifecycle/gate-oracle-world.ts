/** A plan in review as facts, and what events make of it: for comparing the gate with its oracle. */
import type { Facts, Person, PullRequestFacts, Review, ReviewThread } from '../../src/lifecycle/facts.ts';
import type { GateEvent, Reviewer } from './gate-oracle.ts';
import * as the from './world.ts';

export const people: Readonly<Record<Reviewer, Person>> = {
  ada: { id: 11, login: 'ada', kind: 'user', isThisApp: false },
  ben: { id: 12, login: 'ben', kind: 'user', isThisApp: false },
};

/** One second for each event: enough for the longest sequence. */
const times = Array.from({ length: 12 }, (_, tick) => new Date(Date.UTC(2026, 0, 2) + tick * 1000).toISOString());

export interface Reviewed {
  readonly facts: Facts;
  readonly pullRequest: PullRequestFacts;
  readonly tick: number;
}

export function createReviewed(): Reviewed {
  const world = the.createWorld();
  the.setLabel(world, the.writer, 'labeled');
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  const facts = the.factsOf(world);
  const [pullRequest] = facts.pullRequests;
  if (pullRequest === undefined) throw new Error('expected a plan in review, got no pull request');
  return { facts, pullRequest, tick: 0 };
}

/** What an event leaves behind; `null` where it cannot happen, such as the dismissal of what nobody has said. */
export function happen(before: Reviewed, event: GateEvent): Reviewed | null {
  const at = times[before.tick + 1];
  if (at === undefined) throw new Error('expected a shorter sequence, got one with more events than times');
  const change = changeOf(before.pullRequest, event, at);
  if (change === null) return null;
  const pullRequest = { ...before.pullRequest, ...change };
  return { facts: { ...before.facts, pullRequests: [pullRequest] }, pullRequest, tick: before.tick + 1 };
}

function changeOf(own: PullRequestFacts, event: GateEvent, at: string): Partial<PullRequestFacts> | null {
  const disturbed = (kind: PullRequestFacts['disturbances'][number]['kind']) => [...own.disturbances, { kind, at }];
  switch (event.kind) {
    case 'push': {
      const sha = `sha-${at}`;
      const plan = own.planOfRecord;
      return {
        head: sha,
        commits: [...own.commits, { sha, headline: 'edit', committedAt: at, trailers: null }],
        planOfRecord: plan === null ? null : { ...plan, blob: `blob-${at}` },
      };
    }
    case 'close':
      return own.state === 'open' ? { state: 'closed', closedAt: at, disturbances: disturbed('closed') } : null;
    case 'reopen':
      return own.state === 'closed' ? { state: 'open', closedAt: null, disturbances: disturbed('reopened') } : null;
    case 'retarget':
      return { baseBranch: own.baseBranch === 'main' ? 'release' : 'main', disturbances: disturbed('base_changed') };
    case 'approve':
      return { reviews: [...own.reviews, reviewOf(own, event, 'APPROVED', at)] };
    case 'request changes':
      return { reviews: [...own.reviews, reviewOf(own, event, 'CHANGES_REQUESTED', at)] };
    case 'comment': {
      const review = reviewOf(own, event, 'COMMENTED', at);
      return { reviews: [...own.reviews, review], threads: [...own.threads, threadOf(review, at)] };
    }
    case 'dismiss':
      return dismissed(own, event);
    case 'hold':
      return {
        reviews: own.reviews.map((review) =>
          review.state === 'APPROVED' ? { ...review, state: 'DISMISSED', isHeldByThisApp: true } : review,
        ),
      };
  }
}

function reviewOf(own: PullRequestFacts, event: GateEvent, state: string, at: string): Review {
  const id = 100 + own.reviews.length;
  return {
    id,
    nodeId: `PRR_${id}`,
    author: event.of === null ? null : people[event.of],
    state,
    commit: own.head,
    body: '',
    submittedAt: at,
    editedAt: null,
    isHeldByThisApp: false,
  };
}

function threadOf(review: Review, at: string): ReviewThread {
  const { id, author, commit } = review;
  const comment = { id, nodeId: `C_${id}`, author, reviewId: id, body: 'Why?', createdAt: at, editedAt: null };
  return {
    nodeId: `T_${id}`,
    path: 'plan.md',
    subject: 'line',
    side: 'RIGHT',
    line: id,
    startLine: null,
    originalLine: id,
    originalStartLine: null,
    isOutdated: false,
    isResolved: false,
    comments: [{ ...comment, originalCommit: commit, diffHunk: '' }],
  };
}

/** The reviewer's latest verdict, unless it has been dismissed already. */
function dismissed(own: PullRequestFacts, event: GateEvent): Partial<PullRequestFacts> | null {
  const at = own.reviews.findLastIndex(({ author, state }) => author?.login === event.of && state !== 'COMMENTED');
  if (at === -1 || own.reviews[at]?.state === 'DISMISSED') return null;
  return { reviews: own.reviews.map((review, index) => (index === at ? { ...review, state: 'DISMISSED' } : review)) };
}
