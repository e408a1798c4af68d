/** Every way in which people end or move a thread, at every moment of it: what follows, and what people are told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusComment } from '../../src/github/comments.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import {
  approve,
  claim,
  closePullRequest,
  deliver,
  type Expected,
  type Happen,
  label,
  type Moment,
  moments,
  object,
  overwrite,
  setDraft,
  unlabel,
  type Way,
  ways,
} from './ways.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

function begin(moment: Moment): World {
  const world = the.createWorld();
  for (const event of moments[moment]) look(world, event);
  return world;
}

function look(world: World, event: Happen): ThreadState {
  world.tick += 1;
  event(world);
  return the.reconcile(world).state;
}

function lastRun({ runs }: World) {
  const run = runs.at(-1);
  assert.ok(run !== undefined);
  return run;
}

/** What stands for people to read: the status comment, and why the gate is shut. */
function toldIn(world: World): string {
  return decide(the.factsOf(world), { runs: world.runs })
    .actions.flatMap((action) => {
      if (action.kind === 'setStatusComment') return [statusComment(action.status, { ownIssue: 7 })];
      if (action.kind !== 'setCheck' || action.check.name !== 'planwright/plan') return [];
      const { missing, ignored } = action.check.verdict;
      return [...missing, ...ignored.map(({ reason }) => reason)];
    })
    .join('\n');
}

/** The way is gone, each event followed by a look; a run that was told to stop has stopped before the next event. */
function go(world: World, { events }: Way): ThreadState {
  return events.reduce<ThreadState>((_, event, index) => {
    if (index > 0 && lastRun(world).status === 'stopping') look(world, claim);
    return look(world, event);
  }, 'inactive');
}

/** Nothing but what the run at work makes may have come to the branches since. */
function pushedSince(world: World, then: string): boolean {
  return JSON.stringify(world.branches) !== then;
}

function branchesOf(world: World): string {
  return JSON.stringify(world.branches);
}

function checkCell(way: Way, moment: Moment, expected: Expected): void {
  const world = begin(moment);
  const wasAtWork = ['queued', 'running'].includes(lastRun(world).status);
  const before = lastRun(world).id;
  const next = go(world, way);
  const then = branchesOf(world);
  assert.equal(next, expected.next);
  const isStopped = wasAtWork && world.runs.find(({ id }) => id === before)?.status === 'stopping';
  assert.equal(isStopped, expected.isStopped);
  look(world, deliver);
  assert.deepEqual(
    { end: the.reconcile(world).state, isPushed: pushedSince(world, then) },
    { end: expected.end, isPushed: expected.isPushed },
  );
  const told = toldIn(world);
  assert.match(told, expected.told);
  assert.ok(world.pullRequests.filter(({ state }) => state === 'open').length <= 1);
  // And so it stays.
  assert.deepEqual(the.reconcile(world).effects, []);
}

/** The run ends in the moment before the look: what it made is pushed only where it would have been. */
function checkRace(way: Way, moment: Moment, expected: Expected): void {
  const world = begin(moment);
  world.tick += 1;
  deliver(world);
  for (const event of way.events) event(world);
  const then = branchesOf(world);
  the.reconcile(world);
  assert.equal(pushedSince(world, then), expected.isPushed);
}

for (const [name, way] of Object.entries(ways)) {
  for (const moment of keysOf(moments)) {
    const expected = way.at[moment];
    if (expected === null) continue;
    const what = expected.isStopped ? 'the run is stopped and nothing is pushed' : `the thread is ${expected.end} then`;
    test(`${name} while ${moment}: ${what}`, () => {
      checkCell(way, moment, expected);
      if (way.events.length === 1 && expected.next !== expected.end) checkRace(way, moment, expected);
    });
  }
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] {
  const isKey = (key: string): key is Key => key in record;
  return Object.keys(record).filter(isKey);
}

test('a pull request with code that a person makes a draft stays one, and is handed over again only with new code', () => {
  const world = begin('the code is in review');
  look(world, setDraft(true));
  look(world, approve);
  assert.equal(the.openPullRequest(world)?.isDraft, true);
  look(world, object);
  look(world, deliver);
  assert.equal(the.openPullRequest(world)?.isDraft, false);
});

test('a label that is set again before the run has stopped brings the thread back to planning', () => {
  const world = begin('the first plan is being written');
  assert.deepEqual([look(world, unlabel), look(world, label)], ['exit_pending', 'planning']);
  look(world, claim);
  assert.equal(lastRun(world).status, 'queued');
  assert.equal(look(world, deliver), 'awaiting_approval');
});

test('after a close, labels that come and go make one new pull request, on a fresh branch, that names the old one', () => {
  const world = begin('the plan is in review');
  for (const event of [closePullRequest, unlabel, label, unlabel, claim, label, deliver]) look(world, event);
  assert.deepEqual(
    world.pullRequests.map(({ branch, state }) => ({ branch, state })),
    [
      { branch: 'planwright/issue-7', state: 'closed' },
      { branch: 'planwright/issue-7-2', state: 'open' },
    ],
  );
  assert.match(toldIn(world), /The attempt before this one is #8\./);
});

test('an overwritten branch gets a new plan on top of it by /replan, and that plan can be approved', () => {
  const world = begin('the plan is in review');
  look(world, overwrite);
  assert.equal(look(world, approve), 'awaiting_approval');
  assert.equal(
    look(world, (w) => the.addComment(w, the.writer, '/replan')),
    'planning',
  );
  assert.deepEqual([look(world, deliver), look(world, approve)], ['awaiting_approval', 'implementing']);
});
