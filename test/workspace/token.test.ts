import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultSearchPath } from '../../src/workspace/git-settings.ts';
import type { TokenSource } from '../../src/workspace/workspace.ts';
import { useGitServer, world } from './workspace-fixture.ts';

useGitServer();

function spellings(token: string): readonly string[] {
  return [token, Buffer.from(`x-access-token:${token}`).toString('base64')];
}

/** Command lines of all processes of the machine. */
function commandLines(): readonly string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    });
}

function filesWith(root: string, words: readonly string[]): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => words.some((word) => readFileSync(file, 'latin1').includes(word)));
}

test('the token is in no command line while git runs, in no file and in no address', async () => {
  const { server, workspaces, repository, base, token, root } = world();
  const words = spellings(server.token);
  const seen: string[] = [];
  server.fault = () => {
    seen.push(...commandLines());
    return null;
  };
  await workspaces.fetch(repository, [base], token);
  const checkout = await workspaces.writableCheckout(repository, base, 'r1');
  await workspaces.scratch('r1');
  const commit = await workspaces.commitStep(repository, checkout, {
    run: 'r1',
    message: () => 'x',
    remove: ['README.md'],
  });
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit: commit ?? '', expected: null }, token);
  const ours = seen.filter((line) => line.includes(server.url));
  assert.ok(seen.length === 0 || ours.some((line) => line.includes('push')), 'expected to have seen git run');
  assert.deepEqual(
    seen.filter((line) => words.some((word) => line.includes(word))),
    [],
  );
  assert.deepEqual(filesWith(root, words), []);
  assert.deepEqual(
    server.requests.filter((request) => words.some((word) => request.includes(word))),
    [],
  );
});

test('the token is in nothing that libraries tell when they are asked to tell everything', () => {
  const token = 'ghs_told-by-nobody';
  const program = [
    `import { createGit } from '${new URL('../../src/workspace/git.ts', import.meta.url)}';`,
    "const host = { home: '/', configFile: '/dev/null', ceiling: '/', allowedProtocols: 'http-and-https', signal: null };",
    `const git = createGit({ ...host, searchPath: '${defaultSearchPath}' });`,
    "const url = 'http://127.0.0.1:1/octo/shop.git';",
    `await git.attempt({ args: ['ls-remote', '--', url], remote: { url, token: '${token}' } });`,
  ].join('\n');
  const args = ['--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { DEBUG: '*' } });
  const told = `${stdout}${stderr}`;
  assert.equal(status, 0, told);
  assert.match(told, /ls-remote/);
  assert.deepEqual(
    spellings(token).filter((word) => told.includes(word)),
    [],
  );
});

test('no error holds the token, whatever the server says or does', async () => {
  const { server, workspaces, repository, base, token } = world({ 'a.txt': 'a\n' }, { networkTimeoutMs: 1000 });
  const words = spellings(server.token);
  await workspaces.fetch(repository, [base], token);
  const plan = { parent: base, path: 'plan.md', text: '# Plan\n', message: () => 'docs: plan' };
  const commit = await workspaces.commitPlan(repository, plan);
  const push = { branch: 'planwright/issue-1', commit, expected: null };
  const statuses = [401, 403, 404, 429, 500, 502].map(
    (status) => ({ kind: 'status', status, body: words.join('\n') }) as const,
  );
  for (const fault of [...statuses, { kind: 'hang' } as const]) {
    server.fault = () => fault;
    for (const act of [
      () => workspaces.fetch(repository, ['e'.repeat(40)], token),
      () => workspaces.push(repository, push, token),
    ]) {
      const error: unknown = await act().catch((caught: unknown) => caught);
      assert.ok(error instanceof Error);
      const told = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}`;
      assert.deepEqual(
        words.filter((word) => told.includes(word)),
        [],
      );
    }
  }
});

test('a token is minted only when the network is needed', async () => {
  const { workspaces, repository, base, token } = world();
  let minted = 0;
  const count: TokenSource = (operation) => {
    minted += 1;
    return token(operation);
  };
  await workspaces.fetch(repository, [base], count);
  await workspaces.fetch(repository, [base], count);
  assert.equal(minted, 1);
});
