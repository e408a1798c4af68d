// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCommandRunner } from '../../src/sandbox/command-runner.ts';
import { createAgent } from './agent.ts';
import { readAttempts } from './attempts.ts';
import { watch } from './harm.ts';
import { play, playUnconfined, tell } from './play.ts';
import { type Surroundings, useSurroundings } from './surroundings.ts';

const surroundings = useSurroundings('plan');
const readAll = ({ placeholders }: Surroundings) => readAttempts('plan', placeholders);

test('S28, S30, S31, S37, S39, S41, S43, S44, S45, S48, cases 103, 147, 149, 150, 152, 155: nothing that a hostile agent tries in the plan phase gets out', async (t) => {
  const around = await surroundings();
  const attempts = readAll(around);
  const { own, scratch } = around;
  const runner = await createCommandRunner({ checkout: own.path, scratch, writable: false, readOnly: [], hosts: [] });
  assert.ok(runner.available, runner.available ? '' : runner.reason);
  const done = await play(attempts, createAgent(own, around.work.plan, runner.run), watch(around));
  await runner.close();
  t.diagnostic(tell(attempts, 'plan', done));
  assert.deepEqual(done, {});
  assert.ok(attempts.length >= 60, `expected at least 60 attempts, got ${attempts.length}`);
});

test('commands of the plan phase that nothing holds do what must never be, and are seen to do it', async () => {
  const around = await surroundings();
  assert.deepEqual(await playUnconfined(readAll(around), around, watch(around)), {});
});
