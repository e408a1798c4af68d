import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintPlan } from '../../src/plan/lint.ts';
import { treeOf } from './base-tree.ts';
import { sampleBase, sampleFiles, samplePlan } from './sample-plan.ts';

const files = {
  ...sampleFiles,
  'scripts/check.sh': '',
  'web/package.json': '{}',
  'web/a.js': '',
  'test/old.test.js': '',
};
const context = { issue: 42, base: sampleBase, planPath: 'plan.md', ...treeOf(files) };

function findingsOn(commands: readonly string[], tree: Readonly<Record<string, string>> = files): readonly string[] {
  const text = samplePlan.replace('  - npm test\n', commands.map((each) => `  - ${JSON.stringify(each)}\n`).join(''));
  return lintPlan(text, { ...context, ...treeOf(tree) });
}

test('a verification that can be run, or of which nothing can be told, has no finding', () => {
  const commands = [
    'npm test -- --grep "a b"',
    'npm run check:all && make test',
    'CI=1 npm run -s anything',
    'npm --prefix web run anything',
    'yarn run jest',
    'pnpm build',
    './scripts/check.sh',
    'cd web && node a.js',
    'node --test test/cache.test.ts',
    "node -e 'unlikely.js'",
    "cargo test # it's enough",
    'bash -c "scripts/gone.sh"',
    'go test ./...',
    'grep -rn TODO src | wc -l',
    'grep "<div>" src/main.ts',
    'echo "$(cat \'it"s\')"',
    'npm run build:dist; node dist/index.js'.replace('build:dist', 'check:all'),
    '(cd web && node a.js) && (cd web && node a.js)',
    'node_modules/.bin/tsc',
  ];
  assert.deepEqual(findingsOn(commands), []);
});

const or = 'or plan a change of that file';
const orCreate = 'or plan to create it';

for (const [command, told] of [
  [
    'npm run check:al',
    `package.json has no script "check:al" at the base; did you mean "check:all"? Correct it, ${or}`,
  ],
  [
    'cd web && npm test',
    `web/package.json has no script "test" at the base; its scripts are: none; use one of them, ${or}`,
  ],
  [
    'yarn run lint',
    `package.json has no script "lint" at the base; its scripts are: test, check:all; use one of them, ${or}`,
  ],
  [
    'cd lib && pnpm test',
    'expected lib/package.json at the base or among the planned files, got none; name a command that runs here',
  ],
  [
    'cd web && make all',
    'expected web/Makefile at the base or among the planned files, got none; name a command that runs here',
  ],
  [
    './scripts/chekc.sh',
    `expected scripts/chekc.sh at the base or among the planned files, got none; did you mean scripts/check.sh? Correct the path, ${orCreate}`,
  ],
  [
    'node --test test/cache.tset.ts',
    `expected test/cache.tset.ts at the base or among the planned files, got none; correct the path, ${orCreate}`,
  ],
  [
    'python3 tools/run.py',
    `expected tools/run.py at the base or among the planned files, got none; correct the path, ${orCreate}`,
  ],
  ['echo "done', 'cannot be read by a shell: a " that is never closed; mend it'],
  ["echo it's", "cannot be read by a shell: a ' that is never closed; mend it"],
  ['npm test &&', 'cannot be read by a shell: nothing behind "&&"; mend it'],
  ['(npm test', 'cannot be read by a shell: a bracket without its other one; mend it'],
  ['<command that shows that it works>', 'holds a placeholder; write the command as it is to be run'],
  ['npm test -- <file>', 'holds a placeholder; write the command as it is to be run'],
  ['TODO', 'holds a placeholder; write the command as it is to be run'],
  ['…', 'holds a placeholder; write the command as it is to be run'],
] as const) {
  test(`a verification that cannot run is told: ${command}`, () => {
    assert.deepEqual(findingsOn([command]), [
      `front matter, verify, ${JSON.stringify(command).replaceAll('\\"', '"')}: ${told}`,
    ]);
  });
}

test('a repository without a package.json has no npm scripts', () => {
  assert.deepEqual(
    findingsOn(['npm test'], { 'src/cache.ts': files['src/cache.ts'], 'src/main.ts': files['src/main.ts'] }),
    [
      'front matter, verify, "npm test": expected package.json at the base or among the planned files, got none; name a command that runs here',
    ],
  );
});

test('a script is not held against a package.json that the plan changes or that cannot be read', () => {
  const planned = samplePlan
    .replace('- npm test', '- npm run new')
    .replace('path: test/cache.test.ts, change: create', 'path: package.json, change: modify')
    .replace('`cache.test.ts`', '`package.json`');
  assert.deepEqual(lintPlan(planned, context), []);
  for (const broken of ['{', '[]', 'null', '7']) {
    assert.deepEqual(
      findingsOn(['npm run new'], { ...files, 'package.json': broken }).filter(
        (each) => !each.includes('its scripts are: none'),
      ),
      [],
    );
  }
});

test('a verification that runs a file which the plan deletes, and one that is there twice, are told', () => {
  const plan = samplePlan
    .replace('- npm test', '- node test/old.test.js\n  - make test\n  - make test')
    .replace('path: test/cache.test.ts, change: create', 'path: test/old.test.js, change: delete')
    .replace('`cache.test.ts`', '`old.test.js`');
  assert.deepEqual(lintPlan(plan, context), [
    'front matter, verify, "make test": is there twice; keep one',
    'front matter, verify, "node test/old.test.js": runs test/old.test.js, which the plan deletes; name a command that still runs then',
  ]);
});
