/** Ways in which people, repositories and installations move under the app's hands while it is at work. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import {
  archiveRepository,
  closePullRequest,
  deleteIssue,
  lockIssue,
  markReady,
  merge,
  renameRepository,
  suspendInstallation,
  transferIssue,
  transferRepository,
  unarchiveRepository,
} from '../../src/local/forge/operations.ts';
import type { RequestRecord } from '../../src/local/forge/request-log.ts';
import { createAccount, createRepository, install, personActor } from '../../src/local/forge/setup.ts';
import { formatCall, revokesToken } from './call-log.ts';
import { deleteBranch } from './person-push.ts';
import { quickFile, quickTranscript } from './quick-transcript.ts';
import { seedPlan, seedUntold } from './seeded-plan.ts';
import { shareWorld } from './shared-world.ts';
import { slowSweeps } from './slow-sweeps.ts';
import {
  commitsOf,
  lookedAt,
  openIssue,
  pullOf,
  pullsOf,
  refsOf,
  requestsOf,
  review,
  setTrigger,
  stickyComments,
  type Thread,
  waitForCode,
  waitIn,
} from './thread.ts';
import { callsOf, checkOf, stepOf, sweeps, waitForLog } from './thread-calls.ts';
import { createScene, expectSound, type World } from './world.ts';

/** What a thread that is over, or out of reach, may cost from the event on: a look or two with their repeats. */
const maxCalls = 30;

const held = ['Moved', 'Deleted', 'Archived', 'Suspended', 'Locked', 'Closed', 'Branch deleted'];

const shared = shareWorld({
  transcripts: [
    ...held.map((match) => quickTranscript({ match, holds: { end: match } })),
    quickTranscript({ match: 'Transferred', holds: { plan: 'Transferred' } }),
    quickTranscript({ match: 'Issue: #\\d+' }),
  ],
  environment: slowSweeps,
});
let world: World;
before(async () => {
  world = await shared.open();
});
after(() => shared.leave());
const scene = createScene(() => world);

const actor = () => personActor(world.people.maintainer);

function seed(title: string): Thread {
  return seedUntold(world, world.addRepository(title.toLowerCase().replaceAll(' ', '-')), title, quickFile);
}

/** A plan that is approved, with its implementation at work in its last turn. */
async function seedAtWork(title: string): Promise<Thread> {
  const thread = seed(title);
  review(thread, world.people.reviewer, { event: 'APPROVE' });
  await world.model.held(title);
  return thread;
}

/** Waits until the status comment says so. */
async function waitForWord(thread: Thread, words: RegExp): Promise<void> {
  await waitIn(thread, `${words}`, () => stickyComments(thread).some(({ body }) => words.test(body)) || null);
}

/** Holds that the run's process has ended, and that nothing came of it: no request, no push, no other pull request. */
async function expectEnded(thread: Thread, end: 'killed' | 'suspended', happen: () => void): Promise<void> {
  const then = { refs: refsOf(thread), requests: requestsOf(thread).length, pulls: pullsOf(thread).length };
  const calls = callsOf(thread).length;
  happen();
  await waitForLog(thread, new RegExp(`"end":"${end}".*the run left its process`));
  world.model.release(thread.issue.title);
  assert.ok(callsOf(thread).length - calls <= maxCalls, `got ${callsOf(thread).length - calls} calls`);
  const now = { refs: refsOf(thread), requests: requestsOf(thread).length, pulls: pullsOf(thread).length };
  assert.deepEqual(now, then);
}

/** Threads that are over: they are looked at once more at the end. */
const over: { readonly thread: Thread; readonly calls: number; readonly requests: number }[] = [];

function expectOver(thread: Thread): void {
  over.push({ thread, calls: callsOf(thread).length, requests: requestsOf(thread).length });
}

describe('ways', { concurrency: 2 }, () => {
  scene(
    'a repository that is renamed and transferred between plan and approval, and renamed again, loses no write',
    async () => {
      const thread = seed('Moved');
      await lookedAt(thread);
      const { repository } = thread;
      renameRepository(world.forge, actor(), repository, 'moved-on');
      const owner = createAccount(world.forge, 'globex', 'Organization');
      const installation = install(world.forge, world.forgeApp, owner, []);
      transferRepository(world.forge, actor(), repository, owner, [installation]);
      review(thread, world.people.reviewer, { event: 'APPROVE' });
      await world.model.held('Moved');
      renameRepository(world.forge, actor(), repository, 'moved-again');
      world.model.release('Moved');
      const pull = await waitForCode(thread);
      assert.equal(pullsOf(thread).length, 1);
      const phases = commitsOf(thread, pull).map(({ trailers }) => trailers.get('Planwright-Phase'));
      assert.deepEqual([...new Set(phases)], ['plan', 'implement']);
    },
  );

  scene('an issue that is deleted stops its implementation, and its pull request says so', async () => {
    const thread = await seedAtWork('Deleted');
    const pull = pullOf(thread);
    await expectEnded(thread, 'killed', () => deleteIssue(world.forge, actor(), thread.repository, thread.issue));
    const isTold = () => pull.comments.some(({ body }) => /is gone from this repository/.test(body));
    await world.wait('a word on the pull request', () => isTold() || null);
    expectOver(thread);
  });

  scene('an issue that is transferred stops the writing of its plan, and nothing is pushed', async () => {
    const thread = openIssue(world, world.addRepository('transferred'), 'Transferred');
    setTrigger(thread);
    await world.model.held('Transferred');
    const to = world.addRepository('attic');
    await expectEnded(thread, 'killed', () => {
      transferIssue(world.forge, actor(), thread.repository, thread.issue, to);
    });
    assert.deepEqual(pullsOf(thread), []);
    expectOver(thread);
  });

  scene('a pull request that is closed stops its implementation', async () => {
    const thread = await seedAtWork('Closed');
    const pull = pullOf(thread);
    await expectEnded(thread, 'killed', () => closePullRequest(world.forge, actor(), thread.repository, pull));
    await waitForWord(thread, /This thread was given up/);
    expectOver(thread);
  });

  scene('a branch that is deleted closes the pull request and stops its implementation', async () => {
    const thread = await seedAtWork('Branch deleted');
    const branch = pullOf(thread).pullRequest.headRef;
    const by = world.people.maintainer;
    deleteBranch({ world, repository: thread.repository, branch, by });
    await expectEnded(thread, 'killed', () => undefined);
    await waitForWord(thread, /This thread was given up/);
    expectOver(thread);
  });

  scene('a plan that is merged by hand is done, and nothing is implemented', async () => {
    const thread = seed('Merged early');
    const pull = pullOf(thread);
    markReady(world.forge, actor(), thread.repository, pull);
    merge(world.forge, actor(), thread.repository, pull);
    await waitForWord(thread, /nothing was implemented/);
    assert.deepEqual(requestsOf(thread), []);
    expectOver(thread);
  });

  scene(
    'a repository that is archived stops the implementation, and it is begun anew once it is no longer',
    async () => {
      const thread = await seedAtWork('Archived');
      await expectEnded(thread, 'killed', () => archiveRepository(world.forge, actor(), thread.repository));
      unarchiveRepository(world.forge, actor(), thread.repository);
      await waitForCode(thread);
      assert.equal(pullsOf(thread).length, 1);
    },
  );

  scene(
    'an installation that is suspended suspends the run, is left in peace, and the run goes on once it is back',
    async () => {
      const { forge, forgeApp, owner } = world;
      const repository = createRepository(forge, {
        owner,
        name: 'suspended',
        fromFolder: join(world.folder, 'project'),
        collaborators: { maintainer: 'admin', reviewer: 'write' },
      });
      const installation = install(forge, forgeApp, owner, [repository]);
      const thread = seedPlan({ ...world, installation }, repository, 'Suspended', quickFile);
      review(thread, world.people.reviewer, { event: 'APPROVE' });
      await world.model.held('Suspended');
      const suspend = () => suspendInstallation(forge, actor(), installation, new Date().toISOString());
      await expectEnded(thread, 'suspended', suspend);
      await waitForLog(thread, /the thread is left alone until something happens/);
      // A sweep that had begun before asks for one more look.
      await sweeps(world, 1);
      const calls = callsOf(thread).length;
      await sweeps(world, 2);
      const more = callsOf(thread).slice(calls);
      assert.ok(
        more.length <= 2,
        `expected no hammering, got:\n${more.map((call) => formatCall(call, more[0])).join('\n')}`,
      );
      assert.equal(thread.issue.labels.includes('plan: failed'), false);
      suspendInstallation(forge, actor(), installation, null);
      await waitForCode(thread);
    },
  );

  scene(
    'a conversation that is locked is told nothing: labels and checks show the state, and the work is done',
    async () => {
      const thread = seed('Locked');
      lockIssue(world.forge, actor(), thread.repository, thread.issue, true);
      review(thread, world.people.reviewer, { event: 'APPROVE' });
      await world.model.held('Locked');
      lockIssue(world.forge, actor(), thread.repository, pullOf(thread), true);
      world.model.release('Locked');
      const isDone = () => thread.issue.labels.includes('plan: done') && checkOf(thread, 'planwright/code') !== null;
      await waitIn(thread, 'the code', () => isDone() || null);
      assert.deepEqual([thread.issue.comments, pullOf(thread).comments], [[], []]);
      assert.equal(checkOf(thread, 'planwright/plan'), 'success');
      assert.equal(checkOf(thread, 'planwright/code'), 'action_required');
    },
  );

  scene('a permission that GitHub does not tell starts nothing, and once it does the approval counts', async () => {
    const thread = seed('Unread');
    const isAsked = ({ path }: { readonly path: string }) => path.endsWith('/unread/collaborators/reviewer/permission');
    let isBroken = true;
    const match = (request: { readonly path: string }) => isBroken && isAsked(request);
    world.forge.faults.add({ match, times: Number.POSITIVE_INFINITY, effect: { kind: 'status', status: 500 } });
    review(thread, world.people.reviewer, { event: 'APPROVE' });
    await lookedAt(thread);
    assert.ok(world.forge.requests.some(isAsked));
    assert.deepEqual(requestsOf(thread), []);
    assert.equal(commitsOf(thread, pullOf(thread)).length, 1);
    isBroken = false;
    await waitForCode(thread);
  });

  for (const [name, isRefused] of [
    ['set aside', false],
    ['left standing where GitHub refuses it', true],
  ] as const) {
    scene(`before code is pushed the check holds it and the approval of the plan is ${name}`, async () => {
      const thread = seed(isRefused ? 'Refused' : 'Allowed');
      const path = new RegExp(`/${thread.repository.name}/pulls/\\d+/reviews/\\d+/dismissals$`);
      if (isRefused) {
        const body = { message: 'Must have push access to dismiss a pull request review.' };
        world.forge.faults.add({ match: { method: 'PUT', path }, effect: { kind: 'status', status: 403, body } });
      }
      const approval = review(thread, world.people.reviewer, { event: 'APPROVE' });
      await waitForCode(thread);
      assert.equal(approval.state, isRefused ? 'APPROVED' : 'DISMISSED');
      assert.equal(checkOf(thread, 'planwright/code'), 'action_required');
      const order = callsOf(thread).flatMap((call) => stepOf(call, path));
      // The check is written anew as the work goes on.
      const before = order.slice(0, order.indexOf('pushed') + 1).filter((step, index) => step !== order[index - 1]);
      assert.deepEqual(before, ['held by the check', 'dismissed', 'pushed']);
      const shown = JSON.stringify(callsOf(thread).filter(({ path: called }) => called.includes('/check-runs')));
      assert.match(shown, /The plan is being implemented: \d of \d steps done/);
    });
  }
});

scene('what is over is left alone: after more sweeps there is hardly a call, and no request of the model', async () => {
  assert.equal(over.length, 5);
  await sweeps(world, 1);
  for (const { thread, calls, requests } of over) {
    const more = callsOf(thread).length - calls;
    assert.ok(more <= maxCalls, `expected at most ${maxCalls} calls on ${thread.repository.name}, got ${more}`);
    assert.equal(requestsOf(thread).length, requests);
  }
});

scene(
  'on no path has the app approved, merged, closed or deleted anything, or dismissed a change request',
  async () => {
    const words = /"event":"(APPROVE|REQUEST_CHANGES)"|addPullRequestReview|submitPullRequestReview|mergePullRequest/;
    const asked = world.forge.requests.filter((request) => request.kind !== 'git' && !revokesToken(request));
    const isForbidden = ({ method, path, body }: RequestRecord) =>
      method === 'DELETE' ||
      /\/merge(s)?$/.test(path) ||
      (method === 'POST' && /\/pulls\/\d+\/reviews$/.test(path)) ||
      words.test(JSON.stringify(body ?? null)) ||
      (method === 'PATCH' && /"state":"closed"/.test(JSON.stringify(body ?? null)));
    assert.deepEqual(asked.filter(isForbidden), []);
    assert.ok(asked.some(({ path }) => path.endsWith('/dismissals')));
  },
);

scene('whatever came, the app has neither ended nor broken the rules of the API', async () => expectSound(world));
