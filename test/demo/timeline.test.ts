import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTimeline } from '../../src/local/demo/timeline.ts';
import { readTrailers } from '../../src/local/demo/timeline-commits.ts';
import { createForge } from '../../src/local/forge/forge.ts';
import { branchHead, git, NO_COMMIT } from '../../src/local/forge/git-repository.ts';
import {
  addLabels,
  afterPush,
  createCheckRun,
  createComment,
  createInstallationToken,
  createIssue,
  dismissReview,
  markReady,
  openPullRequest,
  replyToThread,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { createAccount, createApp, createRepository, install, personActor } from '../../src/local/forge/setup.ts';

const branch = 'planwright/issue-1';

/** A repository with an installed app, and what a run of it does, without the app. */
function openWorld(t: TestContext) {
  const gitRoot = mkdtempSync(join(tmpdir(), 'timeline-'));
  t.after(() => rmSync(gitRoot, { recursive: true }));
  const forge = createForge({ gitRoot });
  const owner = createAccount(forge, 'acme', 'Organization');
  const [maintainer, reviewer] = [createAccount(forge, 'maintainer'), createAccount(forge, 'reviewer')];
  const fromFolder = new URL('../../fixtures/repositories/plain-csv', import.meta.url).pathname;
  const repository = createRepository(forge, {
    owner,
    name: 'plain-csv',
    fromFolder,
    collaborators: { maintainer: 'admin', reviewer: 'write' },
  });
  const app = createApp(forge, {
    slug: 'planwright',
    name: 'Planwright',
    publicKey: '',
    webhookUrl: null,
    webhookSecret: 'secret',
    permissions: { checks: 'write', contents: 'write', issues: 'write', pull_requests: 'write' },
    events: [],
  });
  const installation = install(forge, app, owner, [repository]);
  const token = createInstallationToken(forge, installation, {});
  const bot = { kind: 'installation', app, installation, token } as const;
  const issue = createIssue(forge, personActor(maintainer), repository, { title: 'Broken', body: '' });
  /** Commits one file on top of the branch, and tells the forge. Returns the commit. */
  const push = (path: string, text: string, message: string): string => {
    const { gitDir } = repository;
    const before = branchHead(gitDir, branch);
    const parent = before ?? branchHead(gitDir, 'main') ?? '';
    const env = { GIT_INDEX_FILE: join(gitRoot, 'index') };
    const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: text }).trim();
    git(gitDir, ['read-tree', parent], { env });
    git(gitDir, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env });
    const tree = git(gitDir, ['write-tree'], { env }).trim();
    const commit = git(gitDir, ['commit-tree', tree, '-p', parent, '-F', '-'], { input: message, env }).trim();
    git(gitDir, ['update-ref', `refs/heads/${branch}`, commit]);
    afterPush(forge, bot, repository, `refs/heads/${branch}`, before ?? NO_COMMIT, commit);
    return commit;
  };
  return { forge, repository, issue, bot, push, maintainer: personActor(maintainer), reviewer: personActor(reviewer) };
}

const planMessage = 'Plan for #1\n\nPlanwright-Phase: plan\nPlanwright-Run: r1\n';

test('the path from label to ready is told once, in the words of the pull request', (t) => {
  const { forge, repository, issue, bot, push, maintainer, reviewer } = openWorld(t);
  const news = createTimeline(repository, issue.number);
  const tell = () => news().map(({ topic, text }) => `${topic}: ${text}`);
  assert.deepEqual(tell(), ['issue: #1 opened by maintainer: Broken']);

  addLabels(forge, maintainer, repository, issue, ['plan']);
  addLabels(forge, bot, repository, issue, ['plan: writing']);
  assert.deepEqual(tell(), ['label: plan, set by maintainer', 'run: plan: writing']);

  const first = push('plan.md', 'one\ntwo\n', planMessage);
  const pull = openPullRequest(forge, bot, repository, {
    title: 'Plan: Broken',
    head: branch,
    base: 'main',
    draft: true,
  });
  createCheckRun(forge, bot, repository, 'planwright/plan', first, {
    conclusion: 'action_required',
    output: { title: 'Waiting for approval', summary: '' },
  });
  assert.deepEqual(tell(), [
    `plan: ${first.slice(0, 7)} Plan for #1 (plan.md +2 −0)`,
    'pull request: #2 opened as a draft by planwright[bot]: Plan: Broken',
    `check: planwright/plan on ${first.slice(0, 7)}: action required, Waiting for approval`,
  ]);

  submitReview(forge, reviewer, repository, pull, {
    event: 'REQUEST_CHANGES',
    body: 'Not yet.',
    comments: [{ path: 'plan.md', line: 2, body: 'Why two?' }],
  });
  const second = push('plan.md', 'one\nthree\n', planMessage);
  const [thread] = pull.pullRequest.threads;
  assert.ok(thread);
  replyToThread(forge, bot, repository, pull, thread, '<!-- marker -->\nNow three.');
  assert.deepEqual(tell(), [
    `plan: ${second.slice(0, 7)} Plan for #1 (plan.md +1 −1)`,
    `review: reviewer requests changes at ${first.slice(0, 7)}, 1 line comment: Not yet.`,
    'remark: plan.md:2 reviewer: Why two?',
    'answer: plan.md:2 planwright[bot]: Now three.',
  ]);

  const approval = submitReview(forge, reviewer, repository, pull, { event: 'APPROVE' });
  createCheckRun(forge, bot, repository, 'planwright/plan', first, {
    conclusion: 'success',
    output: { title: 'Approved' },
  });
  dismissReview(forge, bot, repository, pull, approval, 'A plan is not code.');
  const trailers = `Planwright-Phase: implement\nPlanwright-Plan: 0123456789\nPlanwright-Approved-By: reviewer at ${second}`;
  const third = push('src/quote.js', 'x\n', `Create src/quote.js\n\n${trailers}\n`);
  const fourth = push('src/quote.js', 'y\n', `Change src/quote.js\n\n${trailers}\n`);
  markReady(forge, bot, repository, pull);
  assert.deepEqual(tell(), [
    `receipt: plan 0123456 was approved by reviewer at ${second.slice(0, 7)}, as every commit says`,
    `commit: ${third.slice(0, 7)} Create src/quote.js (src/quote.js +1 −0)`,
    `commit: ${fourth.slice(0, 7)} Change src/quote.js (src/quote.js +1 −1)`,
    `check: planwright/plan on ${first.slice(0, 7)}: success, Approved`,
    'hold: approved review dismissed by planwright[bot]: A plan is not code.',
    'ready: ready for code review',
  ]);
  assert.deepEqual(tell(), []);
});

test('only the last paragraph of a commit message holds trailers', () => {
  assert.deepEqual(
    [...readTrailers('Title\n\nPlanwright-Phase: plan\n\nPlanwright-Run: r1\n')],
    [['Planwright-Run', 'r1']],
  );
});

test('what ran to verify the work, and why a run failed, are told in the words of the app', (t) => {
  const { forge, repository, issue, bot, push, maintainer } = openWorld(t);
  push('plan.md', 'one\n', planMessage);
  const body = 'Closes #1\n\n## Verification\n\n- `npm test` **did not run**: no sandbox\n\n## Deviations\n\nNone.';
  openPullRequest(forge, bot, repository, { title: 'Plan: Broken', head: branch, base: 'main', body });
  createComment(
    forge,
    bot,
    repository,
    issue,
    '**The model declined to do this.** Nothing is under way.\n\n> policy\n\nRetry.',
  );
  const tell = createTimeline(repository, issue.number);
  const news = tell().map(({ topic, text }) => `${topic}: ${text}`);
  assert.ok(news.includes('verification: `npm test` did not run: no sandbox'));
  assert.ok(!news.some((line) => line.startsWith('failure')));
  addLabels(forge, maintainer, repository, issue, ['plan: failed']);
  assert.deepEqual(
    tell().map(({ topic, text }) => `${topic}: ${text}`),
    ['label: plan: failed, set by maintainer', 'failure: The model declined to do this. Nothing is under way. policy'],
  );
});
