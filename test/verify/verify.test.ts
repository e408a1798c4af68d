import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { branchHead, git } from '../../src/local/forge/git-repository.ts';
import { afterPush, identityOf, setCollaborator } from '../../src/local/forge/operations.ts';
import { runVerify } from '../../src/verify/verify.ts';
import { startWorld, type World } from '../github/forge-world.ts';
import { newPrivateKey } from '../github/keys.ts';
import { createDriver, planReady, report } from '../github/thread-driver.ts';

let world: World;
/** A pull request whose plan `mia` approved and that holds the code of it. */
let done: Awaited<ReturnType<typeof implement>>;
before(async () => {
  world = await startWorld();
  done = await implement();
});
after(() => world.close());

async function implement() {
  const issue = world.issue();
  world.label(issue);
  const driver = createDriver(world, issue);
  await driver.look();
  await driver.work(planReady(world, issue));
  const pull = world.pullRequest((await world.github.observe(world.threadOf(issue))).pullRequests[0]?.number ?? 0);
  world.review(pull, 'mia', { event: 'APPROVE' });
  await driver.look();
  assert.equal(await driver.work({ kind: 'work_ready', commit: 'x', report }), 'implemented');
  return { issue, driver, number: pull.number, branch: pull.pullRequest.headRef };
}

async function verify(
  pullRequest: string | null,
  change: { readonly privateKey?: string; readonly showPublicKey?: boolean } = {},
) {
  const lines: string[] = [];
  const complaints: string[] = [];
  const environment = { ...world.environment, webUrl: world.forge.webUrl, ...change };
  const code = await runVerify(environment, {
    pullRequest,
    showPublicKey: change.showPublicKey ?? false,
    print: (line) => lines.push(line),
    complain: (line) => complaints.push(line),
  });
  return { code, lines, complaints };
}

const objections = (lines: readonly string[]) => lines.filter((line) => !line.endsWith(': holds'));

test('planwright verify finds on GitHub all that a receipt claims, one line a claim', async () => {
  const { number } = done;
  const { code, lines, complaints } = await verify(`ann/shop#${number}`);
  assert.deepEqual([code, objections(lines), complaints], [0, [], []]);
  assert.deepEqual(
    lines.map((line) => line.replaceAll(/\b[0-9a-f]{7}\b/g, 'SHA').replaceAll(/\d{4,}/g, 'ID')),
    [
      "commit SHA (Work) is this app's, on its tree and its parents: holds",
      "commit SHA (Work) is this app's, on its tree and its parents: holds",
      'the receipt of SHA is signed by this app: holds',
      'the receipt of SHA is of this pull request: holds',
      'the check of SHA shows the same receipt: holds',
      'SHA holds the plan that was approved: holds',
      'as many approved SHA as the rule asks for: holds',
      'mia (ID) approved SHA in review ID: holds',
      'mia may write: holds',
      'commit SHA stands after SHA: holds',
    ],
  );
});

test('planwright verify tells what was then from what is now: a reviewer who has lost write access', async (t) => {
  const { number } = done;
  setCollaborator(world.forge, world.actor('ann'), world.repository, world.account('mia'), 'read');
  t.after(() => setCollaborator(world.forge, world.actor('ann'), world.repository, world.account('mia'), 'maintain'));
  const { code, lines } = await verify(`ann/shop#${number}`);
  assert.deepEqual([code, objections(lines)], [1, ['mia may write: cannot be told: then maintain, now read']]);
});

test('planwright verify with a key that GitHub does not know verifies nothing, and says which key it wants', async () => {
  assert.deepEqual(await verify(`ann/shop#${done.number}`, { privateKey: newPrivateKey() }), {
    code: 1,
    lines: [],
    complaints: [
      'expected GitHub to know the app by its key, got 401; look at APP_ID and PRIVATE_KEY, and at GHE_HOST where it is not github.com',
    ],
  });
});

test('after a rebase of the branch no signature holds; /replan has the plan written anew from the tip of the base', async () => {
  const issue = world.issue();
  world.label(issue);
  const driver = createDriver(world, issue);
  await driver.look();
  await driver.work(planReady(world, issue));
  const number = (await world.github.observe(world.threadOf(issue))).pullRequests[0]?.number ?? 0;
  const pull = world.pullRequest(number);
  const branch = pull.pullRequest.headRef;
  const tip = world.commit(world.account('ann'), 'main', { 'other.txt': 'other\n' }, 'Something else');
  rebase(branch, tip);
  world.review(pull, 'mia', { event: 'APPROVE' });
  assert.equal(await driver.look(), 'awaiting_approval');
  const { code, lines } = await verify(`ann/shop#${number}`);
  assert.equal(code, 1);
  assert.equal(objections(lines).length, lines.length);
  const facts = await world.github.observe(world.threadOf(issue));
  const summary = facts.pullRequests[0]?.checks.find(({ name }) => name === 'planwright/plan')?.summary ?? '';
  assert.match(summary, /No commit of this app says what base the plan was written against: /);

  world.comment(pull, 'wes', '/replan');
  assert.equal(await driver.look(), 'planning');
  const run = driver.runs().at(-1);
  assert.deepEqual([run?.phase, run?.base, run?.head], ['plan', tip, branchHead(world.repository.gitDir, branch)]);
  assert.equal(await driver.work(planReady(world, issue)), 'awaiting_approval');
  world.review(pull, 'mia', { event: 'APPROVE' });
  assert.equal(await driver.look(), 'implementing');
});

/** What GitHub's "update branch with rebase" does: the branch's one commit again, on another parent. */
function rebase(branch: string, onto: string): void {
  const { gitDir } = world.repository;
  const before = branchHead(gitDir, branch) ?? '';
  const env = { ...identityOf(world.app.account), GIT_INDEX_FILE: `${gitDir}/rebase-index` };
  git(gitDir, ['read-tree', onto], { env });
  const blob = git(gitDir, ['rev-parse', `${before}:plan.md`]).trim();
  git(gitDir, ['update-index', '--add', '--cacheinfo', `100644,${blob},plan.md`], { env });
  const tree = git(gitDir, ['write-tree'], { env }).trim();
  const input = git(gitDir, ['log', '-1', '--format=%B', before]);
  const sha = git(gitDir, ['commit-tree', tree, '-p', onto, '-F', '-'], { input, env }).trim();
  git(gitDir, ['update-ref', `refs/heads/${branch}`, sha]);
  afterPush(world.forge, world.actor('ann'), world.repository, `refs/heads/${branch}`, before, sha);
}

test('planwright verify says what it expected, what it got and what to do', async () => {
  const issue = world.issue();
  const wrong = [
    [null, 'expected OWNER/REPO#NUMBER, got nothing; name the pull request'],
    ['ann/shop', 'expected OWNER/REPO#NUMBER, got "ann/shop"; name the pull request'],
    [
      'ann/other#1',
      'expected the installation of the app for ann/other#1, got none; look at the name, and at where the app is installed',
    ],
    [
      `ann/shop#${issue.number}`,
      `expected the pull request for ann/shop#${issue.number}, got none; look at the name, and at where the app is installed`,
    ],
  ] as const;
  for (const [reference, complaint] of wrong) {
    assert.deepEqual(await verify(reference), { code: 1, lines: [], complaints: [complaint] });
  }
  world.commit(world.account('wes'), 'topic', { 'a.txt': 'a' }, 'A change');
  const { number } = world.open('topic', world.actor('wes'));
  assert.deepEqual((await verify(`ann/shop#${number}`)).complaints, [
    'expected a pull request that this app opened from a branch of its own, got one from topic; name the one that holds the plan',
  ]);
});

test('the command takes the environment of the app, prints its claims and its public key, and its exit code says whether all hold', async () => {
  const { number } = done;
  const { appId, privateKey } = world.environment;
  const env = {
    APP_ID: appId,
    PRIVATE_KEY: privateKey,
    GHE_PROTOCOL: 'http',
    GHE_HOST: new URL(world.forge.webUrl).host,
  };
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const given = [main, 'verify', `ann/shop#${number}`, '--public-key'];
  const { stdout } = await promisify(execFile)(process.execPath, given, { env: { ...env, PATH: process.env.PATH } });
  assert.ok(stdout.startsWith(world.key.publicKey));
  assert.match(stdout, /\nmia may write: holds\n/);
  assert.deepEqual(await verify(null, { showPublicKey: true }), {
    code: 0,
    lines: [world.key.publicKey.trimEnd()],
    complaints: [],
  });
  const failing = promisify(execFile)(process.execPath, [main, 'verify', 'ann/shop'], { env });
  await assert.rejects(failing, { code: 1, stderr: /^expected OWNER\/REPO#NUMBER, got "ann\/shop"/ });
});

test('without the database, code with a receipt goes on: changes requested on it start an implementation under its approval', async () => {
  const { driver, number } = done;
  const before = driver.runs().at(-1)?.approval;
  assert.ok(before);
  driver.forget();
  world.review(world.pullRequest(number), 'mia', { event: 'REQUEST_CHANGES', body: 'Clear it sooner.' });
  assert.equal(await driver.look(), 'implementing');
  assert.deepEqual(driver.runs().at(-1)?.approval, before);
});

test('planwright verify finds out a copied message on another tree, and a receipt in it counts for nothing', async () => {
  const { number, branch } = done;
  const { gitDir } = world.repository;
  const message = git(gitDir, ['log', '-1', '--format=%B', branch]);
  const forged = world.commit(world.app.account, branch, { 'README.md': '# Mine\n' }, message);
  const { code, lines } = await verify(`ann/shop#${number}`);
  assert.deepEqual(
    [code, objections(lines)],
    [
      1,
      [
        `commit ${forged.slice(0, 7)} (Work) is this app's, on its tree and its parents: does not hold: expected its signature by this app, got none, or one over something else`,
      ],
    ],
  );
});
