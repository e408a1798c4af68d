import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintPlan } from '../../src/plan/lint.ts';
import { treeOf } from './base-tree.ts';
import { sampleBase, sampleFiles, samplePlan } from './sample-plan.ts';

const context = { issue: 42, base: sampleBase, planPath: 'plan.md', ...treeOf(sampleFiles) };

/** The findings on a plan whose context, or another section, says this. */
function findingsOn(sentence: string, place = 'Requests fill it.'): readonly string[] {
  return lintPlan(samplePlan.replace(place, sentence), context);
}

const inStep = 'Keep its interface.';
const inReuse = '`createClock` of `src/main.ts`.';
const where = 'line 15, section "## Context":';

for (const sentence of [
  '`src/cache.ts:1`, `src/cache.ts:13`, `src/cache.ts:3-13`, `src/cache.ts#L1`, `src/cache.ts#L2-L13` and `src/cache.ts:2:40`.',
  '`src/cache.ts:Cache`, `src/cache.ts:Cache.evict`, `src/cache.ts:evict()`, `src/cache.ts::Cache::evict` and `src/cache.ts#Cache`.',
  '`src/cache.ts:cache.evict`, `src/cache.ts:lib::cache::Cache::evict` and `package.json:scripts.test`.',
  '`evict` of `src/cache.ts`, `createClock` in `./src/main.ts`, `src/main.ts` (`createClock`).',
  '`README.md#install` is an anchor, and `cache.get` and `Cache.evict` name no file.'.replace(
    'README.md',
    'src/main.ts',
  ),
  '`vitest` runs `src/cache.ts`, and `null` is what `src/main.ts` gives.',
  'Lines of the new file, `test/cache.test.ts:3`, and names in it, `test/cache.test.ts:bounded`, cannot be held against anything.',
]) {
  test(`what is there at the base, or cannot be told, has no finding: ${sentence}`, () => {
    const text = sentence.replace('`src/main.ts#install`', '`CHANGES.md#install`');
    const tree = treeOf({ ...sampleFiles, 'CHANGES.md': '' });
    assert.deepEqual(lintPlan(samplePlan.replace('Requests fill it.', text), { ...context, ...tree }), []);
  });
}

const outside = 'is outside of the file, which has 13 lines at the base; read it again and correct the lines';

for (const [cited, told] of [
  ['src/cache.ts:14', `\`src/cache.ts:14\` ${outside}`],
  ['src/cache.ts:0', `\`src/cache.ts:0\` ${outside}`],
  ['src/cache.ts:10-14', `\`src/cache.ts:10-14\` ${outside}`],
  ['src/cache.ts#L10-L14', `\`src/cache.ts:10-14\` ${outside}`],
  ['src/cache.ts:9-3', '`src/cache.ts:9-3` ends before it begins; write the first line first'],
  ['src/main.ts:2', `\`src/main.ts:2\` ${outside.replace('13 lines', '1 line')}`],
  [
    'src/cahce.ts:Cache',
    '`src/cahce.ts` is not there at the base; did you mean `src/cache.ts`? Correct the path, or name it in the front matter as create',
  ],
  [
    'lib/main.ts:3',
    '`lib/main.ts` is not there at the base; did you mean `src/main.ts`? Correct the path, or name it in the front matter as create',
  ],
] as const) {
  test(`a citation that is not there at the base is told with its line and what to do: ${cited}`, () => {
    assert.deepEqual(findingsOn(`See \`${cited}\`.`), [`${where} ${told}`]);
  });
}

for (const [cited, told] of [
  [
    '`src/cache.ts:evcit`',
    '`src/cache.ts:evcit` names `evcit`, which is not in that file at the base; did you mean `evict`? Correct the name',
  ],
  [
    '`src/cache.ts:Cash.evict`',
    '`src/cache.ts:Cash.evict` names `Cash`, which is not in that file at the base; correct the name',
  ],
  [
    '`src/cache.ts:Cache.forget()`',
    '`src/cache.ts:Cache.forget()` names `forget`, which is not in that file at the base; correct the name',
  ],
  ['`src/cache.ts:evi`', '`src/cache.ts:evi` names `evi`, which is not in that file at the base; correct the name'],
  [
    '`forget` of `src/cache.ts`',
    '`src/cache.ts:forget` names `forget`, which is not in that file at the base; correct the name',
  ],
  [
    '`src/cache.ts` (`forget`)',
    '`src/cache.ts:forget` names `forget`, which is not in that file at the base; correct the name',
  ],
] as const) {
  test(`a symbol that is no whole word of its file is told, with the nearest one: ${cited}`, () => {
    const or = ', or say in the step that creates it that it is new';
    assert.deepEqual(findingsOn(`See ${cited}.`), [`${where} ${told}${or}`]);
  });
}

for (const step of [
  'Add `src/cache.ts:evictOldest`.',
  'Call the new `evictOldest()` in `src/cache.ts`.',
  'Extract the loop into `src/cache.ts:Cache.evictOldest`.',
  'Rename `evict` to `src/cache.ts:evictOldest`.',
  'Call `evictOldest` in `src/cache.ts`.',
]) {
  test(`a symbol that the plan introduces need not be there: ${step}`, () => {
    assert.deepEqual(findingsOn(step, inStep), []);
  });
}

test('a symbol that one step introduces may be cited everywhere but as existing code', () => {
  const plan = samplePlan
    .replace(inStep, 'Add `evictOldest` to `src/cache.ts`.')
    .replace('Requests fill it.', 'Later `src/cache.ts:evictOldest` bounds it.');
  assert.deepEqual(lintPlan(plan, context), []);
  assert.deepEqual(lintPlan(plan.replace(inReuse, '`evictOldest` of `src/cache.ts`.'), context), [
    'line 29, section "## Existing code to reuse": `src/cache.ts:evictOldest` names `evictOldest`, which is not in that file at the base; correct the name, or take it out: only what is there can be reused',
  ]);
});

test('a step that changes a symbol which is not there is told', () => {
  assert.deepEqual(findingsOn('Change the method `evit` of `src/cache.ts`.', inStep), [
    'line 24, section "## Steps": `src/cache.ts:evit` names `evit`, which is not in that file at the base; did you mean `evict`? Correct the name, or say in the step that creates it that it is new',
  ]);
});

test('a citation is told once, and a path that is not there once for all that is cited in it', () => {
  assert.deepEqual(findingsOn('`src/cache.ts:99`, `src/cache.ts:99`, `src/x.ts:1`, `src/x.ts:2`, `src/x.ts:foo`.'), [
    `${where} \`src/cache.ts:99\` ${outside}`,
    `${where} \`src/x.ts\` is not there at the base; correct the path, or name it in the front matter as create`,
  ]);
});

test('a plan of nothing but citations is held against large files at once', () => {
  const large = `${'some words of a large file\n'.repeat(20_000)}`;
  const files = { ...sampleFiles, 'src/large.ts': large };
  const cited = Array.from({ length: 800 }, (_, index) => `\`src/large.ts:a${index}\`, \`x${index}/a.ts\`\n`).join('');
  const begin = performance.now();
  const findings = lintPlan(samplePlan.replace('Requests fill it.', cited), { ...context, ...treeOf(files) });
  assert.ok(performance.now() - begin < 5000, 'within seconds');
  assert.ok(findings.length > 500);
});

test('a plan of nothing but names on long lines is read at once', () => {
  const begin = performance.now();
  const line = `${'fix `a` of `src/main.ts`, '.repeat(150)}\n`;
  lintPlan(samplePlan.replace('None.', line.repeat(15)), context);
  assert.ok(performance.now() - begin < 5000, 'within seconds');
});
