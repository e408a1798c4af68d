import assert from 'node:assert/strict';
import { test } from 'node:test';
import { implementedBody, planBody, pullRequestTitle } from '../../src/github/pull-request-text.ts';
import type { Comment, Facts, Person } from '../../src/lifecycle/facts.ts';

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
  const body = planBody(facts, 40, null);
  assert.equal(
    body,
    [
      'This pull request holds a plan for #42, and nothing else: the plan file.',
      'It was written from the text of the issue by `ghost`.',
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

const ada: Person = { id: 1, login: 'ada', kind: 'user', isThisApp: false };
const rea: Person = { id: 2, login: 'rea', kind: 'user', isThisApp: false };

function said(id: number, author: Person | null, change: Partial<Comment> = {}): Comment {
  const at = '2026-01-01T00:00:00Z';
  const made = { id, nodeId: `IC_${id}`, author, body: 'Yes.', createdAt: at, editedAt: null };
  return { ...made, reactionsByThisApp: [], marker: null, ...change };
}

test("S27: a plan's pull request says whose words it was written from, and how many comments were not used", () => {
  const comments = [
    said(1, ada),
    said(2, rea),
    said(3, null),
    said(4, { ...rea, id: 3 }),
    said(5, ada, { editedAt: '2026-01-01T01:00:00Z' }),
    said(6, ada),
  ];
  const issue = { ...facts.issue, author: rea, comments };
  const request = { cause: 'LE_1', by: ada, at: '2026-01-01T01:00:00Z', text: null };
  const body = planBody({ ...facts, issue, permissions: { 1: 'write' } }, null, request);
  assert.equal(
    body.split('\n\n')[1],
    'It was written from the text of the issue by `rea` and 3 comments by `ada`, `rea`. Not used: 1 comment by people without write access; 1 comment by people whose permission was not read; 1 comment that changed after the plan was asked for.',
  );
});

test("S27: a plan's pull request names the instruction files it goes by and counts what was hidden in the words it was written from", () => {
  const comments = [said(1, ada, { body: 'Y\u200b\u2060es. <!-- and more -->' })];
  const body = 'One\u{e0041}\u{e0042}, [two](u "three") \u{1f469}\u200d\u{1f680}.';
  const issue = { ...facts.issue, title: 'A\u200btitle', body, author: ada, comments };
  const request = { cause: 'LE_1', by: ada, at: '2026-01-01T01:00:00Z', text: null };
  const files = ['AGENTS.md', 'src/`x`/CLAUDE.md'];
  assert.equal(
    planBody({ ...facts, issue, permissions: { 1: 'write' } }, null, request, { instructions: files }).split('\n\n')[1],
    'It was written from the text of the issue by `ada` and 1 comment by `ada`. Instructions of the repository that it goes by: `AGENTS.md`, ``src/`x`/CLAUDE.md``. Taken out: 5 passages that nobody sees.',
  );
});

test('S46: a plan that was to be written with a shell says that none was there, why, and what to do', () => {
  assert.equal(
    planBody(facts, null, null, { missingShell: 'not installed: bwrap\n@ada' }).split('\n\n')[2],
    '`plan.shell` is on, but no command was run for this plan, as the sandbox of the host cannot be relied on: not installed: bwrap `@ada`. ' +
      'Nothing that it says of how the code behaves was tried out. ' +
      'Whoever runs this app finds the same at `/readyz`; once it is mended, `/replan` writes the plan anew with a shell.',
  );
});

const titles = [
  ['Fixes #1', 'Fixes # 1'],
  ['closes GH-12 and gh-3', 'closes GH 12 and gh 3'],
  ['resolve acme/shop#7, thanks @bob', 'resolve acme/shop# 7, thanks @ bob'],
  ['ask @acme/core', 'ask @ acme/core'],
  ['Fixes https://github.com/acme/shop/issues/7', 'Fixes https://github.com/acme/shop/issues/ 7'],
  ['fixes#1@bob', 'fixes#1@bob'],
  ['Faster [skip ci] and [CI-skip] [no ci] ***NO_CI***', 'Faster [ skip ci] and [ CI-skip] [ no ci] NO_CI***'],
  ['[ci] Skip the cache [now]', '[ci] Skip the cache [now]'],
  ['Fixes #42: the own issue', 'Fixes # 42: the own issue'],
  ['Mail to a@example.com about C# and # 1', 'Mail to a@example.com about C# and # 1'],
] as const;

for (const [title, inert] of titles) {
  test(`a title closes nothing, calls nobody and skips no checks where it becomes a commit message: ${title}`, () => {
    const clean = pullRequestTitle({ title, number: 42 }, true);
    assert.equal(clean, inert);
    assert.equal(pullRequestTitle({ title: clean, number: 42 }, true), clean, 'done twice it changes nothing more');
  });
}

test('a title that is made longer by this stays within 256 characters', () => {
  assert.equal([...pullRequestTitle({ title: '#1 '.repeat(100), number: 42 }, false)].length, 256);
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
      { path: 'f|`@bob.ts', planned: null, actual: 'move from a|b <img> fixes #1, executable' },
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
        '| ``f\\|`@bob.ts`` | – | `move from a\\|b <img> fixes #1, executable` | not in the plan |',
      ].join('\n'),
      '## Verification\n\n- `npm test` passed: exit code 0\n- `npm run lint` **failed**: exit code 1\n- `make` **did not run**: no sandbox on this host',
      'Commands run in a sandbox or not at all. What did not run shows nothing: run it yourself before you approve the code, or have whoever runs this app mend the sandbox, whose state is at `/readyz`, and request changes.',
      '## Deviations\n\n- Fixes `#7` as well.',
    ].join('\n\n'),
  );
});
