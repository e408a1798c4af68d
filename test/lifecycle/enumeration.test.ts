import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Action } from '../../src/lifecycle/actions.ts';
import { type ThreadState, threadStates } from '../../src/lifecycle/state.ts';
import { park } from './waiting-thread.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** Everything that people, bots, workers and faults do to a thread from outside. */
const events: Readonly<Record<string, (world: World) => void>> = {
  'a writer sets the label': (world) => the.setLabel(world, the.writer, 'labeled'),
  'a reader sets the label': (world) => the.setLabel(world, the.reader, 'labeled'),
  'the label is taken off': (world) => the.setLabel(world, the.writer, 'unlabeled'),
  'a writer approves': (world) => void the.addReview(world, the.writer, 'APPROVED'),
  'a reader approves': (world) => void the.addReview(world, the.reader, 'APPROVED'),
  'a bot approves': (world) => void the.addReview(world, the.bot, 'APPROVED'),
  'a writer requests changes': (world) => void the.addReview(world, the.writer, 'CHANGES_REQUESTED'),
  'a writer comments LGTM': (world) => void the.addReview(world, the.writer, 'COMMENTED', { body: 'LGTM' }),
  'a writer answers on the issue': (world) => the.addComment(world, the.writer, 'approved, go ahead'),
  'a writer says /retry': (world) => the.addComment(world, the.writer, '/retry'),
  'a writer says /replan': (world) => the.addComment(world, the.writer, '/replan'),
  'the latest verdict is dismissed': (world) => the.dismissLatest(world),
  'a person pushes to the plan': (world) => the.pushByPerson(world),
  'the pull request is closed': (world) => the.endPullRequest(world, 'closed'),
  'the pull request is reopened': (world) => the.reopenPullRequest(world),
  'the pull request is merged': (world) => the.endPullRequest(world, 'merged'),
  'the issue is closed': (world) => {
    world.isIssueOpen = false;
  },
  'the issue is reopened': (world) => {
    world.isIssueOpen = true;
  },
  'permissions cannot be read': (world) => {
    world.permissions = {};
  },
  'permissions can be read': (world) => {
    world.permissions = { 1: 'write', 2: 'read', 5: 'maintain' };
  },
  'a worker claims the run': (world) => the.work(world, 'claim'),
  'the run delivers': (world) => the.work(world, 'finish'),
  'the run fails': (world) => the.work(world, 'fail'),
  'the run asks': (world) => the.work(world, 'ask'),
};

/** What can happen beside a plan that is there already. */
const besideReview: Readonly<Record<string, (world: World) => void>> = {
  'another pull request gets the same head, or another one': (world) => {
    world.sharedWith = world.sharedWith.length === 0 ? [99] : [];
  },
  'another writer begins a conversation, or resolves it': (world) => {
    if (world.threads.length === 0) the.openThread(world, 3, the.maintainer);
    else world.threads = [];
  },
};

/** The run at work, where there is one, parks. */
const parkAtWork = (outcome: World['runs'][number]['outcome']) => (world: World) => {
  if (['queued', 'running'].includes(world.runs.at(-1)?.status ?? '')) park(outcome)(world);
};

const parkAtCeiling = parkAtWork({ kind: 'budget_reached', level: 'run', detail: 'All turns are used.' });

/** What can happen where the agent waits for a word. The author of the issue may read, and no more. */
const besideWaiting: Readonly<Record<string, (world: World) => void>> = {
  'a writer says /allow, and /deny at once': (world) => {
    for (const word of ['/allow', '/deny']) the.addComment(world, the.writer, word);
  },
  'a writer says /continue as the run reaches a ceiling': (world) => {
    the.addComment(world, the.writer, '/continue');
    parkAtCeiling(world);
  },
  'the run asks for a call': parkAtWork({ kind: 'permission_asked', call: 'c', tool: 'bash', what: 'ls', rule: null }),
  'the run reaches a ceiling': parkAtCeiling,
  'a writer says /continue': (world) => the.addComment(world, the.writer, '/continue'),
  'a writer says /allow': (world) => the.addComment(world, the.writer, '/allow'),
  'a writer says /deny': (world) => the.addComment(world, the.writer, '/deny'),
  'a writer says /cancel': (world) => the.addComment(world, the.writer, '/cancel'),
  'the author says /allow': (world) => the.addComment(world, the.reader, '/allow'),
  'the author says /continue': (world) => the.addComment(world, the.reader, '/continue'),
  'the author answers': (world) => the.addComment(world, the.reader, '1. yes'),
  'the newest comment is edited': (world) => {
    world.comments = world.comments.map((comment, index) =>
      index === world.comments.length - 1 ? { ...comment, editedAt: the.now(world) } : comment,
    );
  },
};
const happenings: typeof events = { ...events, ...besideReview, ...besideWaiting };

/** What people have said since a run asked last, as it stands: by whom, and what. */
function saidSinceAsked({ comments }: World): readonly string[] {
  const asked = comments.findLastIndex(({ marker }) => marker?.startsWith('questions:'));
  const later = asked < 0 ? [] : comments.slice(asked + 1).filter(({ editedAt }) => editedAt === null);
  return later.map(({ author, body }) => `${author?.login}: ${body}`);
}

/** By the word of which person, and no other, a run that waits goes on. */
function checkWord(before: World, effect: Action, where: string): void {
  if (effect.kind !== 'startRun') return;
  const { occasion } = effect.order;
  const said = saidSinceAsked(before);
  const hasWord = (word: string) => before.permissions[1] === 'write' && said.includes(`${the.writer.login}: ${word}`);
  if (occasion.kind === 'permission') {
    assert.equal(occasion.isAllowed, hasWord('/allow') && !hasWord('/deny'), `S24: a call without a word: ${where}`);
    assert.ok(hasWord('/allow') || hasWord('/deny'), `S24: a call decided by nobody: ${where}`);
  }
  if (occasion.kind === 'continued') assert.ok(hasWord('/continue'), `a ceiling passed without a word: ${where}`);
  if (occasion.kind !== 'answer') return;
  const isAnswered = hasWord('approved, go ahead') || said.includes(`${the.reader.login}: 1. yes`);
  assert.ok(isAnswered || hasWord('/continue'), `an answer by nobody: ${where}`);
}

/** Whoever waits can be told to go on, by one word of those that it waits for, and can be given up. */
function checkWayOut(node: Node): void {
  if (node.state !== 'awaiting_answer' || !node.world.isIssueOpen || node.world.permissions[1] !== 'write') return;
  const ways = ['a writer says /continue', 'a writer says /deny', 'the author answers'];
  const isStarted = ways.some((way) => step(node, way, 0).world.runs.length > node.world.runs.length);
  const isLeft = step(node, 'a writer says /cancel', 0).state !== 'awaiting_answer';
  assert.ok(isStarted && isLeft, `nobody gets out of: ${node.path.join(' → ')}`);
}

/** Says by itself, from raw reviews, whether the writer's approval of these very bytes stands. */
function writerApproves(world: World): boolean {
  const own = the.openPullRequest(world);
  if (own === undefined || !world.isIssueOpen || own.codeFiles.length > 0) return false;
  if (world.sharedWith.length > 0 || world.threads.length > 0) return false;
  const verdicts = own.reviews.filter((review) => review.author?.id === the.writer.id && review.state !== 'COMMENTED');
  const last = verdicts.at(-1);
  const isApproval = last?.state === 'APPROVED' || (last?.state === 'DISMISSED' && last.isHeldByThisApp);
  const isFresh = own.disturbances.every(({ at }) => (last?.submittedAt ?? '') > at);
  return isApproval && isFresh && last?.commit === own.head && world.permissions[1] === 'write';
}

/** Code that came of an approved plan is changed only on a writer's request for changes to it. */
function writerWantsCodeChanged(world: World): boolean {
  const own = the.openPullRequest(world);
  if (own === undefined || !world.isIssueOpen || own.codeFiles.length === 0) return false;
  const verdicts = own.reviews.filter((review) => review.author?.id === the.writer.id && review.state !== 'COMMENTED');
  return verdicts.at(-1)?.state === 'CHANGES_REQUESTED';
}

function checkInvariants(before: World, after: World, effects: readonly Action[], path: readonly string[]): void {
  const where = path.join(' → ');
  for (const effect of effects) {
    checkWord(before, effect, where);
    const opensGate =
      (effect.kind === 'startRun' && effect.order.phase === 'implement') || effect.kind === 'publishImplementation';
    const mayGoOn = writerApproves(before) || writerWantsCodeChanged(before);
    if (opensGate) assert.ok(mayGoOn, `I2, I7: ${effect.kind} without a writer's word: ${where}`);
  }
  const code = after.pullRequests.some((pullRequest) => pullRequest.codeFiles.length > 0);
  const hadCode = before.pullRequests.some((pullRequest) => pullRequest.codeFiles.length > 0);
  const published = effects.some((effect) => effect.kind === 'publishImplementation');
  assert.ok(!code || hadCode || published, `I1: bytes outside the plan changed: ${where}`);
  const open = after.pullRequests.filter((pullRequest) => pullRequest.state === 'open');
  assert.ok(open.length <= 1, `I4: two open pull requests: ${where}`);
  const inFlight = after.runs.filter((run) => ['queued', 'running', 'stopping'].includes(run.status));
  assert.ok(inFlight.length <= 1, `I4: two runs at once: ${where}`);
  const questions = after.comments.map((comment) => comment.marker).filter((marker) => marker !== null);
  assert.equal(new Set(questions).size, questions.length, `I6: a comment twice: ${where}`);
  checkCodeApproval(after, where, published);
  const head = the.openPullRequest(after)?.head;
  const shown = Object.values(the.openPullRequest(after)?.checks ?? {});
  const isSuccess = shown.includes(`opened@${head}`) || shown.includes(`approved@${head}`);
  assert.ok(after.sharedWith.length === 0 || !isSuccess, `S77: a success on a shared head: ${where}`);
}

/** I8: a plan's approval never makes code mergeable. */
function checkCodeApproval(after: World, where: string, published: boolean): void {
  const own = the.openPullRequest(after);
  if (own === undefined) return;
  const green = own.checks['planwright/code'] === `approved@${own.head}`;
  const approvesHead = own.reviews.some(
    (review) => review.author?.id === the.writer.id && review.state === 'APPROVED' && review.commit === own.head,
  );
  assert.ok(
    !green || (own.codeFiles.length > 0 && approvesHead),
    `I8: the code check is green without a review: ${where}`,
  );
  if (!published) return;
  const standing = own.reviews.filter((review) => review.state === 'APPROVED');
  assert.deepEqual(standing, [], `I8: the plan's approval still stands on the code: ${where}`);
}

interface Node {
  readonly world: World;
  readonly state: ThreadState;
  readonly sequences: number;
  readonly path: readonly string[];
}

function withoutOrder(world: World): World {
  return { ...world, marks: world.marks.toSorted() };
}

/** One event, then the app until it rests; and the same with a crash after each of the first actions. */
function step(node: Node, name: string, crashPoints: number): Node {
  const path = [...node.path, name];
  const world = the.copyWorld(node.world);
  world.tick += 1;
  happenings[name]?.(world);
  // The app rests: what changes nothing makes it do nothing.
  if (isDeepStrictEqual({ ...world, tick: node.world.tick }, node.world)) return { ...node, world, path };
  const before = the.copyWorld(world);
  const pass = the.reconcile(world);
  checkInvariants(before, world, pass.effects, path);
  const expected = withoutOrder(world);
  for (let crashAfter = 0; crashAfter < Math.min(crashPoints, pass.effects.length); crashAfter += 1) {
    const crashed = the.copyWorld(before);
    const recovered = the.reconcile(crashed, crashAfter);
    checkInvariants(before, crashed, recovered.effects, [...path, `crash after ${crashAfter} actions`]);
    assert.ok(
      isDeepStrictEqual(withoutOrder(crashed), expected),
      `I6: a crash after ${crashAfter} actions changed the end of: ${path.join(' → ')}`,
    );
  }
  return { world, state: pass.state, sequences: node.sequences, path };
}

/** Every sequence of `depth` events on from a history, each with its crashes, counted by the state it reaches. */
function enumerate(history: readonly string[], depth: number, beside: Readonly<Record<string, unknown>> = {}) {
  const reached = new Map<ThreadState, number>(threadStates.map((state) => [state, 0]));
  const origin: Node = { world: the.createWorld(), state: 'inactive', sequences: 1, path: [] };
  const names = [...Object.keys(events), ...Object.keys(beside)];
  let level = [history.reduce((node, name) => step(node, name, 0), origin)];
  let worlds = 0;
  for (let length = 1; length <= depth; length += 1) {
    const next = new Map<string, Node>();
    for (const child of level.flatMap((node) => names.map((name) => step(node, name, 12)))) {
      reached.set(child.state, (reached.get(child.state) ?? 0) + child.sequences);
      if (beside === besideWaiting) checkWayOut(child);
      const key = `${child.state} ${JSON.stringify(withoutOrder(child.world))}`;
      const same = next.get(key);
      next.set(key, same === undefined ? child : { ...same, sequences: same.sequences + child.sequences });
    }
    level = [...next.values()];
    worlds += level.length;
  }
  return { reached, worlds, names };
}

interface History {
  readonly from: string;
  readonly history: readonly string[];
  readonly depth: number;
  readonly beside?: Readonly<Record<string, unknown>>;
}

const inReview = ['a writer sets the label', 'the run delivers'];
const atWork = [...inReview, 'a writer approves'];
const waits = { depth: 2, beside: besideWaiting };
const histories: readonly History[] = [
  { from: 'an untouched issue', history: [], depth: 5 },
  { from: 'a plan in review', history: inReview, depth: 3, beside: besideReview },
  { from: 'an approved plan at work', history: atWork, depth: 3, beside: besideReview },
  { from: 'open questions', history: ['a writer sets the label', 'the run asks'], ...waits },
  { from: 'a call that waits', history: [...atWork, 'the run asks for a call'], ...waits },
  { from: 'a plan at a ceiling', history: ['a writer sets the label', 'the run reaches a ceiling'], ...waits },
  { from: 'an implementation at a ceiling', history: [...atWork, 'the run reaches a ceiling'], ...waits },
];

for (const { from, history, depth, beside } of histories) {
  test(`from ${from}, every sequence of ${depth} events keeps the invariants, whatever crashes in between`, (t) => {
    const { reached, worlds, names } = enumerate(history, depth, beside);
    const sequences = [...reached.values()].reduce((sum, count) => sum + count, 0);
    t.diagnostic(`${sequences} sequences over ${names.length} events, ${worlds} distinct worlds`);
    for (const [state, count] of reached) t.diagnostic(`${state}: reached by ${count} sequences`);
    if (history.length > 0) return;
    const never = [...reached].filter(([, count]) => count === 0);
    assert.deepEqual(never, [], 'every state is reached');
  });
}

test('long random histories keep the invariants, and reach every state', (t) => {
  const reached = new Map<ThreadState, number>(threadStates.map((state) => [state, 0]));
  const origin: Node = { world: the.createWorld(), state: 'inactive', sequences: 1, path: [] };
  // Steps that lead on are drawn as often as all others together, or few histories would get far.
  const onwards = fc.constantFrom('a writer sets the label', 'the run delivers', 'a writer approves');
  const history = fc.array(fc.oneof(onwards, fc.constantFrom(...Object.keys(happenings))), {
    minLength: 10,
    maxLength: 40,
  });
  fc.assert(
    fc.property(history, (names) => {
      names.reduce((node, name) => {
        const child = step(node, name, 3);
        reached.set(child.state, (reached.get(child.state) ?? 0) + 1);
        return child;
      }, origin);
    }),
    { numRuns: 400, seed: 20261201 },
  );
  for (const [state, count] of reached) t.diagnostic(`${state}: ${count} times`);
  assert.deepEqual(
    [...reached].filter(([, count]) => count < 5),
    [],
    'every state is reached at least five times',
  );
});
