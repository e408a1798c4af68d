import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comment, Facts, IssueEdit, Person } from '../../src/lifecycle/facts.ts';
import { foreignEdit, readDiscussion } from '../../src/lifecycle/request-text.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

const second = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const stranger: Person = { id: 6, login: 'sam', kind: 'user', isThisApp: false };

function edited(by: Person | null, at: number, what: IssueEdit['what'] = 'body'): IssueEdit {
  return { what, by, at: second(at) };
}

function factsWith(issue: Partial<Facts['issue']>): Facts {
  const facts = the.factsOf(the.createWorld({ permissions: { 1: 'write', 2: 'read', 6: 'none' } }));
  return { ...facts, issue: { ...facts.issue, ...issue } };
}

const editors = {
  'a writer': { by: the.writer, isForeign: false },
  "the issue's author, a reader": { by: the.reader, isForeign: true },
  'a stranger': { by: stranger, isForeign: true },
  'a bot': { by: the.bot, isForeign: true },
  'this app': { by: the.app, isForeign: true },
  'a deleted account': { by: null, isForeign: true },
  'a person whose permission was not read': { by: { ...stranger, id: 66 }, isForeign: true },
} as const;

for (const [who, { by, isForeign }] of Object.entries(editors)) {
  test(`S17: title and body edited by ${who}: ${isForeign ? 'from the second of the request on no' : 'always'} word of it`, () => {
    for (const what of ['title', 'body'] as const) {
      for (const [at, isLate] of [
        [9, false],
        [10, true],
        [11, true],
      ] as const) {
        const edit = edited(by, at, what);
        const found = foreignEdit(factsWith({ edits: [edit] }), { at: second(10) });
        assert.deepEqual(found, isForeign && isLate ? edit : null, `${what} at ${at}`);
      }
    }
  });
}

test('S18: where the instant of the request is not known, every foreign edit counts', () => {
  const facts = factsWith({ edits: [edited(stranger, 1)] });
  assert.notEqual(foreignEdit(facts, null), null);
  assert.equal(foreignEdit(factsWith({ edits: [edited(the.writer, 1)] }), null), null);
});

function said(id: number, author: Person | null, at: number, change: Partial<Comment> = {}): Comment {
  return {
    id,
    nodeId: `IC_${id}`,
    author,
    body: `comment ${id}`,
    createdAt: second(at),
    editedAt: null,
    reactionsByThisApp: [],
    marker: null,
    ...change,
  };
}

const nothingLeftOut = { byOthers: 0, unread: 0, changed: 0, forLength: 0 };

function read(comments: readonly Comment[]) {
  const { used, leftOut } = readDiscussion(factsWith({ comments }), { at: second(10) });
  return { used: used.map(({ id }) => id), leftOut };
}

test("S15, case 67: writers and the issue's author are heard, oldest first; everyone else is left out and counted", () => {
  const comments = [
    said(1, the.reader, 1),
    said(2, stranger, 2),
    said(3, the.writer, 3),
    said(4, null, 4),
    said(5, { ...stranger, id: 66 }, 5),
  ];
  assert.deepEqual(read(comments), { used: [1, 3], leftOut: { ...nothingLeftOut, byOthers: 2, unread: 1 } });
});

test('S17, case 68: a comment counts as it stood before the request: none of its second or later, none edited since', () => {
  const comments = [
    said(1, the.writer, 9),
    said(2, the.writer, 10),
    said(3, stranger, 11),
    said(4, the.writer, 5, { editedAt: second(9) }),
    said(5, the.writer, 5, { editedAt: second(10) }),
    said(6, the.reader, 6, { editedAt: second(12) }),
  ];
  assert.deepEqual(read(comments), { used: [1, 4], leftOut: { ...nothingLeftOut, changed: 2 } });
});

test('commands and what bots and this app say are none of the discussion', () => {
  const comments = [
    said(1, the.writer, 1, { body: '/plan please' }),
    said(2, stranger, 2, { body: '/status' }),
    said(3, the.bot, 3),
    said(4, the.app, 4),
    said(5, the.writer, 5, { body: '/plan', editedAt: second(6) }),
  ];
  assert.deepEqual(read(comments), { used: [], leftOut: nothingLeftOut });
});

test('the newest thirty comments and sixty thousand characters go with a request, and what is cut is counted', () => {
  const many = Array.from({ length: 35 }, (_, index) => said(index + 1, the.writer, 1));
  assert.deepEqual(read(many), {
    used: many.slice(5).map(({ id }) => id),
    leftOut: { ...nothingLeftOut, forLength: 5 },
  });
  const long = [said(1, the.writer, 1), ...[2, 3].map((id) => said(id, the.writer, 2, { body: 'x'.repeat(30_000) }))];
  assert.deepEqual(read(long), { used: [2, 3], leftOut: { ...nothingLeftOut, forLength: 1 } });
  assert.deepEqual(read([said(1, the.writer, 1, { body: 'x'.repeat(60_001) })]), {
    used: [],
    leftOut: { ...nothingLeftOut, forLength: 1 },
  });
});

test('without a request there is no discussion', () => {
  assert.deepEqual(readDiscussion(factsWith({ comments: [said(1, the.writer, 1)] }), null), {
    used: [],
    leftOut: nothingLeftOut,
  });
});

const label = (world: World) => the.setLabel(world, the.writer, 'labeled');
const edit = (by: Person | null) => (world: World) => {
  world.edits = [...world.edits, { what: 'body', by, at: the.now(world) }];
};

function play(world: World, ...events: readonly ((world: World) => void)[]): readonly string[] {
  return events.map((happen) => {
    world.tick += 1;
    happen(world);
    return the.reconcile(world).state;
  });
}

const why =
  'After a plan was asked for, the body of this issue was edited by rita, who has no write access. Set the label again, or say `/plan`, to have the issue planned as it now stands.';

test('case 68: an issue that a reader edited after the label starts no run: it says so once, and the label set again takes the text', () => {
  const world = the.createWorld();
  const labelAndEdit = (w: World) => {
    label(w);
    edit(the.reader)(w);
  };
  assert.deepEqual(
    play(world, labelAndEdit, edit(the.reader), () => {}),
    ['inactive', 'inactive', 'inactive'],
  );
  assert.deepEqual(world.marks, ['refused:LE_1 edited']);
  assert.match(
    world.sticky ?? '',
    new RegExp(
      JSON.stringify(why)
        .slice(1, -1)
        .replace(/[.`()]/g, '\\$&'),
    ),
  );
  const unlabel = (w: World) => the.setLabel(w, the.writer, 'unlabeled');
  assert.deepEqual(play(world, unlabel, label), ['inactive', 'pending']);
});

test('case 68: /plan after the edit takes the text as it now stands', () => {
  const world = the.createWorld();
  play(world, (w) => {
    label(w);
    edit(the.reader)(w);
  });
  assert.deepEqual(
    play(world, (w) => the.addComment(w, the.writer, '/plan')),
    ['pending'],
  );
});

test("an edit by a writer after the label is that writer's word: the run starts", () => {
  const world = the.createWorld();
  assert.deepEqual(
    play(world, (w) => {
      label(w);
      edit(the.writer)(w);
    }),
    ['pending'],
  );
});

test('case 68: a first run that the model has not answered yet is stopped by such an edit, a later one goes on', () => {
  const queued = the.createWorld();
  assert.deepEqual(
    play(queued, label, edit(the.reader), (w) => the.work(w, 'claim')),
    ['pending', 'exit_pending', 'inactive'],
  );
  assert.deepEqual(
    queued.runs.map(({ status }) => status),
    ['cancelled'],
  );
  const answered = the.createWorld();
  const takeTurn = (w: World) => {
    the.work(w, 'claim');
    w.runs = w.runs.map((run) => ({ ...run, cost: { ...run.cost, turns: 1 } }));
  };
  assert.deepEqual(
    play(answered, label, takeTurn, edit(the.reader), (w) => the.work(w, 'finish')),
    ['pending', 'planning', 'planning', 'awaiting_approval'],
  );
});

test('an edit by a person whose permission cannot be read starts nothing and refuses nothing: it goes on once it can be read', () => {
  const world = the.createWorld({ permissions: { 1: 'write' } });
  const labelAndEdit = (w: World) => {
    label(w);
    edit(the.reader)(w);
  };
  assert.deepEqual(play(world, labelAndEdit), ['inactive']);
  assert.deepEqual(world.marks, []);
  assert.match(world.sticky ?? '', /of whom it could not be read whether they may write here/);
  world.permissions = { 1: 'write', 2: 'write' };
  assert.deepEqual(
    play(world, () => {}),
    ['pending'],
  );
});

test('a failed first run is not tried again on a text that nobody with a say asked for', () => {
  const world = the.createWorld();
  play(world, label, (w) => the.work(w, 'fail'), edit(the.reader));
  assert.deepEqual(
    play(world, (w) => the.addComment(w, the.writer, '/retry')),
    ['failed'],
  );
  assert.equal(world.runs.length, 1);
  assert.deepEqual(
    world.marks.filter((mark) => mark.startsWith('re') && !mark.startsWith('react')),
    ['refused:LE_1 edited', 'reply:comment:500'],
  );
});
