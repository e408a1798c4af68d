import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { FaultRequest } from '../../src/local/forge/faults.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';
import { quickFile, quickText, quickTranscript } from './quick-transcript.ts';
import { seedUntold } from './seeded-plan.ts';
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

/** The implementation runs a command that does not end by itself; interrupted, it goes on without it. */
const inATool = parseTranscript('in a tool', {
  match: 'Killed while a command runs',
  steps: [
    {
      when: 'The plan was approved by @',
      respond: [{ tool: 'bash', input: { command: `echo begun >> ${quickFile}; sleep 4321` } }],
    },
    {
      expect: { lastMessage: 'interrupted before this call was answered; it may or may not have had an effect' },
      respond: [
        { tool: 'write', input: { file_path: quickFile, content: quickText } },
        { tool: 'update_tasks', input: { tasks: [{ title: `Write \`${quickFile}\`.`, status: 'done' }] } },
      ],
    },
    { respond: [{ text: 'Done.' }] },
  ],
});

let world: World;
before(async () => {
  world = await openWorld({
    transcripts: [
      quickTranscript({ match: 'Killed while it plans', holds: { plan: 'planning', code: 'building' } }),
      inATool,
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

async function expectPlannedOnce(thread: Thread, requests: number): Promise<void> {
  const pull = await waitForPlan(thread);
  assert.equal(pullsOf(thread).length, 1);
  assert.equal(commitsOf(thread, pull).length, 1);
  assert.equal(requestsOf(thread).length, requests);
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

/** The deliveries of which no attempt got through. */
function notCome(): readonly string[] {
  const { deliveries } = world.forge.state;
  const come = new Set(deliveries.filter(({ statusCode }) => statusCode === 200).map(({ guid }) => guid));
  const missed = deliveries.filter(({ guid, status }) => status !== 'pending' && !come.has(guid));
  return [...new Set(missed.map(({ guid }) => guid))];
}

const approve = (thread: Thread) => review(thread, world.people.reviewer, { event: 'APPROVE' });

/** Threads whose plan came through a kill. */
let delivered: Thread;
let resumed: Thread;
/** One whose implementation was killed while it ran a command. */
let busy: Thread;
const pushed: Thread[] = [];

scene('killed right after the answer to a delivery, it does the work after its next start', async () => {
  resumed = openIssue(world, world.addRepository('planning'), 'Killed while it plans and builds');
  setTrigger(resumed);
  await world.model.held('planning');
  delivered = openIssue(world, world.addRepository('delivery'), 'Killed at a delivery');
  await world.forge.webhooks.idle();
  setTrigger(delivered);
  await world.forge.webhooks.idle();
  await world.kill();
  openIssue(world, delivered.repository, 'Filed while it is away');
  await world.forge.webhooks.idle();
  assert.deepEqual(notCome().length, 1);
  world.model.release('planning');
  await startAgain(delivered);
  await expectPlannedOnce(delivered, 1);
});

scene(
  'R4, case 22: what could not be delivered while it was away is sent again by its next start, and comes',
  async () => {
    await waitIn(delivered, 'every delivery', () => notCome().length === 0 || null);
    assert.ok(world.log.some((line) => line.includes('catching up: missed deliveries were asked for again')));
  },
);

scene('killed in the middle of the answer of the model, it goes on with the same turn', async () => {
  await expectPlannedOnce(resumed, 2);
});

for (const [when, perform] of [
  ['before the pull request', false],
  ['before it learns of its pull request', true],
] as const) {
  scene(`killed after the push of the plan and ${when}, it neither plans nor opens again`, async () => {
    if (!perform) {
      // The same kill meets an implementation in the middle of the answer of the model.
      approve(resumed);
      await world.model.held('building');
    }
    const thread = openIssue(world, world.addRepository(`push-${perform}`), `Killed after the plan, ${when}`);
    const killed = killAt(({ method, path }) => method === 'POST' && path.endsWith('/pulls'), perform);
    setTrigger(thread);
    await killed;
    assert.equal(pullsOf(thread).length, perform ? 1 : 0);
    world.model.release('building');
    await startAgain(thread);
    await expectPlannedOnce(thread, 1);
    pushed.push(thread);
  });
}

scene('killed in the implementation, it goes on with the same turn', async () => {
  await expectDoneOnce(resumed, 5);
});

scene('killed after the push of the work and before the pull request is ready, it makes it ready', async () => {
  busy = seedUntold(world, world.addRepository('busy'), 'Killed while a command runs', quickFile);
  approve(busy);
  const isRunning = () => world.processes().some((command) => command.includes('sleep 4321'));
  await waitIn(busy, 'the command', () => isRunning() || null);
  const killed = killAt((request) => isMutation(request, 'markPullRequestReadyForReview'), false);
  approve(delivered);
  await killed;
  assert.equal(pullOf(delivered).pullRequest.draft, true);
  assert.equal(commitsOf(delivered, pullOf(delivered)).length, 3);
  await startAgain(delivered);
  await expectDoneOnce(delivered, 3);
});

scene(
  'killed in the middle of a tool, it tells the model so in a valid request, and does not run it again',
  async () => {
    await waitForCode(busy);
    assert.equal(requestsOf(busy).length, 3);
    assert.deepEqual(world.model.refusals, []);
    const { headSha } = pullOf(busy).pullRequest;
    assert.equal(git(busy.repository.gitDir, ['show', `${headSha}:${quickFile}`]), quickText);
  },
);

scene('what was planned through a kill is implemented once', async () => {
  assert.equal(pushed.length, 2);
  for (const thread of pushed) approve(thread);
  for (const thread of pushed) await expectDoneOnce(thread, 3);
});

scene('asked to end, it leaves no process behind', async () => {
  await world.stop();
  assert.deepEqual(world.processes(), []);
});
