import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { kindsOffered } from '../../src/agent/tools/kinds.ts';
import { parseReceipt } from '../../src/github/receipt.ts';
import { GIT_ENVIRONMENT, git } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import type { Review } from '../../src/local/forge/state.ts';
import type { ModelRequest } from '../../src/local/model/model-request.ts';
import { formatCall, formatCalls, revokesToken } from './call-log.ts';
import {
  commitsOf,
  isImplementation,
  markersOf,
  openIssue,
  pullsOf,
  review,
  setTrigger,
  stickyComments,
  type Thread,
  waitForCode,
  waitForPlan,
} from './thread.ts';
import { resourceTools } from './tool-kinds.ts';
import { createScene, csvProject, openWorld, transcriptFile, type World } from './world.ts';

const maxCalls = 40;

let world: World;
before(async () => {
  world = await openWorld({
    transcripts: [transcriptFile('short-path')],
    environment: () => ({ LOG_LEVEL: 'debug' }),
  });
});
after(() => world?.close());
const scene = createScene(() => world);

interface Path {
  readonly thread: Thread;
  readonly pull: PullRequestIssue;
  /** The commit that the plan was written against. */
  readonly base: string;
  /** The commit of the approved plan. */
  readonly planned: string;
  readonly wasDraft: boolean;
  readonly approval: Review;
  /** Index of the first request to the forge after the label. */
  readonly firstRequest: number;
}

let path: Path;

scene('a label and an approval lead to a pull request that is ready for code review', async () => {
  const { forge } = world;
  // What the app asks at its start is no part of the path.
  await world.wait('the end of the first sweep', () => world.log.some((line) => line.includes('"swept"')) || null);
  const repository = world.addRepository('plain-csv', { fromFolder: csvProject });
  const base = git(repository.gitDir, ['rev-parse', 'refs/heads/main']).trim();
  const thread = openIssue(world, repository, 'Fields do not survive `stringify`');
  await forge.webhooks.idle();
  const firstRequest = forge.requests.length;
  setTrigger(thread);
  const pull = await waitForPlan(thread);
  const { headSha: planned, draft: wasDraft } = pull.pullRequest;
  assert.equal(git(repository.gitDir, ['diff', '--name-only', base, planned]), 'plan.md\n');
  const approval = review(thread, world.people.reviewer, { event: 'APPROVE', body: 'Go ahead.' });
  await waitForCode(thread);
  path = { thread, pull, base, planned, wasDraft, approval, firstRequest };
  assert.deepEqual(forge.violations, []);
});

scene('the branch holds one commit for the plan, one a step, and one that takes the plan out', async () => {
  const { thread, pull } = path;
  assert.deepEqual(
    commitsOf(thread, pull).map(({ subject }) => subject),
    [
      `Plan issue ${thread.issue.number}`,
      'Create src/quote.js with a function that puts one field between quotes.',
      'Use it in src/stringify.js for every field that is written.',
      'Create test/quote.test.js with a test for the comma, the quote, each ki…',
      `Finish the work on issue ${thread.issue.number}`,
    ],
  );
  const { gitDir } = thread.repository;
  assert.equal(
    git(gitDir, ['diff', '--name-status', path.base, pull.pullRequest.headSha]),
    'A\tsrc/quote.js\nM\tsrc/stringify.js\nA\ttest/quote.test.js\n',
  );
  assert.equal(git(gitDir, ['rev-parse', 'refs/heads/main']).trim(), path.base);
});

scene('every commit says in its trailers why it exists', async () => {
  const { thread, pull, base, planned } = path;
  const [first, ...rest] = commitsOf(thread, pull).map(({ trailers }) => Object.fromEntries(trailers));
  const plan = git(thread.repository.gitDir, ['rev-parse', `${planned}:plan.md`]).trim();
  const common = { 'Planwright-Base': base, 'Planwright-Plan': plan, 'Planwright-Requested-By': 'maintainer' };
  const runOf = (trailers: Readonly<Record<string, string>> | undefined) => trailers?.['Planwright-Run'] ?? 'none';
  const { 'Planwright-Signature': signature, ...ofPlan } = first ?? {};
  assert.match(signature ?? '', /^[A-Za-z0-9+/]{300,}={0,2}$/);
  assert.deepEqual(ofPlan, { ...common, 'Planwright-Phase': 'plan', 'Planwright-Run': runOf(first) });
  assert.notEqual(runOf(rest[0]), runOf(first));
  for (const { 'Planwright-Signature': own, ...trailers } of rest) {
    assert.notEqual(own, signature);
    const { 'Planwright-Receipt': receipt = '', 'Planwright-Receipt-Signature': ofReceipt, ...others } = trailers;
    assert.equal(parseReceipt(receipt)?.head, planned);
    assert.match(ofReceipt ?? '', /^[A-Za-z0-9+/]{300,}={0,2}$/);
    assert.deepEqual(others, {
      ...common,
      'Planwright-Phase': 'implement',
      'Planwright-Run': runOf(rest[0]),
      'Planwright-Review': String(path.approval.id),
      'Planwright-Approved-By': `reviewer at ${planned}`,
    });
  }
});

scene('the pull request leaves draft, the plan approval is set aside, and the code waits for its own', async () => {
  const { thread, pull } = path;
  assert.equal(path.wasDraft, true);
  assert.equal(pull.pullRequest.draft, false);
  assert.equal(pullsOf(thread).length, 1);
  assert.equal(path.approval.state, 'DISMISSED');
  assert.deepEqual(thread.issue.labels.toSorted(), ['plan', 'plan: done']);
  const checks = thread.repository.checkRuns.filter(({ headSha }) => headSha === pull.pullRequest.headSha);
  assert.deepEqual(
    checks.map(({ name, conclusion, title }) => ({ name, conclusion, title })),
    [
      { name: 'planwright/plan', conclusion: 'success', title: 'The plan was approved by reviewer' },
      { name: 'planwright/code', conclusion: 'action_required', title: 'The code waits for review' },
    ],
  );
});

scene('the issue has one comment of the app, and the pull request none', async () => {
  assert.equal(stickyComments(path.thread).length, 1);
  assert.deepEqual(markersOf(path.thread), ['status -']);
});

scene("the project's own tests pass on a clone of the branch", async () => {
  const clone = join(world.folder, 'clone');
  const run = promisify(execFile);
  const { headRef } = path.pull.pullRequest;
  const { gitDir } = path.thread.repository;
  await run('git', ['clone', '--quiet', '--branch', headRef, gitDir, clone], { env: { ...GIT_ENVIRONMENT } });
  // Without the environment: a test runner that inherits one of another runner reports to that one.
  await run(process.execPath, ['--test'], { cwd: clone, env: {} });
});

scene('no tool that changes anything is told to the model while it plans', async () => {
  assert.ok(!kindsOffered('plan').includes('resource'));
  const planning = world.model.requests.filter((request) => !isImplementation(request));
  assert.equal(planning.length, 5);
  const named = planning.flatMap(({ tools = [] }) => tools.map(({ name }) => name));
  assert.deepEqual(
    named.filter((name) => resourceTools.has(name)),
    [],
  );
});

scene('system prompt and tools stay the same bytes within a phase', async () => {
  const prefixOf = ({ system, tools }: ModelRequest) => JSON.stringify({ system, tools });
  for (const isPhase of [isImplementation, (request: ModelRequest) => !isImplementation(request)]) {
    const prefixes = world.model.requests.filter(isPhase).map(prefixOf);
    assert.ok(prefixes.length > 1);
    assert.equal(new Set(prefixes).size, 1);
  }
});

// Last, so that what the app does after the path has come to its end is counted as well.
scene(`the whole path takes at most ${maxCalls} API calls, and one for each token that is revoked`, async (t) => {
  const calls = world.forge.requests.slice(path.firstRequest).filter(({ kind }) => kind !== 'git');
  t.diagnostic(formatCalls(calls));
  const detail = calls.map((call) => formatCall(call, calls[0])).join('\n');
  const needed = calls.filter((call) => !revokesToken(call));
  assert.ok(needed.length <= maxCalls, `expected at most ${maxCalls} calls, got ${needed.length}:\n${detail}`);
});

scene(
  'S84: the audit log leads from the deliveries to their senders, to the runs, the review and the pushes',
  async () => {
    const { thread, pull, planned, approval } = path;
    const { repository, issue } = thread;
    const { maintainer, reviewer } = world.people;
    const line = z.object({
      msg: z.literal('audit'),
      event: z.string(),
      detail: z.string(),
      run: z.string().nullable(),
    });
    const lines = world.log
      .filter((text) => text.includes(`"thread":"${repository.id}#${issue.number}"`))
      .flatMap((text) => line.safeParse(JSON.parse(text)).data ?? []);
    const details = (event: string) => lines.filter((each) => each.event === event).map(({ detail }) => detail);
    const runs = lines.filter(({ event }) => event === 'run_queued').map(({ run }) => run);
    const branch = pull.pullRequest.headRef;
    const plan = git(repository.gitDir, ['rev-parse', `${planned}:plan.md`]).trim();
    const senders = details('delivery').map((detail) => detail.slice(detail.indexOf(' ') + 1));
    assert.ok(senders.includes(`issues.labeled by maintainer (${maintainer.id})`));
    assert.ok(senders.includes(`pull_request_review.submitted by reviewer (${reviewer.id})`));
    assert.match(
      details('request_accepted').join('\n'),
      new RegExp(`^plan on ${branch} for \\S+: asked for by maintainer `),
    );
    const accepted = `implement on ${branch} for review:${approval.id}: approved at ${planned}, plan ${plan}, by reviewer (write, review ${approval.id})`;
    assert.deepEqual(details('approval_accepted'), [accepted]);
    assert.deepEqual(
      lines.filter(({ event }) => event === 'pushed').map(({ run, detail }) => [run, detail]),
      [
        [runs[0], `refs/heads/${branch} from nothing to ${planned}`],
        [runs[1], `refs/heads/${branch} from ${planned} to ${pull.pullRequest.headSha}`],
      ],
    );
    const dismissed = `review ${approval.id} by reviewer of ${planned} on #${pull.number}, by this app`;
    assert.deepEqual(details('approval_dismissed'), [dismissed]);
    const toPublish = details('token_minted').filter((detail) => detail.startsWith('to publish'));
    const may = `to publish on repository ${repository.id}: metadata: read, contents: write; until `;
    assert.deepEqual(
      toPublish.map((detail) => detail.slice(0, may.length)),
      [may, may],
    );
    assert.deepEqual(
      details('run_ended').map((detail) => detail.split(';')[0]),
      ['plan_ready', 'work_ready'],
    );
    assert.doesNotMatch(JSON.stringify(lines), /ghs_|-----BEGIN/);
  },
);
