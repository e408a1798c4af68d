import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { guardEntry, guardPath, PathRefused } from '../../src/sandbox/path-guard.ts';

let folder = '';
let root = '';

before(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'path-guard-')));
  root = path.join(folder, 'checkout');
  await mkdir(path.join(root, 'src'), { recursive: true });
  await mkdir(path.join(root, '.git'));
  await writeFile(path.join(root, 'src', 'cache.ts'), 'export {};\n');
  await writeFile(path.join(folder, 'secret'), 'canary');
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function refusal(asked: string): Promise<string> {
  try {
    await guardPath(root, asked);
  } catch (error) {
    assert.ok(error instanceof PathRefused, `expected a refusal, got ${error}`);
    return error.message;
  }
  assert.fail(`expected a refusal of ${JSON.stringify(asked)}, got none`);
}

test('a file, a folder and a name that is free are found beneath the root', async () => {
  assert.deepEqual(await guardPath(root, './src//cache.ts'), {
    absolute: path.join(root, 'src/cache.ts'),
    relative: 'src/cache.ts',
    found: 'file',
  });
  assert.equal((await guardPath(root, 'src/')).found, 'directory');
  assert.equal((await guardPath(root, '.')).relative, '');
  assert.deepEqual(await guardPath(root, 'docs/new/a.md'), {
    absolute: path.join(root, 'docs/new/a.md'),
    relative: 'docs/new/a.md',
    found: null,
  });
});

test('S31, case 147, 1: a link that leads out is refused, as a file, as a folder, in a chain and dangling', async () => {
  await symlink('../secret', path.join(root, 'to-file'));
  await symlink(folder, path.join(root, 'to-folder'));
  await symlink('to-file', path.join(root, 'chain'));
  await symlink('../not-there', path.join(root, 'dangling'));
  await symlink('src/../../secret', path.join(root, 'climbing'));
  for (const asked of ['to-file', 'to-folder/secret', 'to-folder', 'chain', 'dangling', 'climbing']) {
    assert.match(await refusal(asked), /a link leads out of the repository/, asked);
  }
});

test('case 147, 1: a link that stays inside is followed, and the path it leads to is what counts', async () => {
  await symlink('src', path.join(root, 'alias'));
  assert.equal((await guardPath(root, 'alias/cache.ts')).relative, 'src/cache.ts');
  await symlink('loop-b', path.join(root, 'loop-a'));
  await symlink('loop-a', path.join(root, 'loop-b'));
  assert.match(await refusal('loop-a'), /too many links/);
});

test('1: a link is moved or deleted as a link, and never through a link that leads out', async () => {
  assert.deepEqual(await guardEntry(root, 'to-file'), {
    absolute: path.join(root, 'to-file'),
    relative: 'to-file',
    found: 'link',
  });
  await assert.rejects(guardEntry(root, 'to-folder/secret'), PathRefused);
});

test('2: a path with ".." is refused even where it would stay inside', async () => {
  for (const asked of ['..', '../secret', 'src/../src/cache.ts', 'plan.md/../src/x']) {
    assert.match(await refusal(asked), /it holds ".."/, asked);
  }
});

test('3: an absolute path and a home folder are refused', async () => {
  for (const asked of ['/etc/passwd', path.join(root, 'src/cache.ts'), '~/.ssh/id_rsa', '//etc/passwd']) {
    assert.match(await refusal(asked), /absolute/, asked);
  }
});

test('S31, case 149, 4: what processes keep in /proc and /sys is out of reach by path and by link', async () => {
  await symlink('/proc/self/environ', path.join(root, 'environ'));
  await symlink('/proc/self', path.join(root, 'self'));
  await symlink('/sys', path.join(root, 'sys'));
  for (const asked of ['environ', 'self/environ', 'self/cwd/secret', 'sys/kernel']) {
    assert.match(await refusal(asked), /a link leads out of the repository/, asked);
  }
  assert.match(await refusal('/proc/1/environ'), /absolute/);
});

test('S31, case 150, 5: a named pipe is refused without being opened', async () => {
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  assert.match(await refusal('pipe'), /neither a file nor a folder/);
});

test('S31, case 150, 6: a socket and a link to a device are refused', async () => {
  const server = createServer().listen(path.join(root, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  assert.match(await refusal('socket'), /neither a file nor a folder/);
  await new Promise((resolve) => server.close(resolve));
  await symlink('/dev/zero', path.join(root, 'zero'));
  assert.match(await refusal('zero'), /a link leads out of the repository/);
});

test("case 103, 7: git's own folder is out of reach in every spelling and through a link", async () => {
  await symlink('.git', path.join(root, 'innocent'));
  const spellings = ['.git', '.GIT/hooks/x', 'sub/.Git/config', '.git./x', '.git /x', 'GIT~1/x', 'git~2/x'];
  for (const asked of ['.git/HEAD', '.git/hooks/pre-push', 'nested/.git', '\uff0egit/config', ...spellings]) {
    assert.match(await refusal(asked), /git's own folder/, asked);
  }
  assert.match(await refusal('.g\u200cit/config'), /git's own folder/);
  assert.match(await refusal('.git::$INDEX_ALLOCATION/config'), /git's own folder/);
  assert.match(await refusal('innocent/config'), /a link leads into git's own folder/);
  for (const asked of ['.gitignore', '.github', 'git', '.gitmodules']) {
    assert.equal((await guardPath(root, asked)).relative, asked);
  }
});

test('S31, 8: a file with a second hard link is refused', async () => {
  await link(path.join(folder, 'secret'), path.join(root, 'hard'));
  assert.match(await refusal('hard'), /second hard link/);
});

test('9: a NUL byte and a name beyond the limit are refused', async () => {
  assert.match(await refusal('src/cache.ts\0.md'), /not a path/);
  assert.match(await refusal('a/'.repeat(3000)), /not a path/);
  assert.match(await refusal('a'.repeat(300)), /the system refuses/);
});
