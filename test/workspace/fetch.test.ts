import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TokenSource } from '../../src/workspace/workspace.ts';
import { commitFiles, git } from './git-server.ts';
import { emptyWorld, useGitServer, world } from './workspace-fixture.ts';

useGitServer();

const noToken: TokenSource = () => {
  throw new Error('expected no token to be asked for');
};

function posts(requests: readonly string[]): number {
  return requests.filter((request) => request.startsWith('POST')).length;
}

test('a commit that is there is not asked for again, nor is one of its ancestors or one made here', async () => {
  const { server, workspaces, repository, forge, base, token } = world();
  const next = commitFiles(forge, { 'a.txt': 'a\n' });
  await workspaces.fetch(repository, [next], token);
  const asked = server.requests.length;
  const plan = { parent: base, path: 'plan.md', text: '# Plan\n', message: () => 'docs: plan' };
  const made = await workspaces.commitPlan(repository, plan);
  await workspaces.fetch(repository, [base, next, made, next], noToken);
  await workspaces.fetch(repository, [], noToken);
  assert.equal(server.requests.length, asked);
});

test('a second fetch into the mirror brings only what is new', async () => {
  const { server, workspaces, repository, forge, base, token } = world({ 'a.txt': 'a\n' });
  await workspaces.fetch(repository, [base], token);
  const next = commitFiles(forge, { 'a.txt': 'b\n' });
  server.requests.length = 0;
  await workspaces.fetch(repository, [next], token);
  assert.deepEqual(await workspaces.changes(repository, base, next), [
    { path: 'a.txt', change: 'modify', from: null, mode: '100644' },
  ]);
  assert.ok(posts(server.requests) <= 3, server.requests.join('\n'));
});

test('case 79: branch names of any legal form, also one that looks like an option, are no hindrance', async () => {
  const { workspaces, repository, forge, token } = world();
  for (const branch of ['release/#12+x', 'главная', '--upload-pack=touch', "a'b$(id)"]) {
    git(forge, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    const head = commitFiles(forge, { 'a.txt': branch }, branch);
    await workspaces.fetch(repository, [head], token);
    assert.equal(await workspaces.readFile(repository, head, 'a.txt'), branch);
  }
});

test('S54: where commits are not given by SHA they are had by their branch', async () => {
  const { server, workspaces, repository, forge, base, token } = world();
  const head = commitFiles(forge, { 'a.txt': 'a\n' });
  // Without protocol version 2 the server advertises its branches and gives only those.
  server.fault = (request) => {
    delete request.headers['git-protocol'];
    return null;
  };
  await workspaces.fetch(repository, [base], token);
  assert.equal(await workspaces.readFile(repository, base, 'README.md'), 'hello\n');
  await workspaces.fetch(repository, [head], token);
  assert.equal(await workspaces.readFile(repository, head, 'a.txt'), 'a\n');
});

test('an empty repository and a commit that is gone are told apart', async () => {
  const empty = emptyWorld();
  const commit = 'b'.repeat(40);
  await assert.rejects(empty.workspaces.fetch(empty.repository, [commit], empty.token), {
    name: 'WorkspaceError',
    message: `expected commits in octo/${empty.repository.name}, got an empty repository; push a first commit to it`,
  });
  const there = world();
  await assert.rejects(there.workspaces.fetch(there.repository, [commit], there.token), {
    name: 'WorkspaceError',
    message: `expected commit ${commit} in octo/${there.repository.name}, got none on any branch; it may have been rewritten: look at the repository again`,
  });
  await there.workspaces.fetch(there.repository, [there.base], there.token);
});

test('a refusal says what it means and what to do, and holds no token', async () => {
  const { server, workspaces, repository, base, token } = world();
  const cannot = `cannot fetch from octo/${repository.name}: `;
  const expected: Readonly<Record<number, RegExp>> = {
    401: /the server does not accept the token \(401\)/,
    403: /the server forbids it \(403\)/,
    404: /the repository was not found \(404\)/,
    500: /returned error: 500/,
  };
  for (const [status, words] of Object.entries(expected)) {
    server.fault = () => ({ kind: 'status', status: Number(status), body: `secret is ${server.token}` });
    const error: unknown = await workspaces.fetch(repository, [base], token).catch((caught: unknown) => caught);
    assert.ok(error instanceof Error);
    assert.match(error.message, words);
    assert.ok(error.message.startsWith(cannot));
    assert.ok(!error.message.includes(server.token));
  }
  server.fault = () => null;
  await assert.rejects(
    workspaces.fetch(repository, [base], (operation) => operation('ghs_wrong')),
    /\(401\)/,
  );
  await workspaces.fetch(repository, [base], token);
});

test('a server that never answers is given up', async () => {
  const { server, workspaces, repository, base, token } = world({}, { networkTimeoutMs: 300 });
  server.fault = () => ({ kind: 'hang' });
  await assert.rejects(workspaces.fetch(repository, [base], token), /it did not end within 300 ms$/);
});

test('a shutdown ends what is running', async () => {
  const shutdown = new AbortController();
  const { server, workspaces, repository, token } = emptyWorld({}, { signal: shutdown.signal });
  server.fault = () => {
    shutdown.abort();
    return { kind: 'hang' };
  };
  await assert.rejects(workspaces.fetch(repository, ['d'.repeat(40)], token), /it was stopped by the shutdown$/);
});

test('S54: a redirection is not followed, so that the token stays with the forge', async () => {
  const { server, workspaces, repository, base, token } = world();
  server.fault = (request) =>
    request.url?.includes('/elsewhere/')
      ? null
      : { kind: 'status', status: 302, location: `${server.url}/elsewhere/x` };
  await assert.rejects(workspaces.fetch(repository, [base], token), /a redirection, which is not followed/);
  assert.deepEqual(
    server.requests.filter((request) => request.includes('elsewhere')),
    [],
  );
});

test('case 86: a fetch that was cut does not spoil the next', async () => {
  const { server, workspaces, repository, base, token } = world();
  server.fault = (request) => (request.method === 'POST' ? { kind: 'cut' } : null);
  await assert.rejects(workspaces.fetch(repository, [base], token), { name: 'WorkspaceError' });
  server.fault = () => null;
  await workspaces.fetch(repository, [base], token);
  assert.equal(await workspaces.readFile(repository, base, 'README.md'), 'hello\n');
});

test('cases 86, 92: half a mirror and the locks of a dead process are cleared away', async () => {
  const { root, workspaces, repository, base, token, restart } = world();
  const mirror = join(root, 'mirrors', `${repository.id}.git`);
  mkdirSync(join(mirror, 'refs'), { recursive: true });
  writeFileSync(join(mirror, 'HEAD'), '');
  mkdirSync(`${mirror}.new`);
  await workspaces.fetch(repository, [base], token);
  for (const lock of [
    'packed-refs.lock',
    'config.lock',
    `refs/planwright/commits/${base}.lock`,
    'objects/pack/tmp_pack_x',
  ]) {
    writeFileSync(join(mirror, lock), '');
  }
  const again = restart();
  assert.equal(await again.readFile(repository, base, 'README.md'), 'hello\n');
  const left = readdirSync(mirror, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    left.filter((name) => /\.lock$|tmp_/.test(name)),
    [],
  );
});

test('S54: a malformed object is refused, every time', async () => {
  const there = emptyWorld();
  const blob = git(there.forge, ['hash-object', '-w', '--stdin'], 'x\n');
  const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
  const tree = git(there.forge, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], entry);
  const bad = git(there.forge, ['commit-tree', tree, '-m', 'bad']);
  git(there.forge, ['update-ref', 'refs/heads/main', bad]);
  for (const attempt of [1, 2]) {
    await assert.rejects(
      there.workspaces.fetch(there.repository, [bad], there.token),
      /hasDotgit/,
      `attempt ${attempt}`,
    );
  }
});

test('S54: only https is spoken where the forge is https', async () => {
  const { repository, base, token } = world();
  const { workspaces } = emptyWorld({}, { allowedProtocols: 'https' });
  await assert.rejects(workspaces.fetch(repository, [base], token), /transport 'http' not allowed/);
  for (const url of ['file:///etc', 'ext::touch marker', 'ssh://127.0.0.1/x', '/tmp']) {
    const other = emptyWorld({}, { gitUrl: () => url });
    await assert.rejects(other.workspaces.fetch(repository, [base], token), { name: 'WorkspaceError' });
  }
});
