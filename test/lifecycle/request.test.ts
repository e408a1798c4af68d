import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../src/lifecycle/decide.ts';
import type { Facts, Permission, Person } from '../../src/lifecycle/facts.ts';
import { readRequests } from '../../src/lifecycle/request.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** Plays events, each followed by the app until it rests; gives the states in turn. */
function play(world: World, ...events: readonly ((world: World) => void)[]): readonly string[] {
  return events.map((happen) => {
    world.tick += 1;
    happen(world);
    return the.reconcile(world).state;
  });
}

const label = (world: World) => the.setLabel(world, the.writer, 'labeled');
const unlabel = (world: World) => the.setLabel(world, the.writer, 'unlabeled');
const deliver = (world: World) => the.work(world, 'finish');
const nothing = () => {};

function changeLabel(world: World, afterMs: number): void {
  world.labelEvents = world.labelEvents.map((event) => ({
    ...event,
    labelChangedAt: new Date(Date.parse(event.at) + afterMs).toISOString(),
  }));
}

/** What the next decision refuses, as it would be said. */
function refusalsOf(facts: Facts) {
  return decide(facts, { runs: [] }).actions.flatMap((action) =>
    action.kind === 'refuse' ? [{ cause: action.cause, why: action.why }] : [],
  );
}

test('case 64: a label that was renamed or changed after it was set starts nothing, and the issue says once to set it again', () => {
  const world = the.createWorld();
  const states = play(
    world,
    (w) => {
      label(w);
      changeLabel(w, 1000);
    },
    nothing,
  );
  assert.deepEqual(states, ['inactive', 'inactive']);
  assert.deepEqual(world.marks, ['refused:LE_1']);
  assert.deepEqual(refusalsOf(the.factsOf(world)), [
    { cause: 'LE_1', why: 'The label was changed after it was set: set it again.' },
  ]);
  assert.deepEqual(play(world, unlabel, label), ['inactive', 'pending']);
});

test('case 64: renaming a label of long ago to the trigger starts nothing, and writes on no issue that bears it', () => {
  const world = the.createWorld();
  world.tick += 1;
  label(world);
  changeLabel(world, 24 * 60 * 60 * 1000 + 1000);
  assert.deepEqual(the.reconcile(world), { state: 'inactive', effects: [] });
});

test('case 64: a label that was made or changed no later than it was set counts', () => {
  for (const ms of [-1000, 0]) {
    const world = the.createWorld();
    const set = (w: World) => {
      label(w);
      changeLabel(w, ms);
    };
    assert.deepEqual(play(world, set), ['pending'], `${ms}`);
  }
});

test('case 64: renaming the trigger label afterwards withdraws no request that was accepted before', () => {
  const running = the.createWorld();
  assert.deepEqual(
    play(running, label, (w) => changeLabel(w, 5000)),
    ['pending', 'pending'],
  );
  const open = the.createWorld();
  play(open, label, deliver);
  open.runs = [];
  assert.deepEqual(
    play(open, (w) => changeLabel(w, 60_000)),
    ['awaiting_approval'],
  );
  assert.deepEqual(open.marks, []);
});

test('case 64: deleting the trigger label, or renaming it, starts nothing', () => {
  const deleted = the.createWorld();
  assert.deepEqual(
    play(deleted, (w) => {
      label(w);
      w.labels = [];
    }),
    ['inactive'],
  );
  const renamed = the.createWorld();
  assert.deepEqual(
    play(renamed, (w) => {
      label(w);
      w.labels = ['plan-later'];
      w.labelEvents = w.labelEvents.map((event) => ({ ...event, label: 'plan-later' }));
    }),
    ['inactive'],
  );
  assert.deepEqual([deleted.runs, renamed.runs], [[], []]);
});

test('S18: a label without an event, by a deleted account or with another one since is no request', () => {
  const world = the.createWorld({ labels: ['plan'] });
  const facts = the.factsOf(world);
  const event = { id: 'LE_1', kind: 'labeled', label: 'plan', by: the.writer, at: the.now(world) } as const;
  const events = [
    [],
    [{ ...event, by: null, labelChangedAt: null }],
    [{ ...event, label: 'planned', labelChangedAt: null }],
    [
      { ...event, labelChangedAt: null },
      { ...event, id: 'LE_2', kind: 'unlabeled' as const, labelChangedAt: null },
    ],
  ];
  for (const labelEvents of events) {
    const { standing } = readRequests({ ...facts, issue: { ...facts.issue, labelEvents } }, { runs: [] }, the.policy);
    assert.equal(standing, null, JSON.stringify(labelEvents));
  }
});

test('S10, S11, S12: only a live permission of write or more makes a label a request, whatever association GitHub tells', () => {
  const starts = (permission: Permission | null) => {
    const world = the.createWorld({ permissions: permission === null ? {} : { 1: permission } });
    play(world, label);
    return world.runs.length === 1;
  };
  const table: readonly (readonly [Permission | null, boolean])[] = [
    ['admin', true],
    ['maintain', true],
    ['write', true],
    ['triage', false],
    ['read', false],
    ['none', false],
    ['unknown', false],
    [null, false],
  ];
  for (const [permission, isStarted] of table) assert.equal(starts(permission), isStarted, `${permission}`);
});

test('S14: a person is who the id says: a login that another account had counts for nothing', () => {
  const world = the.createWorld();
  const namesake: Person = { ...the.writer, id: 77 };
  assert.deepEqual(
    play(world, (w) => the.setLabel(w, namesake, 'labeled')),
    ['inactive'],
  );
});

test('S10: no bot and not this app itself can ask, though GitHub lets them write', () => {
  for (const who of [the.bot, the.app]) {
    const world = the.createWorld({ permissions: { [who.id]: 'admin' } });
    play(
      world,
      (w) => the.setLabel(w, who, 'labeled'),
      (w) => the.addComment(w, who, '/plan'),
    );
    assert.deepEqual(world.runs, [], who.login);
  }
});

test('S75, case 53: words, reactions, other labels and texts of a pull request never unlock a plan', () => {
  const world = the.createWorld();
  play(world, label, deliver);
  const texts = ['LGTM', 'approved', '/approve', 'Approved, go ahead', ':+1:', '/implement', '/lgtm', 'ship it'];
  for (const text of texts) play(world, (w) => the.addComment(w, the.writer, text));
  play(
    world,
    (w) => void the.addReview(w, the.writer, 'COMMENTED', { body: 'LGTM, approved, go ahead' }),
    (w) => the.setLabel(w, the.writer, 'labeled', 'approved'),
    (w) => the.setLabel(w, the.writer, 'labeled', 'plan: building'),
  );
  assert.deepEqual(
    world.runs.map(({ phase }) => phase),
    ['plan'],
  );
  const facts = the.factsOf(world);
  const told = facts.pullRequests.map((pull) => ({
    ...pull,
    body: '## Approved by @wanda',
    title: 'Approved',
    checks: [
      { id: 1, name: 'planwright/code', status: 'completed', conclusion: 'success', title: null, summary: null },
    ],
  }));
  assert.equal(decide({ ...facts, pullRequests: told }, { runs: world.runs }).state, 'awaiting_approval');
});

test('a refused trigger says why once for each labelling, whatever is delivered twice or after a restart', () => {
  const world = the.createWorld();
  const readerLabels = (w: World) => the.setLabel(w, the.reader, 'labeled');
  play(world, readerLabels, nothing, nothing, unlabel, readerLabels, nothing);
  assert.deepEqual(world.marks, ['refused:LE_1', 'refused:LE_3']);
  assert.deepEqual(refusalsOf(the.factsOf(world)), [
    { cause: 'LE_3', why: 'Only people with write access to this repository can ask for a plan.' },
  ]);
});

test('/plan by a reader is reacted to each time and told why once for each person', () => {
  const world = the.createWorld();
  const say = (w: World) => the.addComment(w, the.reader, '/plan');
  play(world, say, say, (w) => the.addComment(w, the.reader, '/status'));
  assert.deepEqual(world.marks, ['refused:asker:2', 'react:500', 'react:501', 'react:502']);
  assert.deepEqual(
    world.comments.map(({ reactionsByThisApp }) => reactionsByThisApp),
    [['CONFUSED'], ['CONFUSED'], ['CONFUSED']],
  );
  assert.equal(world.sticky, null);
});

test('the label set again with an open plan is answered once, with where it is, and starts nothing', () => {
  const world = the.createWorld();
  play(world, label, deliver, unlabel, label, nothing);
  assert.deepEqual(
    world.marks.filter((mark) => mark.startsWith('reply')),
    ['reply:LE_3'],
  );
  assert.equal(world.runs.length, 1);
  const answers = decide(the.factsOf(world), { runs: world.runs }).actions.flatMap((action) =>
    action.kind === 'reply' ? [[action.reply, action.status.pullRequest, action.status.state]] : [],
  );
  assert.deepEqual(answers, [['plan', 8, 'awaiting_approval']]);
});

test('case 74: after a close, labelling twice gives one new pull request on a fresh branch, which links the old one', () => {
  const world = the.createWorld();
  const opened: unknown[] = [];
  const look = (w: World, happen: (w: World) => void) => {
    w.tick += 1;
    happen(w);
    for (const effect of the.reconcile(w).effects) if (effect.kind === 'openPullRequest') opened.push(effect);
  };
  const close = (w: World) => the.endPullRequest(w, 'closed');
  for (const happen of [label, deliver, close, unlabel, label, unlabel, label, deliver, deliver, unlabel, label]) {
    look(world, happen);
  }
  for (let time = 0; time < 3; time += 1) look(world, deliver);
  assert.deepEqual(
    world.pullRequests.map(({ branch, state }) => [branch, state]),
    [
      ['planwright/issue-7', 'closed'],
      ['planwright/issue-7-2', 'open'],
    ],
  );
  assert.deepEqual(opened, [
    { kind: 'openPullRequest', branch: 'planwright/issue-7', previousPullRequest: null },
    { kind: 'openPullRequest', branch: 'planwright/issue-7-2', previousPullRequest: 8 },
  ]);
});

test('/replan that failed keeps its text when it is tried again', () => {
  const world = the.createWorld();
  const say = (body: string) => (w: World) => the.addComment(w, the.writer, body);
  play(world, label, deliver, say('/replan with less code'), (w) => the.work(w, 'fail'));
  world.tick += 1;
  say('/retry')(world);
  const orders = the.reconcile(world).effects.flatMap((effect) => (effect.kind === 'startRun' ? [effect.order] : []));
  assert.deepEqual(
    orders.map(({ occasion }) => occasion),
    [{ kind: 'replan', text: 'with less code' }],
  );
});

test('a broken configuration is told where a writer asks by the label that it still names, or by /plan, and nowhere else', () => {
  const told = (triggerLabel: string | null, happen: (world: World) => void) => {
    const world = the.createWorld();
    world.tick += 1;
    happen(world);
    const facts = the.factsOf(world);
    const policy = { problems: ['line 2: x'], ...(triggerLabel === null ? {} : { triggerLabel }) };
    return decide({ ...facts, policy }, { runs: [] }).actions.map(({ kind }) => kind);
  };
  const sets = (who: Person, name: string) => (world: World) => the.setLabel(world, who, 'labeled', name);
  const status = ['setStatusComment'];
  assert.deepEqual(told(null, sets(the.writer, 'plan')), status);
  assert.deepEqual(told('ai', sets(the.writer, 'ai')), status);
  assert.deepEqual(
    told('ai', (world) => the.addComment(world, the.writer, '/plan')),
    status,
  );
  assert.deepEqual(told('ai', sets(the.writer, 'plan')), []);
  assert.deepEqual(told(null, sets(the.reader, 'plan')), []);
  assert.deepEqual(told(null, sets(the.writer, 'bug')), []);
  const renamed = (world: World) => {
    label(world);
    changeLabel(world, 1000);
  };
  assert.deepEqual(told(null, renamed), []);
});

test('case 59: editing or deleting what once triggered something starts nothing anew', () => {
  const world = the.createWorld();
  const say = (w: World) => the.addComment(w, the.writer, '/replan');
  play(world, label, deliver, (w) => void the.addReview(w, the.writer, 'CHANGES_REQUESTED'), deliver, say, deliver);
  const runs = world.runs.length;
  const edits: readonly ((world: World) => void)[] = [
    (w) => {
      w.comments = w.comments.map((comment) => ({ ...comment, editedAt: the.now(w), body: '/retry' }));
    },
    (w) => {
      w.comments = [];
    },
    (w) => {
      w.edits = (['title', 'body'] as const).flatMap((what) =>
        [the.writer, the.reader].map((by) => ({ what, by, at: the.now(w) })),
      );
    },
    (w) => {
      for (const own of w.pullRequests) {
        own.reviews = own.reviews.map((review) => ({ ...review, body: 'Now do it.', editedAt: the.now(w) }));
      }
    },
  ];
  assert.deepEqual(
    play(world, ...edits),
    edits.map(() => 'awaiting_approval'),
  );
  assert.equal(world.runs.length, runs);
});
