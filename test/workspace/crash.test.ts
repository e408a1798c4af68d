import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultSearchPath } from '../../src/workspace/git-settings.ts';
import type { Workspaces } from '../../src/workspace/workspace.ts';
import type { Order } from './crash-child.ts';
import { git } from './git-server.ts';
import { emptyWorld, step, useGitServer, type World, world } from './workspace-fixture.ts';

useGitServer();

const realGit = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** A search path whose git does `script` instead of the call whose words contain `words`. */
function trappedPath(there: World, words: string, script: string): string {
  const folder = join(there.root, 'trapped');
  mkdirSync(folder);
  const file = join(folder, 'git');
  writeFileSync(file, `#!/bin/sh\ncase " $* " in *" ${words}"*) ${script};; esac\nexec ${realGit} "$@"\n`);
  chmodSync(file, 0o755);
  return `${folder}:${defaultSearchPath}`;
}

async function runUntilKilled(there: World, searchPath: string, onStart: (kill: () => void) => void = () => undefined) {
  const { root, repository, base, server } = there;
  const url = `${server.url}/${repository.owner}/${repository.name}.git`;
  const order: Order = { root, url, token: server.token, searchPath, repository, base };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-child.ts'), JSON.stringify(order)]);
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words += chunk.toString('utf8');
  });
  onStart(() => child.kill('SIGKILL'));
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL', words);
}

test('case 92: a process killed in the middle of a commit leaves nothing that stops the next', async () => {
  const moments = [
    { words: 'update-index --add', script: ': > "$GIT_INDEX_FILE.lock"; kill -9 $PPID; exit 1' },
    {
      words: 'update-ref --stdin',
      script: 'input=$(cat); case "$input" in *runs*) kill -9 $PPID; exit 1;; esac; echo "$input" | '.concat(
        `${realGit} "$@"; exit`,
      ),
    },
    {
      words: 'update-ref --stdin',
      script: 'input=$(cat); echo "$input" | '.concat(
        `${realGit} "$@"; code=$?; case "$input" in *runs*) kill -9 $PPID;; esac; exit $code`,
      ),
    },
  ];
  for (const { words, script } of moments) {
    const there = world({ 'a.txt': 'a\n' });
    await runUntilKilled(there, trappedPath(there, words, script));
    const checkout = { access: 'writable', path: join(there.root, 'runs', 'r1', 'tree'), commit: there.base } as const;
    await there.workspaces.commitStep(there.repository, checkout, step);
    const commit = await there.workspaces.lastCommit(there.repository, 'r1');
    assert.ok(commit !== null, words);
    assert.equal(await there.workspaces.readFile(there.repository, commit, 'a.txt'), 'changed\n', words);
    const mirror = join(there.root, 'mirrors', `${there.repository.id}.git`);
    assert.equal(git(mirror, ['log', '-1', '--format=%P', commit]), there.base, words);
  }
});

test('case 86: a process killed in the middle of a fetch leaves nothing that stops the next', async () => {
  const cut = world({ 'a.txt': 'a\n' });
  await runUntilKilled(cut, defaultSearchPath, (kill) => {
    cut.server.fault = (request) => {
      if (!request.url?.endsWith('/git-upload-pack')) return null;
      kill();
      return { kind: 'cut' };
    };
  });
  cut.server.fault = () => null;
  const unchecked = world({ 'a.txt': 'a\n' });
  await runUntilKilled(unchecked, trappedPath(unchecked, 'fsck', 'kill -9 $PPID; exit 1'));
  for (const there of [cut, unchecked]) {
    await there.workspaces.fetch(there.repository, [there.base], there.token);
    assert.equal(await there.workspaces.readFile(there.repository, there.base, 'a.txt'), 'a\n');
  }
});

test('case 93: a disk that is full fails the work with its reason, spoils nothing, and once there is space it goes on', async () => {
  for (const words of ['fetch', 'update-index --add', 'commit-tree']) {
    const there = world({ 'a.txt': 'a\n' });
    const path = trappedPath(there, words, 'echo "fatal: write error: No space left on device" >&2; exit 128');
    const gitUrl = () => `${there.server.url}/octo/${there.repository.name}.git`;
    const full = emptyWorld({}, { root: there.root, gitUrl, searchPath: path });
    const work = async (workspaces: Workspaces): Promise<string | null> => {
      await workspaces.fetch(there.repository, [there.base], there.token);
      const checkout = await workspaces.writableCheckout(there.repository, there.base, 'r1');
      writeFileSync(join(checkout.path, 'a.txt'), 'b\n');
      return workspaces.commitStep(there.repository, checkout, step);
    };
    await assert.rejects(work(full.workspaces), { name: 'WorkspaceError', message: /No space left on device/ }, words);
    const commit = await work(there.restart());
    assert.equal(await there.restart().readFile(there.repository, commit ?? '', 'a.txt'), 'b\n');
  }
});
