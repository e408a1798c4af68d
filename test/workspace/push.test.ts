import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { explainRefusal } from '../../src/workspace/remote-answer.ts';
import { BranchMoved, PushRefused } from '../../src/workspace/workspace.ts';
import { commitFiles, commitMany, git } from './git-server.ts';
import { useGitServer, type World, world } from './workspace-fixture.ts';

useGitServer();

const branch = 'planwright/issue-1';

function planOn(there: World, parent: string, text: string): Promise<string> {
  return there.workspaces.commitPlan(there.repository, { parent, path: 'plan.md', text, message: () => 'docs: plan' });
}

async function worldWithPlan(): Promise<World & { readonly plan: string }> {
  const there = world();
  await there.workspaces.fetch(there.repository, [there.base], there.token);
  return { ...there, plan: await planOn(there, there.base, '# Plan\n') };
}

function push(there: World, commit: string, expected: string | null, to = branch): Promise<void> {
  return there.workspaces.push(there.repository, { branch: to, commit, expected }, there.token);
}

function refs(there: World): string {
  return git(there.forge, ['for-each-ref', '--format=%(refname) %(objectname)']);
}

function hook(there: World, name: string, script: string): void {
  const file = join(there.forge, 'hooks', name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

test('a push makes or moves exactly its own branch', async () => {
  const there = await worldWithPlan();
  await push(there, there.plan, null);
  assert.equal(refs(there), `refs/heads/main ${there.base}\nrefs/heads/${branch} ${there.plan}`);
  const next = await planOn(there, there.plan, '# Better plan\n');
  await push(there, next, there.plan);
  assert.equal(refs(there), `refs/heads/main ${there.base}\nrefs/heads/${branch} ${next}`);
});

test('a push that was made already succeeds again', async () => {
  const there = await worldWithPlan();
  await push(there, there.plan, null);
  await push(there, there.plan, null);
  const next = await planOn(there, there.plan, '# Better plan\n');
  await push(there, next, there.plan);
  await push(there, next, there.plan);
});

test('a branch that moved, appeared or went away is left as it is', async () => {
  const there = await worldWithPlan();
  const foreign = commitFiles(there.forge, { 'theirs.txt': 'x\n' }, branch);
  await assert.rejects(push(there, there.plan, null), {
    name: 'BranchMoved',
    message: `expected ${branch} at nothing, got ${foreign}; nothing was pushed, look at it again`,
  });
  git(there.forge, ['update-ref', '-d', `refs/heads/${branch}`]);
  const next = await planOn(there, there.plan, '# Better plan\n');
  await push(there, there.plan, null);
  const theirs = commitFiles(there.forge, { 'theirs.txt': 'x\n' }, branch);
  await assert.rejects(push(there, next, there.plan), BranchMoved);
  assert.equal(refs(there), `refs/heads/main ${there.base}\nrefs/heads/${branch} ${theirs}`);
  git(there.forge, ['update-ref', '-d', `refs/heads/${branch}`]);
  await assert.rejects(push(there, next, there.plan), BranchMoved);
  assert.equal(refs(there), `refs/heads/main ${there.base}`);
});

test('a branch that moves between the look and the write is left as it is', async () => {
  const there = await worldWithPlan();
  await push(there, there.plan, null);
  const next = await planOn(there, there.plan, '# Better plan\n');
  let theirs = '';
  there.server.beforeReceive = () => {
    theirs = commitFiles(there.forge, { 'theirs.txt': 'x\n' }, branch);
  };
  await assert.rejects(push(there, next, there.plan), BranchMoved);
  assert.equal(refs(there), `refs/heads/main ${there.base}\nrefs/heads/${branch} ${theirs}`);
});

test('of two pushes that race one wins and the other says that the branch moved', async () => {
  const there = await worldWithPlan();
  await push(there, there.plan, null);
  const second: World = { ...there, ...world(), repository: { ...there.repository, id: 7000 }, forge: there.forge };
  await second.workspaces.fetch(second.repository, [there.plan], there.token);
  const mine = await planOn(there, there.plan, '# Mine\n');
  const theirs = await planOn(second, there.plan, '# Theirs\n');
  const results = await Promise.allSettled([push(there, mine, there.plan), push(second, theirs, there.plan)]);
  const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  assert.equal(lost.length, 1);
  assert.ok(lost[0] instanceof BranchMoved, String(lost[0]));
  const winner = results[0].status === 'fulfilled' ? mine : theirs;
  assert.equal(git(there.forge, ['rev-parse', `refs/heads/${branch}`]), winner);
});

test('commits of others are never dropped, even where the branch is as expected', async () => {
  const there = await worldWithPlan();
  const theirs = commitFiles(there.forge, { 'theirs.txt': 'x\n' }, branch);
  await assert.rejects(push(there, there.plan, theirs), {
    name: 'PushRefused',
    reason: `${there.plan} does not descend from ${theirs}, which it would drop from the branch`,
  });
  assert.equal(git(there.forge, ['rev-parse', `refs/heads/${branch}`]), theirs);
});

test('only a branch with the app’s prefix and a plain name is pushed to', async () => {
  const there = await worldWithPlan();
  const names = [
    'main',
    'planwright',
    'planwright/',
    'planwright/../main',
    'planwright/-x',
    'planwright/a.lock',
    '--all',
  ];
  const odd = [
    'planwright/a b',
    'planwright/x@{1}',
    'planwright/a:refs/heads/main',
    'refs/heads/planwright/x',
    'planwright/é\n',
  ];
  for (const name of [...names, ...odd]) {
    await assert.rejects(push(there, there.plan, null, name), { name: 'WorkspaceError' }, name);
  }
  assert.equal(refs(there), `refs/heads/main ${there.base}`);
});

const refused: readonly (readonly [words: string, meaning: RegExp])[] = [
  [
    'refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission',
    /^the app lacks the permission "workflows: write", .*; grant it and accept it for the installation, or leave these files out/,
  ],
  [
    'GH006: Protected branch update failed for refs/heads/x. Commits must have verified signatures.',
    /^a rule of the repository asks for signed commits, and the app's are not signed; exempt the app/,
  ],
  [
    "GH001: Large files detected. File big.bin is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
    /^a file is larger than GitHub takes; leave it out/,
  ],
  [
    'GH013: Repository rule violations found. - GITHUB PUSH PROTECTION. Push cannot contain secrets',
    /^GitHub has found what looks like a secret/,
  ],
  [
    'GH013: Repository rule violations found. Cannot create ref.',
    /^a rule of the repository forbids this push; exempt/,
  ],
];

test('cases 75, 99, 100: what a remote says when it refuses is told with what it means and what to do', async () => {
  for (const [words, meaning] of refused) {
    const told = explainRefusal(words);
    assert.match(told, meaning);
    assert.ok(told.endsWith(`. GitHub said: ${words}`));
  }
  const there = await worldWithPlan();
  const [[words] = ['']] = refused;
  hook(there, 'pre-receive', `cat >&2 <<'WORDS'\n${words}\nWORDS\nexit 1`);
  await assert.rejects(push(there, there.plan, null), {
    name: 'PushRefused',
    reason: explainRefusal(`[remote rejected] (pre-receive hook declined) ${words}`),
  });
  assert.equal(refs(there), `refs/heads/main ${there.base}`);
});

/** Refuses, as GitHub does, commits that change a workflow against every parent, and none that only brings the base's along. */
const workflowRule = `while read old new ref; do
  for commit in $(git rev-list $new --not --all); do
    git diff-tree -c -r --root --name-only --no-commit-id $commit | grep -q '^.github/workflows/' &&
      echo 'refusing to allow a GitHub App to create or update workflow without \`workflows\` permission' >&2 && exit 1
  done
done; exit 0`;

test('case 75: a base whose workflows have changed is merged and pushed; a workflow of our own is refused', async () => {
  const there = await worldWithPlan();
  hook(there, 'pre-receive', workflowRule);
  await push(there, there.plan, null);
  const base = commitFiles(there.forge, { '.github/workflows/x.yml': 'on: push\n' });
  await there.workspaces.fetch(there.repository, [base], there.token);
  const plan = { path: 'plan.md', message: () => 'docs: plan' };
  const again = await there.workspaces.commitPlan(there.repository, { ...plan, parent: there.plan, base, text: 'B\n' });
  await push(there, again, there.plan);
  const own = { ...plan, path: '.github/workflows/y.yml', parent: again, text: 'on: push\n' };
  await assert.rejects(
    push(there, await there.workspaces.commitPlan(there.repository, own), again),
    /the app lacks the permission "workflows: write"/,
  );
  assert.equal(git(there.forge, ['rev-parse', `refs/heads/${branch}`]), again);
});

test('case 90: a base that is 200 commits further on is merged, and the plan alone differs from it', async () => {
  const there = await worldWithPlan();
  const base = commitMany(there.forge, 200);
  await there.workspaces.fetch(there.repository, [base], there.token);
  const plan = { parent: there.plan, base, path: 'plan.md', text: '# Again\n', message: () => 'docs: plan' };
  const merged = await there.workspaces.commitPlan(there.repository, plan);
  assert.deepEqual(await there.workspaces.changes(there.repository, base, merged), [
    { path: 'plan.md', change: 'create', from: null, mode: '100644' },
  ]);
});

test('case 91: histories that share no commit are not joined: nothing is committed, and why is told', async () => {
  const there = await worldWithPlan();
  const base = commitFiles(there.forge, { 'new.txt': 'new\n' }, 'rewritten');
  await there.workspaces.fetch(there.repository, [base], there.token);
  const plan = { parent: there.plan, base, path: 'plan.md', text: '# Again\n', message: () => 'docs: plan' };
  await assert.rejects(there.workspaces.commitPlan(there.repository, plan), {
    name: 'PatchRefused',
    reasons: [
      'the base branch was rewritten and shares no commit with the branch of the plan, so the two are not joined; close the pull request and ask for a new plan',
    ],
  });
});

test('a refusal of the remote carries its own words', async () => {
  const there = await worldWithPlan();
  hook(there, 'pre-receive', `printf 'token ${there.server.token}\\033[31m red\\n' >&2; exit 1`);
  const error: unknown = await push(there, there.plan, null).catch((caught: unknown) => caught);
  assert.ok(error instanceof PushRefused);
  assert.equal(error.reason, '[remote rejected] (pre-receive hook declined) token [token] red');
  assert.equal(refs(there), `refs/heads/main ${there.base}`);
});

test('a push without permission says so and is not taken for a moved branch', async () => {
  const there = await worldWithPlan();
  for (const status of [401, 403, 404]) {
    there.server.fault = () => ({ kind: 'status', status });
    await assert.rejects(push(there, there.plan, null), {
      name: 'WorkspaceError',
      message: new RegExp(`^cannot push ${branch} to octo/${there.repository.name}: .*\\(${status}\\)`),
    });
  }
});

test('a push whose answer was lost has succeeded if the branch is at the commit', async () => {
  const there = await worldWithPlan();
  there.server.fault = (request) => (request.url?.endsWith('/git-receive-pack') ? { kind: 'cut' } : null);
  await push(there, there.plan, null);
  assert.equal(git(there.forge, ['rev-parse', `refs/heads/${branch}`]), there.plan);
});

test('a push that failed without an answer has not, if the branch is where it was', async () => {
  const there = await worldWithPlan();
  there.server.fault = (request) =>
    request.url?.endsWith('/git-receive-pack') ? { kind: 'status', status: 500 } : null;
  await assert.rejects(push(there, there.plan, null), { name: 'WorkspaceError', message: /500/ });
  assert.equal(refs(there), `refs/heads/main ${there.base}`);
});

test('a commit that was not made here is not pushed', async () => {
  const there = await worldWithPlan();
  await assert.rejects(push(there, 'c'.repeat(40), null), /in the mirror, got none; fetch it first/);
});
