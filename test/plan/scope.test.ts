import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScopeEntry } from '../../src/lifecycle/facts.ts';
import { type ActualChange, compareScope, isInScope, isProtected, isQuickPattern } from '../../src/plan/scope.ts';

const scope: readonly ScopeEntry[] = [
  { path: 'src/cache.ts', change: 'modify' },
  { path: 'test/cache.test.ts', change: 'create' },
  { path: 'src/old.ts', change: 'delete' },
  { path: 'src/from.ts', change: 'move' },
  { path: 'src/to.ts', change: 'move' },
];

function change(path: string, kind: ActualChange['change'], rest: Partial<ActualChange> = {}): ActualChange {
  return { path, change: kind, from: null, mode: kind === 'delete' ? '000000' : '100644', ...rest };
}

for (const path of [
  '.github/workflows/ci.yml',
  '.GitHub/dependabot.yml',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.husky/pre-commit',
  '.githooks/pre-push',
  'lefthook.yml',
  '.pre-commit-config.yaml',
  '.gitmodules',
  'AGENTS.md',
  'packages/a/CLAUDE.md',
  'Claude.local.md',
  '.claude/settings.json',
  'packages/a/.cursor/rules/x.mdc',
  '.mcp.json',
  '\uff0egithub/workflows/ci.yml',
  'AGENT\u017f.md',
  '.hus\u212ay/pre-commit',
]) {
  test(`${path} is protected`, () => assert.equal(isProtected(path), true));
}

for (const path of ['src/agents.ts', 'docs/github/a.md', 'src/hooks/use-cache.ts', 'README.md', '.gitignore']) {
  test(`${path} is not protected`, () => assert.equal(isProtected(path), false));
}

test('what the plan names may change, and only in the way that it names', () => {
  const kinds = ['create', 'modify', 'delete', 'move'] as const;
  const allowed = Object.fromEntries(
    scope.map(({ path }) => [path, kinds.filter((kind) => isInScope(path, kind, scope, []))]),
  );
  assert.deepEqual(allowed, {
    'src/cache.ts': ['create', 'modify'],
    'test/cache.test.ts': ['create', 'modify', 'move'],
    'src/old.ts': ['delete', 'move'],
    'src/from.ts': ['create', 'delete', 'move'],
    'src/to.ts': ['create', 'delete', 'move'],
  });
});

test('an allowed pattern covers any change, no hidden file, and no protected path', () => {
  const allow = ['**', '!src/**'];
  assert.equal(isInScope('package-lock.json', 'modify', [], allow), true);
  assert.equal(isInScope('a/b/c.ts', 'delete', [], allow), true);
  assert.equal(isInScope('.env', 'create', [], allow), false);
  assert.equal(isInScope('AGENTS.md', 'modify', [], allow), false);
  assert.equal(isInScope('docs/CODEOWNERS', 'modify', [], ['docs/CODEOWNERS']), false);
});

test('a dependency manifest and a top-level dot folder change only where the plan or a pattern names them', () => {
  for (const path of ['package.json', 'Cargo.toml', '.vscode/settings.json', '.devcontainer/devcontainer.json']) {
    assert.equal(isInScope(path, 'modify', scope, []), false, path);
    assert.equal(isInScope(path, 'modify', [{ path, change: 'modify' }], []), true, path);
    assert.equal(isInScope(path, 'modify', scope, ['**']), !path.startsWith('.'), path);
  }
});

test('patterns that share a path out in too many ways are not quick; those that are take no time', () => {
  const slow = ['+([a-z]|[a-y])b', '(a|aa)+b', '*a*a*a*b', '[a]+[a]+[a]+[a]+b', '**/*a*/**/*a*/**/*a*'];
  slow.push(`${'{a,aa}'.repeat(24)}b`, '{a,{a,aa}}{a,{a,aa}}{a,{a,aa}}b', '{a..z}{a..z}{a..z}b', '**/a/**/a/**/a/**/b');
  assert.deepEqual(slow.filter(isQuickPattern), []);
  const quick = ['package-lock.json', 'docs/**', '**/*.test.{ts,tsx}', 'packages/*/src/**/*.gen.*', '*a*a*b'];
  quick.push(
    '**/*a*/*.{ts,tsx,js,jsx,mjs,cjs}',
    '{docs,site}/**/*.{md,mdx}',
    '**/a/**/*a*b',
    '{a,aa}{a,aa}{a,aa}{a,aa}*b',
  );
  assert.deepEqual(
    quick.filter((pattern) => !isQuickPattern(pattern)),
    [],
  );
  const begin = performance.now();
  const name = 'a'.repeat(255);
  for (const path of [name, `${'a'.repeat(148)}/${'a'.repeat(148)}`, 'a/'.repeat(148), 'a/'.repeat(2000)])
    isInScope(`${path}c`, 'create', [], quick);
  assert.ok(performance.now() - begin < 2000, 'within two seconds');
  assert.equal(isInScope(`docs/${'a'.repeat(400)}`, 'create', [], ['docs/**']), false);
});

test('a pattern with an exclamation mark allows nothing', () => {
  assert.equal(isInScope('lib/a.ts', 'modify', [], ['!src/**']), false);
});

test('a protected path may change where the plan names it', () => {
  assert.equal(isInScope('AGENTS.md', 'modify', [{ path: 'AGENTS.md', change: 'modify' }], []), true);
});

test('an implementation as planned has nothing outside and nothing untouched', () => {
  const changes = [
    change('src/cache.ts', 'modify'),
    change('test/cache.test.ts', 'create', { mode: '100755' }),
    change('src/old.ts', 'delete'),
    change('src/to.ts', 'move', { from: 'src/from.ts' }),
    change('plan.md', 'delete'),
  ];
  assert.deepEqual(compareScope(scope, changes, [], 'plan.md'), {
    outside: [],
    forbidden: [],
    untouched: [],
    table: [
      { path: 'src/cache.ts', planned: 'modify', actual: 'modify' },
      { path: 'src/from.ts', planned: 'move', actual: 'move to src/to.ts' },
      { path: 'src/old.ts', planned: 'delete', actual: 'delete' },
      { path: 'src/to.ts', planned: 'move', actual: 'move from src/from.ts' },
      { path: 'test/cache.test.ts', planned: 'create', actual: 'create, executable' },
    ],
  });
});

test('both ends of a move have to be planned', () => {
  const changes = [change('lib/new.ts', 'move', { from: 'src/cache.ts' })];
  assert.deepEqual(compareScope(scope.slice(0, 1), changes, [], 'plan.md'), {
    outside: [
      { path: 'src/cache.ts', change: 'move to lib/new.ts' },
      { path: 'lib/new.ts', change: 'move from src/cache.ts' },
    ],
    forbidden: [],
    untouched: [],
    table: [
      { path: 'lib/new.ts', planned: null, actual: 'move from src/cache.ts' },
      { path: 'src/cache.ts', planned: 'modify', actual: 'move to lib/new.ts' },
    ],
  });
});

test('what is planned and was not done is told, and what a pattern allows is shown as allowed', () => {
  assert.deepEqual(
    compareScope(scope.slice(0, 1), [change('package-lock.json', 'modify')], ['*-lock.json'], 'plan.md'),
    {
      outside: [],
      forbidden: [],
      untouched: [{ path: 'src/cache.ts', change: 'modify' }],
      table: [
        { path: 'package-lock.json', planned: 'allowed', actual: 'modify' },
        { path: 'src/cache.ts', planned: 'modify', actual: null },
      ],
    },
  );
});

test('a protected path and a link that are not planned are forbidden, where other changes are only outside', () => {
  const changes = [
    change('AGENTS.md', 'modify'),
    change('src/link.ts', 'create', { mode: '120000' }),
    change('lib/a.ts', 'modify'),
  ];
  const { outside, forbidden } = compareScope([], changes, ['src/**'], 'plan.md');
  assert.deepEqual(forbidden, [
    { path: 'AGENTS.md', change: 'modify' },
    { path: 'src/link.ts', change: 'create, symbolic link' },
  ]);
  assert.deepEqual(outside, [...forbidden, { path: 'lib/a.ts', change: 'modify' }]);
});

test('a change of the mode alone is a change', () => {
  assert.deepEqual(compareScope([], [change('run.sh', 'modify', { mode: '100755' })], [], 'plan.md').outside, [
    { path: 'run.sh', change: 'modify, executable' },
  ]);
});

for (const [mode, what] of [
  ['120000', 'symbolic link'],
  ['160000', 'nested repository'],
] as const) {
  test(`a ${what} is outside of every scope`, () => {
    const changes = [change('src/cache.ts', 'modify', { mode })];
    assert.deepEqual(compareScope(scope, changes, ['**'], 'plan.md').outside, [
      { path: 'src/cache.ts', change: `modify, ${what}` },
    ]);
  });
}
