/** Every form that GitHub gives to a review, read from its answers and put into a brief. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Feedback } from '../../src/agent/brief.ts';
import { renderBrief } from '../../src/agent/render-brief.ts';
import { isEligible } from '../../src/lifecycle/eligibility.ts';
import type { Facts } from '../../src/lifecycle/facts.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import { replyToThread } from '../../src/local/forge/operations.ts';
import type { Review } from '../../src/local/forge/state.ts';
import { formatFeedback, neededFiles } from '../../src/plan/line-feedback.ts';
import { startWorld, type World } from './forge-world.ts';

const rows = (name: string) => Array.from({ length: 160 }, (_, index) => `${name} line ${index + 1}`);
const oldPlan = `${rows('old').join('\n')}\n`;

let world: World;
before(async () => {
  world = await startWorld({ files: { 'plan.md': oldPlan } });
});
after(() => world.close());

function planned() {
  const issue = world.issue();
  world.label(issue);
  const revise = (name: string) => world.plan(issue, { text: `${rows(name).join('\n')}\n` });
  const first = revise('new');
  const pull = world.open(`planwright/issue-${issue.number}`);
  return { issue, pull, first, revise };
}

type Planned = ReturnType<typeof planned>;

async function hear({ issue }: Planned, ...reviews: readonly Review[]): Promise<Feedback> {
  const facts: Facts = await world.github.observe(world.threadOf(issue));
  const [pull] = facts.pullRequests;
  const { policy } = facts;
  assert.ok(pull !== undefined && !('problems' in policy));
  const reviewIds = reviews.map(({ id }) => id);
  const needed = new Set(neededFiles(pull.threads, reviewIds).map(({ commit, path }) => `${commit}:${path}`));
  const fileAt = (commit: string, path: string) => {
    assert.ok(needed.has(`${commit}:${path}`));
    return git(world.repository.gitDir, ['show', `${commit}:${path}`]);
  };
  const maySpeak = (person: Parameters<typeof isEligible>[2]) => isEligible(facts, policy, person);
  return formatFeedback({ reviews: pull.reviews, threads: pull.threads, reviewIds, maySpeak, fileAt });
}

const told = ({ remarks }: Feedback) =>
  remarks.map(({ lines, side, quoted, isOutdated, comments }) => ({
    lines,
    side,
    quoted,
    isOutdated,
    said: comments.map(({ author, text }) => `${author}: ${text}`),
  }));

test('a review without a body brings all of its fifteen comments, each with path, line and quoted text', async () => {
  const there = planned();
  const comments = Array.from({ length: 15 }, (_, index) => ({
    path: 'plan.md',
    line: index + 1,
    body: `No ${index + 1}`,
  }));
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', comments });
  const feedback = await hear(there, review);
  assert.deepEqual(feedback.bodies, []);
  assert.deepEqual(
    feedback.remarks.map(({ path, lines, quoted, comments: [first] }) => [path, lines?.start, quoted, first?.text]),
    comments.map(({ path, line, body }) => [path, line, `new line ${line}`, body]),
  );
});

test('a review of a hundred and forty comments is read to its end', async () => {
  const there = planned();
  const comment = { path: 'plan.md', line: 160, body: 'Shorter.' };
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', body: 'All of it.', comments: [comment] });
  const { threads } = there.pull.pullRequest;
  const [thread] = threads;
  assert.ok(thread !== undefined);
  for (let more = 1; more < 140; more += 1) {
    const comments = thread.comments.map((each) => ({ ...each, id: each.id + 100_000 + more, nodeId: `C${more}` }));
    threads.push({ ...thread, nodeId: `T${more}`, comments });
  }
  const feedback = await hear(there, review);
  assert.deepEqual(
    [
      feedback.bodies.length,
      new Set(feedback.remarks.map(({ thread: id }) => id)).size,
      feedback.remarks.at(-1)?.quoted,
    ],
    [1, 140, 'new line 160'],
  );
});

test('a comment on several lines keeps its whole range', async () => {
  const there = planned();
  const comment = { path: 'plan.md', startLine: 62, line: 69, body: 'All of these.' };
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', comments: [comment] });
  const feedback = await hear(there, review);
  const quoted = rows('new').slice(61, 69).join('\n');
  assert.deepEqual(told(feedback), [
    { lines: { start: 62, end: 69 }, side: 'RIGHT', quoted, isOutdated: false, said: ['wes: All of these.'] },
  ]);
  const brief = { kind: 'changes_requested', plan: '', feedback } as const;
  assert.match(renderBrief(brief, { base: 'b', issue: 1, planPath: 'plan.md' }), /: plan\.md lines 62-69 \(RIGHT\)\n/);
});

test('a comment on a removed line quotes what was removed, also after a revision', async () => {
  const there = planned();
  const comment = { path: 'plan.md', line: 12, side: 'LEFT', body: 'Why is this gone?' } as const;
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', comments: [comment] });
  there.revise('newer');
  const [remark] = told(await hear(there, review));
  assert.deepEqual([remark?.lines, remark?.side, remark?.quoted], [{ start: 12, end: 12 }, 'LEFT', 'old line 12']);
});

test('a comment on the file has no line, and breaks nothing', async () => {
  const there = planned();
  const comment = { path: 'plan.md', line: null, body: 'Too long.' };
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', comments: [comment] });
  assert.deepEqual(told(await hear(there, review)), [
    { lines: null, side: 'RIGHT', quoted: '', isOutdated: false, said: ['wes: Too long.'] },
  ]);
});

test('an outdated comment has the lines and the text that it was written on, and is marked', async () => {
  const there = planned();
  const comment = { path: 'plan.md', line: 30, body: 'Shorter.' };
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', comments: [comment] });
  there.revise('newer');
  assert.deepEqual(told(await hear(there, review)), [
    { lines: { start: 30, end: 30 }, side: 'RIGHT', quoted: 'new line 30', isOutdated: true, said: ['wes: Shorter.'] },
  ]);
});

test('a thread comes with its replies, without those of people who may not review', async () => {
  const there = planned();
  const comment = { path: 'plan.md', line: 3, body: 'Strange words.' };
  world.review(there.pull, 'rea', { event: 'COMMENT', comments: [comment] });
  const [thread] = there.pull.pullRequest.threads;
  assert.ok(thread !== undefined);
  replyToThread(world.forge, world.actor('wes'), world.repository, there.pull, thread, 'Indeed, shorter.');
  replyToThread(world.forge, world.actor('out'), world.repository, there.pull, thread, 'Strange words.');
  const reply = there.pull.pullRequest.reviews.find(({ author }) => author?.login === 'wes');
  assert.ok(reply !== undefined);
  assert.deepEqual(told(await hear(there, reply)), [
    {
      lines: { start: 3, end: 3 },
      side: 'RIGHT',
      quoted: 'new line 3',
      isOutdated: false,
      said: ['wes: Indeed, shorter.'],
    },
  ]);
});

test('an approval without a body and a comment whose account is gone are read, and say nothing', async () => {
  const there = planned();
  const review = world.review(there.pull, 'wes', { event: 'APPROVE' });
  const gone = world.review(there.pull, 'mia', {
    event: 'COMMENT',
    comments: [{ path: 'plan.md', line: 1, body: 'x' }],
  });
  gone.author = null;
  for (const thread of there.pull.pullRequest.threads) for (const comment of thread.comments) comment.author = null;
  assert.deepEqual(await hear(there, review, gone), { bodies: [], remarks: [] });
});

test('a review of words alone brings them with their author', async () => {
  const there = planned();
  const review = world.review(there.pull, 'mia', { event: 'REQUEST_CHANGES', body: 'Start over.' });
  assert.deepEqual(await hear(there, review), {
    bodies: [{ author: 'mia', trust: 'writer', text: 'Start over.' }],
    remarks: [],
  });
});

test('what is changed after a review was submitted is not heard; what is changed while it is pending is', async () => {
  const there = planned();
  const comment = { path: 'plan.md', line: 5, body: 'As submitted.' };
  const review = world.review(there.pull, 'wes', { event: 'REQUEST_CHANGES', body: 'Body.', comments: [comment] });
  const [first] = there.pull.pullRequest.threads[0]?.comments ?? [];
  assert.ok(first !== undefined && review.submittedAt !== null);
  const at = (seconds: number) => new Date(Date.parse(review.submittedAt ?? '') + seconds * 1000).toISOString();
  first.lastEditedAt = at(-1);
  assert.deepEqual(
    told(await hear(there, review)).map(({ said }) => said),
    [['wes: As submitted.']],
  );
  first.lastEditedAt = at(0);
  review.lastEditedAt = at(60);
  assert.deepEqual(await hear(there, review), { bodies: [], remarks: [] });
});
