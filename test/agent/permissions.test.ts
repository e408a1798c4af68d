import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createOfferedTools } from '../../src/agent/call-results.ts';
import type { HostChannel } from '../../src/agent/host-channel.ts';
import { parseRule } from '../../src/agent/permission-rules.ts';
import {
  type CallSubject,
  hidesFromSearch,
  judgeCall,
  permissionsInPlanMode,
  readRules,
} from '../../src/agent/permissions.ts';
import type { ToolDefinition } from '../../src/agent/tools/definition.ts';
import { readKind, type ToolKind } from '../../src/agent/tools/kinds.ts';
import { offerTools } from '../../src/agent/tools/offer.ts';
import { restorePermissions } from '../../src/lifecycle/plan-mode-permissions.ts';
import type { Permissions } from '../../src/lifecycle/policy.ts';
import { noRules } from '../no-ceilings.ts';
import { toolsOf } from './phase-tools.ts';

const asking: Permissions = { ...noRules, mode: 'ask' };
const command = (text: string): CallSubject => ({ kind: 'command', text });
const paths = (...all: readonly string[]): CallSubject => ({ kind: 'paths', paths: all });
const kinds: Readonly<Record<string, ToolKind>> = {
  bash: 'resource',
  write: 'resource',
  edit: 'resource',
  move: 'resource',
  delete: 'resource',
  read: 'data_source',
  glob: 'data_source',
  grep: 'data_source',
  delegate: 'delegate',
  write_plan: 'plan',
  ask_user_question: 'interactive',
  enter_plan_mode: 'interactive',
};

function judge(permissions: Permissions, tool: string, subject: CallSubject = { kind: 'none' }) {
  return judgeCall(readRules(permissions, 'implement'), { tool, kind: kinds[tool] ?? 'resource', subject });
}

/** In the mode that asks: whether the rules allow the call. */
function isAllowed(allow: readonly string[], tool: string, subject: CallSubject): boolean {
  return judge({ ...asking, allow }, tool, subject).kind === 'allowed';
}

function isDenied(deny: readonly string[], tool: string, subject: CallSubject): boolean {
  return judge({ ...noRules, deny }, tool, subject).kind === 'denied';
}

const npmTest = ['Bash(npm test:*)'];

test('a prefix allows its command with any arguments, and no other', () => {
  for (const text of ['npm test', 'npm test -- --watch', '  npm   test  x', "npm test 'a b'", 'npm test "a;b"']) {
    assert.ok(isAllowed(npmTest, 'bash', command(text)), text);
  }
  for (const text of ['npm tests', 'npm', 'npm run test', 'xnpm test', '/evil/npm test', 'A=1 npm test']) {
    assert.ok(!isAllowed(npmTest, 'bash', command(text)), text);
  }
});

test('an exact rule allows that command alone', () => {
  assert.ok(isAllowed(['Bash(npm run build)'], 'bash', command('npm run build')));
  assert.ok(!isAllowed(['Bash(npm run build)'], 'bash', command('npm run build --x')));
});

test('a wildcard stands for any text of one command', () => {
  const rules = ['Bash(npm run * --silent)', 'Bash(ls *)'];
  for (const text of ['npm run lint --silent', 'ls', 'ls -l']) assert.ok(isAllowed(rules, 'bash', command(text)), text);
  for (const text of ['npm run --silent', 'npm run lint', 'lsof', 'npm run a; rm b --silent']) {
    assert.ok(!isAllowed(rules, 'bash', command(text)), text);
  }
});

const composed = [
  'npm test; rm -rf x',
  'npm test && rm -rf x',
  'npm test || rm -rf x',
  'npm test & rm -rf x',
  'npm test | sh',
  'npm test\nrm -rf x',
  'npm test\rrm -rf x',
  'npm test $(rm -rf x)',
  'npm test `rm -rf x`',
  'npm test "$(rm -rf x)"',
  'npm test "`rm -rf x`"',
  'npm test <(rm -rf x)',
  'npm test > src/cache.js',
  'npm test >> src/cache.js',
  'npm test < secrets',
  'npm test 2>&1',
  'npm test <<E\nrm\nE',
  'npm test $\u007bX:=y}',
  'npm test $X',
  "npm test $'\\x3b' rm",
  'npm test \\\nrm',
  'npm test # \nrm',
  "npm test 'a\nb'",
  'npm test "a',
  '(npm test; rm x)',
  '{ npm test; rm x; }',
  'npm test\u0000; rm x',
  'npm test\u00a0',
  '\ufeffnpm test',
  '! npm test',
  '',
  ';',
];

for (const text of composed) {
  test(`what allows npm test does not allow ${JSON.stringify(text)}`, () => {
    assert.ok(!isAllowed(npmTest, 'bash', command(text)));
  });
}

test('a composed command is allowed where each of its parts is', () => {
  assert.ok(isAllowed([...npmTest, 'Bash(npm run build)'], 'bash', command('npm run build && npm test')));
  assert.ok(!isAllowed(npmTest, 'bash', command('npm run build && npm test')));
});

const pushes = [
  'git push',
  'git push origin main',
  'npm test && git push',
  'npm test; git push -f',
  'npm test | git push',
  'npm test & git push',
  'npm test\ngit push',
  '(cd x; git push)',
  'if true; then git push; fi',
  'f() { git push; }; f',
  'echo $(git push)',
  'echo `git push`',
  'cat <(git push)',
  'git  push',
  'git\tpush',
  "g''it push",
  'g\\it push',
  '"git" push',
  "git 'push'",
  'git \\\npush',
  '/usr/bin/git push',
  'git -C . push',
  'git --no-pager push',
  'X=1 git push',
  'env X=1 git push',
  'sudo git push',
  'timeout 5 git push',
  'xargs git push',
  'nohup nice git push',
  'bash -c "git push"',
  "sh -c 'npm test && git push'",
  'eval git push',
  'eval "git push"',
  '$GIT push',
  '$(echo git) push',
  'git $X',
  'git$\u007bIFS}push',
  'git $(echo push)',
  "$'\\x67it' push",
  '{git,push}',
  '/usr/bin/gi? push',
  'echo Z2l0IHB1c2g= | base64 -d | sh',
  'find . -exec git push ;',
  'source x',
];

for (const text of pushes) {
  test(`a rule that denies git push denies ${JSON.stringify(text)}`, () => {
    assert.ok(isDenied(['Bash(git push:*)'], 'bash', command(text)));
    assert.equal(judge({ ...noRules, ask: ['Bash(git push:*)'] }, 'bash', command(text)).kind, 'asks');
  });
}

const disguised = [
  ...['>/dev/null git push', '2>&1 git push', '<x git push', '{fd}>x git push', 'git >x push', 'git &>x push'],
  ...['git <<<"a b" push', 'git <<E push\nE', 'sh -c "git 2>x push"', 'bash <<E\ngit push\nE'],
  ...['git -c "user.name=a b" push', "git -C 'a b' push", 'git -c a\\ b push', 'A=b\\ c git push', 'A=b\\;c git push'],
  ...["# it's\ngit -c 'a b' push #'", "echo $'\\''\ngit -c 'a b' push #'", "cat <<E\n'\nE\ngit -c 'a b' push #'"],
  ...['echo \\\\\ngit push', '# x \\\ngit push', "env {'A= b',git} push", 'a[0]=1 git push'],
  ...['git pus?', 'git p*', 'git [p]ush', 'git *', 'alias g=git\ng push', 'hash -p /usr/bin/git g; g push'],
  ...['git -c alias.p=push p', 'trap git\\ push EXIT', 'unshare git push', 'npm exec git push'],
  ...['echo x | env bash', 'echo x | sudo sh', 'echo x | bash -s y', 'bash /dev/stdin <x', 'env eval . x'],
  ...['echo push | xargs git', 'env xargs -n1 git', 'find . -exec git {} +', 'find / -name git -exec {} push +'],
  ...['if true; then ! git push; fi', 'parallel git ::: push', 'xargs -0 env'],
];

test('no quote, escape, redirection, comment, pattern or runner hides a command from a rule that denies it', () => {
  for (const text of disguised) assert.ok(isDenied(['Bash(git push:*)'], 'bash', command(text)), text);
});

const others = [
  ...['git status', 'git log --grep push', 'npm test', 'echo $HOME', 'grep -r push .', 'ls git', 'ls *.ts'],
  ...['npm test > out.txt 2>&1', 'npm exec tsc -- src/*.ts', 'for f in *.js; do node $f; done', '[ -f push ]'],
  ...['find . -name "*.ts" -exec grep -l push {} +', 'find . | xargs grep -l push', 'bash scripts/test.sh'],
  ...['git add .', 'git diff -- *.ts', 'git commit -m "say push"', "awk '{print $1, $2}' x", 'cat <<E > x\nfoo\nE'],
];

test('a rule that denies git push leaves other commands alone', () => {
  for (const text of others) {
    assert.ok(!isDenied(['Bash(git push:*)'], 'bash', command(text)), text);
  }
});

test('a rule that denies an option denies what begins with it; an exact one denies the command with further options', () => {
  assert.ok(isDenied(['Bash(rm -r:*)'], 'bash', command('rm -rf x')));
  assert.ok(!isDenied(['Bash(rm -r:*)'], 'bash', command('rm x')));
  assert.ok(isDenied(['Bash(npm publish)'], 'bash', command('npm publish --tag next')));
  assert.ok(!isDenied(['Bash(make)'], 'bash', command('make test')));
  assert.ok(isDenied(['Bash(* --force)'], 'bash', command('npm test && git push --force')));
});

test('no command takes long to judge, and one too long to be looked through is denied', () => {
  const startedAt = performance.now();
  for (const piece of ['env ', '$(', '{a', 'git -x ', "'", ';', '<<"', '{"', '2>', 'a[', 'xargs ', '\\\n']) {
    judge(
      { ...noRules, deny: ['Bash(git push:*)', 'Bash(a*b*c*d)'] },
      'bash',
      command(piece.repeat(20_000 / piece.length)),
    );
  }
  assert.ok(performance.now() - startedAt < 2000);
  assert.ok(isDenied(['Bash(git push:*)'], 'bash', command(`${'env '.repeat(300)}ls`)));
});

test('deny wins over ask, and ask over allow, whatever the mode', () => {
  const both = { allow: ['Bash'], ask: ['Bash(git:*)'], deny: ['Bash(git push:*)'] };
  for (const mode of ['auto', 'ask'] as const) {
    const said = ['git push', 'git status', 'ls'].map((text) => judge({ mode, ...both }, 'bash', command(text)));
    assert.deepEqual(said, [
      { kind: 'denied', rule: 'Bash(git push:*)' },
      { kind: 'asks', rule: 'Bash(git:*)' },
      { kind: 'allowed' },
    ]);
  }
});

test('the mode auto carries out what no rule names; the mode ask asks for what changes the tree, and for nothing else', () => {
  for (const [tool, kind] of Object.entries(kinds)) {
    assert.deepEqual(judge(noRules, tool, paths('src/a')), { kind: 'allowed' }, tool);
    const expected = kind === 'resource' ? { kind: 'asks', rule: null } : { kind: 'allowed' };
    assert.deepEqual(judge(asking, tool, tool === 'bash' ? command('ls') : paths('src/a')), expected, tool);
  }
});

test('a tool that asks people by itself is not asked about, and can be denied', () => {
  assert.deepEqual(judge({ ...asking, ask: ['EnterPlanMode'] }, 'enter_plan_mode'), { kind: 'allowed' });
  assert.deepEqual(judge({ ...noRules, deny: ['EnterPlanMode'] }, 'enter_plan_mode'), {
    kind: 'denied',
    rule: 'EnterPlanMode',
  });
});

test('an Edit rule holds for everything that changes a file, and for both paths of a move', () => {
  for (const tool of ['write', 'edit', 'delete']) {
    assert.ok(isAllowed(['Edit(src/**)'], tool, paths('src/a.ts')), tool);
    assert.ok(!isAllowed(['Edit(src/**)'], tool, paths('test/a.ts')), tool);
    assert.ok(isDenied(['Edit(src/**)'], tool, paths('src/a.ts')), tool);
  }
  assert.ok(isAllowed(['Edit(src/**)'], 'move', paths('src/a.ts', 'src/b.ts')));
  assert.ok(isAllowed(['Edit(src/**)', 'Edit(lib/**)'], 'move', paths('src/a.ts', 'lib/b.ts')));
  assert.ok(!isAllowed(['Edit(src/**)'], 'move', paths('src/a.ts', 'lib/b.ts')));
  for (const pair of [paths('src/a.ts', 'lib/b.ts'), paths('lib/b.ts', 'src/a.ts')]) {
    assert.ok(isDenied(['Edit(src/**)'], 'move', pair));
  }
  assert.ok(!isAllowed(['Edit(src/**)'], 'bash', command('rm src/a.ts')));
});

test('Write allows writing alone, and denies every change', () => {
  assert.ok(isAllowed(['Write(src/**)'], 'write', paths('src/a')));
  assert.ok(!isAllowed(['Write(src/**)'], 'delete', paths('src/a')));
  assert.ok(isDenied(['Write(src/**)'], 'delete', paths('src/a')));
});

test('a path pattern names a folder with all in it, hidden files too; without a slash it names a file in every folder', () => {
  for (const [pattern, path] of [
    ['src/**', 'src/.hidden/a'],
    ['src', 'src/a/b'],
    ['src/', 'x/src/a'],
    ['/src/a.ts', 'src/a.ts'],
    ['./src/*', 'src/a/b'],
    ['.env', 'deep/down/.env'],
    ['*.pem', 'a/key.pem'],
    ['**', 'any/.thing'],
  ] as const) {
    assert.ok(isDenied([`Read(${pattern})`], 'read', paths(path)), `${pattern} ${path}`);
  }
  assert.ok(!isDenied(['Read(src/a)'], 'read', paths('x/src/a')));
  assert.ok(!isDenied(['Read(/src/a.ts)'], 'read', paths('src/a.tsx')));
});

test('a call that a rule denies by either name of its path, before or after links, is denied; it is allowed by both alone', () => {
  const linked = paths('docs/link', 'secrets/key');
  assert.ok(isDenied(['Read(secrets/**)'], 'read', linked));
  assert.ok(isDenied(['Read(docs/**)'], 'read', linked));
  assert.ok(!isAllowed(['Edit(docs/**)'], 'write', linked));
});

test('Read holds for what searches too, and hides what a search of a folder around finds', () => {
  const rules = readRules({ ...noRules, deny: ['Read(secrets/**)'], ask: ['Grep(notes)'] }, 'plan');
  assert.ok(isDenied(['Read(secrets/**)'], 'grep', paths('secrets')));
  assert.ok(hidesFromSearch(rules, 'glob', 'secrets/key'));
  assert.ok(hidesFromSearch(rules, 'grep', 'notes/a.md'));
  assert.ok(!hidesFromSearch(rules, 'glob', 'notes/a.md'));
});

test('the names of Claude Code stand for the tools here, EnterPlanMode and ExitPlanMode too, as do their own names', () => {
  const tools: Readonly<Record<string, readonly string[]>> = {
    Bash: ['bash'],
    Read: ['read', 'glob', 'grep'],
    Glob: ['glob'],
    Grep: ['grep'],
    LS: ['glob'],
    Edit: ['write', 'edit', 'move', 'delete'],
    Write: ['write', 'edit', 'move', 'delete'],
    MultiEdit: ['write', 'edit', 'move', 'delete'],
    NotebookEdit: ['write', 'edit', 'move', 'delete'],
    Agent: ['delegate'],
    Task: ['delegate'],
    EnterPlanMode: ['enter_plan_mode'],
    ExitPlanMode: ['exit_plan_mode'],
    AskUserQuestion: ['ask_user_question'],
    TodoWrite: ['update_tasks'],
  };
  const offered = (['plan', 'implement'] as const).flatMap((phase) => toolsOf(phase));
  const names = [...new Set(offered.map(({ name }) => name))];
  const denied = (rule: string) => names.filter((name) => judge({ ...noRules, deny: [rule] }, name).kind === 'denied');
  for (const [rule, expected] of Object.entries(tools)) {
    assert.deepEqual(denied(rule).toSorted(), expected.toSorted(), rule);
  }
  for (const name of names) assert.deepEqual(denied(name), [name]);
});

test('Agent and Task name the kinds of helpers', () => {
  const helper = (...helpers: readonly string[]): CallSubject => ({ kind: 'helpers', helpers });
  assert.ok(isDenied(['Agent(plan)'], 'delegate', helper('explore', 'plan')));
  assert.ok(!isDenied(['Task(plan)'], 'delegate', helper('explore')));
  assert.ok(isDenied(['Task(plan)'], 'delegate', helper()));
});

for (const [text, message] of [
  ['Foo', 'a rule for one of'],
  ['bash (x)', 'a rule as "Tool" or "Tool(pattern)"'],
  ['mcp__x', 'a rule for one of'],
  ['Bash()', 'a pattern between the brackets'],
  ['Bash(npm test && rm:*)', 'a pattern of one command'],
  ['Bash(echo $X)', 'a pattern of one command'],
  ['Bash(*a*b*c*d)', 'a pattern of one command'],
  ['TodoWrite(x)', 'TodoWrite without a pattern'],
  ['Edit(../x)', 'a glob pattern from the root'],
  ['Edit(//etc/x)', 'a glob pattern from the root'],
  ['Read(~/x)', 'a glob pattern from the root'],
  ['Edit(!src/**)', 'a glob pattern from the root'],
  ['Edit(+(a)b)', 'a glob pattern without "("'],
  ['Edit(a*b*c*d*e)', 'a glob pattern without "("'],
  ['Agent(a b)', 'the kind of a helper'],
] as const) {
  test(`${text} is no rule`, () => {
    const read = parseRule(text);
    assert.ok('mistake' in read);
    assert.ok(read.mistake.expected.startsWith(message), read.mistake.expected);
  });
}

test('a rule that cannot be read denies every call', () => {
  assert.deepEqual(judge({ ...noRules, allow: ['Foo'] }, 'read', paths('a')), { kind: 'denied', rule: 'Foo' });
});

const dangerous = [
  ...[
    'Bash(A=1:*)',
    'Bash(A=1 *)',
    'Bash(time:*)',
    'Bash(timeout 5:*)',
    'Bash(nice:*)',
    'Bash(builtin:*)',
    'Bash(trap:*)',
  ],
  'Bash',
  'bash',
  'Bash(*)',
  'Bash(:*)',
  'Bash(python:*)',
  'Bash(python3.12 *)',
  'Bash(/usr/bin/python3:*)',
  'Bash(X=1 node:*)',
  'Bash(node -e *)',
  'Bash(bash)',
  'Bash(sh -c:*)',
  'Bash(npx:*)',
  'Bash(npm:*)',
  'Bash(npm run:*)',
  'Bash(npm exec:*)',
  'Bash(env:*)',
  'Bash(xargs:*)',
  'Bash(sudo:*)',
  'Bash(ssh:*)',
  'Bash(eval:*)',
  'Bash(py*)',
  'Bash(* --version)',
  'Agent',
  'Agent(*)',
  'Task',
  'Task(*)',
  'delegate',
];
const harmless = [
  'Bash(npm test:*)',
  'Bash(npm run build)',
  'Bash(git status)',
  'Edit(src/**)',
  'Agent(explore)',
  'Read',
];

test('plan mode strips what allows any command, an interpreter or any helper, in either mode, and keeps the rest', () => {
  for (const mode of ['auto', 'ask'] as const) {
    const given = { mode, allow: [...dangerous, ...harmless], ask: ['Bash'], deny: ['Agent(*)'] };
    assert.deepEqual(permissionsInPlanMode(given), { ...given, allow: harmless });
    assert.equal(given.allow.length, dangerous.length + harmless.length);
  }
});

const ruleNames = ['Bash', 'Edit', 'Write', 'Read', 'Task', 'Agent', 'EnterPlanMode', 'TodoWrite', 'delegate', 'write'];
const anyRule = fc.oneof(
  fc.constantFrom(
    ...dangerous,
    ...harmless,
    'ExitPlanMode',
    'AskUserQuestion',
    'Edit(**)',
    'Write',
    'Nonsense',
    'Bash((',
  ),
  fc
    .tuple(
      fc.constantFrom(...ruleNames),
      fc.constantFrom('*', '**', ':*', 'npm test:*', 'src/**', 'rm -rf *', 'explore'),
    )
    .map(([name, pattern]) => `${name}(${pattern})`),
);
const anyRules = fc.array(anyRule, { maxLength: 8 });
const anyPermissions: fc.Arbitrary<Permissions> = fc.record({
  mode: fc.constantFrom('auto', 'ask'),
  allow: anyRules,
  ask: anyRules,
  deny: anyRules,
});

const nothing = { description: '', inputSchema: { type: 'object' }, execute: async () => '' } as const;
const unheardOf: ToolDefinition = { ...nothing, name: 'apply_patch', kind: 'patch' };
const planning = toolsOf('plan');
const building = [...toolsOf('implement'), unheardOf];
const mutating = building.filter(({ kind }) => ['resource', 'task'].includes(readKind(kind)));
const silent: Pick<HostChannel, 'audit'> = { audit: () => undefined };

test('case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer, or a call of one made', () => {
  const run = fc.property(anyPermissions, fc.boolean(), anyRule, (permissions, hasShell, extra) => {
    const own = planning.filter(({ name }) => hasShell || name !== 'bash');
    const offered = offerTools('plan', [...building, ...own]);
    for (const { kind } of offered) {
      assert.ok(['data_source', 'interactive', 'plan', 'delegate'].includes(readKind(kind)));
    }
    const executor = createOfferedTools(offered, 'plan', silent);
    const names = mutating.map(({ name }) => name).filter((name) => name !== 'bash' || !hasShell);
    assert.ok(names.length >= 6);
    for (const name of names) assert.ok(!executor.has(name), name);
    const calls = names.map((name) => ({ type: 'tool_use', id: name, name, input: {} }) as const);
    for (const result of executor.results(calls, null)) assert.equal(result.is_error, true);
    // The last layer: were one offered all the same, no rule would wave a program of any kind through.
    const rules = readRules({ ...permissions, allow: [...permissions.allow, extra], mode: 'ask' }, 'plan');
    for (const text of ['python3 -c "open(1)"', 'node -e 1', 'bash -c ls', 'curl x', 'git push']) {
      assert.notEqual(
        judgeCall(rules, { tool: 'bash', kind: 'resource', subject: command(text) }).kind,
        'allowed',
        text,
      );
    }
  });
  fc.assert(run, { numRuns: 2000 });
});

test('approval gives back exactly the set that was in force when plan mode was entered', () => {
  fc.assert(
    fc.property(anyPermissions, (permissions) => {
      const recorded: Permissions = JSON.parse(JSON.stringify(permissions));
      permissionsInPlanMode(permissions);
      const unique = (rules: readonly string[]) => [...new Set(rules)];
      const expected = { ...recorded, ask: unique(recorded.ask), deny: unique(recorded.deny) };
      assert.deepEqual(restorePermissions(recorded, permissions), expected);
    }),
    { numRuns: 1000 },
  );
});

test('what is tightened while planning holds at once, what is loosened does not reach the work that was entered before', () => {
  const recorded: Permissions = { mode: 'ask', allow: ['Bash(npm test:*)'], ask: ['Edit(a)'], deny: ['Edit(b)'] };
  const live: Permissions = { mode: 'auto', allow: ['Bash'], ask: ['Edit(c)'], deny: ['Edit(d)'] };
  assert.deepEqual(restorePermissions(recorded, live), {
    mode: 'ask',
    allow: ['Bash(npm test:*)'],
    ask: ['Edit(a)', 'Edit(c)'],
    deny: ['Edit(b)', 'Edit(d)'],
  });
  assert.equal(restorePermissions({ ...recorded, mode: 'auto' }, { ...live, mode: 'ask' }).mode, 'ask');
  assert.deepEqual(restorePermissions(null, live), live);
});
