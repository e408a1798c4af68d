import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommandText } from '../../src/lifecycle/command.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import type { Review, ReviewComment, ReviewThread } from '../../src/lifecycle/facts.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

type Happening = (world: World) => void;

/** Plays events, each followed by the app until it rests. @returns the last pass */
function play(world: World, ...events: readonly Happening[]): the.Pass | null {
  let pass: the.Pass | null = null;
  for (const happen of events) {
    world.tick += 1;
    happen(world);
    pass = the.reconcile(world);
  }
  return pass;
}

const label: Happening = (world) => the.setLabel(world, the.writer, 'labeled');
const unlabel: Happening = (world) => the.setLabel(world, the.writer, 'unlabeled');
const claim: Happening = (world) => the.work(world, 'claim');
const deliver: Happening = (world) => the.work(world, 'finish');
const fail: Happening = (world) => the.work(world, 'fail');
const ask: Happening = (world) => the.work(world, 'ask');
const approve: Happening = (world) => void the.addReview(world, the.writer, 'APPROVED');
const close: Happening = (world) => the.endPullRequest(world, 'closed');
const merge: Happening = (world) => the.endPullRequest(world, 'merged');
const say =
  (body: string): Happening =>
  (world) =>
    the.addComment(world, the.writer, body);

/** Ways into every state; two lead to `abandoned`. */
const situations = {
  inactive: [],
  pending: [label],
  planning: [label, claim],
  awaiting_answer: [label, ask],
  awaiting_approval: [label, deliver],
  exit_pending: [label, claim, unlabel],
  implementing: [label, deliver, approve, claim],
  implemented: [label, deliver, approve, deliver],
  failed: [label, fail],
  abandoned: [label, deliver, close],
  'abandoned, with its pull request open': [label, deliver, unlabel],
  completed: [label, deliver, approve, deliver, merge],
} as const satisfies Readonly<Record<string, readonly Happening[]>>;

const commands = ['/plan', '/replan', '/retry', '/continue', '/cancel', '/status', '/view-plan'] as const;
type Row = Readonly<Record<(typeof commands)[number], string>>;

/** What is the same wherever a command has nothing to do: it is answered, and changes nothing. */
const answers = {
  '/plan': 'answers plan',
  '/replan': 'answers replan',
  '/retry': 'answers retry',
  '/continue': 'answers continue',
  '/cancel': 'answers cancel',
  '/status': 'answers status',
  '/view-plan': 'answers view_plan',
} as const;
const atWork = { ...answers, '/replan': 'waits', '/cancel': 'stops the run → exit_pending' } as const;

const table: Readonly<Record<keyof typeof situations, Row>> = {
  inactive: { ...answers, '/plan': 'starts plan → pending' },
  pending: atWork,
  planning: atWork,
  awaiting_answer: { ...answers, '/continue': 'starts plan → planning', '/cancel': 'is heard → inactive' },
  awaiting_approval: { ...answers, '/replan': 'starts plan → planning', '/cancel': 'is heard → abandoned' },
  exit_pending: { ...answers, '/plan': 'answers plan → planning' },
  implementing: atWork,
  implemented: { ...answers, '/replan': 'starts plan → planning', '/cancel': 'is heard → abandoned' },
  failed: {
    ...answers,
    '/plan': 'starts plan → pending',
    '/retry': 'starts plan → pending',
    '/cancel': 'is heard → inactive',
  },
  abandoned: { ...answers, '/plan': 'starts plan → pending' },
  'abandoned, with its pull request open': { ...answers, '/plan': 'answers plan → awaiting_approval' },
  completed: { ...answers, '/plan': 'starts plan → pending' },
};

/** What becomes of a writer's comment: what the app does about it, and the state where it changes. */
function outcomeOf(world: World, body: string): string {
  const before: ThreadState = the.reconcile(world).state;
  const id = 500 + world.comments.length;
  const pass = play(world, say(body));
  const done = (pass?.effects ?? []).flatMap((effect) => {
    if (effect.kind === 'startRun') return [`starts ${effect.order.phase}`];
    if (effect.kind === 'stopRun') return ['stops the run'];
    if (effect.kind === 'reply') return [`answers ${effect.reply}`];
    return effect.kind === 'refuse' ? ['refuses'] : [];
  });
  const isHeard = world.comments.some((comment) => comment.id === id && comment.reactionsByThisApp.includes('EYES'));
  const what = done.length > 0 ? done.join(', ') : isHeard ? 'is heard' : 'waits';
  assert.equal(isHeard, what !== 'waits', `${body}: a reaction says that it was heard`);
  return pass === null || pass.state === before ? what : `${what} → ${pass.state}`;
}

for (const [state, events] of Object.entries(situations)) {
  test(`what every command does in a thread that is ${state}, each with a reaction, and nothing in silence`, () => {
    const row = Object.fromEntries(
      commands.map((command) => {
        const world = the.createWorld();
        play(world, ...events);
        return [command, outcomeOf(world, command)];
      }),
    );
    assert.deepEqual({ state, ...row }, { state, ...Object.entries(table).find(([name]) => name === state)?.[1] });
  });
}

test('while the agent asks to go back to planning, /continue declines and /replan accepts', () => {
  for (const [body, outcome] of [
    ['/continue', 'starts implement → implementing'],
    ['/replan', 'starts plan → planning'],
    ['/retry', 'answers retry'],
  ] as const) {
    const world = the.createWorld();
    play(world, label, deliver, approve, claim);
    world.runs = world.runs.map((run) =>
      run.status === 'running'
        ? { ...run, status: 'parked', outcome: { kind: 'plan_mode_asked', reason: 'It is gone.' } }
        : run,
    );
    assert.equal(outcomeOf(world, body), outcome, body);
  }
});

test('/replan said while a run is at work is followed once its result stands', () => {
  const world = the.createWorld();
  play(world, label, claim, say('/replan smaller'), deliver);
  assert.deepEqual(
    world.runs.map(({ causes, status }) => [causes, status]),
    [
      [['LE_1'], 'parked'],
      [['comment:500'], 'queued'],
    ],
  );
});

const zeroWidth = '\u200b';
const lookAlikes = {
  quoted: '> /retry',
  fenced: '```\n/retry\n```',
  'indented by a space': ' /retry',
  'indented as code': '    /retry',
  'behind a tab': '\t/retry',
  'on the second line': 'Thanks.\n/retry',
  'behind an empty line': '\n/retry',
  'in the middle of a sentence': 'please /retry',
  'with words behind it that it does not take': '/retry now',
  'as part of a word': '/retrying',
  'in upper case': '/RETRY',
  'in mixed case': '/Retry',
  'with a full-width slash': '\uff0fretry',
  'with a backslash': '\\retry',
  'with two slashes': '//retry',
  'behind a zero-width space': `${zeroWidth}/retry`,
  'with a zero-width space inside': `/re${zeroWidth}try`,
  'with a zero-width space behind it': `/retry${zeroWidth}`,
  'behind a byte order mark': '\ufeff/retry',
  'behind a right-to-left mark': '\u200f/retry',
  'with a Cyrillic letter': '/r\u0435try',
  'behind an HTML comment': '<!-- x -->/retry',
  'in an HTML comment': '<!--\n/retry\n-->',
  'in an attribute': '<a title="\n/retry\n">x</a>',
  'as inline code': '`/retry`',
  'in a block of code': '```\n/retry\n```',
  'in bold': '**/retry**',
  'as a list item': '- /retry',
  'as a heading': '# /retry',
  'behind a mention': '@planwright /retry',
  'as a link': '[/retry](https://example.com)',
  'with a stop': '/retry.',
  'behind a lone carriage return': '\r/retry',
} as const;

for (const [how, body] of Object.entries(lookAlikes)) {
  test(`case 54: a command ${how} has no effect`, () => {
    for (const text of [body, body.replace(/retry/i, (word) => (word === 'retry' ? 'status' : word))]) {
      const world = the.createWorld();
      play(world, label, fail);
      const before = structuredClone(world);
      play(world, say(text));
      assert.deepEqual({ ...world, comments: [], tick: 0 }, { ...before, comments: [], tick: 0 }, text);
      assert.deepEqual(world.comments[0]?.reactionsByThisApp, [], text);
    }
  });
}

test('case 54: a command that was edited into an old comment, or edited at all, has no effect', () => {
  for (const body of commands) {
    const world = the.createWorld();
    play(world, label, deliver);
    const edited = (w: World) => {
      the.addComment(w, the.writer, body);
      w.comments = w.comments.map((comment) => ({ ...comment, editedAt: the.now(w) }));
    };
    const before = structuredClone(world);
    play(world, edited);
    assert.deepEqual({ ...world, comments: [], tick: 0 }, { ...before, comments: [], tick: 0 }, body);
  }
});

test('case 54: a command in a review or in a comment on a line has no effect', () => {
  for (const body of ['/retry', '/replan', '/cancel', '/approve']) {
    const world = the.createWorld();
    play(world, label, deliver);
    const review: Review | null = the.addReview(world, the.writer, 'COMMENTED', { body });
    const facts = the.factsOf(world);
    const comment: ReviewComment = {
      id: 900,
      nodeId: 'PRRC_900',
      author: the.writer,
      reviewId: review?.id ?? null,
      body,
      createdAt: the.now(world),
      editedAt: null,
      originalCommit: null,
      diffHunk: '',
    };
    const thread: ReviewThread = {
      nodeId: 'PRRT_1',
      path: 'plan.md',
      subject: 'line',
      side: 'RIGHT',
      line: 1,
      startLine: null,
      originalLine: 1,
      originalStartLine: null,
      isOutdated: false,
      isResolved: false,
      comments: [comment],
    };
    const pullRequests = facts.pullRequests.map((pull) => ({ ...pull, threads: [thread] }));
    const { state, actions } = decide({ ...facts, pullRequests }, { runs: world.runs });
    assert.equal(state, 'awaiting_approval', body);
    const effects = actions.filter(({ kind }) => ['startRun', 'stopRun', 'reply', 'react', 'refuse'].includes(kind));
    assert.deepEqual(effects, [], body);
  }
});

test('case 54: no command by a reader, a bot or a stranger has any effect but a reaction', () => {
  for (const body of commands.filter((command) => command !== '/plan')) {
    const world = the.createWorld();
    play(
      world,
      label,
      fail,
      (w) => the.addComment(w, the.reader, body),
      (w) => the.addComment(w, the.bot, body),
    );
    assert.deepEqual([world.runs.length, world.marks], [1, ['react:500']], body);
  }
});

test('a command may have blanks and line breaks behind it, and text where it takes some', () => {
  const texts = ['/retry', '/retry  ', '/retry\n', '/retry\r\nThank you.', '/status\n\n> /plan', '/plan with tests'];
  assert.deepEqual(
    texts.filter((text) => !isCommandText(text)),
    [],
  );
  const world = the.createWorld();
  world.tick += 1;
  say('/plan with tests\r\n\r\nand docs')(world);
  const orders = the.reconcile(world).effects.flatMap((effect) => (effect.kind === 'startRun' ? [effect.order] : []));
  assert.deepEqual(
    orders.map(({ occasion, causes }) => [occasion, causes]),
    [[{ kind: 'request', text: 'with tests\n\r\nand docs' }, ['comment:500']]],
  );
});

test('one word too many does not keep /cancel from stopping', () => {
  const world = the.createWorld();
  play(world, label, claim);
  assert.equal(outcomeOf(world, '/cancel please'), 'stops the run → exit_pending');
});

test('/view-plan goes by all its names', () => {
  for (const body of ['/view-plan', '/show-plan', '/plan-view']) {
    const world = the.createWorld();
    play(world, label, deliver);
    assert.equal(outcomeOf(world, body), 'answers view_plan', body);
  }
});

test('/cancel said twice has one thing to stop', () => {
  const world = the.createWorld();
  play(world, label, claim);
  assert.equal(outcomeOf(world, '/cancel'), 'stops the run → exit_pending');
  play(world, claim);
  assert.equal(outcomeOf(world, '/cancel'), 'answers cancel');
});

test('/replan where the request was withdrawn is answered, and does not wait in silence', () => {
  const world = the.createWorld();
  play(world, label, deliver, unlabel);
  assert.equal(outcomeOf(world, '/replan'), 'answers replan');
});
