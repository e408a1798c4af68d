import assert from 'node:assert/strict';
import { test } from 'node:test';
import published from '../../src/config/repository-config.schema.json' with { type: 'json' };
import {
  configurationKeys,
  parseRepositoryConfig,
  repositoryConfigJsonSchema,
  toPolicy,
} from '../../src/config/repository-config.ts';

const defaults = {
  trigger: { label: 'plan' },
  plan: { path: 'plan.md', keep: 'remove', shell: false },
  approval: {
    required: 1,
    code_owners: false,
    not_by_requester: false,
    stale: 'block',
    allow_empty_plan: false,
    require_resolved_threads: true,
  },
  scope: { mode: 'block', allow: [] },
  checks: [],
  permissions: { mode: 'auto', allow: [], ask: [], deny: [] },
  sandbox: { hosts: [] },
  budget: {
    max_turns: 80,
    max_tokens: 2_000_000,
    wall_time_minutes: 30,
    max_attempts: 3,
    thread: { max_tokens: 10_000_000 },
    day: { max_tokens: 50_000_000 },
  },
};

for (const [what, text] of [
  ['no file', null],
  ['an empty file', ''],
  ['a file of comments', '# later\n---\n'],
] as const) {
  test(`${what} means the defaults`, () => {
    assert.deepEqual(parseRepositoryConfig(text), { config: defaults });
  });
}

test('a pattern that would take minutes to match is a mistake', () => {
  assert.deepEqual(parseRepositoryConfig('scope:\n  allow: ["+(a|b)"]'), {
    problems: [
      'line 2, scope.allow.0: expected a glob pattern without "(", with at most 4 wildcards, 3 of them between two "/" and 2 of them "**", and braces of at most 16 combinations, got "+(a|b)"',
    ],
  });
});

test('what a repository sets is what its policy says', () => {
  const parsed = parseRepositoryConfig(`
trigger: { label: "needs: plan" }
plan: { path: docs/the-plan.md, keep: archive, shell: true }
approval:
  required: 2
  users: [ada, grace]
  teams: [acme/Core, acme/docs.team]
  code_owners: true
  not_by_requester: true
  stale: replan
  allow_empty_plan: true
  require_resolved_threads: false
scope: { mode: warn, allow: [package-lock.json, "docs/**"] }
checks: [npm run lint]
permissions: { mode: ask, allow: ["Bash(npm test:*)"], ask: [Write], deny: [Bash] }
sandbox: { hosts: [registry.example.com] }
budget:
  max_turns: 5
  max_tokens: 50000
  wall_time_minutes: 2
  max_dollars: 1.5
  max_attempts: 1
  thread: { max_turns: 50, max_dollars: 6 }
  day: { max_tokens: 2000000, wall_time_minutes: 60 }
`);
  assert.ok('config' in parsed, JSON.stringify(parsed));
  assert.deepEqual(toPolicy(parsed.config, 'docs/the-plan-42.md'), {
    triggerLabel: 'needs: plan',
    plan: { path: 'docs/the-plan-42.md', keep: 'archive', shell: true },
    approval: {
      required: 2,
      users: ['ada', 'grace'],
      teams: ['acme/core', 'acme/docs.team'],
      codeOwners: true,
      notByRequester: true,
      stale: 'replan',
      allowEmptyPlan: true,
      requireResolvedThreads: false,
    },
    scope: { mode: 'warn', allow: ['package-lock.json', 'docs/**'] },
    checks: ['npm run lint'],
    permissions: { mode: 'ask', allow: ['Bash(npm test:*)'], ask: ['Write'], deny: ['Bash'] },
    hosts: ['registry.example.com'],
    budget: {
      maxTurns: 5,
      maxTokens: 50_000,
      wallTimeMs: 120_000,
      maxDollars: 1.5,
      maxAttempts: 1,
      thread: { maxTurns: 50, maxTokens: 10_000_000, maxDollars: 6, wallTimeMs: null },
      day: { maxTurns: null, maxTokens: 2_000_000, maxDollars: null, wallTimeMs: 3_600_000 },
    },
  });
});

test('without a list of users and of teams every writer may approve', () => {
  const parsed = parseRepositoryConfig(null);
  assert.ok('config' in parsed);
  const { users, teams } = toPolicy(parsed.config, 'plan.md').approval;
  assert.deepEqual({ users, teams }, { users: null, teams: null });
});

test('fewer users than approvals are enough where members of teams or code owners can approve as well', () => {
  for (const others of ['teams: [acme/core]', 'code_owners: true']) {
    const parsed = parseRepositoryConfig(`approval: { required: 2, users: [ada], ${others} }`);
    assert.ok('config' in parsed, others);
  }
});

const mistakes: readonly { readonly what: string; readonly text: string; readonly problems: readonly string[] }[] = [
  {
    what: 'every mistake is named by line and key, in the order of the file',
    text: 'approval:\n  requird: 2\n  stale: ignore\nrequired: 1\nchecks: npm test\nbudget:\n  max_turns: 1.5\n  max_tokens: 1\nscope:\n',
    problems: [
      'line 2, approval.requird: unknown key; did you mean approval.required?',
      'line 3, approval.stale: expected one of warn, block, replan, got "ignore"',
      'line 4, required: unknown key; did you mean approval.required?',
      'line 5, checks: expected a list, got "npm test"',
      'line 7, budget.max_turns: expected a whole number, got 1.5',
      'line 8, budget.max_tokens: expected a number of at least 10000, got 1',
      'line 9, scope: expected "key: value" lines, got nothing',
    ],
  },
  {
    what: 'a key like no other is to be removed',
    text: 'auto_approve: true',
    problems: ['line 1, auto_approve: unknown key; remove it'],
  },
  {
    what: 'a key with its group before a dot is told how to be written',
    text: 'plan.path: a.md',
    problems: ['line 1, plan.path: unknown key; write each part of it on a line of its own, indented'],
  },
  {
    what: 'keys that mean something to JavaScript are unknown keys',
    text: '__proto__: { required: 0 }\nconstructor: 1',
    problems: ['line 1, __proto__: unknown key; remove it', 'line 2, constructor: unknown key; remove it'],
  },
  {
    what: 'a doubled key',
    text: 'approval:\n  required: 2\n  required: 1',
    problems: ['line 3, required: the key is there twice; keep one'],
  },
  { what: 'a list in place of keys', text: '- plan', problems: ['line 1: expected "key: value" lines, got a list'] },
  { what: 'text in place of keys', text: '\nplan', problems: ['line 2: expected "key: value" lines, got text'] },
  {
    what: 'broken YAML',
    text: 'plan:\n\tpath: a.md',
    problems: ['line 2: not valid YAML: Tabs are not allowed as indentation'],
  },
  {
    what: 'a second document',
    text: 'checks: []\n---\nchecks: []',
    problems: ['line 2: expected one YAML document, got a second one; remove the "---" line'],
  },
  {
    what: 'anchors',
    text: 'checks: &a [x]\nscope:\n  allow: *a',
    problems: ['line 1: anchors and aliases (&, *) are not read; write the value out'],
  },
  { what: 'a tag', text: 'checks: !run [x]', problems: ['line 1: not valid YAML: Unresolved tag: !run'] },
  {
    what: 'a number of approvals that nobody needs to give',
    text: 'approval: { required: 0 }',
    problems: ['line 1, approval.required: expected a number of at least 1, got 0'],
  },
  {
    what: 'fewer users than approvals, however they are spelled',
    text: 'approval:\n  required: 2\n  users: [Ada, ada]',
    problems: [
      'line 3, approval.users: expected as many users as approvals are required, or more, got a list of 2 entries',
    ],
  },
  {
    what: 'an empty list of users',
    text: 'approval:\n  users: []',
    problems: [
      'line 2, approval.users: expected at least 1 entry, got a list of 0 entries',
      'line 2, approval.users: expected as many users as approvals are required, or more, got a list of 0 entries',
    ],
  },
  {
    what: 'a team with an at sign, without its organization, or with a path',
    text: 'approval:\n  teams:\n    - "@acme/core"\n    - core\n    - acme/core/x\n',
    problems: [
      'line 3, approval.teams.0: expected a team as "organization/team-slug", without "@", got "@acme/core"',
      'line 4, approval.teams.1: expected a team as "organization/team-slug", without "@", got "core"',
      'line 5, approval.teams.2: expected a team as "organization/team-slug", without "@", got "acme/core/x"',
    ],
  },
  {
    what: 'an empty list of teams, and a word where yes or no is asked for',
    text: 'approval:\n  teams: []\n  code_owners: maybe\n',
    problems: [
      'line 2, approval.teams: expected at least 1 entry, got a list of 0 entries',
      'line 3, approval.code_owners: expected true or false, got "maybe"',
    ],
  },
  {
    what: 'a login with an at sign, a pattern with an exclamation mark, a blank command',
    text: 'approval:\n  users:\n    - "@ada"\nscope:\n  allow:\n    - "!src/**"\nchecks:\n  - " "',
    problems: [
      'line 3, approval.users.0: expected the login of a user, without "@", got "@ada"',
      'line 6, scope.allow.0: expected a glob pattern without leading "!" or "/" and without blanks, got "!src/**"',
      'line 8, checks.0: expected a command in one line, got " "',
    ],
  },
  {
    what: 'S34, S38: which model it is, where it is reached, what watches it, and whatever would run beside it are no keys',
    text: 'model: { id: claude-opus-5-5 }\nbase_url: "http://127.0.0.1:1"\nproxy: "http://127.0.0.1:1"\ndetector: scan\nhooks: []\nmcp_servers: {}\n',
    problems: [
      'line 1, model: unknown key; did you mean scope.mode?',
      'line 2, base_url: unknown key; remove it',
      'line 3, proxy: unknown key; remove it',
      'line 4, detector: unknown key; remove it',
      'line 5, hooks: unknown key; did you mean sandbox.hosts?',
      'line 6, mcp_servers: unknown key; remove it',
    ],
  },
  {
    what: 'plan mode is no mode of permissions',
    text: 'permissions:\n  mode: plan\n',
    problems: ['line 2, permissions.mode: expected one of auto, ask, got "plan"'],
  },
  {
    what: 'a label that the app sets itself',
    text: 'trigger:\n  label: "Plan: Done"',
    problems: ['line 2, trigger.label: expected a label that Planwright does not set itself, got "Plan: Done"'],
  },
  {
    what: 'a plan file outside of the repository, in a protected place, or that is no Markdown',
    text: 'plan:\n  path: ../plan.md',
    problems: [
      'line 2, plan.path: expected the path of one file from the root of the repository, e.g. src/cache.ts (no leading /, no ./ or .. parts, no pattern), got "../plan.md"',
    ],
  },
  {
    what: 'a plan file in a protected place',
    text: 'plan:\n  path: AGENTS.md',
    problems: ['line 2, plan.path: expected a Markdown file outside of the protected paths, got "AGENTS.md"'],
  },
  {
    what: 'a file far too large',
    text: `#${'x'.repeat(65_536)}`,
    problems: ['line 1: expected at most 65536 characters, got 65537; shorten the file'],
  },
];

for (const { what, text, problems } of mistakes) {
  test(`refused: ${what}`, () => {
    assert.deepEqual(parseRepositoryConfig(text), { problems });
  });
}

test('more mistakes than anyone reads are counted', () => {
  const parsed = parseRepositoryConfig(Array.from({ length: 30 }, (_, index) => `zzzzzz${index}: 1`).join('\n'));
  assert.ok('problems' in parsed);
  assert.equal(parsed.problems.length, 21);
  assert.equal(parsed.problems.at(-1), 'and 10 more');
});

test('the published schema of the configuration is the one that is applied', () => {
  assert.deepEqual(published, repositoryConfigJsonSchema());
});

const limits = ['max_turns', 'max_dollars', 'wall_time_minutes'];
const withoutDefault = [
  'approval.users',
  'approval.teams',
  'budget.max_dollars',
  ...['thread', 'day'].flatMap((group) => limits.map((limit) => `budget.${group}.${limit}`)),
];

function flat(prefix: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [[prefix, typeof value === 'string' ? value : JSON.stringify(value)]];
  }
  return Object.entries(value).flatMap(([name, member]) => flat(prefix === '' ? name : `${prefix}.${name}`, member));
}

test('every key has a meaning, and the default that an empty file gives', () => {
  const keys = configurationKeys();
  assert.deepEqual(
    keys.filter(({ key }) => !withoutDefault.includes(key)).map((entry) => [entry.key, entry.default]),
    flat('', defaults),
  );
  assert.deepEqual(
    keys.filter((entry) => entry.default === null).map(({ key }) => key),
    withoutDefault,
  );
  assert.deepEqual(
    keys.filter((entry) => entry.meaning === ''),
    [],
  );
});

test('a rule for an unknown tool, or one that can match nothing, is a mistake that says what to write', () => {
  const text = `permissions:
  allow:
    - Bash(npm test && rm:*)
    - Bash(npm test:*)
  ask: ["TodoWrite(x)", "no rule"]
  deny:
    - WebFetch
    - Edit(../x)
    - ExitPlanMode
`;
  const parsed = parseRepositoryConfig(text);
  assert.ok('problems' in parsed);
  const [unknown] = parsed.problems.filter((problem) => problem.includes('WebFetch'));
  assert.match(
    unknown ?? '',
    /^line 7, permissions\.deny\.0: expected a rule for one of Bash, Read, .*, got "WebFetch"; name one of them, or remove the rule$/,
  );
  assert.deepEqual(
    parsed.problems.filter((problem) => problem !== unknown),
    [
      'line 3, permissions.allow.0: expected a pattern of one command, got "Bash(npm test && rm:*)"; write a rule for each command, without signs of the shell',
      'line 5, permissions.ask.0: expected TodoWrite without a pattern, got "TodoWrite(x)"; remove what stands in the brackets',
      'line 5, permissions.ask.1: expected a rule as "Tool" or "Tool(pattern)", got "no rule"',
      'line 8, permissions.deny.1: expected a glob pattern from the root of the repository, got "Edit(../x)"; write it like src/**',
      'line 9, permissions.deny.2: expected a rule that leaves plan mode a way out, got "ExitPlanMode"; remove it: the plan is presented with this call, and people decide on it',
    ],
  );
});
