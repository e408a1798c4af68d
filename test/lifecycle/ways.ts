/** Every way in which people end or move a thread, at every moment of it: what follows, and what people are told. A table. */
import assert from 'node:assert/strict';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

export type Happen = (world: World) => void;

export const label: Happen = (world) => the.setLabel(world, the.writer, 'labeled');
export const unlabel: Happen = (world) => the.setLabel(world, the.writer, 'unlabeled');
export const claim: Happen = (world) => the.work(world, 'claim');
export const deliver: Happen = (world) => the.work(world, 'finish');
export const approve: Happen = (world) => void the.addReview(world, the.writer, 'APPROVED');
export const object: Happen = (world) => void the.addReview(world, the.writer, 'CHANGES_REQUESTED');

/** What has come before, each followed by a look. */
export const moments = {
  'the plan is queued': [label],
  'the first plan is being written': [label, claim],
  'the plan is in review': [label, deliver],
  'the plan is being revised': [label, deliver, object, claim],
  'the plan is being implemented': [label, deliver, approve, claim],
  'the code is in review': [label, deliver, approve, deliver],
} as const satisfies Readonly<Record<string, readonly Happen[]>>;
export type Moment = keyof typeof moments;

export interface Expected {
  /** The state that the next look finds. */
  readonly next: ThreadState;
  /** Whether the run at work, or in the queue, is stopped. */
  readonly isStopped: boolean;
  /** Whether what the run at work makes still reaches the branch. */
  readonly isPushed: boolean;
  /** The state once no run is at work any more. */
  readonly end: ThreadState;
  /** What people read then, in the status comment and in the check of the plan. */
  readonly told: RegExp;
}

/** The run is stopped, and nothing of it is pushed. */
function stops(end: ThreadState, told: RegExp): Expected {
  return { next: 'exit_pending', isStopped: true, isPushed: false, end, told };
}

/** No run is at work, and none begins. */
function rests(end: ThreadState, told: RegExp): Expected {
  return { next: end, isStopped: false, isPushed: false, end, told };
}

/** The run at work is let be, and its work is pushed. */
function goesOn(next: ThreadState, end: ThreadState, told: RegExp): Expected {
  return { next, isStopped: false, isPushed: true, end, told };
}

/** Nothing runs, and this starts the work: it is pushed once it is done. */
const starts = goesOn;

const left = /Nothing more is done here\.\*\* #8 is left as it is\. .* goes on with it/;
const givenUp = /This thread was given up\.\*\* #8 is left as it is\. .* starts anew/;
const merged = /Done: #8 was merged/;
const inReview = /The plan is ready for review in #8/;
const codeInReview = /implemented in #8/;

/** There is no pull request yet. */
const none = null;

export interface Way {
  /** Each followed by a look; before another one a run that was told to stop has stopped. */
  readonly events: readonly Happen[];
  readonly at: Readonly<Record<Moment, Expected | null>>;
}

/** Nothing about a thread changes by it. */
function changesNothing(told: RegExp = /./): Way['at'] {
  return {
    'the plan is queued': goesOn('pending', 'awaiting_approval', told),
    'the first plan is being written': goesOn('planning', 'awaiting_approval', told),
    'the plan is in review': rests('awaiting_approval', told),
    'the plan is being revised': goesOn('planning', 'awaiting_approval', told),
    'the plan is being implemented': goesOn('implementing', 'implemented', told),
    'the code is in review': rests('implemented', told),
  };
}

/** It ends what is under way. `before`: what is told where there is no pull request. */
function endsAll(why: RegExp, before: RegExp = why): Way['at'] {
  return {
    'the plan is queued': stops('inactive', before),
    'the first plan is being written': stops('inactive', before),
    'the plan is in review': rests('abandoned', why),
    'the plan is being revised': stops('abandoned', why),
    'the plan is being implemented': stops('abandoned', why),
    'the code is in review': rests('abandoned', why),
  };
}

/** It ended what was under way, and was taken back: everything that people had asked for is done after all. */
function startsOver(): Way['at'] {
  return {
    'the plan is queued': starts('pending', 'awaiting_approval', inReview),
    'the first plan is being written': starts('pending', 'awaiting_approval', inReview),
    'the plan is in review': rests('awaiting_approval', inReview),
    'the plan is being revised': starts('planning', 'awaiting_approval', inReview),
    'the plan is being implemented': starts('implementing', 'implemented', codeInReview),
    'the code is in review': rests('implemented', codeInReview),
  };
}

/** The ways of a pull request: before there is one, there is nothing to be done to it. */
function ofPullRequest(at: {
  readonly inReview: Expected;
  readonly revising: Expected;
  readonly implementing: Expected;
  readonly code: Expected;
}): Way['at'] {
  return {
    'the plan is queued': none,
    'the first plan is being written': none,
    'the plan is in review': at.inReview,
    'the plan is being revised': at.revising,
    'the plan is being implemented': at.implementing,
    'the code is in review': at.code,
  };
}

function endsPullRequest(end: 'abandoned' | 'completed', told: RegExp, toldOfCode: RegExp = told): Way['at'] {
  return ofPullRequest({
    inReview: rests(end, told),
    revising: stops(end, told),
    implementing: stops(end, told),
    code: rests(end, toldOfCode),
  });
}

export const closePullRequest: Happen = (world) => the.endPullRequest(world, 'closed');
const reopenPullRequest: Happen = (world) => the.reopenPullRequest(world);

function changePullRequest(change: (own: the.WorldPullRequest, world: World) => void): Happen {
  return (world) => {
    const own = the.openPullRequest(world);
    assert.ok(own !== undefined);
    change(own, world);
  };
}

function set(change: Partial<World>): Happen {
  return (world) => void Object.assign(world, change);
}

export function setDraft(isDraft: boolean): Happen {
  return changePullRequest((own) => void Object.assign(own, { isDraft }));
}

const retarget = changePullRequest((own, world) => {
  own.baseBranch = 'develop';
  own.disturbances = [...own.disturbances, { kind: 'base_changed', at: the.now(world) }];
});

/** Somebody overwrites the branch with a commit of their own that holds the plan alone. */
export const overwrite = changePullRequest((own, world) => {
  const commit = { sha: 'forced', headline: 'mine', committedAt: the.now(world), trailers: null };
  Object.assign(own, { head: commit.sha, commits: [commit], codeFiles: [], planBlob: 'blob-forced' });
  own.disturbances = [...own.disturbances, { kind: 'force_pushed', at: the.now(world) }];
  world.branches[own.branch] = commit;
});

/** GitHub closes the pull request of a branch that is deleted. */
const deleteBranch: Happen = (world) => {
  const own = the.openPullRequest(world);
  assert.ok(own !== undefined);
  the.endPullRequest(world, 'closed');
  delete world.branches[own.branch];
};

const overwritten = /holds no commit of this app any more.*\/replan/;

export const ways: Readonly<Record<string, Way>> = {
  'the label is taken off': {
    events: [unlabel],
    at: endsAll(new RegExp(`${left.source}.*The request was withdrawn`, 's'), /Nothing is under way.*withdrawn/s),
  },
  'the label is taken off, and set again before anything has looked': {
    events: [
      (world) => {
        unlabel(world);
        label(world);
      },
    ],
    at: changesNothing(),
  },
  'the label is taken off and set again': { events: [unlabel, label], at: startsOver() },
  'the issue is closed': {
    events: [set({ isIssueOpen: false })],
    at: endsAll(new RegExp(`${left.source}.*The issue is closed`, 's'), /Nothing is under way.*The issue is closed/s),
  },
  'the issue is closed and reopened': {
    events: [set({ isIssueOpen: false }), set({ isIssueOpen: true })],
    at: startsOver(),
  },
  'the conversation is locked': { events: [set({ isLocked: true })], at: changesNothing() },
  'the repository is archived': {
    events: [set({ isArchived: true })],
    at: endsAll(/The repository is archived/),
  },
  'the repository is archived, and then no longer': {
    events: [set({ isArchived: true }), set({ isArchived: false })],
    at: startsOver(),
  },
  'the pull request is closed': { events: [closePullRequest], at: endsPullRequest('abandoned', givenUp) },
  'the pull request is closed and reopened': {
    events: [closePullRequest, reopenPullRequest],
    at: ofPullRequest({
      inReview: rests('awaiting_approval', inReview),
      revising: starts('planning', 'awaiting_approval', inReview),
      implementing: { ...rests('awaiting_approval', /given before the pull request was (closed|reopened)/) },
      code: rests('implemented', codeInReview),
    }),
  },
  'the pull request is pointed at another base': {
    events: [retarget],
    at: ofPullRequest({
      inReview: rests('awaiting_approval', /base is develop/),
      revising: goesOn('planning', 'awaiting_approval', /base is develop/),
      implementing: stops('awaiting_approval', /nothing of it was pushed.*base is develop/s),
      code: rests('implemented', codeInReview),
    }),
  },
  'the pull request is merged early': {
    events: [(world) => the.endPullRequest(world, 'merged')],
    at: endsPullRequest('completed', /#8 was merged.*nothing was implemented.*starts? anew/s, merged),
  },
  'a person marks the pull request as ready': {
    events: [setDraft(false)],
    at: ofPullRequest({
      inReview: rests('awaiting_approval', inReview),
      revising: goesOn('planning', 'awaiting_approval', inReview),
      implementing: goesOn('implementing', 'implemented', codeInReview),
      code: rests('implemented', codeInReview),
    }),
  },
  'a person converts the pull request to a draft': {
    events: [setDraft(true)],
    at: ofPullRequest({
      inReview: rests('awaiting_approval', inReview),
      revising: goesOn('planning', 'awaiting_approval', inReview),
      implementing: goesOn('implementing', 'implemented', codeInReview),
      code: rests('implemented', codeInReview),
    }),
  },
  'the branch is deleted': { events: [deleteBranch], at: endsPullRequest('abandoned', givenUp) },
  'the branch is overwritten': {
    events: [overwrite],
    at: ofPullRequest({
      inReview: rests('awaiting_approval', overwritten),
      revising: stops('awaiting_approval', overwritten),
      implementing: stops('awaiting_approval', overwritten),
      code: rests('awaiting_approval', overwritten),
    }),
  },
};
