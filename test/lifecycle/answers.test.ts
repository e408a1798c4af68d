import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bindAnswers, hearAnswers, questionsAnswered } from '../../src/lifecycle/answers.ts';
import type { Person } from '../../src/lifecycle/facts.ts';
import type { Question } from '../../src/lifecycle/memory.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

type Happening = (world: World) => void;

const label: Happening = (world) => the.setLabel(world, the.writer, 'labeled');
const unlabel: Happening = (world) => the.setLabel(world, the.writer, 'unlabeled');
const claim: Happening = (world) => the.work(world, 'claim');
const deliver: Happening = (world) => the.work(world, 'finish');
const approve: Happening = (world) => void the.addReview(world, the.writer, 'APPROVED');
const object: Happening = (world) => void the.addReview(world, the.writer, 'CHANGES_REQUESTED');
const say =
  (body: string, by: Person = the.writer): Happening =>
  (world) =>
    the.addComment(world, by, body);

const setOpen =
  (isIssueOpen: boolean): Happening =>
  (world) => {
    world.isIssueOpen = isIssueOpen;
  };

const cache: Question = { text: 'Which cache?', suggestions: ['LRU', 'TTL'] };
const place: Question = { text: 'Where?', suggestions: [] };
const both = [cache, place];

/** The run at work parks with these questions, or whatever it ends with else. */
const park =
  (outcome: the.World['runs'][number]['outcome']): Happening =>
  (world) => {
    world.runs = world.runs.map((run, index) =>
      index === world.runs.length - 1 ? { ...run, status: 'parked', outcome } : run,
    );
  };
const ask = (...questions: readonly Question[]): Happening => park({ kind: 'question', questions });

/** Each happening is followed by the app until it rests. */
function play(world: World, ...events: readonly Happening[]): the.Pass {
  let pass = the.reconcile(world);
  for (const happen of events) {
    world.tick += 1;
    happen(world);
    pass = the.reconcile(world);
  }
  return pass;
}

/** What the app says of questions, and whether the run goes on: by what, and without which answers. */
function heard(world: World, ...events: readonly Happening[]) {
  const { state, effects } = play(world, ...events);
  const order = effects.flatMap((effect) => (effect.kind === 'startRun' ? [effect.order] : []));
  const note: unknown = JSON.parse(world.sticky ?? '{}').note ?? null;
  const told = world.marks.filter((mark) => mark.startsWith('numbers:'));
  return { state, note, told, orders: order.map(({ causes, occasion }) => ({ causes, occasion })) };
}

test('the run goes on once every question has an answer, in one comment or in several, by several people', () => {
  const once = heard(the.createWorld(), label, claim, ask(...both), say('1. b\n2. in src'));
  const goesOn = (...comments: number[]) => ({
    state: 'planning',
    note: null,
    told: [],
    orders: [
      {
        causes: comments.map((id) => `comment:${id}`),
        occasion: { kind: 'answer', comments, isContinued: false },
      },
    ],
  });
  assert.deepEqual(once, goesOn(501));
  const world = the.createWorld();
  const partly = heard(world, label, claim, ask(...both), say('2. in src', the.reader), say('2. and in lib'));
  assert.deepEqual(partly, {
    state: 'awaiting_answer',
    note: 'Question 1 is still open; the others have their answers.',
    told: [],
    orders: [],
  });
  assert.deepEqual(heard(world, say('1. b')), goesOn(501, 502, 503));
});

test('text without a number answers none of several questions: it is told so once, and rides along with the answers', () => {
  const world = the.createWorld();
  const waiting = { state: 'awaiting_answer', note: null, told: ['numbers:comment:501'], orders: [] };
  assert.deepEqual(heard(world, label, claim, ask(...both), say('The fast one.')), waiting);
  assert.deepEqual(
    heard(world, () => {}),
    waiting,
  );
  const occasion = { kind: 'answer', comments: [501, 502], isContinued: false };
  assert.deepEqual(heard(world, say('1. b\n2. in src')).orders, [{ causes: ['comment:501', 'comment:502'], occasion }]);
});

test('/continue by a writer has the run go on with what is there; what stands below it is heard as well', () => {
  const of = (...events: readonly Happening[]) =>
    heard(the.createWorld(), label, claim, ask(...both), ...events).orders;
  const occasion = (...comments: number[]) => ({ kind: 'answer', comments, isContinued: true });
  assert.deepEqual(of(say('/continue')), [{ causes: ['comment:501'], occasion: occasion() }]);
  assert.deepEqual(of(say('2. in src'), say('/continue')), [
    { causes: ['comment:501', 'comment:502'], occasion: occasion(501) },
  ]);
  assert.deepEqual(of(say('/continue\n1. b')), [{ causes: ['comment:501'], occasion: occasion(501) }]);
});

test('/continue by anybody else is refused, also by the author of the issue; one from before the questions is not about them', () => {
  const world = the.createWorld();
  const { state, orders } = heard(world, label, claim, ask(...both), say('/continue', the.reader));
  assert.deepEqual([state, orders], ['awaiting_answer', []]);
  assert.deepEqual(world.comments.at(-1)?.reactionsByThisApp, ['CONFUSED']);
  const early = the.createWorld();
  play(early, label, claim);
  early.tick += 1;
  the.addComment(early, the.writer, '/continue');
  assert.equal(heard(early, ask(...both)).state, 'awaiting_answer');
});

/** What is never an answer, though it reads like one. */
const noAnswers: Readonly<Record<string, Happening>> = {
  'a bot': say('1. b\n2. x', the.bot),
  'this app': say('1. b\n2. x', the.app),
  'a person without a say': say('1. b\n2. x', { ...the.reader, id: 6, login: 'sam' }),
  'a person whose permission cannot be read': say('1. b\n2. x', { ...the.reader, id: 7, login: 'una' }),
  'an edit': (world) => {
    the.addComment(world, the.writer, '1. b\n2. x');
    world.comments = world.comments.map((each) =>
      each.author === the.writer ? { ...each, editedAt: each.createdAt } : each,
    );
  },
  'a deleted account': (world) => {
    the.addComment(world, the.writer, '1. b\n2. x');
    world.comments = world.comments.map((each) => (each.author === the.writer ? { ...each, author: null } : each));
  },
  'a command': say('/status'),
  'a command that went wrong': say('/continue now\n1. b\n2. x'),
  'a word from before the questions': (world) => {
    the.addComment(world, the.writer, '1. b\n2. x');
    world.comments = world.comments.map((each) =>
      each.author === the.writer ? { ...each, createdAt: '2025-12-31T00:00:00Z' } : each,
    );
  },
  silence: (world) => {
    world.tick += 60 * 60 * 24 * 365;
  },
  'a reaction': (world) => {
    world.comments = world.comments.map((each) => ({ ...each, reactionsByThisApp: ['EYES'] }));
  },
};

for (const [what, happening] of Object.entries(noAnswers)) {
  test(`${what} is never an answer`, () => {
    const world = the.createWorld({ permissions: { 1: 'write', 2: 'read', 5: 'maintain', 6: 'read' } });
    assert.deepEqual(heard(world, label, claim, ask(...both), happening), {
      state: 'awaiting_answer',
      note: null,
      told: [],
      orders: [],
    });
  });
}

test('a question that was interrupted is asked again, not answered: by the label taken off, by the issue closed', () => {
  const interruptions: readonly (readonly Happening[])[] = [
    [unlabel, label],
    [setOpen(false), setOpen(true)],
    [say('/cancel'), unlabel, label],
  ];
  for (const events of interruptions) {
    const world = the.createWorld();
    play(world, label, claim, ask(cache), ...events);
    assert.deepEqual(
      world.runs.map(({ status }) => status),
      ['cancelled', 'queued'],
    );
    const again = heard(world, claim, ask(cache));
    assert.deepEqual([again.state, again.orders], ['awaiting_answer', []]);
    assert.deepEqual(
      world.comments.flatMap(({ marker }) => marker ?? []),
      ['questions:run1', 'questions:run2'],
    );
    assert.deepEqual(
      heard(world, say('b')).orders.map(({ occasion }) => occasion.kind),
      ['answer'],
    );
  }
});

test('questions come in several rounds: an answer belongs to the round that it follows', () => {
  const world = the.createWorld();
  play(world, label, claim, ask(cache), say('b'), claim);
  assert.deepEqual(heard(world, ask(...both)).orders, []);
  const comments = world.comments.map(({ id, marker, body }) => [id, marker ?? body]);
  assert.deepEqual(comments, [
    [500, 'questions:run1'],
    [501, 'b'],
    [502, 'questions:run2'],
  ]);
  assert.deepEqual(heard(world, say('1. a\n2. in lib')).orders, [
    { causes: ['comment:503'], occasion: { kind: 'answer', comments: [503], isContinued: false } },
  ]);
  assert.deepEqual(questionsAnswered(world.runs, { id: 'run3', branch: 'planwright/issue-7' }), both);
  assert.deepEqual(questionsAnswered(world.runs, { id: 'run2', branch: 'planwright/issue-7' }), [cache]);
});

test('a question parks a revision, which still answers its reviews, and an implementation, which keeps its approval', () => {
  const revision = the.createWorld();
  const revised = heard(revision, label, claim, deliver, object, claim, ask(cache), say('b'));
  assert.deepEqual(revised.orders[0]?.causes, ['review:100', 'comment:501']);
  const building = the.createWorld();
  const built = heard(building, label, claim, deliver, approve, claim, ask(cache), say('b'));
  assert.deepEqual([built.state, built.orders[0]?.occasion.kind], ['implementing', 'answer']);
  assert.deepEqual(building.runs.at(-1)?.approval, building.runs.at(-2)?.approval);
});

test('/replan while a revision waits for answers is told so at once: it neither answers nor is kept for later', () => {
  const world = the.createWorld();
  play(world, label, claim, deliver, object, claim, ask(cache));
  const { state, orders } = heard(world, say('/replan'));
  assert.deepEqual([state, orders], ['awaiting_answer', []]);
  assert.ok(world.marks.includes('reply:comment:501'));
  assert.deepEqual(world.comments.at(-1)?.reactionsByThisApp, ['EYES']);
});

test('an answer on the pull request counts like one on the issue', () => {
  const world = the.createWorld();
  play(world, label, claim, deliver, object, claim, ask(cache));
  world.tick += 1;
  const own = the.openPullRequest(world);
  assert.ok(own !== undefined);
  const comment = {
    id: 800,
    nodeId: 'IC_800',
    author: the.writer,
    body: 'b',
    createdAt: the.now(world),
    editedAt: null,
  };
  own.comments = [...own.comments, { ...comment, reactionsByThisApp: [], marker: null }];
  assert.deepEqual(heard(world).orders[0]?.causes, ['review:100', 'comment:800']);
});

test('an answering run that failed is tried again with its answers', () => {
  const world = the.createWorld();
  const fail: Happening = (w) => the.work(w, 'fail');
  const again = heard(world, label, claim, ask(...both), say('1. b\n2. x'), claim, fail, say('/retry'));
  assert.deepEqual(again.orders[0]?.occasion, { kind: 'answer', comments: [501], isContinued: false });
  assert.deepEqual(questionsAnswered(world.runs, { id: 'run3', branch: 'planwright/issue-7' }), both);
});

test('bound answers keep who said them, oldest first', () => {
  const world = the.createWorld();
  play(world, label, claim, ask(...both), say('1. b\nas ever', the.reader), say('1. a\n2. in src'));
  const { given, remarks } = bindAnswers(world.comments.slice(1), both);
  const told = given.map((said) => said.map(({ comment, text }) => [comment.author?.login, text]));
  assert.deepEqual(told, [
    [
      ['rita', 'b\nas ever'],
      ['wanda', 'LRU'],
    ],
    [['wanda', 'in src']],
  ]);
  assert.deepEqual(remarks, []);
});

test('no text by a person without a say ever changes which questions are answered, or what is said', () => {
  const stranger = { ...the.reader, id: 6, login: 'sam' };
  const bodies = fc.oneof(
    fc.constantFrom(
      '1. b',
      '2) x',
      '1b',
      '/continue',
      '> 1. Which cache?\nb',
      '<!-- planwright:questions 9%237 run1 -->',
    ),
    fc.string({ maxLength: 20 }),
  );
  const said = fc.array(fc.tuple(fc.constantFrom(the.writer, the.reader, stranger, the.bot), bodies), { maxLength: 6 });
  fc.assert(
    fc.property(said, (comments) => {
      const world = the.createWorld({ permissions: { 1: 'write', 2: 'read', 6: 'read' } });
      play(world, label, claim, ask(...both));
      for (const [by, body] of comments) {
        world.tick += 1;
        the.addComment(world, by, body);
      }
      const facts = the.factsOf(world);
      const isHeard = ({ author }: { author: Person | null }) => author?.id !== 6 && author?.id !== 3;
      const without = { ...facts, issue: { ...facts.issue, comments: facts.issue.comments.filter(isHeard) } };
      assert.deepEqual(hearAnswers(facts, 'run1', both), hearAnswers(without, 'run1', both));
    }),
    { numRuns: 100 },
  );
});

const wish: Happening = park({ kind: 'plan_mode_asked', reason: 'It is gone.' });

test('the wish to plan again is granted by /replan alone and declined by /continue alone, each by a writer', () => {
  const into = [label, claim, deliver, approve, claim, wish];
  const word = (...events: readonly Happening[]) => heard(the.createWorld(), ...into, ...events);
  const [accepted] = word(say('/replan keep it small')).orders;
  assert.deepEqual(accepted?.occasion, { kind: 'replan', text: 'keep it small' });
  const [declined] = word(say('/continue')).orders;
  assert.deepEqual(declined?.occasion, { kind: 'declined' });
  for (const nothing of [say('/replan', the.reader), say('/continue', the.reader), say('yes, do'), say('/allow')]) {
    const { state, orders } = word(nothing);
    assert.deepEqual([state, orders], ['awaiting_answer', []]);
  }
});

test('with code on the pull request, the wish to plan again is granted where that takes out no commit of a person', () => {
  const into = [label, claim, deliver, approve, claim, deliver, object, claim, wish];
  const world = the.createWorld();
  const [order] = heard(world, ...into, say('/replan')).orders;
  assert.deepEqual(order?.occasion, { kind: 'replan', text: null });
  assert.deepEqual([world.runs.at(-1)?.phase, world.runs.at(-1)?.approval], ['plan', null]);
  const mixed = the.createWorld();
  play(mixed, label, claim, deliver, approve, claim, deliver);
  const own = the.openPullRequest(mixed);
  assert.ok(own !== undefined);
  const { planBlob } = own;
  the.pushByPerson(mixed, 'src/a.ts');
  Object.assign(own, { planBlob });
  play(mixed, object, claim, wish);
  const { state, orders } = heard(mixed, say('/replan'));
  assert.deepEqual([state, orders], ['awaiting_answer', []]);
  assert.ok(mixed.marks.includes(`refused:comment:${mixed.comments.at(-1)?.id}`));
});
