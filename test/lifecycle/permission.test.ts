import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../src/lifecycle/memory.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

const asked: Outcome = {
  kind: 'permission_asked',
  call: 'c1',
  tool: 'bash',
  what: 'git push',
  rule: 'Bash(git push:*)',
};

/** An implementation at work. */
function implementing(): World {
  const world = the.createWorld();
  const steps = [
    () => the.setLabel(world, the.writer, 'labeled'),
    () => the.work(world, 'claim'),
    () => the.work(world, 'finish'),
    () => void the.addReview(world, the.writer, 'APPROVED'),
    () => the.work(world, 'claim'),
  ];
  for (const step of steps) after(world, step);
  return world;
}

function after(world: World, happen: () => void): the.Pass {
  world.tick += 1;
  happen();
  return the.reconcile(world);
}

function park(world: World): the.Pass {
  return after(world, () => {
    world.runs = world.runs.map((run) =>
      run.status === 'running' ? { ...run, status: 'parked', outcome: asked } : run,
    );
  });
}

function waiting(): World {
  const world = implementing();
  assert.equal(park(world).state, 'awaiting_answer');
  return world;
}

function ordersOf({ effects }: the.Pass) {
  return effects.flatMap((effect) => (effect.kind === 'startRun' ? [effect.order] : []));
}

for (const [body, isAllowed, text] of [
  ['/allow', true, null],
  ['/deny', false, null],
  ['/deny not on main', false, 'not on main'],
] as const) {
  test(`${body} by a writer has the run go on with the call that waits`, () => {
    const world = waiting();
    const parked = world.runs.at(-1);
    const pass = after(world, () => the.addComment(world, the.writer, body));
    assert.equal(pass.state, 'implementing');
    const [order] = ordersOf(pass);
    assert.deepEqual(order, {
      phase: 'implement',
      branch: parked?.branch,
      head: parked?.head,
      base: parked?.base,
      approval: parked?.approval,
      causes: ['review:100', `comment:${world.comments.at(-1)?.id}`],
      occasion: { kind: 'permission', isAllowed, text },
    });
  });
}

test('nothing but the word of a writer answers a call that waits, and its wait is told', () => {
  for (const [body, by] of [
    ['/allow', the.reader],
    ['/deny', the.reader],
    ['/allow', the.bot],
    ['/allow it', the.writer],
    ['yes', the.writer],
    ['/continue', the.writer],
    ['> /allow', the.writer],
  ] as const) {
    const world = waiting();
    const pass = after(world, () => the.addComment(world, by, body));
    assert.deepEqual([pass.state, ordersOf(pass)], ['awaiting_answer', []], body);
    assert.match(JSON.parse(world.sticky ?? '{}').note, /^What waits is one call of the agent\./);
  }
});

test('an edited word counts for nothing', () => {
  const world = waiting();
  const pass = after(world, () => {
    the.addComment(world, the.writer, '/allow');
    world.comments = world.comments.map((comment, index) =>
      index === world.comments.length - 1 ? { ...comment, editedAt: the.now(world) } : comment,
    );
  });
  assert.deepEqual(ordersOf(pass), []);
});

test('a word that was given before the question allows nothing, and is told so', () => {
  const world = implementing();
  the.addComment(world, the.writer, '/allow');
  const early = world.comments.at(-1)?.id;
  const pass = park(world);
  assert.deepEqual([pass.state, ordersOf(pass)], ['awaiting_answer', []]);
  assert.ok(world.marks.includes(`reply:comment:${early}`));
  assert.deepEqual(ordersOf(the.reconcile(world)), []);
});

test('of two words that contradict each other the one that denies counts, and both are answered by the run', () => {
  for (const words of [
    ['/allow', '/deny no'],
    ['/deny no', '/allow'],
  ] as const) {
    const world = waiting();
    const pass = after(world, () => {
      for (const body of words) the.addComment(world, the.writer, body);
    });
    const [order] = ordersOf(pass);
    assert.deepEqual(order?.occasion, { kind: 'permission', isAllowed: false, text: 'no' });
    assert.equal(order?.causes.length, 3);
  }
});

test('one word answers one call: the next is asked about anew', () => {
  const world = waiting();
  after(world, () => the.addComment(world, the.writer, '/allow'));
  after(world, () => the.work(world, 'claim'));
  const pass = park(world);
  assert.deepEqual([pass.state, ordersOf(pass)], ['awaiting_answer', []]);
  assert.equal(world.comments.filter(({ marker }) => marker?.startsWith('questions:')).length, 2);
});

test('a call that waits is given up with the request', () => {
  const world = waiting();
  const pass = after(world, () => the.setLabel(world, the.writer, 'unlabeled'));
  assert.deepEqual(ordersOf(pass), []);
  assert.equal(world.runs.at(-1)?.status, 'cancelled');
  assert.deepEqual(ordersOf(after(world, () => the.addComment(world, the.writer, '/allow'))), []);
});
