/** People who try to have an implementation go on under an approval that is gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeApprovers } from '../../src/lifecycle/code-approval.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import { implemented } from './gate-fixture.ts';
import type { World, WorldPullRequest } from './world.ts';
import * as the from './world.ts';

/** Code that waits for review, whose plan's approval GitHub did not let this app dismiss. */
function codeInReview(): { readonly world: World; readonly own: WorldPullRequest } {
  const { world, own } = implemented();
  own.reviews = own.reviews.map((review) => ({ ...review, state: 'APPROVED', isHeldByThisApp: false }));
  return { world, own };
}

/** The implementation that a request for changes on the code has started. */
function roundAtWork(): { readonly world: World; readonly own: WorldPullRequest } {
  const { world, own } = codeInReview();
  world.tick += 1;
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  assert.equal(the.reconcile(world).state, 'implementing');
  the.work(world, 'claim');
  world.tick += 1;
  return { world, own };
}

const withdrawn: Readonly<Record<string, (own: WorldPullRequest) => void>> = {
  'a person dismisses the approval of the plan': (own) => {
    own.reviews = own.reviews.map((review) =>
      review.state === 'APPROVED' ? { ...review, state: 'DISMISSED', isHeldByThisApp: false } : review,
    );
  },
  'the plan file beside the code is another': (own) => {
    own.planBlob = 'blob-human';
  },
};

test('S66: a round of work on the code stops as soon as the approval of its plan is gone, and says so', () => {
  for (const [what, withdraw] of Object.entries(withdrawn)) {
    const { world, own } = roundAtWork();
    withdraw(own);
    assert.equal(the.reconcile(world).state, 'exit_pending', what);
    the.work(world, 'finish');
    assert.deepEqual(the.reconcile(world).state, 'implemented', what);
    assert.match(world.sticky ?? '', /the approval that it came of cannot be found/, what);
  }
});

test('S66: what a round of work on the code has done is not pushed once the approval of its plan is gone', () => {
  for (const [what, withdraw] of Object.entries(withdrawn)) {
    const { world, own } = roundAtWork();
    const { head } = own;
    the.work(world, 'finish');
    withdraw(own);
    const { effects } = the.reconcile(world);
    assert.equal(own.head, head, what);
    assert.deepEqual(
      effects.filter(({ kind }) => kind === 'publishImplementation'),
      [],
      what,
    );
  }
});

test('S66: neither `/retry` nor the label set again takes up work on the code whose plan is no longer approved', () => {
  const words: Readonly<Record<string, (world: World) => void>> = {
    '/retry': (world) => the.addComment(world, the.maintainer, '/retry'),
    'the label': (world) => {
      the.setLabel(world, the.writer, 'unlabeled');
      world.tick += 1;
      the.setLabel(world, the.maintainer, 'labeled');
    },
  };
  for (const [what, withdraw] of Object.entries(withdrawn)) {
    for (const [word, say] of Object.entries(words)) {
      const { world, own } = roundAtWork();
      the.work(world, 'fail');
      the.reconcile(world);
      const { length } = world.runs;
      withdraw(own);
      world.tick += 1;
      say(world);
      the.reconcile(world);
      assert.equal(world.runs.length, length, `${what}, then ${word}`);
    }
  }
});

test('S66: code whose plan is no longer approved takes the green from the check of the plan, which says why and what to do', () => {
  const planCheckOf = (world: World) =>
    decide(the.factsOf(world), { runs: world.runs }).actions.flatMap((action) =>
      action.kind === 'setCheck' && action.check.name === 'planwright/plan' ? [action.check] : [],
    );
  const shut = (why: string) => [
    {
      name: 'planwright/plan',
      state: 'lost',
      verdict: { isOpen: false, approval: null, counted: [], ignored: [], missing: [why], warnings: [] },
    },
  ];
  const replan = '`/replan` has the plan written and approved anew.';
  const close = 'Close the pull request and set the label again to start anew.';

  const dismissed = codeInReview();
  assert.deepEqual(planCheckOf(dismissed.world)[0]?.state, 'opened');
  withdrawn['a person dismisses the approval of the plan']?.(dismissed.own);
  assert.deepEqual(planCheckOf(dismissed.world), shut(`The approval by wanda is gone. ${replan}`));

  const edited = codeInReview();
  the.pushByPerson(edited.world);
  const other = 'The plan that was approved is not the plan of this pull request.';
  assert.deepEqual(planCheckOf(edited.world), shut(`${other} ${close}`));

  const unsigned = codeInReview();
  unsigned.world.runs = [];
  unsigned.own.commits = unsigned.own.commits.map((commit) =>
    commit.trailers === null ? commit : { ...commit, trailers: { ...commit.trailers, receipt: null } },
  );
  const none = 'No commit of code bears the receipt of an approval.';
  assert.deepEqual(planCheckOf(unsigned.world), shut(`${none} ${replan}`));
});

test('S71: a review that approved the plan never approves the code, not even where GitHub says that it is of the code', () => {
  const approvers = (world: World) => {
    const facts = the.factsOf(world);
    return facts.pullRequests.flatMap((pullRequest) => codeApprovers(facts, world.policy, pullRequest));
  };
  const { world, own } = codeInReview();
  own.reviews = own.reviews.map((review) => ({ ...review, commit: own.head }));
  assert.deepEqual(approvers(world), []);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(approvers(world), ['wanda']);
});
