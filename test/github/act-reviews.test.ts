import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ActContext, GitHubAction } from '../../src/github/github.ts';
import { parseMarker } from '../../src/github/identifiers.ts';
import { reviewCause } from '../../src/lifecycle/cause.ts';
import type { FeedbackAnswer, Memory, RunMemory } from '../../src/lifecycle/memory.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import { replyToThread } from '../../src/local/forge/operations.ts';
import type { Issue } from '../../src/local/forge/state.ts';
import { contextOf, planText, startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());
afterEach(() => world.forge.faults.clear());

const isReply = { method: 'POST', path: /replies$/ } as const;

interface Remark {
  readonly line: number;
  readonly body: string;
}

/** A plan under review, with a thread for each remark. */
function reviewed(...remarks: readonly Remark[]) {
  const issue = world.issue();
  world.label(issue);
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  const comments = remarks.map((remark) => ({ path: 'plan.md', ...remark }));
  const review = world.review(pull, 'wes', { event: 'REQUEST_CHANGES', body: 'Nearly.', comments });
  return { issue, pull, review, from: pull.pullRequest.headSha, threads: pull.pullRequest.threads };
}

const revision: RunMemory = {
  id: 'run-2',
  phase: 'plan',
  branch: 'planwright/issue-1',
  causes: [],
  status: 'finished',
  head: null,
  base: 'a'.repeat(40),
  approval: null,
  outcome: { kind: 'plan_ready', plan: '', findings: [], answers: [] },
  isSettled: false,
  cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 },
};

/** Unless told otherwise, a run has answered every review that GitHub shows. */
async function look(issue: Issue, memory?: Memory): Promise<ActContext> {
  const thread = world.threadOf(issue);
  const facts = await world.github.observe(thread);
  const [pullRequest] = facts.pullRequests;
  const causes = (pullRequest?.reviews ?? []).map(({ id }) => reviewCause(id));
  const heard = { ...revision, id: 'run-1', branch: pullRequest?.branch ?? '', causes };
  return contextOf(thread, facts, memory ?? { runs: [heard] });
}

/** Carries it out twice on one look and once more on a fresh one. @returns the calls of each time, but for tokens */
async function thrice(issue: Issue, action: GitHubAction, memory?: Memory): Promise<readonly (readonly string[])[]> {
  const context = await look(issue, memory);
  const calls: (readonly string[])[] = [];
  for (const on of [() => context, () => context, () => look(issue, memory)]) {
    const given = await on();
    world.takeRequests();
    await world.github.act(action, given);
    calls.push(world.takeRequests().filter((request) => !request.includes('/access_tokens')));
  }
  return calls;
}

const changed = (thread: { readonly nodeId: string } | undefined, text = 'Done.'): FeedbackAnswer => ({
  thread: thread?.nodeId ?? '',
  changed: true,
  text,
});
const keep = (thread: { readonly nodeId: string } | undefined, text = 'It is needed.'): FeedbackAnswer => ({
  ...changed(thread, text),
  changed: false,
});

function revisionOf(pull: PullRequestIssue, from: string, causes: readonly string[], plan: string): Memory {
  const outcome = { kind: 'plan_ready', plan, findings: [], answers: [] } as const;
  return { runs: [{ ...revision, branch: pull.pullRequest.headRef, causes, head: from, outcome }] };
}

test('each remark is answered once in its thread; what was changed is resolved, and what was kept stays open', async () => {
  const { issue, pull, threads } = reviewed({ line: 7, body: 'shorter' }, { line: 8, body: 'longer' });
  const [first, second] = threads;
  const answers = [changed(first, 'Shortened, @wes.'), keep(second), changed({ nodeId: 'PRRT_gone' })];
  const replies = threads.map(
    ({ comments }) => `POST /repos/ann/shop/pulls/${pull.number}/comments/${comments[0]?.id}/replies`,
  );
  assert.deepEqual(await thrice(issue, { kind: 'answerReviews', run: 'run-2', answers }), [
    [...replies, 'graphql ResolveThreads'],
    [],
    [],
  ]);
  const head = pull.pullRequest.headSha.slice(0, 7);
  assert.deepEqual(
    threads.map(({ isResolved, comments }) => [isResolved, comments[1]?.body.split('\n')[0]]),
    [
      [true, `**Changed in ${head}:** Shortened, \`@wes\`.`],
      [false, '**Kept because:** It is needed.'],
    ],
  );
});

test('an answer that GitHub posted but did not answer for is not posted again, and its thread is resolved', async () => {
  for (const effect of [
    { kind: 'performThenStatus', status: 502 },
    { kind: 'cut', perform: true },
  ] as const) {
    const { issue, threads } = reviewed({ line: 7, body: 'shorter' });
    const context = await look(issue);
    world.forge.faults.add({ match: isReply, effect });
    await world.github.act({ kind: 'answerReviews', run: 'run-2', answers: [changed(threads[0])] }, context);
    assert.deepEqual([threads[0]?.comments.length, threads[0]?.isResolved], [2, true], effect.kind);
  }
});

test('after a crash between an answer and the resolving, the thread is resolved without a second answer', async () => {
  const { issue, threads } = reviewed({ line: 7, body: 'shorter' });
  const action = { kind: 'answerReviews', run: 'run-2', answers: [changed(threads[0])] } as const;
  const match = ({ body }: { readonly body: unknown }) => JSON.stringify(body).includes('ResolveThreads');
  world.forge.faults.add({ match, times: 9, effect: { kind: 'status', status: 502 } });
  await assert.rejects(world.github.act(action, await look(issue)));
  assert.deepEqual([threads[0]?.comments.length, threads[0]?.isResolved], [2, false]);
  world.forge.faults.clear();
  await world.github.act(action, await look(issue));
  assert.deepEqual([threads[0]?.comments.length, threads[0]?.isResolved], [2, true]);
});

test("a thread in which no answer can stand is not resolved: a person's thread is never closed without a word", async () => {
  for (const status of [404, 422]) {
    const { issue, pull, threads } = reviewed({ line: 7, body: 'gone meanwhile' }, { line: 8, body: 'there' });
    const context = await look(issue);
    world.forge.faults.add({ match: isReply, effect: { kind: 'status', status, body: { message: 'Not Found' } } });
    const answers = threads.map((thread) => changed(thread));
    await world.github.act({ kind: 'answerReviews', run: 'run-2', answers }, context);
    assert.deepEqual(
      threads.map(({ isResolved }) => isResolved),
      [false, true],
      String(status),
    );
    assert.equal(pull.pullRequest.threads[0]?.comments.length, 1);
  }
});

test('a thread in which somebody with a say has said more meanwhile is answered and stays open, and no other', async () => {
  const { issue, pull, review, from, threads } = reviewed({ line: 7, body: 'shorter' }, { line: 8, body: 'longer' });
  const memory = revisionOf(pull, from, [reviewCause(review.id)], '');
  for (const [at, login] of ['wes', 'rea'].entries()) {
    const thread = threads[at];
    assert.ok(thread !== undefined);
    replyToThread(world.forge, world.actor(login), world.repository, pull, thread, 'And this.');
  }
  const answers = threads.map((thread) => changed(thread));
  world.plan(issue, { text: '# Another\n', trailers: { run: 'run-2' } });
  await world.github.act({ kind: 'answerReviews', run: 'run-2', answers }, await look(issue, memory));
  assert.deepEqual(
    threads.map(({ isResolved, comments }) => [isResolved, comments.length]),
    [
      [false, 3],
      [true, 3],
    ],
  );
});

test('threads that were resolved or outdated meanwhile are answered all the same', async () => {
  const { issue, threads, pull } = reviewed({ line: 7, body: 'resolved' }, { line: 8, body: 'outdated' });
  const [first, second] = threads;
  assert.ok(first !== undefined && second !== undefined);
  first.isResolved = true;
  world.plan(issue, { text: '# Another\n', trailers: { run: 'run-2' } });
  await world.github.act(
    { kind: 'answerReviews', run: 'run-2', answers: [changed(first), keep(second)] },
    await look(issue),
  );
  const head = pull.pullRequest.headSha.slice(0, 7);
  assert.deepEqual(
    threads.map(({ comments }) => comments.at(-1)?.body.split('\n')[0]),
    [`**Changed in ${head}:** Done.`, '**Kept because:** It is needed.'],
  );
});

test('an answer stands once in a thread of more than a hundred comments', async () => {
  const { issue, threads } = reviewed({ line: 7, body: 'first' });
  const [thread] = threads;
  const [first] = thread?.comments ?? [];
  assert.ok(thread !== undefined && first !== undefined);
  for (let more = 1; more <= 120; more += 1) {
    thread.comments.push({
      ...first,
      id: first.id + 100_000 + more,
      nodeId: `${first.nodeId}${more}`,
      body: `${more}`,
    });
  }
  const action = { kind: 'answerReviews', run: 'run-2', answers: [keep(thread)] } as const;
  const calls = await thrice(issue, action);
  assert.deepEqual(
    calls.map((each) => each.length),
    [1, 0, 0],
  );
  assert.equal(thread.comments.length, 122);
});

test('a revision that left the plan as it was resolves nothing, whatever it says of itself', async () => {
  const { issue, pull, from, threads } = reviewed({ line: 7, body: 'shorter' });
  const memory = revisionOf(pull, from, [], 'x');
  await world.github.act(
    { kind: 'answerReviews', run: 'run-2', answers: [changed(threads[0])] },
    await look(issue, memory),
  );
  assert.equal(threads[0]?.isResolved, false);
  assert.match(threads[0]?.comments[1]?.body ?? '', /^\*\*The plan was left as it is:\*\* Done\./);
});

test('a revision is told once on the pull request: remarks and changes, what else changed, who looks again, what was left out', async () => {
  const { issue, pull, from, review, threads } = reviewed({ line: 7, body: 'shorter' }, { line: 9, body: 'longer' });
  world.review(pull, 'mia', { event: 'APPROVE' });
  const strange = { path: 'plan.md', line: 8, body: 'SECRET ORDERS' };
  world.review(pull, 'rea', { event: 'REQUEST_CHANGES', body: 'SECRET ORDERS', comments: [strange] });
  const before = planText(issue.number, world.head() ?? '').split('\n');
  const after = before.with(6, 'Changed.').concat('One more.', '').join('\n');
  const memory = revisionOf(pull, from, [`review:${review.id}`], after);
  const action = {
    kind: 'tellRevision',
    run: 'run-2',
    from,
    answers: [changed(threads[0], 'Shortened, @wes.'), keep(threads[1])],
  } as const;
  const context = await look(issue, memory);
  context.head = world.plan(issue, { text: after, trailers: { run: 'run-2' } });
  world.takeRequests();
  await world.github.act(action, context);
  await world.github.act(action, context);
  await world.github.act(action, await look(issue, memory));
  const posts = world.takeRequests().filter((request) => request.startsWith('POST /repos'));
  assert.deepEqual(posts, [`POST /repos/ann/shop/issues/${pull.number}/comments`]);
  const [told] = world.pullRequest(pull.number).comments;
  const head = context.head;
  const url = (index: number) => `${context.facts.pullRequests[0]?.url}#discussion_r${threads[index]?.comments[0]?.id}`;
  assert.equal(
    told?.body.replace(/\n\n<!--.*/s, ''),
    [
      `**The plan was revised in ${head.slice(0, 7)}.** [What changed](${world.forge.webUrl}/ann/shop/compare/${from}...${head}). Approve this version to have it implemented, or request changes again.`,
      'Asked to look again, as earlier verdicts were on another plan: `wes`, `mia`.',
      `Also changed, where no remark stands: lines ${before.length}-${before.length + 1}.`,
      '**Left out:**\n\n- 2 comments by `rea`: only people who may review this plan are heard.',
      `**Remarks and what came of them**\n\n- [\`plan.md\` line 7](${url(0)}): **Changed in ${head.slice(0, 7)}:** Shortened, \`@wes\`.\n- [\`plan.md\` line 9](${url(1)}): **Kept because:** It is needed.`,
    ].join('\n\n'),
  );
  assert.deepEqual(parseMarker(told?.body ?? '')?.kind, 'revision');
});

test('a comment that was changed after its review was submitted is counted as left out, without its words', async () => {
  const { issue, pull, from, review, threads } = reviewed({ line: 7, body: 'shorter' });
  const context = await look(issue, revisionOf(pull, from, [`review:${review.id}`], 'x'));
  const facts = context.facts.pullRequests[0];
  assert.ok(facts !== undefined);
  const edited = facts.threads.map((thread) => ({
    ...thread,
    comments: thread.comments.map((comment) => ({ ...comment, editedAt: '2999-01-01T00:00:00Z' })),
  }));
  const pullRequests = [{ ...facts, threads: edited }];
  const seen: ActContext = { ...context, facts: { ...context.facts, pullRequests } };
  await world.github.act({ kind: 'tellRevision', run: 'run-2', from, answers: [keep(threads[0])] }, seen);
  const [told] = world.pullRequest(pull.number).comments;
  assert.match(told?.body ?? '', /- 1 comment by `wes`: changed after the review was submitted; submit it again/);
  assert.doesNotMatch(told?.body ?? '', /shorter/);
});

test('lapsed approvals are told once for each cause, on the pull request', async () => {
  const { issue, pull } = reviewed();
  const lapsed = [{ login: 'wes', why: 'given before the pull request was reopened' }];
  const post = `POST /repos/ann/shop/issues/${pull.number}/comments`;
  const tell = (cause: string) => thrice(issue, { kind: 'tellLapsed', cause, lapsed });
  assert.deepEqual(await tell('review:1@a'), [[post], [], []]);
  assert.deepEqual(await tell('review:1@b'), [[post], [], []]);
  const { facts } = await look(issue);
  assert.deepEqual(
    facts.pullRequests[0]?.comments.map(({ marker }) => marker),
    ['lapsed:review:1@a', 'lapsed:review:1@b'],
  );
});

test('an amendment is told once, with its reason', async () => {
  const { issue, pull, from } = reviewed();
  const [run] = revisionOf(pull, from, [], 'x').runs;
  assert.ok(run !== undefined);
  const outcome = { kind: 'amendment', plan: 'x', reason: 'One more file, @wes.', findings: [] } as const;
  const memory = { runs: [{ ...run, outcome }] };
  const post = `POST /repos/ann/shop/issues/${pull.number}/comments`;
  assert.deepEqual(await thrice(issue, { kind: 'tellAmendment', run: 'run-2', from }, memory), [[post], [], []]);
  assert.match(world.pullRequest(pull.number).comments[0]?.body ?? '', /\n> One more file, `@wes`\.\n/);
});

test("no call of all these creates a review, and none breaks GitHub's own description", async () => {
  const { issue, threads } = reviewed({ line: 7, body: 'shorter' });
  world.takeRequests();
  await world.github.act({ kind: 'answerReviews', run: 'run-2', answers: [changed(threads[0])] }, await look(issue));
  assert.deepEqual(
    world.takeRequests().filter((request) => /reviews|Review\b|AddPullRequest/.test(request)),
    [],
  );
  assert.deepEqual(world.forge.violations, []);
});
