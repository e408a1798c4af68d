import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { git } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import type { Review } from '../../src/local/forge/state.ts';
import { saidTo } from './model-log.ts';
import {
  commitsOf,
  isImplementation,
  markersOf,
  openIssue,
  review,
  setTrigger,
  type Thread,
  waitForCode,
  waitForPlan,
} from './thread.ts';
import { createScene, csvProject, openWorld, transcriptFile, type World } from './world.ts';

let world: World;
let thread: Thread;
let pull: PullRequestIssue;
let firstPlan: string;
let objection: Review;

before(async () => {
  world = await openWorld({ transcripts: [transcriptFile('full-path')] });
  const repository = world.addRepository('plain-csv', { fromFolder: csvProject });
  thread = openIssue(world, repository, 'Fields do not survive `stringify`');
});
after(() => world?.close());
const scene = createScene(() => world);

const planText = (commit: string) => git(thread.repository.gitDir, ['show', `${commit}:plan.md`]);

scene('line comments reach the model with path, lines, side and the text as the reviewer saw it', async () => {
  setTrigger(thread);
  pull = await waitForPlan(thread);
  firstPlan = pull.pullRequest.headSha;
  const lines = planText(firstPlan).split('\n');
  const lineOf = (start: string) => lines.findIndex((line) => line.startsWith(start)) + 1;
  const broad = lineOf('Every field is put between quotes');
  const step = lineOf('3. Create `test/quote.test.js`');
  assert.ok(broad > 1 && step > 1);
  objection = review(thread, world.people.reviewer, {
    event: 'REQUEST_CHANGES',
    body: 'The cause is right, the cure too broad.',
    comments: [
      { path: 'plan.md', startLine: broad, line: broad + 1, body: '`test/stringify.test.js` pins unquoted output.' },
      { path: 'plan.md', line: step, body: 'Please test a lone carriage return too.' },
    ],
  });
  await waitForPlan(thread, 2);
  const said = saidTo(world.model.requests.at(-1));
  assert.match(said, new RegExp(`^Remark \\S+: plan\\.md lines ${broad}-${broad + 1} \\(RIGHT\\)$`, 'm'));
  assert.match(said, new RegExp(`^Remark \\S+: plan\\.md lines ${step}-${step} \\(RIGHT\\)$`, 'm'));
  assert.ok(said.includes(lines.slice(broad - 1, broad + 1).join('\n')), 'expected the quoted range');
  assert.ok(said.includes('The cause is right, the cure too broad.'));
  for (const words of ['pins unquoted output', 'a lone carriage return too']) assert.ok(said.includes(words));
});

scene('a revision changes only what was remarked on, in one commit that names the review', async () => {
  const commits = commitsOf(thread, pull);
  assert.equal(commits.length, 2);
  assert.equal(commits[1]?.trailers.get('Planwright-Review'), String(objection.id));
  const before = planText(firstPlan).split('\n');
  const after = planText(pull.pullRequest.headSha).split('\n');
  assert.equal(before.filter((line) => !after.includes(line)).length, 2);
  assert.equal(after.filter((line) => !before.includes(line)).length, 3);
});

scene('each thread has its one answer, and is resolved as the plan was changed for it', async () => {
  const threads = pull.pullRequest.threads.map(({ comments, isResolved, resolvedBy }) => ({
    answers: comments.slice(1).map(({ author, body }) => `${author?.login} ${body.split(' ', 1)[0]}`),
    isResolved,
    by: resolvedBy?.login,
  }));
  const answered = { answers: ['planwright[bot] **Changed.**'], isResolved: true, by: 'planwright[bot]' };
  assert.deepEqual(threads, [answered, answered]);
});

scene('the revised plan is approved and implemented', async () => {
  assert.deepEqual(world.model.requests.filter(isImplementation), []);
  review(thread, world.people.reviewer, { event: 'APPROVE' });
  await waitForCode(thread);
  assert.equal(pull.pullRequest.draft, false);
  const phases = commitsOf(thread, pull).map(({ trailers }) => trailers.get('Planwright-Phase'));
  assert.deepEqual(phases, ['plan', 'plan', 'implement', 'implement', 'implement', 'implement']);
  const markers = markersOf(thread);
  assert.equal(new Set(markers).size, markers.length);
  assert.deepEqual(world.forge.violations, []);
});
