import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildConformance } from '../../src/plan/conformance.ts';

test('the report sets steps, files, checks and deviations against the plan', () => {
  const verifications = [{ command: 'npm test', result: 'passed', detail: 'exit code 0' }] as const;
  assert.deepEqual(
    buildConformance({
      plan: {
        files: [
          { path: 'src/cache.ts', change: 'modify' },
          { path: 'test/cache.test.ts', change: 'create' },
        ],
        steps: [{ title: 'Bound the map in src/cache.ts.' }, { title: 'Cover the bound' }, { title: 'Tidy up' }],
      },
      planPath: 'plan.md',
      commits: [
        { title: '1. Bound the map in `src/cache.ts`', commit: 'c1', files: ['src/cache.ts'] },
        { title: 'Mend the build', commit: 'c2', files: ['build.js'] },
        { title: 'step 3: tidy  up', commit: null, files: [] },
        { title: 'Nothing at all', commit: null, files: [] },
      ],
      changes: [
        { path: 'src/cache.ts', change: 'modify', from: null, mode: '100644' },
        { path: 'build.js', change: 'modify', from: null, mode: '100644' },
        { path: 'plan.md', change: 'delete', from: null, mode: '000000' },
      ],
      allow: [],
      verifications,
      amendments: ['The build is broken.'],
      refusedHosts: [],
      deviations: ['The build had to be mended.'],
    }),
    {
      steps: [
        { title: 'Bound the map in src/cache.ts.', commit: 'c1', files: ['src/cache.ts'] },
        { title: 'Cover the bound', commit: null, files: [] },
        { title: 'Tidy up', commit: null, files: [] },
        { title: 'Mend the build', commit: 'c2', files: ['build.js'] },
      ],
      files: [
        { path: 'build.js', planned: null, actual: 'modify' },
        { path: 'src/cache.ts', planned: 'modify', actual: 'modify' },
        { path: 'test/cache.test.ts', planned: 'create', actual: null },
      ],
      verifications,
      deviations: [
        'The plan was amended: The build is broken.',
        'The build had to be mended.',
        "`build.js` is not in the plan's scope (modify).",
        '`test/cache.test.ts` is in the plan (create) and was not changed.',
      ],
    },
  );
});

test('a step that took two commits is shown with both', () => {
  const commits = [
    { title: 'Do it', commit: 'c1', files: ['a'] },
    { title: 'Do it', commit: 'c2', files: ['b'] },
  ];
  const report = buildConformance({
    plan: { files: [], steps: [{ title: 'Do it' }] },
    planPath: 'plan.md',
    commits,
    changes: [],
    allow: [],
    verifications: [],
    amendments: [],
    refusedHosts: [],
    deviations: [],
  });
  assert.deepEqual(report.steps, commits);
});
