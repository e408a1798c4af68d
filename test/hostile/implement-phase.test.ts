// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitStep, finish, StepRejected } from '../../src/engine/implementation.ts';
import { readPlan } from '../../src/engine/tree-scope.ts';
import { createCommandRunner } from '../../src/sandbox/command-runner.ts';
import { findHeldPlaces } from '../../src/sandbox/held-places.ts';
import { git } from '../workspace/git-server.ts';
import { createAgent } from './agent.ts';
import { readAttempts } from './attempts.ts';
import { watch } from './harm.ts';
import { play, playUnconfined, tell } from './play.ts';
import { type Surroundings, useSurroundings } from './surroundings.ts';

const surroundings = useSurroundings('implement');
const readAll = ({ placeholders }: Surroundings) => readAttempts('implement', placeholders);

test('S31, S32, S37, S39, S40, S41, S42, S43, S44, S45, S47, S48, cases 103, 147, 149, 150, 152, 155: nothing that a hostile agent tries in the implement phase gets out', async (t) => {
  const around = await surroundings();
  const attempts = readAll(around);
  const { own, scratch, work } = around;
  const readOnly = await findHeldPlaces(own.path, readPlan(work.plan).files);
  const runner = await createCommandRunner({
    checkout: own.path,
    scratch,
    writable: true,
    readOnly,
    hosts: ['registry.example'],
  });
  assert.ok(runner.available, runner.available ? '' : runner.reason);
  const done = await play(attempts, createAgent(own, work.plan, runner.run), watch(around));
  await runner.close();
  t.diagnostic(tell(attempts, 'implement', done));
  assert.deepEqual(done, {});
  assert.ok(attempts.length >= 60, `expected at least 60 attempts, got ${attempts.length}`);
});

test('commands of the implement phase that nothing holds do what must never be, and are seen to do it', async () => {
  const around = await surroundings();
  assert.deepEqual(await playUnconfined(readAll(around), around, watch(around)), {});
});

/** The branches and tags of the forge. */
function refsOf(forge: string): readonly string[] {
  return git(forge, ['for-each-ref', '--format=%(objectname) %(refname)']).split('\n');
}

test('S49, S50, case 102: of what a hostile agent leaves the host executes nothing, commits what the plan names and moves one branch', async () => {
  const around = await surroundings();
  const { work, workspaces, repository, own, base, done, token, placeholders } = around;
  assert.ok(own.access === 'writable');
  const outside = placeholders.get('outside') ?? '';
  const [refsBefore, outsideBefore] = [refsOf(around.forge), readdirSync(outside)];
  await workspaces.snapshot(repository, own, 'r1');
  const rejected: unknown = await commitStep(work, 'Keep entries').catch((error: unknown) => error);
  assert.ok(rejected instanceof StepRejected, `expected a rejected step, got ${rejected}`);
  assert.deepEqual([refsOf(around.forge), await workspaces.lastCommit(repository, 'r1')], [refsBefore, null]);
  for (const name of readdirSync(own.path)) {
    if (!['src', 'README.md', 'plan.md'].includes(name)) rmSync(join(own.path, name), { recursive: true });
  }
  writeFileSync(join(own.path, 'src/cache.js'), 'new\n');
  const outcome = await finish(work, [], done);
  assert.ok(outcome.kind === 'work_ready', JSON.stringify(outcome));
  await workspaces.push(repository, { branch: 'planwright/issue-42', commit: outcome.commit, expected: null }, token);
  assert.deepEqual(refsOf(around.forge), [...refsBefore, `${outcome.commit} refs/heads/planwright/issue-42`]);
  assert.deepEqual(await workspaces.changes(repository, base, outcome.commit), [
    { path: 'src/cache.js', change: 'modify', from: null, mode: '100644' },
  ]);
  assert.deepEqual(readdirSync(outside), outsideBefore);
});
