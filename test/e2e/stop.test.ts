import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { closeIssue, closePullRequest, dismissReview } from '../../src/local/forge/operations.ts';
import { personActor } from '../../src/local/forge/setup.ts';
import { quickFile, quickTranscript } from './quick-transcript.ts';
import { seedUntold } from './seeded-plan.ts';
import { shareWorld } from './shared-world.ts';
import {
  commitsOf,
  lookedAt,
  nextSecond,
  openIssue,
  pullOf,
  pullsOf,
  refsOf,
  removeTrigger,
  requestsOf,
  review,
  setTrigger,
  stickyComment,
  type Thread,
  waitForCode,
  waitForPlan,
  waitIn,
} from './thread.ts';
import { createScene, type World } from './world.ts';

const shared = shareWorld({
  transcripts: [
    quickTranscript({ match: 'Label off', holds: { plan: 'label off' } }),
    quickTranscript({ match: 'Issue closed', holds: { plan: 'issue closed' } }),
    quickTranscript({ match: 'Pull request closed', holds: { revision: 'pull request closed' } }),
    quickTranscript({ match: 'Approval gone', holds: { code: 'approval gone' } }),
  ],
});
let world: World;
before(async () => {
  world = await shared.open();
});
after(() => shared.leave());
const scene = createScene(() => world);

/** What is there once a run has been stopped: it is compared with what is there later. */
function standing(thread: Thread) {
  return { refs: refsOf(thread), requests: requestsOf(thread).length, processes: runsOf().length };
}

/** The processes of runs. */
function runsOf(): readonly string[] {
  return world.processes().filter((command) => command.includes('run-child'));
}

/** Waits until the issue says so and the run's process is gone, then holds that nothing more comes of the run. */
async function expectStopped(thread: Thread, words: RegExp): Promise<void> {
  await waitIn(thread, `a comment like ${words}`, () => (words.test(stickyComment(thread).body) ? true : null));
  await waitIn(thread, 'the end of the process', () => (runsOf().length === 0 ? true : null));
  const then = standing(thread);
  await lookedAt(thread);
  await lookedAt(thread);
  assert.deepEqual(standing(thread), then);
}

scene('a label that is taken off stops the run, and set again has the plan written', async () => {
  const thread = openIssue(world, world.addRepository('label'), 'Label off');
  setTrigger(thread);
  await world.model.held('label off');
  removeTrigger(thread);
  await expectStopped(thread, /\*\*Nothing is under way\.\*\*/);
  assert.deepEqual(thread.issue.labels, []);
  assert.deepEqual(pullsOf(thread), []);
  world.model.release('label off');
  setTrigger(thread);
  const pull = await waitForPlan(thread);
  assert.equal(commitsOf(thread, pull).length, 1);
});

scene('an issue that is closed stops the run', async () => {
  const thread = openIssue(world, world.addRepository('issue'), 'Issue closed');
  setTrigger(thread);
  await world.model.held('issue closed');
  closeIssue(world.forge, personActor(world.people.maintainer), thread.repository, thread.issue);
  await expectStopped(thread, /\*\*Nothing is under way\.\*\*/);
  assert.deepEqual(pullsOf(thread), []);
});

scene('a pull request that is closed stops its revision; the label again starts on another branch', async () => {
  const thread = seedUntold(world, world.addRepository('pull'), 'Pull request closed', quickFile);
  const pull = pullOf(thread);
  review(thread, world.people.reviewer, { event: 'REQUEST_CHANGES', body: 'In one line.' });
  await world.model.held('pull request closed');
  closePullRequest(world.forge, personActor(world.people.maintainer), thread.repository, pull);
  await expectStopped(thread, /\*\*This thread was given up\.\*\*/);
  removeTrigger(thread);
  await lookedAt(thread);
  await nextSecond(world);
  setTrigger(thread);
  const next = await waitForPlan(thread);
  assert.notEqual(next.number, pull.number);
  assert.equal(next.pullRequest.headRef, `${pull.pullRequest.headRef}-2`);
  assert.match(stickyComment(thread).body, new RegExp(`The attempt before this one is #${pull.number}\\.`));
});

scene('an approval that is dismissed stops the implementation, and another one has it done', async () => {
  const thread = seedUntold(world, world.addRepository('approval'), 'Approval gone', quickFile);
  const pull = pullOf(thread);
  const approval = review(thread, world.people.reviewer, { event: 'APPROVE' });
  await world.model.held('approval gone');
  dismissReview(
    world.forge,
    personActor(world.people.maintainer),
    thread.repository,
    pull,
    approval,
    'Not yet, please.',
  );
  await expectStopped(thread, /The plan is no longer approved/);
  assert.equal(commitsOf(thread, pull).length, 1);
  assert.ok(thread.issue.labels.includes('plan: review'));
  world.model.release('approval gone');
  review(thread, world.people.writer, { event: 'APPROVE' });
  await waitForCode(thread);
  assert.equal(pullsOf(thread).length, 1);
  assert.equal(
    commitsOf(thread, pullOf(thread)).at(-1)?.trailers.get('Planwright-Approved-By')?.split(' ')[0],
    'writer',
  );
  assert.deepEqual(world.forge.violations, []);
});
