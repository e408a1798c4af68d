import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { countUncommitted, describeSource, findRepository } from '../../src/dry-run/source-repository.ts';
import { createWorkspaces } from '../../src/workspace/create-workspaces.ts';
import { createGit } from '../../src/workspace/git.ts';
import { defaultSearchPath, hostConfig } from '../../src/workspace/git-settings.ts';
import { createSource, git, openFolder, snapshot } from './dry-world.ts';

function open(t: TestContext) {
  const folder = realpathSync(openFolder(t));
  const home = join(folder, 'home');
  mkdirSync(home);
  const configFile = join(folder, 'config');
  writeFileSync(configFile, hostConfig);
  const host = { home, configFile, ceiling: home, allowedProtocols: 'file', searchPath: defaultSearchPath } as const;
  const ours = createGit({ ...host, signal: null });
  return { folder, ours, find: (path: string) => findRepository(ours, path) };
}

/** The files of HEAD, as a mirror of its own has them. */
async function copy(folder: string, { gitDir, head }: { readonly gitDir: string; readonly head: string }) {
  const root = join(folder, 'workspaces');
  const author = { name: 'a', email: 'a@b' };
  const workspaces = createWorkspaces({ root, gitUrl: () => gitDir, author, allowedProtocols: 'file' });
  const repository = { id: 1, owner: 'local', name: 'x' };
  await workspaces.fetch(repository, [head], (operation) => operation(''));
  const history = await workspaces.history(repository, head, null, 10);
  return {
    text: await workspaces.readFile(repository, head, 'src/cache.js'),
    subjects: history.map(({ subject }) => subject),
    mirror: { gitDir: join(root, 'mirrors', '1.git'), index: join(folder, 'index') },
  };
}

const committed = 'export const cache = 1;\n';

test('a subfolder of a repository, and a path with blanks in it, stand for the whole repository', async (t) => {
  const { folder, find } = open(t);
  const source = createSource(join(folder, 'a b'));
  const found = await find(join(source, 'src'));
  assert.deepEqual([found.top, found.gitDir, found.branch], [source, join(source, '.git'), 'trunk']);
  assert.deepEqual(describeSource(found), [
    `Reading ${source} at ${found.head.slice(0, 10)} (branch trunk).`,
    `${source}/src is a part of it; the plan is for all of it.`,
  ]);
  assert.equal((await copy(folder, found)).text, committed);
});

test('a bare repository, a detached HEAD, a linked working tree and a shallow clone are planned for as they are', async (t) => {
  const { folder, find, ours } = open(t);
  const source = createSource(join(folder, 'source'));
  writeFileSync(join(source, 'more.txt'), 'more\n');
  git(source, 'add', '.');
  git(source, 'commit', '--quiet', '-m', 'Second');
  git(folder, 'clone', '--quiet', '--bare', source, 'bare.git');
  git(folder, 'clone', '--quiet', '--depth=1', `file://${source}`, 'shallow');
  git(source, 'worktree', 'add', '--quiet', '--detach', join(folder, 'linked'));
  const names = ['bare.git', 'shallow', 'linked'];
  const found = await Promise.all(names.map((name) => find(join(folder, name))));
  const at = found[0]?.head.slice(0, 10);
  assert.deepEqual(found.flatMap(describeSource), [
    `Reading ${folder}/bare.git at ${at} (branch trunk).`,
    `Reading ${folder}/shallow at ${at} (branch trunk).`,
    'It is a shallow clone: of its history only that part is known.',
    `Reading ${folder}/linked at ${at} (a detached HEAD).`,
  ]);
  for (const [index, each] of found.entries()) {
    const own = join(folder, `copy ${index}`);
    mkdirSync(own);
    const { text, subjects, mirror } = await copy(own, each);
    assert.deepEqual([text, subjects], [committed, names[index] === 'shallow' ? ['Second'] : ['Second', 'First']]);
    assert.equal(await countUncommitted(ours, each, mirror), each.top === null ? null : 0);
  }
});

test('what cannot be planned for is named with what to do: no path, no repository, no commit', async (t) => {
  const { folder, find } = open(t);
  mkdirSync(join(folder, 'plain'));
  mkdirSync(join(folder, 'empty'));
  git(join(folder, 'empty'), 'init', '--quiet');
  const unfit = [
    ['gone', `expected a git repository at ${folder}/gone, got no such path`],
    ['plain', `expected a git repository at ${folder}/plain, got none; name a folder of one with --repo`],
    ['empty', `expected a commit at HEAD of ${folder}/empty, got none; commit something there first`],
  ] as const;
  for (const [name, message] of unfit) {
    await assert.rejects(find(join(folder, name)), { name: 'UnfitRepository', message });
  }
});

test('uncommitted changes are counted without running a filter, a hook or a monitor of the repository, or touching it', async (t) => {
  const { folder, find, ours } = open(t);
  const source = createSource(join(folder, 'source'), {
    '.gitattributes': '*.js filter=evil\n',
    '.gitignore': 'out/\n',
  });
  const ran = join(folder, 'ran');
  for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'core.fsmonitor', 'uploadpack.packObjectsHook']) {
    git(source, 'config', key, `touch '${ran}'; cat #`);
  }
  writeFileSync(join(source, 'src/cache.js'), 'export const cache = 2;\n');
  writeFileSync(join(source, 'staged.txt'), 'staged\n');
  git(source, 'add', 'staged.txt');
  mkdirSync(join(source, 'out'));
  writeFileSync(join(source, 'out/ignored.txt'), 'ignored\n');
  writeFileSync(join(source, 'loose.txt'), 'loose\n');
  rmSync(ran, { force: true });
  const before = snapshot(folder).filter(([name]) => String(name).startsWith('source'));
  const found = await find(source);
  const { mirror } = await copy(folder, found);
  assert.equal(await countUncommitted(ours, found, mirror), 3);
  const after = snapshot(folder);
  assert.deepEqual(
    after.filter(([name]) => String(name).startsWith('source')),
    before,
  );
  assert.ok(!after.some(([name]) => name === 'ran'));
});
