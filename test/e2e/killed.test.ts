import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { FaultRequest } from '../../src/local/forge/faults.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import { quickFile, quickText, quickTranscript } from './quick-transcript.ts';
import {
  commitsOf,
  lookedAt,
  markersOf,
  openIssue,
  pullOf,
  pullsOf,
  requestsOf,
  review,
  setTrigger,
  stickyComments,
  type Thread,
  waitForCode,
  waitForPlan,
  waitIn,
} from './thread.ts';
import { createScene, openWorld, type World } from './world.ts';

let world: World;
before(async () => {
  world = await openWorld({
    transcripts: [
      quickTranscript({ match: 'Killed while it plans', holds: { plan: 'planning' } }),
      quickTranscript({ match: 'Killed while it builds', holds: { code: 'building' } }),
      quickTranscript({ match: 'Issue: #\\d+' }),
    ],
  });
});
after(() => world?.close());
const scene = createScene(() => world);

/** Kills the app when it makes the request, which is then not carried out, or is and never answered. */
function killAt(isIt: (request: FaultRequest) => boolean, perform: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const match = (request: FaultRequest): boolean => {
    if (!isIt(request)) return false;
    resolve(world.kill());
    return true;
  };
  world.forge.faults.add({ match, effect: { kind: 'cut', perform } });
  return promise;
}

function isMutation({ body }: FaultRequest, name: string): boolean {
  return typeof body === 'object' && body !== null && 'query' in body && String(body.query).includes(name);
}

/** Nothing of the app is left, and then it is there again. */
async function startAgain(thread: Thread): Promise<void> {
  await waitIn(thread, 'the end of every process', () => (world.processes().length === 0 ? true : null));
  await world.start();
}

/** Plans that wait for their approval until every kill of a plan run is over, with the model requests of their threads. */
const planned: { readonly thread: Thread; readonly requests: number }[] = [];

async function expectPlannedOnce(thread: Thread, requests: number): Promise<void> {
  const pull = await waitForPlan(thread);
  assert.equal(pullsOf(thread).length, 1);
  assert.equal(commitsOf(thread, pull).length, 1);
  planned.push({ thread, requests: requests + 2 });
}

async function expectDoneOnce(thread: Thread, requests: number): Promise<void> {
  await waitForCode(thread);
  await lookedAt(thread);
  const pull = pullOf(thread);
  assert.equal(pullsOf(thread).length, 1);
  assert.deepEqual(
    commitsOf(thread, pull).map(({ subject }) => subject),
    [`Plan issue ${thread.issue.number}`, `Write \`${quickFile}\`.`, `Finish the work on issue ${thread.issue.number}`],
  );
  assert.equal(git(thread.repository.gitDir, ['show', `${pull.pullRequest.headSha}:${quickFile}`]), quickText);
  assert.equal(pull.pullRequest.draft, false);
  const markers = markersOf(thread);
  assert.deepEqual([...new Set(markers)], markers);
  assert.equal(stickyComments(thread).length, 1);
  const checks = thread.repository.checkRuns.filter(({ headSha }) => headSha === pull.pullRequest.headSha);
  assert.deepEqual(
    checks.map(({ name, title }) => [name, title]),
    [
      ['planwright/plan', 'The plan was approved by reviewer'],
      ['planwright/code', 'The code waits for review'],
    ],
  );
  assert.equal(requestsOf(thread).length, requests);
  assert.deepEqual(world.forge.violations, []);
}

const approve = (thread: Thread) => review(thread, world.people.reviewer, { event: 'APPROVE' });

scene('killed right after the answer to a delivery, it does the work after its next start', async () => {
  const thread = openIssue(world, world.addRepository('delivery'), 'Killed at a delivery');
  await world.forge.webhooks.idle();
  setTrigger(thread);
  await world.forge.webhooks.idle();
  await world.kill();
  await startAgain(thread);
  await expectPlannedOnce(thread, 1);
});

scene('killed in the middle of the answer of the model, it goes on with the same turn', async () => {
  const thread = openIssue(world, world.addRepository('planning'), 'Killed while it plans');
  setTrigger(thread);
  await world.model.held('planning');
  await world.kill();
  world.model.release('planning');
  await startAgain(thread);
  await expectPlannedOnce(thread, 2);
});

for (const [when, perform] of [
  ['before the pull request', false],
  ['before it learns of its pull request', true],
] as const) {
  scene(`killed after the push of the plan and ${when}, it neither plans nor opens again`, async () => {
    const thread = openIssue(world, world.addRepository(`push-${perform}`), `Killed after the plan, ${when}`);
    const killed = killAt(({ method, path }) => method === 'POST' && path.endsWith('/pulls'), perform);
    setTrigger(thread);
    await killed;
    assert.equal(pullsOf(thread).length, perform ? 1 : 0);
    await startAgain(thread);
    await expectPlannedOnce(thread, 1);
  });
}

scene('killed in the implementation, it goes on with the same turn', async () => {
  const thread = openIssue(world, world.addRepository('building'), 'Killed while it builds');
  setTrigger(thread);
  await waitForPlan(thread);
  approve(thread);
  await world.model.held('building');
  await world.kill();
  world.model.release('building');
  await startAgain(thread);
  await expectDoneOnce(thread, 4);
});

scene('killed after the push of the work and before the pull request is ready, it makes it ready', async () => {
  const thread = openIssue(world, world.addRepository('ready'), 'Killed before ready');
  setTrigger(thread);
  await waitForPlan(thread);
  const killed = killAt((request) => isMutation(request, 'markPullRequestReadyForReview'), false);
  approve(thread);
  await killed;
  assert.equal(pullOf(thread).pullRequest.draft, true);
  assert.equal(commitsOf(thread, pullOf(thread)).length, 3);
  await startAgain(thread);
  await expectDoneOnce(thread, 3);
});

scene('what was planned through a kill is implemented once', async () => {
  for (const { thread } of planned) approve(thread);
  for (const { thread, requests } of planned) await expectDoneOnce(thread, requests);
});

scene('asked to end, it leaves no process behind', async () => {
  await world.stop();
  assert.deepEqual(world.processes(), []);
});
