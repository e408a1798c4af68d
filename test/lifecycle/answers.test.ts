import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindAnswers, questionsAnswered } from '../../src/lifecycle/answers.ts';
import {
  approve,
  ask,
  both,
  cache,
  claim,
  deliver,
  type Happening,
  heard,
  label,
  object,
  play,
  say,
} from './waiting-thread.ts';
import * as the from './world.ts';

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
