import assert from 'node:assert/strict';
import { test } from 'node:test';
import { implementedBody, planBody, pullRequestTitle } from '../../src/github/pull-request-text.ts';
import type { Facts } from '../../src/lifecycle/facts.ts';

const facts: Facts = {
  repository: {
    id: 7,
    nodeId: 'R_7',
    owner: 'ann',
    name: 'shop',
    isArchived: false,
    defaultBranch: null,
    statusLabels: {},
  },
  policy: { problems: [] },
  issue: {
    id: 1,
    nodeId: 'I_1',
    number: 42,
    url: '',
    title: 'Cache',
    body: '',
    author: null,
    state: 'open',
    isLocked: false,
    labels: [],
    labelEvents: [],
    edits: [],
    comments: [],
    reactionsByThisApp: [],
  },
  branches: [],
  pullRequests: [],
  permissions: {},
  memberships: {},
  app: { version: '0.1.0' },
};

test("a title is the issue's own words on one line, within 256 characters", () => {
  assert.equal(pullRequestTitle({ title: 'Fix "it"\r\n now', number: 42 }, true), 'Fix "it" now');
  assert.equal(pullRequestTitle({ title: 'Fix it', number: 42 }, false), '[Plan] Fix it');
  assert.equal([...pullRequestTitle({ title: '👩'.repeat(300), number: 42 }, false)].length, 256);
  assert.equal(pullRequestTitle({ title: ' \u0000 ', number: 42 }, true), 'Issue 42');
});

test("a plan's pull request says how to review it, and closes nothing", () => {
  const body = planBody(facts, 40);
  assert.equal(
    body,
    [
      'This pull request holds a plan for #42, and nothing else: the plan file.',
      [
        '- **Comment on its lines** and request changes: the plan is revised, and each comment gets an answer.',
        '- **Approve** to have it implemented here. The approval is for exactly this plan; a changed plan needs a new one.',
        '- **Close** this pull request to give the plan up.',
      ].join('\n'),
      'Approving the plan does not approve code. The check `planwright/code` stands until a writer has approved a commit that holds code.',
      'The attempt before this one is #40.',
    ].join('\n\n'),
  );
  assert.doesNotMatch(body, /(close[sd]?|fix(e[sd])?|resolve[sd]?):? +#/i);
});

test('the finished work closes the issue and shows planned against actual, steps, verifications and deviations', () => {
  const report = {
    steps: [
      { title: 'Clear it, @bob', commit: 'c'.repeat(40), files: ['src/a.ts', 'b|c.ts'] },
      { title: 'Nothing', commit: null, files: [] },
    ],
    files: [
      { path: 'src/a.ts', planned: 'modify', actual: 'modify' },
      { path: 'b|c.ts', planned: null, actual: 'create' },
      { path: 'd.ts', planned: 'delete', actual: null },
      { path: 'e.ts', planned: 'modify', actual: 'delete' },
    ],
    verifications: [
      { command: 'npm test', result: 'passed', detail: 'exit code 0' },
      { command: 'npm run lint', result: 'failed', detail: 'exit code 1' },
      { command: 'make', result: 'not_run', detail: 'no sandbox on this host' },
    ],
    deviations: ['Fixes #7 as well.'],
  } as const;
  assert.equal(
    implementedBody(facts, report, { ownIssue: 42 }),
    [
      'Closes #42',
      'The approved plan is implemented. The approval was for the plan: the code needs a review of its own.',
      `## Steps\n\n1. Clear it, \`@bob\` (${'c'.repeat(40)}: \`src/a.ts\`, \`b|c.ts\`)\n2. Nothing (no change)`,
      [
        '## Planned and actual changes\n',
        '| file | planned | actual | |',
        '|---|---|---|---|',
        '| `src/a.ts` | modify | modify | as planned |',
        '| `b\\|c.ts` | – | create | not in the plan |',
        '| `d.ts` | delete | – | not changed |',
        '| `e.ts` | modify | delete | differs |',
      ].join('\n'),
      '## Verification\n\n- `npm test` passed: exit code 0\n- `npm run lint` **failed**: exit code 1\n- `make` **did not run**: no sandbox on this host',
      '## Deviations\n\n- Fixes `#7` as well.',
    ].join('\n\n'),
  );
});
