import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { copyDatabase } from '../engine/made-database.ts';

const bench = fileURLToPath(new URL('../../bench/bench.ts', import.meta.url));

const weight = z.strictObject({ bytes: z.number(), tokens: z.number() });
const memory = z.strictObject({ processBytes: z.number(), treeBytes: z.number(), treeBeforeBytes: z.number() });
const side = z.strictObject({
  wallMs: z.number().positive(),
  msPerTurn: z.number().positive(),
  peakMemory: memory,
  firstRequest: weight,
  allRequests: weight,
  fixedTokens: z.number(),
  equalPrefix: z.number(),
});
const document = z.strictObject({
  machine: z.strictObject({ node: z.string(), processors: z.number(), processor: z.string() }),
  rounds: z.literal(1),
  fixedOverheadTokens: z.number().positive().lt(3000),
  hasSameFixedPartInTwoRepositories: z.literal(true),
  runs: z.tuple([
    z.strictObject({
      turns: z.literal(5),
      product: side.extend({
        storedTurns: z.literal(5),
        ending: z.literal('plan_ready'),
        equalPrefix: z.literal(1),
      }),
      bareLoop: side,
      ratios: z.strictObject({
        timePerTurn: z.number(),
        peakMemory: z.number().positive().max(2.5),
        inputTokens: z.number().max(1.1),
      }),
    }),
  ]),
  bounds: z.record(z.string(), z.number()),
  broken: z.array(z.string()),
});

test('the bench prints one document: a plan run beside a bare loop, every turn stored, the prefix of each request in the next, the same system prompt and tools in two repositories', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-data-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  await copyDatabase(dataDir);
  const given = ['--liftoff-only', bench, '--turns', '5', '--rounds', '1', '--database', dataDir];
  const ended = await promisify(execFile)(process.execPath, given).catch((error: unknown) => error);
  const { stdout, stderr } = z.object({ stdout: z.string(), stderr: z.string() }).parse(ended);
  const { broken } = document.parse(JSON.parse(stdout));
  assert.equal(stderr, broken.map((line) => `broken: ${line}\n`).join(''));
});
