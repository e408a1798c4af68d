import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { LineRemark, RunBrief } from '../../src/agent/brief.ts';
import { runAgent } from '../../src/agent/run-agent.ts';
import type { RunSpec } from '../../src/agent/run-protocol.ts';
import { suggestion } from '../../src/local/demo/people.ts';
import { type ScriptedModel, startScriptedModel } from '../../src/local/model/server.ts';
import { noOtherCeilings, noRules } from '../no-ceilings.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const base = '0123456789abcdef0123456789abcdef01234567';
const quoted = (author: string, text: string) => ({ author, trust: 'writer', text }) as const;
const issue = { number: 1, title: 'Fields are lost', body: quoted('maintainer', 'See the test.') };
const request: RunBrief = { kind: 'request', issue, note: null, instructions: [] };

/** A thread whose runs play one transcript, each on a tree of its own. */
async function openThread(t: TestContext, transcript: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-plays-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const model = await startScriptedModel({ transcripts: [join(fixtures, 'transcripts', `${transcript}.json`)] });
  t.after(() => model.stop());
  let conversation: readonly BetaMessageParam[] = [];
  let plan: string | null = null;
  const steps: string[] = [];
  const run = async (phase: RunSpec['phase'], brief: RunBrief) => {
    const checkout = join(folder, `${phase}-${model.requests.length}`);
    cpSync(join(fixtures, 'repositories', 'plain-csv'), checkout, { recursive: true });
    const scratch = `${checkout}-scratch`;
    mkdirSync(scratch);
    const spec: RunSpec = {
      run: phase,
      phase,
      checkout,
      scratch,
      planPath: 'plan.md',
      plan,
      issue: 1,
      base,
      brief,
      ...(brief.kind === 'changes_requested' ? { remarks: brief.feedback.remarks } : {}),
      conversation,
      model: { id: 'any-model', apiKey: 'key', baseUrl: model.url, maxOutputTokens: 4096, price: null },
      budget: { maxTurns: 50, maxTokens: 10_000_000, wallTimeMs: 30_000, ...noOtherCeilings },
      permissions: noRules,
      planShell: false,
      spent: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 },
      checks: [],
      scopeAllow: [],
      scopeMode: 'block',
      holdsCode: false,
    };
    const host = {
      reply: async () => undefined,
      turn: async (turn: { readonly messages: readonly BetaMessageParam[]; readonly plan: string | null }) => {
        conversation = [...conversation, ...turn.messages];
        plan = turn.plan;
      },
      stepDone: async (title: string) => {
        steps.push(title);
        return { outside: [], faults: [] };
      },
      readTree: async () => ({ outside: [], faults: [], changes: [] }),
      history: async () => '',
      tasks: () => undefined,
      spent: () => undefined,
      dayLeft: () => null,
      audit: () => undefined,
      ended: async () => undefined,
    };
    const { result } = await runAgent(spec, host, new AbortController().signal);
    assert.deepEqual(model.refusals, []);
    return { result, checkout };
  };
  return { model, run, steps };
}

function planOf(result: Awaited<ReturnType<typeof runAgent>>['result']): string {
  assert.ok(result.kind === 'plan_ready', JSON.stringify(result));
  assert.deepEqual(result.findings, []);
  return result.plan;
}

function approval(plan: string): RunBrief {
  return {
    kind: 'approved',
    plan,
    commit: base,
    approvers: ['reviewer'],
    feedback: { bodies: [], remarks: [] },
    issue,
  };
}

/** Every file of a tree with its text. */
function treeOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

function toolsOffered(model: ScriptedModel): readonly string[] {
  return [...new Set(model.requests.flatMap(({ tools = [] }) => tools.map((tool) => tool.name)))].toSorted();
}

const project = treeOf(join(fixtures, 'repositories', 'plain-csv'));
const mended = ['src/quote.js', 'src/stringify.js', 'test/quote.test.js'];

/** The paths at which two trees differ. */
function changedPaths(folder: string): readonly string[] {
  const tree = treeOf(folder);
  const paths = new Set([...tree.keys(), ...project.keys()]);
  return [...paths].filter((path) => tree.get(path) !== project.get(path)).toSorted();
}

test('the whole path: planned, revised for three remarks, implemented step by step', async (t) => {
  const { run, steps } = await openThread(t, 'full-path');
  const first = planOf((await run('plan', request)).result);
  const rows = first.split('\n');
  const remark = (thread: string, start: string, text: string): LineRemark => {
    const at = rows.findIndex((row) => row.startsWith(start));
    return {
      thread,
      path: 'plan.md',
      subject: 'line',
      side: 'RIGHT',
      lines: { start: at + 1, end: at + 1 },
      quoted: rows[at] ?? '',
      isOutdated: false,
      comments: [quoted('reviewer', text)],
      suggestions: [],
      replaced: null,
    };
  };
  const step = remark('T_3', suggestion.on, '[suggestion 1]');
  const revision = await run('plan', {
    kind: 'changes_requested',
    plan: first,
    feedback: {
      bodies: [quoted('reviewer', 'Not yet.')],
      remarks: [
        { ...remark('T_1', 'Spreadsheets read', 'Our nightly import is no spreadsheet.'), isOutdated: true },
        remark('T_2', 'Every field is put', 'The test pins unquoted output.'),
        {
          ...step,
          suggestions: [{ author: 'reviewer', lines: [suggestion.line] }],
          replaced: [step.quoted],
        },
      ],
    },
  });
  const second = planOf(revision.result);
  assert.ok(second.split('\n').includes(suggestion.line), 'expected the suggestion as it was written');
  assert.ok(revision.result.kind === 'plan_ready');
  assert.deepEqual(
    revision.result.answers.map(({ thread, changed }) => ({ thread, changed })),
    [
      { thread: 'T_1', changed: false },
      { thread: 'T_2', changed: true },
      { thread: 'T_3', changed: true },
    ],
  );
  const { result, checkout } = await run('implement', approval(second));
  assert.deepEqual(result, { kind: 'work_done', deviations: [], verifications: [] });
  assert.deepEqual(changedPaths(checkout), mended);
  assert.equal(steps.length, 3);
});

test('the short path: planned and implemented', async (t) => {
  const { run, steps } = await openThread(t, 'short-path');
  const plan = planOf((await run('plan', request)).result);
  const { result, checkout } = await run('implement', approval(plan));
  assert.equal(result.kind, 'work_done');
  assert.deepEqual(changedPaths(checkout), mended);
  assert.equal(steps.length, 3);
});

test('a hostile plan run changes no file, is offered nothing that could, and ends with a plan all the same', async (t) => {
  const { run, model } = await openThread(t, 'hostile-plan');
  const { result, checkout } = await run('plan', request);
  planOf(result);
  assert.deepEqual(changedPaths(checkout), []);
  const offered = toolsOffered(model);
  for (const name of ['write', 'edit', 'move', 'delete', 'bash', 'update_tasks']) {
    assert.ok(!offered.includes(name), name);
  }
  assert.equal(existsSync(join(checkout, '..', '..', 'outside.txt')), false);
});

test('a hostile implementation changes nothing but what its plan names', async (t) => {
  const { run } = await openThread(t, 'hostile-implementation');
  const plan = planOf((await run('plan', request)).result);
  const { result, checkout } = await run('implement', approval(plan));
  assert.equal(result.kind, 'work_done');
  assert.deepEqual(changedPaths(checkout), mended);
  for (const path of [join(checkout, '..', '..', 'outside.txt'), '/tmp/planwright-outside.txt']) {
    assert.equal(existsSync(path), false, path);
  }
});
