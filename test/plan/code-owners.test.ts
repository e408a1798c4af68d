import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ownersOf, parseCodeOwners } from '../../src/plan/code-owners.ts';

/** The rules of GitHub's own page on code owners, in its order. */
const documented = `# This is a comment.
# Each line is a file pattern followed by one or more owners.

*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
`;

const global = ['@global-owner1', '@global-owner2'];
const examples: readonly (readonly [string, readonly string[]])[] = [
  ['README.md', global],
  ['src/deep/file.rb', global],
  ['index.js', ['@js-owner']],
  ['src/index.js', ['@js-owner']],
  ['index.JS', global],
  ['cmd/main.go', ['docs@example.com']],
  ['notes.txt', ['@octo-org/octocats']],
  ['docs/getting-started.md', ['@doctocat']],
  ['docs/build-app/troubleshooting.md', ['@doctocat']],
  ['lib/docs/guide.md', global],
  ['apps/web/index.js', ['@octocat']],
  ['lib/apps/index.rb', ['@octocat']],
  ['lib/apps.rb', global],
  ['scripts/release.sh', ['@doctocat', '@octocat']],
  ['lib/scripts/release.sh', global],
  ['build/logs/today.log', ['@octocat']],
  ['logs/today.log', ['@octocat']],
  ['deeply/nested/logs/today.log', ['@octocat']],
  ['apps/github/index.js', []],
  ['apps/github', []],
];

for (const [file, owners] of examples) {
  test(`by GitHub's own example, ${file} is owned by ${owners.join(' and ') || 'nobody'}`, () => {
    assert.deepEqual(ownersOf(parseCodeOwners(documented), file), owners);
  });
}

test('each rule of the example counts alone as GitHub documents it', () => {
  const matched = (pattern: string, ...files: readonly string[]) =>
    files.filter((file) => ownersOf(parseCodeOwners(`${pattern} @x`), file).length > 0);
  assert.deepEqual(matched('docs/*', 'docs/a.md', 'docs/b/a.md', 'lib/docs/a.md'), ['docs/a.md']);
  assert.deepEqual(matched('/build/logs/', 'build/logs/a', 'build/logs/b/a', 'x/build/logs/a'), [
    'build/logs/a',
    'build/logs/b/a',
  ]);
  assert.deepEqual(matched('/docs/', 'docs/a', 'docs/b/a', 'x/docs/a', 'docs'), ['docs/a', 'docs/b/a']);
  assert.deepEqual(matched('**/logs', 'build/logs', 'scripts/logs/a', 'deeply/nested/logs/a', 'logs/a', 'logs.txt'), [
    'build/logs',
    'scripts/logs/a',
    'deeply/nested/logs/a',
    'logs/a',
  ]);
  assert.deepEqual(matched('/*', 'a', 'b/a'), ['a']);
  assert.deepEqual(matched('/docs/**', 'docs/a', 'docs/b/a', 'docs'), ['docs/a', 'docs/b/a']);
  assert.deepEqual(matched('**', 'a', 'b/a'), ['a', 'b/a']);
  assert.deepEqual(matched('Docs/', 'docs/a', 'Docs/a'), ['Docs/a']);
  assert.deepEqual(matched('a\\ b.md', 'a b.md', 'a'), ['a b.md']);
});

test('a line that GitHub calls invalid is as if it were not there', () => {
  const lines = [
    '!src/',
    '[ab].js',
    'a/[id]/b.ts',
    '\\#hash',
    '/',
    'a//b',
    'a/***/b',
    'src/ octocat',
    'src/ @a @b/c/d',
  ];
  assert.deepEqual(
    lines.map((line) => parseCodeOwners(`${line} @x\n`).length),
    lines.map(() => 0),
  );
  const text = '\uFEFF* @all\r\n!src/ @nobody\r\n  # not this\r\n\r\nsrc/ \r\n';
  assert.deepEqual(
    parseCodeOwners(text).map(({ pattern, owners }) => ({ pattern, owners })),
    [
      { pattern: '*', owners: ['@all'] },
      { pattern: 'src/', owners: [] },
    ],
  );
  assert.deepEqual(ownersOf(parseCodeOwners(text), 'src/a.ts'), []);
});

test('a pattern of many wildcards is answered at once', () => {
  const rules = parseCodeOwners(`${'*a'.repeat(200)}b @x\n${'**/a/'.repeat(100)}b @x\n`);
  const started = performance.now();
  assert.deepEqual(ownersOf(rules, `${'a'.repeat(250)}`), []);
  assert.deepEqual(ownersOf(rules, `${'a/'.repeat(250)}c`), []);
  assert.ok(performance.now() - started < 1000);
});

test('where both mean the same, a pattern matches what git itself ignores by it', () => {
  const patterns = [
    'foo',
    '/foo',
    'foo/',
    '/foo/',
    'foo/bar',
    '/foo/bar/',
    'f*',
    '/f*/',
    'f?o',
    'foo/*.txt',
    'foo/*/baz',
    '**/foo/bar',
    '**/*bar*',
    'foo/bar/**',
    'foo/**/bar',
    'foo/**/bar/b*',
    'f\\*o',
    '*',
    '*.txt',
    'a**b',
    '/*/',
  ];
  const names = ['foo', 'bar', 'baz', 'f*o', 'fo', 'rebar', 'a.txt', 'axxb'];
  const files = names.flatMap((one) => [
    one,
    ...names.flatMap((two) => [`${one}/${two}`, ...names.map((three) => `${one}/${two}/${three}`)]),
  ]);
  const folder = mkdtempSync(path.join(tmpdir(), 'planwright-owners-'));
  try {
    const git = (args: readonly string[], input = '') =>
      spawnSync('git', args, { cwd: folder, input, encoding: 'utf8' }).stdout;
    git(['init', '--quiet']);
    for (const pattern of patterns) {
      writeFileSync(path.join(folder, '.gitignore'), `${pattern}\n`);
      const ignored = git(['check-ignore', '--no-index', '--stdin', '-z'], `${files.join('\0')}\0`)
        .split('\0')
        .filter(Boolean);
      const rules = parseCodeOwners(`${pattern} @x`);
      assert.deepEqual(
        files.filter((file) => ownersOf(rules, file).length > 0),
        ignored,
        pattern,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
