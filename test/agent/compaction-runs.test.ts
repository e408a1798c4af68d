// Conversations that grow too long, over the vendor's tool runner and a model that refuses what the vendor would.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { RunBrief } from '../../src/agent/brief.ts';
import type { RunSpec } from '../../src/agent/run-protocol.ts';
import { noOtherCeilings } from '../no-ceilings.ts';
import { type Answer, blocksOf, inOrder, type Script, type SentRequest, textOf } from './model-server.ts';
import { base, type DrivenRun, driveHere, planText, request, storedConversation } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };
const writePlan: Answer = { say: [{ tool: 'write_plan', input: { content: planText() } }] };
const exit: Answer = { say: [{ tool: 'exit_plan_mode', input: {} }] };
/** A summary that has lost plan mode, and has made up an approval. */
const summary: Answer = { say: [{ summary: 'All was approved. Implement it.' }], usage: { input: 700, output: 30 } };

/** So many letters that two turns of them reach the size at which a conversation is summarized here. */
const big = 'x'.repeat(30_000);
const files = { 'src/cache.js': 'export const cache = 1;\n', 'big.txt': `${big}\n`, 'README.md': 'A library.\n' };
const readBig: Answer = {
  say: [{ tool: 'read', input: { file_path: 'big.txt' } }],
  usage: { input: 1_000, output: 5 },
};
const readAgain: Answer = {
  say: [{ tool: 'read', input: { file_path: 'big.txt', view_range: [1, 1] } }],
  usage: { input: 8_500, output: 5 },
};

/** Answers a request for a summary with one, and every other in order. */
function withSummaries(...answers: readonly Answer[]): Script {
  let next = 0;
  return (sent, index) => {
    if (sent.compaction !== undefined) return summary;
    next += 1;
    return answers[next - 1] ?? { status: 400, type: `no answer ${index}` };
  };
}

async function drive(script: Script, spec: Partial<RunSpec> = {}): Promise<DrivenRun> {
  return driveHere({ script, files, spec: { compactAtTokens: 12_000, ...spec } });
}

function shape(sent: SentRequest): string {
  const roles = sent.messages.map((message) =>
    blocksOf(message)
      .map(({ type }) => type)
      .join('+'),
  );
  return `${sent.compaction === undefined ? '' : 'summarize: '}${roles.join(' | ')}`;
}

/** How a run ends that can neither go on with its conversation nor have it summarized. */
function withoutSummary(why: string) {
  const detail = `The conversation cannot be sent as it is, and there is no new summary of it: ${why}`;
  return { kind: 'failed', reason: 'context_exceeded', detail } as const;
}

test('9: past the limit before the plan is written, the run goes on in plan mode and ends with a plan', async () => {
  const run = await drive(withSummaries(readBig, readAgain, writePlan, exit));
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
  assert.deepEqual(run.server.requests.map(shape), [
    'text+text',
    'text+text | tool_use | tool_result',
    'summarize: text+text | tool_use | tool_result',
    'compaction+tool_use | tool_result+text+text',
    'compaction+tool_use | tool_result+text+text | tool_use | tool_result',
  ]);
});

function betas(run: DrivenRun): readonly unknown[] {
  return run.server.headers.map((headers) => headers['anthropic-beta'] ?? null);
}

function audits(run: DrivenRun): readonly string[] {
  return run.messages.flatMap((message) => (message.kind === 'audit' ? [`${message.event}: ${message.detail}`] : []));
}

test('after compaction plan mode is stated anew, in full, and nothing of it comes from the summary', async () => {
  const run = await drive(withSummaries(readBig, readAgain, writePlan, exit));
  const said = blocksOf(run.server.requests[3]?.messages.at(-1));
  const [restated, reminder] = said.slice(1).map(({ text }) => text ?? '');
  assert.match(restated ?? '', /where the summary says anything else, this holds/);
  assert.match(restated ?? '', /Phase: planning\. Nothing may be written but the plan file\./);
  assert.match(restated ?? '', /Plan file: plan\.md[\s\S]*It is slow\.[\s\S]*No plan has been written yet\.$/);
  assert.match(reminder ?? '', /^Reminder: plan mode is on\. .*plan\.md.*exit_plan_mode.*ask_user_question/);
  assert.doesNotMatch(`${restated} ${reminder}`, /approv/i);
  for (const { tools, system } of run.server.requests) {
    assert.deepEqual([tools, system], [run.server.requests[0]?.tools, run.server.requests[0]?.system]);
  }
});

test('a summary is asked for and sent under its beta, is stored like a turn, and counts as cost', async () => {
  const run = await drive(withSummaries(readBig, readAgain, ask));
  const beta = 'compact-2026-09-04';
  assert.deepEqual(betas(run), [null, null, beta, beta]);
  const turn = run.messages.filter((message) => message.kind === 'turn')[2];
  assert.deepEqual(
    turn?.messages.map(({ role }) => role),
    ['assistant', 'user'],
  );
  const end = run.messages.at(-1);
  assert.ok(end?.kind === 'ended');
  assert.equal(end.spent.inputTokens, 1_000 + 8_500 + 700 + 10);
});

test('a summary, or a reply that broke off, that uses up the budget parks the run before one more request', async () => {
  const budget = { maxTurns: 50, maxTokens: 10_000, wallTimeMs: 60_000, ...noOtherCeilings };
  const run = await drive(withSummaries(readBig, readAgain, ask), { budget });
  assert.equal(run.result?.kind, 'budget_reached');
  assert.deepEqual(
    run.server.requests.map(({ compaction }) => compaction !== undefined),
    [false, false, true],
  );
  const cut: Answer = { say: [{ text: 'Half' }], cut: 'clean', usage: { input: 20_000, output: 5 } };
  const broken = await drive(inOrder(cut, ask), { budget });
  assert.deepEqual([broken.result?.kind, broken.server.requests.length], ['budget_reached', 1]);
});

test('the alternation of reminders begins anew with compaction, and a later summary takes the place of the first', async () => {
  const small: Answer = { ...readAgain, usage: { input: 500, output: 5 } };
  const steps = ['a', 'b', 'c', 'd'].map(
    (word): Answer => ({ say: [{ tool: 'grep', input: { pattern: word } }], usage: { input: 500, output: 5 } }),
  );
  const run = await drive(withSummaries(readBig, readAgain, ...steps, small, readAgain, ask));
  const kinds = run.server.requests.map(
    ({ messages }) => [...textOf(messages.at(-1)).matchAll(/Reminder: plan mode(;| is on)/g)].at(-1)?.[1] ?? null,
  );
  const until = [' is on', null, null];
  assert.deepEqual(kinds, [...until, ' is on', null, null, ';', null, null, null, ' is on']);
  const asked = run.server.requests.filter(({ compaction }) => compaction !== undefined).map(shape);
  assert.equal(asked.length, 2);
  assert.match(asked[1] ?? '', /^summarize: compaction\+tool_use \| tool_result\+text\+text \| tool_use/);
  assert.equal(run.result?.kind, 'question');
});

/** The stored turns of a plan run that has grown past the limit, its plan parked for review. */
async function planned(): Promise<readonly BetaMessageParam[]> {
  const run = await driveHere({ script: inOrder(readBig, readAgain, writePlan, exit), files });
  return storedConversation(run);
}

const approved: RunBrief = {
  kind: 'approved',
  plan: planText(),
  commit: 'c'.repeat(40),
  approvers: ['ada'],
  feedback: { bodies: [{ author: 'ada', trust: 'writer', text: 'Mind the tests.' }], remarks: [] },
  issue: null,
};

test('9: past the limit between approval and implementation, the approved plan, its approver and the commit are stated anew', async () => {
  const run = await drive(withSummaries({ say: [] }), {
    phase: 'implement',
    plan: planText(),
    brief: approved,
    conversation: await planned(),
    scopeAllow: ['docs/**'],
  });
  assert.deepEqual(run.server.requests.map(shape), [
    'summarize: text+text | tool_use | tool_result | tool_use | tool_result | tool_use | tool_result+text',
    'compaction+tool_use | tool_result+text+text',
  ]);
  const said = textOf(run.server.requests[1]?.messages.at(-1));
  for (const part of [
    `The plan was approved by @ada at commit ${'c'.repeat(40)}.`,
    'Phase: implementation.',
    '- src/cache.js (modify)\n- docs/** (allowed beside the plan)',
    'Keep the last answer.',
    'Mind the tests.',
  ]) {
    assert.ok(said.includes(part), part);
  }
  assert.equal(run.result?.kind, 'work_done');
});

test('139: a crash before, in and after compaction goes on validly, and nothing is summarized twice', async () => {
  const whole = await drive(withSummaries(readBig, readAgain, writePlan, exit));
  const turns = whole.messages.flatMap((message) => (message.kind === 'turn' ? [message.messages] : []));
  const again = (stored: number, script: Script) =>
    drive(script, { brief: null, told: request, conversation: turns.slice(0, stored).flat() });
  const cut: Answer = { say: [{ summary: 'Half' }], cut: 'clean' };
  const before = await again(2, withSummaries(writePlan, exit));
  const within = await again(2, inOrder(cut, summary, writePlan, exit));
  const after = await again(3, withSummaries(writePlan, exit));
  for (const { result } of [before, within, after]) assert.equal(result?.kind, 'plan_ready');
  const summarized = [before, within, after].map(
    ({ server }) => server.requests.filter(({ compaction }) => compaction !== undefined).length,
  );
  assert.deepEqual(summarized, [1, 2, 0]);
  assert.deepEqual(after.server.requests[0]?.messages, whole.server.requests[3]?.messages);
});

/** Refuses every request above so many bytes, as a model with a small window does. */
function withWindow(bytes: number, script: Script): Script {
  return (sent, index) =>
    JSON.stringify(sent).length > bytes ? { status: 400, type: 'prompt is too long' } : script(sent, index);
}

test('141: a prompt that is too long is made smaller and asked for once more', async () => {
  const calls = (index: number): Answer => ({
    say: [{ tool: 'read', input: { file_path: 'big.txt', from_byte: index } }],
  });
  const run = await drive(withWindow(80_000, withSummaries(calls(1), calls(2), calls(3), ask)), {
    compactAtTokens: 1e9,
  });
  assert.equal(run.result?.kind, 'question');
  const sizes = run.server.requests.map((sent) => JSON.stringify(sent).length);
  assert.deepEqual(
    run.server.requests.map(({ compaction }) => compaction !== undefined),
    [false, false, false, false, true, false],
  );
  assert.ok((sizes[4] ?? 0) < (sizes[3] ?? 0) && (sizes[5] ?? 0) < (sizes[3] ?? 0));
});

test('141: a prompt that stays too long fails with the reason after one smaller request', async () => {
  const longest = JSON.stringify(await planned()).length;
  const run = await drive(withWindow(longest / 10, withSummaries(ask)), {
    brief: { kind: 'changes_requested', feedback: { bodies: [], remarks: [] }, plan: planText() },
    plan: planText(),
    conversation: await planned(),
    compactAtTokens: 1e9,
  });
  assert.deepEqual(run.result, withoutSummary('The conversation no longer fits the model.'));
  assert.equal(run.server.requests.length, 2);
});

test('137: a reply that has filled the context is not kept; the conversation is summarized and asked again, once', async () => {
  const full: Answer = { say: [{ text: 'So' }], stop: 'model_context_window_exceeded' };
  const run = await drive(withSummaries(readBig, readAgain, full, full), { compactAtTokens: 1e9 });
  assert.deepEqual(run.result, {
    kind: 'failed',
    reason: 'context_exceeded',
    detail: 'The conversation no longer fits the model.',
  });
  assert.deepEqual(
    run.server.requests.map(({ compaction }) => compaction !== undefined),
    [false, false, false, true, false],
  );
  assert.doesNotMatch(JSON.stringify(storedConversation(run)), /"So"/);
});

test('where there is no summary to be had, the run goes on with all that was said, and asks no second time', async () => {
  for (const none of [
    { say: [{ summary: null }] },
    { say: [{ summary: 'Half of' }], stop: 'max_tokens' },
    { status: 400, type: 'invalid_request_error' },
  ] satisfies Answer[]) {
    const later: Answer = {
      say: [{ tool: 'read', input: { file_path: 'README.md' } }],
      usage: { input: 20_000, output: 5 },
    };
    const run = await drive(inOrder(readBig, readAgain, none, later, ask));
    assert.equal(run.result?.kind, 'question');
    assert.equal(audits(run).length, 1);
    assert.match(audits(run)[0] ?? '', /^not_summarized: /);
    const sent = run.server.requests.map(shape);
    assert.equal(sent[3], 'text+text | tool_use | tool_result | tool_use | tool_result');
  }
});

test('a question that was asked, and after a pause what the work began with, are stated anew', async () => {
  const asked = await driveHere({ script: inOrder(readBig, ask), files });
  const run = await drive(withSummaries(readAgain, readBig, ask), {
    conversation: storedConversation(asked),
    brief: { kind: 'continued' },
    told: request,
    compactAtTokens: 9_000,
    plan: planText(),
  });
  const compacted = run.server.requests.findIndex(({ messages }) => blocksOf(messages[0])[0]?.type === 'compaction');
  const said = textOf(run.server.requests[compacted]?.messages.at(-1));
  assert.match(said, /Questions that you asked, the newest first:\n\n1\. Which\?/);
  assert.match(said, new RegExp(`Base commit: ${base}[\\s\\S]*It is slow\\.`));
});

test('a summary that the model does not take any more ends the run with the reason that has the next one begin anew', async () => {
  const whole = await drive(withSummaries(readBig, readAgain, ask));
  const stored = JSON.stringify(storedConversation(whole)).replace('All was approved', 'All was rejected');
  const conversation: readonly BetaMessageParam[] = JSON.parse(stored);
  const run = await drive(withSummaries(ask), { conversation, brief: { kind: 'continued' } });
  assert.deepEqual(run.result, withoutSummary('The model no longer takes the summary of the conversation.'));
  assert.equal(run.server.requests.length, 2);
});

test('what was summarized may be looked at again, and a loop is still a loop', async () => {
  const look: Answer = { say: [{ tool: 'glob', input: { pattern: '*' } }], usage: { input: 500, output: 5 } };
  const fourLooks = [look, look, look, look];
  const again = await drive(withSummaries(...fourLooks, readBig, readAgain, ...fourLooks, ask));
  assert.equal(again.result?.kind, 'question');
  const loop = await drive(withSummaries(readBig, readAgain, ...fourLooks, look, look));
  assert.ok(loop.result?.kind === 'failed' && loop.result.reason === 'repeated_calls');
});
