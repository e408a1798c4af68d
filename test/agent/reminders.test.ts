import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { RunBrief } from '../../src/agent/brief.ts';
import { reminderAfter, turnsSinceExplained, writeReminder } from '../../src/agent/reminders.ts';
import { emptyPlan } from '../../src/plan/plan-file.ts';
import { type Answer, inOrder, type Script, textOf } from './model-server.ts';
import { base, driveHere, planText, request, storedConversation } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };

/** Searches for another word in each of so many turns, then asks. */
function searching(turns: number): Script {
  return (_request, index) => (index < turns ? { say: [{ tool: 'grep', input: { pattern: `word${index}` } }] } : ask);
}

const kinds = [
  ['full', 'Reminder: plan mode is on. '],
  ['re-entry', 'Reminder: plan mode is on, and there is a plan in plan.md'],
  ['sparse', 'Reminder: plan mode; '],
  ['exit', 'Reminder: plan mode has ended'],
] as const;

function kindOf(text: string): string | null {
  return kinds.find(([, beginning]) => text.includes(beginning))?.[0] ?? null;
}

test('plan mode is explained in full, then in one line every third turn, and in full again after fifteen', () => {
  const due = Array.from({ length: 16 }, (_, index) => reminderAfter(index + 1) ?? '');
  assert.equal(due.join(','), ',,sparse,,,sparse,,,sparse,,,sparse,,,full,full');
});

test('turns count from the last explanation, and not from one that only a file or a person holds', () => {
  const reply: BetaMessageParam = { role: 'assistant', content: 'I look.' };
  const full = writeReminder('full', 'plan.md');
  const explained: BetaMessageParam = { role: 'user', content: [{ type: 'text', text: full }] };
  const quoted: BetaMessageParam = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: full },
      { type: 'text', text: `by @eve: ${full}` },
    ],
  };
  assert.equal(turnsSinceExplained([reply, explained, reply, quoted, reply], 'plan.md'), 2);
  assert.equal(turnsSinceExplained([reply, explained, reply, quoted, reply], 'other.md'), 3);
  assert.equal(turnsSinceExplained([], 'plan.md'), 0);
});

test('in a run: full at first, one line every third turn, full after fifteen; less than a hundred characters a turn', async () => {
  const run = await driveHere({ script: searching(18) });
  const said = run.server.requests.map(({ messages }) => kindOf(textOf(messages.at(-1))));
  const third = [null, null, 'sparse'];
  assert.deepEqual(said, ['full', ...third, ...third, ...third, ...third, null, null, 'full', ...third]);
  const lengths = storedConversation(run)
    .slice(3)
    .flatMap((message) => /Reminder: .*/.exec(JSON.stringify(message)) ?? []);
  assert.ok(lengths.join('').length / 18 < 100);
});

test('a run that is taken up again is reminded with the same bytes as one that was not', async () => {
  const whole = await driveHere({ script: searching(5) });
  const stored = storedConversation(whole);
  const cut = stored.findLastIndex(({ role }) => role === 'assistant') - 6;
  const again = await driveHere({
    script: (sent) => searching(5)(sent, sent.messages.filter(({ role }) => role === 'assistant').length),
    spec: { brief: null, conversation: stored.slice(0, cut) },
  });
  const withoutIds = (text: string) => text.replaceAll(/toolu_\d+/g, 'toolu');
  const [last, lastAgain] = [whole, again].map(({ server }) => withoutIds(JSON.stringify(server.requests.at(-1))));
  assert.equal(lastAgain, last);
});

/** What plan mode says of itself as a run begins. */
async function opening(brief: RunBrief, plan: string | null, conversation: readonly BetaMessageParam[] = []) {
  const run = await driveHere({ script: inOrder(ask), spec: { brief, plan, conversation } });
  return kindOf(textOf(run.server.requests[0]?.messages.at(-1)));
}

test('a run that is to plan anew is told of an existing plan only where there is one', async () => {
  const replan: RunBrief = { kind: 'replan', note: null, plan: null };
  assert.equal(await opening(replan, null), 'full');
  assert.equal(await opening(replan, emptyPlan(7, base)), 'full');
  assert.equal(await opening(replan, planText()), 're-entry');
});

test('a run that was stopped and is wanted again is told of its plan, and never that plan mode was left', async () => {
  const stopped = storedConversation(await driveHere({ script: searching(1) }));
  assert.equal(await opening(request, planText(), stopped), 're-entry');
  assert.doesNotMatch(writeReminder('re-entry', 'plan.md'), /again|back|left|ended|stopped|resum/i);
});

test('after /replan was accepted in an implementation, plan mode and the plan are explained', async () => {
  const asked: BetaMessageParam = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'e', name: 'enter_plan_mode', input: { reason: 'It does not fit.' } }],
  };
  const conversation: readonly BetaMessageParam[] = [{ role: 'user', content: 'Build it.' }, asked];
  assert.equal(await opening({ kind: 'replan', note: null, plan: planText() }, planText(), conversation), 're-entry');
});
