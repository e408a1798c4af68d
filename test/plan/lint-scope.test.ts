import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintPlan } from '../../src/plan/lint.ts';
import { treeOf } from './base-tree.ts';
import { sampleBase, sampleFiles, samplePlan } from './sample-plan.ts';

const tree = treeOf({ ...sampleFiles, 'docs/guide/start.md': '', 'README.md': '' });
const context = { issue: 42, base: sampleBase, planPath: 'plan.md', ...tree };

/** What the front matter is told where it names these files beside `src/cache.ts`. */
function findingsOn(...files: readonly (readonly [string, string])[]): readonly string[] {
  const entries = files.map(([path, change]) => `  - { path: ${path}, change: ${change} }\n`).join('');
  const named = files.map(([path]) => `\`${path}\``).join(',\n   ');
  const text = samplePlan
    .replace('  - { path: test/cache.test.ts, change: create }\n', entries)
    .replace('`cache.test.ts`', named);
  return lintPlan(text, context).filter((finding) => finding.startsWith('front matter, files'));
}

for (const [rule, files, told] of [
  [
    'a misspelt file is told with the one that was probably meant',
    [['src/mian.ts', 'modify']],
    'src/mian.ts: is not there at the base; did you mean src/main.ts? Correct the path, or mark it create',
  ],
  [
    'a file to delete in a wrong folder is told with the only one of its name',
    [['lib/start.md', 'delete']],
    'lib/start.md: is not there at the base; did you mean docs/guide/start.md? Correct the path, or mark it create',
  ],
  [
    'a new file that differs from one at the base by case alone is told',
    [['src/Main.ts', 'create']],
    'src/Main.ts: differs from src/main.ts by upper and lower case alone; use the same path, or name it otherwise',
  ],
  [
    'a new file in a folder that differs by case alone is told',
    [['Docs/guide/start.md', 'create']],
    'Docs/guide/start.md: differs from docs/guide/start.md by upper and lower case alone; use the same path, or name it otherwise',
  ],
  [
    'a new file beneath a file of the base is told',
    [['README.md/more.md', 'create']],
    'README.md/more.md: would be beneath README.md, which is a file; name it otherwise',
  ],
  [
    'a new file beneath another new file is told',
    [
      ['lib/a.ts', 'create'],
      ['lib/a.ts/b.ts', 'create'],
    ],
    'lib/a.ts/b.ts: would be beneath lib/a.ts, which is a file; name it otherwise',
  ],
  [
    'a new file in the place of a folder is told',
    [['docs/guide', 'create']],
    'docs/guide: is a folder at the base; name a file in it',
  ],
] as const) {
  test(rule, () => {
    assert.deepEqual(findingsOn(...files), [`front matter, files, ${told}`]);
  });
}

test('two new files that differ by case alone are both told', () => {
  const one = 'differs from lib/B.ts by upper and lower case alone; use the same path, or name it otherwise';
  assert.deepEqual(findingsOn(['lib/b.ts', 'create'], ['lib/B.ts', 'create']), [
    `front matter, files, lib/b.ts: ${one}`,
    `front matter, files, lib/B.ts: ${one.replace('B.ts', 'b.ts')}`,
  ]);
});

test('a file may take the place, the name and the folder of one that goes', () => {
  assert.deepEqual(findingsOn(['README.md', 'delete'], ['readme.md', 'create'], ['README.md/a.md', 'create']), []);
  assert.deepEqual(findingsOn(['src/main.ts', 'move'], ['src/Main.ts', 'move']), []);
});

test('a plan of more files, steps or lines than people can review is told to plan a first part', () => {
  const files = Array.from({ length: 60 }, (_, index) => `  - { path: lib/f${index}.ts, change: create }\n`).join('');
  const steps = Array.from({ length: 39 }, (_, index) => `${index + 3}. Write \`lib/f${index}.ts\`.\n`).join('');
  const text = samplePlan
    .replace('  - { path: test/cache.test.ts, change: create }\n', files)
    .replace('2. **Cover** the bound in `cache.test.ts`.\n', `2. Write \`lib/f59.ts\`.\n${steps}`)
    .replace('None.', `None.\n${'So.\n'.repeat(1500)}`);
  const advice = 'plan a first part that stands on its own, and name the rest under "## Risks and open questions"';
  assert.deepEqual(
    lintPlan(text, context).filter((finding) => finding.includes('with care')),
    [
      `front matter, files: 61 files, more than the 60 that can be reviewed with care; ${advice}`,
      `section "## Steps": 41 steps, more than the 40 that can be reviewed with care; ${advice}`,
      `the plan: 1635 lines, more than the 1500 that can be reviewed with care; ${advice}`,
    ],
  );
});

test('a step that is there twice is told', () => {
  const text = samplePlan.replace('2. **Cover** the', '2. **Cover** the bound in `cache.test.ts`.\n3. **Cover** the');
  assert.deepEqual(lintPlan(text, context), [
    'line 26, step "Cover the bound in cache.test.ts.": is there twice; keep one',
  ]);
});

test('a plan of a thousand files that are not there is told at once', () => {
  const many = Array.from({ length: 900 }, (_, index) => [`deep/f${index}.ts`, 'modify'] as const);
  const begin = performance.now();
  assert.equal(findingsOn(...many).length, 901);
  assert.ok(performance.now() - begin < 3000, 'within seconds');
});
