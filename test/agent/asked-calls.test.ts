// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { RunBrief } from '../../src/agent/brief.ts';
import type { RunSpec } from '../../src/agent/run-protocol.ts';
import type { Permissions } from '../../src/lifecycle/policy.ts';
import { noRules } from '../no-ceilings.ts';
import { done, implement, results, tool } from './implementation.ts';
import { inOrder, type Part } from './model-server.ts';
import { type DrivenRun, driveHere, storedConversation } from './run-driver.ts';

const change = { file_path: 'src/cache.js', old_string: 'cache = 1', new_string: 'cache = 2' };
const edit: Part = { tool: 'edit', input: change, id: 'call-1' };
const asking: Permissions = { ...noRules, mode: 'ask' };
const editAsked = { kind: 'permission_asked', call: 'call-1', tool: 'edit', what: 'src/cache.js', rule: null } as const;

const conversation: RunSpec['conversation'] = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'call-1', name: 'edit', input: change }] },
  { role: 'user', content: [] },
];

function word(isAllowed: boolean, note: string | null = null): RunBrief {
  const said = note === null ? null : ({ author: 'wanda', trust: 'writer', text: note } as const);
  return { kind: 'permission', call: 'call-1', isAllowed, note: said };
}

function audits(run: DrivenRun): readonly string[] {
  return run.messages.flatMap((message) => (message.kind === 'audit' ? [`${message.event}: ${message.detail}`] : []));
}

/** What the cached file holds at the end of a run that goes on with the call. */
async function goOn(brief: RunBrief | null, spec: Partial<RunSpec> = {}) {
  let left = '';
  const run = await driveHere(
    implement(
      inOrder(done),
      { permissions: asking, conversation, brief, ...spec },
      {
        inspect: ({ checkout }) => {
          left = readFileSync(path.join(checkout, 'src/cache.js'), 'utf8').trim();
        },
      },
    ),
  );
  return { run, left, told: results(run.server.requests[0]) };
}

test('in the mode ask a call that changes something parks the run unanswered; the others of its turn are answered', async () => {
  const run = await driveHere(
    implement(
      inOrder({
        say: [
          edit,
          tool('read', { file_path: 'src/cache.js' }),
          { tool: 'delete', input: { path: 'src/other.js' }, id: 'call-2' },
        ],
      }),
      { permissions: asking },
      { inspect: ({ checkout }) => assert.ok(existsSync(path.join(checkout, 'src/other.js'))) },
    ),
  );
  assert.deepEqual(run.result, editAsked);
  const answers = storedConversation(run).at(-1)?.content;
  assert.ok(Array.isArray(answers));
  const texts = answers.map((block) => (block.type === 'tool_result' ? [block.is_error ?? false, block.content] : []));
  assert.deepEqual(texts, [
    [false, 'export const cache = 1;\n'],
    [
      true,
      'Error: expected one call that waits for people, got a second one; make this one again once that is answered',
    ],
  ]);
  assert.equal(run.server.requests.length, 1);
  assert.deepEqual(audits(run), ['call_asked: edit, by the mode', 'call_failed: delete']);
});

test('a rule that asks is told with the question, which shows the whole of a command in one line', async () => {
  const run = await driveHere(
    implement(inOrder({ say: [{ tool: 'bash', input: { command: 'npm test\ngit push' }, id: 'call-1' }] }), {
      permissions: { ...noRules, ask: ['Bash(git push:*)'] },
    }),
  );
  assert.deepEqual(run.result, {
    kind: 'permission_asked',
    call: 'call-1',
    tool: 'bash',
    what: 'npm test ⏎ git push',
    rule: 'Bash(git push:*)',
  });
});

test('nobody is asked about what they cannot see whole', async () => {
  const run = await driveHere(
    implement(
      inOrder(
        {
          say: [
            tool('bash', { command: `echo ${'x'.repeat(1000)}` }),
            tool('bash', { command: 'echo a\u202eb' }),
            tool('bash', { command: 'echo a\u0008b' }),
            tool('bash', { command: './run\u00a0tests' }),
            tool('bash', { command: './run\u00a0' }),
            tool('bash', { command: "cat 'a ⏎ b'" }),
          ],
        },
        done,
      ),
      { permissions: asking },
    ),
  );
  const [long, ...hidden] = results(run.server.requests[1]);
  assert.match(
    long ?? '',
    /^! Error: a writer has to allow this call, and sees at most 1000 characters of it, got 1005/,
  );
  assert.equal(hidden.length, 5);
  for (const text of hidden) assert.match(text, /^! Error: .*it holds characters that nobody sees/);
});

test('a call that a writer allowed is made as it was asked about, once, before the model is asked anything', async () => {
  const { run, left, told } = await goOn(word(true));
  assert.equal(left, 'export const cache = 2;');
  assert.equal(told.length, 1);
  assert.doesNotMatch(told[0] ?? '', /^!/);
  assert.deepEqual(
    run.messages.map(({ kind }) => kind),
    ['audit', 'reply', 'turn', 'turn', 'read_tree', 'ended'],
  );
  assert.deepEqual(audits(run), ['call_allowed: edit, by a writer']);
});

test('a call that had been allowed and begun when its process died is not made again, and the model is told', async () => {
  const begun: RunSpec['conversation'] = [
    ...conversation,
    { role: 'user', content: [{ type: 'text', text: 'A writer allowed this call.' }] },
  ];
  const { left, told } = await goOn(null, { conversation: begun });
  assert.equal(left, 'export const cache = 1;');
  assert.match(told[0] ?? '', /^! The run was interrupted before this call was answered/);
});

test('a call that a writer denied is answered with an error and their words', async () => {
  const { run, left, told } = await goOn(word(false, 'Not this file.'));
  assert.equal(left, 'export const cache = 1;');
  assert.match(told[0] ?? '', /^! A writer denied this call:\n[\s\S]*@?wanda[\s\S]*Not this file\./);
  assert.deepEqual(audits(run), ['call_denied: edit, by a writer']);
});

test('a rule that denies the call by now wins over the word of a writer', async () => {
  const { run, left, told } = await goOn(word(true), { permissions: { ...asking, deny: ['Edit(src/**)'] } });
  assert.equal(left, 'export const cache = 1;');
  assert.deepEqual(told, [
    '! Error: expected a call that the rules of the repository allow, got edit, which the rule Edit(src/**) denies; do without it',
  ]);
  assert.deepEqual(audits(run), ['call_allowed: edit, by a writer', 'call_denied: edit, by the rule Edit(src/**)']);
});

test('no word of a writer makes a call that the phase does not offer', async () => {
  const { left, told } = await goOn(word(true), { phase: 'plan' });
  assert.equal(left, 'export const cache = 1;');
  assert.match(told[0] ?? '', /^! Error: this call was not made/);
});

test("a writer's word on another call makes none", async () => {
  const other: RunBrief = { kind: 'permission', call: 'call-9', isAllowed: true, note: null };
  const { run, left } = await goOn(other);
  assert.equal(left, 'export const cache = 1;');
  assert.match(
    JSON.stringify(run.server.requests[0]?.messages),
    /The call that waited for a writer is no longer known/,
  );
});

test('a run that had parked with its question when its process died asks the same again, without a request', async () => {
  const { run } = await goOn(null);
  assert.deepEqual(run.result, editAsked);
  assert.equal(run.server.requests.length, 0);
});

test('a rule that denies a path holds through links, in searches and for helpers, and is audited without content', async () => {
  const secret = { 'secrets/key.txt': 'canary\n', 'a.txt': 'canary\n', 'b/c.txt': 'x\n' };
  const run = await driveHere({
    script: inOrder(
      {
        say: [
          tool('read', { file_path: 'secrets/key.txt' }),
          tool('read', { file_path: 'link/key.txt' }),
          tool('grep', { pattern: 'canary', path: 'secrets' }),
          tool('grep', { pattern: 'canary' }),
          tool('glob', { pattern: '**/*.txt' }),
          tool('grep', { pattern: 'canary', path: 'b' }),
          tool('glob', { pattern: 'secrets/*' }),
        ],
      },
      { say: [tool('delegate', { kind: 'explore', task: 'Look.' })] },
      { say: [tool('read', { file_path: 'secrets/key.txt' })] },
      { say: [{ text: 'Nothing.' }] },
      { say: [tool('ask_user_question', { questions: [{ question: 'Which?' }] })] },
    ),
    files: secret,
    prepare: async (checkout) => symlinkSync('secrets', path.join(checkout, 'link')),
    spec: { permissions: { ...noRules, deny: ['Read(secrets/**)'] } },
  });
  const denied = (name: string) =>
    `! Error: expected a call that the rules of the repository allow, got ${name}, which the rule Read(secrets/**) denies; do without it`;
  const left = '[files that rules of the repository keep are left out]';
  const [read, linked, folder, search, list, ...missed] = results(run.server.requests[1]);
  assert.deepEqual([read, linked, folder], [denied('read'), denied('read'), denied('grep')]);
  assert.match(search ?? '', /^(?:\.\/)?a\.txt:.*canary/);
  assert.doesNotMatch(search ?? '', /secrets/);
  assert.ok(search?.includes(left) && list?.includes(left), `${search}\n${list}`);
  assert.doesNotMatch(list ?? '', /secrets/);
  assert.deepEqual(missed, [`no matches\n${left}`, `no matches\n${left}`]);
  assert.deepEqual(results(run.server.requests[3]), [denied('read')]);
  const line = (name: string) => `call_denied: ${name}, by the rule Read(secrets/**)`;
  assert.deepEqual(audits(run).toSorted(), [line('grep'), line('read'), line('read'), line('read')]);
});
