import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGitServer, world } from './workspace-fixture.ts';

useGitServer();

const names = ['AGENTS.md', 'CLAUDE.md'];

async function found(files: Parameters<typeof world>[0]) {
  const { workspaces, repository, base, token } = world(files);
  await workspaces.fetch(repository, [base], token);
  return workspaces.filesNamed(repository, base, names);
}

test('files are found by their exact names in all folders, outermost first, whatever stands beside them', async () => {
  const files = {
    'b/CLAUDE.md': 'b',
    'a/z/AGENTS.md': 'az',
    'CLAUDE.md': 'root, too',
    'AGENTS.md': 'root',
    'a/AGENTS.md': ['100755', 'a'],
    'agents.md': 'other case',
    'docs/MY-AGENTS.md': 'other name',
    'node_modules/x/AGENTS.md': 'of a package',
    'lib/vendor/AGENTS.md': 'of a package',
  } as const;
  assert.deepEqual(await found(files), [
    { path: 'AGENTS.md', text: 'root' },
    { path: 'CLAUDE.md', text: 'root, too' },
    { path: 'a/AGENTS.md', text: 'a' },
    { path: 'b/CLAUDE.md', text: 'b' },
    { path: 'a/z/AGENTS.md', text: 'az' },
  ]);
  assert.deepEqual(await found({ 'README.md': '' }), []);
});

test('a link is not followed, and a folder, a nested repository, a binary file and one in another encoding are no text', async () => {
  const files = {
    'CLAUDE.md': ['120000', 'secret.md'],
    'secret.md': 'canary',
    'a/AGENTS.md/b.txt': 'in a folder of that name',
    'b/AGENTS.md': ['160000', 'c'.repeat(40)],
    'c/AGENTS.md': Buffer.from([65, 0, 66]),
    'd/AGENTS.md': Buffer.from('gr\u00fcn', 'latin1'),
    'e/AGENTS.md': Buffer.from('\ufeffwith a mark'),
    'f/AGENTS.md': '',
  } as const;
  assert.deepEqual(await found(files), [
    { path: 'e/AGENTS.md', text: 'with a mark' },
    { path: 'f/AGENTS.md', text: '' },
  ]);
});

test('a file that is too large is named without its text, as are those that come after a megabyte', async () => {
  const whole = 256 * 1024;
  const text = (letter: string) => letter.repeat(whole);
  const files = { 'AGENTS.md': `${text('x')}x`, 'a/AGENTS.md': text('a'), 'b/AGENTS.md': text('b') };
  const more = { 'c/AGENTS.md': text('c'), 'd/AGENTS.md': text('d'), 'e/AGENTS.md': 'y' };
  const sizes = (await found({ ...files, ...more })).map((file) => file.text?.length ?? null);
  assert.deepEqual(sizes, [null, whole, whole, whole, whole, null]);
});
