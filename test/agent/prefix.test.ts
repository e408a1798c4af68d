/** What of a request is the same as in the request before it, and as in other runs: that much is read from the cache. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemPrompt } from '../../src/agent/prompts.ts';
import { noOtherCeilings } from '../no-ceilings.ts';
import { implement } from './implementation.ts';
import { type Answer, blocksOf, inOrder, type Part, type SentRequest } from './model-server.ts';
import { driveHere, planText, storedConversation } from './run-driver.ts';

/** In the order in which the vendor caches: tools, system prompt, then each block of the conversation. */
function blocksSent({ messages }: SentRequest): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    blocksOf({ role, content }).map((block) => JSON.stringify([role, block])),
  );
}

function assertGrows(requests: readonly SentRequest[]): void {
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    if (before === undefined) continue;
    assert.deepEqual(blocksSent(request).slice(0, blocksSent(before).length), blocksSent(before), `request ${index}`);
  }
}

function head({ tools, system }: SentRequest): string {
  return JSON.stringify({ tools, system });
}

const look = (index: number): Part => ({ tool: 'grep', input: { pattern: `word${index}` } });

test('case 146: system prompt and tools of a plan run are the same bytes in every repository and for every kind of work', async () => {
  const script = inOrder(
    { say: [{ tool: 'write_plan', input: { content: planText() } }] },
    { say: [{ tool: 'exit_plan_mode', input: {} }] },
  );
  const edit = inOrder(
    { say: [{ tool: 'edit_plan', input: { old_string: 'the last answer', new_string: 'two answers' } }] },
    { say: [{ tool: 'exit_plan_mode', input: {} }] },
  );
  const runs = [
    await driveHere({ script }),
    await driveHere({
      script: edit,
      files: { 'other/place.py': 'x = 1\n', 'src/cache.js': '' },
      spec: {
        run: 'r2',
        issue: 8,
        base: 'c'.repeat(40),
        planPath: 'docs/plan-8.md',
        plan: planText(),
        remarks: [],
        brief: { kind: 'changes_requested', plan: planText(), feedback: { bodies: [], remarks: [] } },
      },
    }),
  ];
  const heads = new Set(runs.flatMap(({ server }) => server.requests.map(head)));
  assert.equal(heads.size, 1);
  for (const { tools, system, cache_control } of runs.flatMap(({ server }) => server.requests)) {
    assert.deepEqual(cache_control, { type: 'ephemeral' });
    assert.deepEqual(
      system.map((block) => block.cache_control),
      [{ type: 'ephemeral' }],
    );
    assert.ok(tools.every((tool) => !('cache_control' in tool)));
  }
});

test('system prompt and tools stay under three thousand tokens in each phase, and those of a helper under one thousand', async (t) => {
  const answer: Answer = { say: [], stop: 'refusal' };
  const plan = await driveHere({ script: () => answer });
  const implementation = await driveHere(implement(() => answer));
  const helped = await driveHere({
    script: ({ system }) =>
      system[0]?.text === systemPrompt('plan')
        ? { say: [{ tool: 'delegate', input: { kind: 'plan', task: 'x' } }] }
        : answer,
    spec: { budget: { maxTurns: 2, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherCeilings } },
  });
  for (const [name, run, most] of [
    ['a plan run', plan, 3_000],
    ['an implementation', implementation, 3_000],
    ['a helper', helped, 1_000],
  ] as const) {
    const tokens = Math.ceil((run.server.requests.map(head).at(-1) ?? '').length / 4);
    const told = `${name} is sent ${tokens} tokens before its conversation`;
    t.diagnostic(told);
    assert.ok(tokens < most && tokens > most / 5, `${told}; expected fewer than ${most}`);
  }
});

test('case 146: over a run of many turns each request begins with the whole of the one before', async () => {
  const run = await driveHere({
    script: (_request, index) => {
      if (index === 3) return { say: [{ text: 'I go' }], stop: 'pause_turn' };
      if (index === 6)
        return { say: [{ text: 'on ' }, { tool: 'write_plan', json: '{"content": "---' }], stop: 'max_tokens' };
      if (index === 8)
        return { say: [{ tool: 'write', input: {} }, { tool: 'read', input: 'README.md' }, { text: ' ' }] };
      if (index === 10) return { say: [{ text: 'Lost' }], cut: 'socket' };
      if (index < 24)
        return {
          say: [look(index), { tool: 'read', input: { file_path: 'README.md', view_range: [1, index + 1] } }],
        };
      return { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };
    },
  });
  assert.equal(run.result?.kind, 'question');
  assert.equal(run.server.requests.length, 25);
  assertGrows(run.server.requests);
});

test('case 146: the run that goes on with a conversation begins with every block of the last request of the run before', async () => {
  const first = await driveHere({
    script: inOrder(
      {
        say: [
          { tool: 'read', input: { file_path: 'README.md' } },
          { tool: 'write_plan', input: { content: planText() } },
        ],
      },
      { say: [{ text: 'It is ready.' }, { tool: 'exit_plan_mode', input: {} }] },
    ),
  });
  const feedback = { bodies: [{ author: 'bob', trust: 'writer', text: 'Nearly.' }], remarks: [] } as const;
  const second = await driveHere({
    script: inOrder({ say: [look(1)] }, { say: [], stop: 'refusal' }),
    spec: {
      conversation: JSON.parse(JSON.stringify(storedConversation(first))),
      plan: planText(),
      remarks: [],
      brief: { kind: 'changes_requested', plan: planText(), feedback },
    },
  });
  assertGrows([...first.server.requests, ...second.server.requests]);
  assert.equal(second.server.requests.length, 2);
});
