import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintPlan } from '../../src/plan/lint.ts';
import { emptyPlan } from '../../src/plan/plan-file.ts';
import { treeOf } from './base-tree.ts';
import { sampleBase, sampleFiles, samplePlan } from './sample-plan.ts';

const context = { issue: 42, base: sampleBase, planPath: 'plan.md', ...treeOf(sampleFiles) };

const cases: readonly { readonly rule: string; readonly text: string; readonly findings: readonly string[] }[] = [
  { rule: 'a whole plan has no finding', text: samplePlan, findings: [] },
  {
    rule: 'a plan for another issue and another base is told both',
    text: samplePlan.replace('issue: 42', 'issue: 7').replace(sampleBase, 'abcdef1'),
    findings: [
      'front matter, issue: expected 42, got 7; write 42',
      `front matter, base: expected ${sampleBase}, got abcdef1; write ${sampleBase}`,
    ],
  },
  {
    rule: 'the placeholder is no plan',
    text: emptyPlan(42, sampleBase),
    findings: ['the plan is empty; write it before you leave plan mode'],
  },
  {
    rule: 'a front matter that cannot be read is told alone',
    text: samplePlan.replace('issue: 42', 'issue: none').replace('## Context', '## Something'),
    findings: ['line 2, issue: expected a number, got "none"'],
  },
  {
    rule: 'a missing title, a missing, a doubled and an empty section are told',
    text: samplePlan
      .replace('# Keep the cache bounded\n', '')
      .replace('## Approach', '## Method')
      .replace('None.\n', '\n## Context\n\nAgain.\n'),
    findings: [
      'title: missing; add a "# <title>" line above the sections',
      'line 37, section "## Context": is there twice; keep one',
      'section "## Approach": missing; add it',
      'line 34, section "## Risks and open questions": empty; write it, or say why there is nothing',
    ],
  },
  {
    rule: 'steps that are no numbered list are told',
    text: samplePlan.replace('1. Bound', '- Bound').replace('2. **Cover**', '- **Cover**'),
    findings: ['section "## Steps": expected a numbered list, got none; write each step as "1. …"'],
  },
  {
    rule: 'a file to modify that is not there, and one to create that is, are told',
    text: samplePlan
      .replace('src/cache.ts, change: modify', 'src/main.ts, change: create')
      .replace('test/cache.test.ts, change: create', 'src/gone.ts, change: delete')
      .replace('`src/cache.ts:12`', '`src/main.ts`')
      .replace('`cache.test.ts`', '`src/gone.ts`'),
    findings: [
      'front matter, files, src/main.ts: is there already at the base; mark it modify',
      'front matter, files, src/gone.ts: is not there at the base; correct the path, or mark it create',
    ],
  },
  {
    rule: 'a move names its old path and its new one',
    text: samplePlan.replace('change: modify', 'change: move').replace('change: create', 'change: move'),
    findings: [],
  },
  {
    rule: 'a move with one end is told',
    text: samplePlan.replace('change: modify', 'change: move'),
    findings: [
      'front matter, files: 1 old and 0 new paths are marked move; name each moved file with its old path and its new one',
    ],
  },
  {
    rule: 'a plan that lists itself is told',
    text: samplePlan.replace('path: test/cache.test.ts', 'path: plan.md').replace('`cache.test.ts`', '`plan.md`'),
    findings: ['front matter, files, plan.md: this is the plan itself; take it out'],
  },
  {
    rule: 'a workflow cannot be planned, another protected path only on purpose',
    text: samplePlan
      .replace('path: test/cache.test.ts', 'path: .github/workflows/ci.yml')
      .replace('`cache.test.ts`', '`.github/workflows/ci.yml` and `AGENTS.md`')
      .replace('verify:', '  - { path: AGENTS.md, change: create }\nverify:'),
    findings: [
      'front matter, files, .github/workflows/ci.yml: is a workflow, which this app may not push; leave it to a person and say so under "## Risks and open questions"',
      'front matter, files, AGENTS.md: is a protected path; take it out unless the issue asks for exactly this, and say so under "## Risks and open questions"',
    ],
  },
  {
    rule: 'a cited path that is neither at the base nor planned is told once, with its line',
    text: samplePlan.replace('`src/main.ts`', '`src/clock.ts`, `src/clock.ts`, `plan.md` and `package.json`'),
    findings: [
      'line 29, section "## Existing code to reuse": `src/clock.ts` is not there at the base; correct the path, or name it in the front matter as create',
    ],
  },
  {
    rule: 'commands, symbols, folders, patterns, addresses and products in backticks are no paths',
    text: samplePlan.replace(
      'None.',
      '`npm run x.ts`, `cache.get`, `res.json`, `src/`, `src/**/*.ts`, `https://x.dev/a.ts`, `x.dev/a.ts`, `Node.js`, `@scope/a.ts`, `and/or`, `../a.ts`, `v1.2`.',
    ),
    findings: [],
  },
  {
    rule: 'a planned file that no step names, and a step that names no planned file, are told',
    text: samplePlan.replace('`cache.test.ts`', 'a test'),
    findings: [
      'front matter, files, test/cache.test.ts: no step names it; name it in backticks in the step that changes it',
      'line 25, step "Cover the bound in a test.": names no file of the front matter; name in backticks what it changes, or merge it into another step',
    ],
  },
  {
    rule: 'a planned file without an ending is cited by its name',
    text: samplePlan.replace('path: src/cache.ts', 'path: Makefile').replace('`src/cache.ts:12`', '`Makefile`'),
    findings: [],
  },
  {
    rule: 'a plan without verification is told',
    text: samplePlan.replace('verify:\n  - npm test', 'verify: []'),
    findings: [
      'front matter, verify: empty; name the commands that show that the work is done, or write "No command verifies this, because …" under "## Verification"',
    ],
  },
  {
    rule: 'a stated reason stands in for a verification',
    text: samplePlan
      .replace('verify:\n  - npm test', 'verify: []')
      .replace('`npm test` runs', 'No command verifies this, because nothing runs'),
    findings: [],
  },
];

for (const { rule, text, findings } of cases) {
  test(rule, () => {
    assert.deepEqual(lintPlan(text, context), findings);
  });
}

test('a plan without files is told', () => {
  const text = samplePlan.replace(/files:\n.*\n.*\n/, 'files: []\n');
  assert.deepEqual(lintPlan(text, context).slice(0, 1), [
    'front matter, files: empty; name every file that the work changes',
  ]);
});
