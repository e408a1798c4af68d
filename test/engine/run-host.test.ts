import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { RunSpec } from '../../src/agent/run-protocol.ts';
import { hostRun } from '../../src/engine/run-host.ts';
import type { Cost } from '../../src/lifecycle/memory.ts';
import { noCeiling, noOtherCeilings, noRules } from '../no-ceilings.ts';
import { keeper, silent } from './engine-fixture.ts';

const spent: Cost = { turns: 4, inputTokens: 90, outputTokens: 9, dollars: null, elapsedMs: 60_000 };

const spec: RunSpec = {
  run: 'r1',
  phase: 'plan',
  checkout: '/nowhere',
  scratch: '/nowhere',
  planPath: 'plan.md',
  plan: null,
  issue: 7,
  base: 'b'.repeat(40),
  brief: null,
  conversation: [],
  model: { id: 'scripted', apiKey: 'key', baseUrl: null, maxOutputTokens: 1000, price: null },
  budget: { maxTurns: 50, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherCeilings },
  permissions: noRules,
  planShell: false,
  spent,
  checks: [],
  scopeAllow: ['waits'],
  scopeMode: 'block',
  holdsCode: false,
};

const childPath = fileURLToPath(new URL('fake-child.ts', import.meta.url));
const options = { childPath, searchPath: '/usr/local/bin:/usr/bin:/bin', spec, keeper, log: silent };

test('a run that outstays its time, over all of its processes, is parked from outside with what it has used', async () => {
  const end = await hostRun({ ...options, overtimeMs: 20 }).end;
  assert.ok(end.kind === 'ended', JSON.stringify(end));
  assert.deepEqual(end.result, {
    kind: 'budget_reached',
    level: 'run',
    detail: 'The run took longer than its ceiling of time allows, and was ended from outside.',
  });
  assert.ok(end.spent.elapsedMs > spent.elapsedMs, 'the time of this process is counted on top of that of the others');
  assert.equal(end.spent.turns, spent.turns);
});

test('after each turn a run is told what is left of the day, by what it has used', async () => {
  const asked = Promise.withResolvers<Cost>();
  const dayLeft = async (used: Cost) => {
    asked.resolve(used);
    return noCeiling;
  };
  const hosted = hostRun({ ...options, keeper: { ...keeper, dayLeft } });
  assert.equal((await asked.promise).turns, 1);
  await hosted.kill();
});

test('a run that says more than can be heard is ended, and its host logs only so much of what it writes', async () => {
  const written: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => written.push(line) });
  const audit = () => delay(1);
  const hosted = hostRun({ ...options, spec: { ...spec, scopeAllow: ['floods'] }, log, keeper: { ...keeper, audit } });
  assert.deepEqual(await hosted.end, { kind: 'crashed', detail: 'Its process said more than can be heard.' });
  const { length } = written.join('');
  assert.ok(length > 100 && length < 300_000, `expected some of what it wrote, got ${length} characters`);
});
