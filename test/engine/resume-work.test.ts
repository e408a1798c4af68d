import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commitStep, readTree } from '../../src/engine/implementation.ts';
import { resumeWork } from '../../src/engine/resume-work.ts';
import { createKeeper } from '../../src/engine/run-keeper.ts';
import { addStep, endRun, insertRun, readRun, runsToKeep, setTasks, settleRun } from '../../src/engine/run-store.ts';
import { recordFinding, wake } from '../../src/engine/threads.ts';
import { readSignedTrailers } from '../../src/github/trailers.ts';
import type { Outcome } from '../../src/lifecycle/memory.ts';
import { noCeiling } from '../no-ceilings.ts';
import { git } from '../workspace/git-server.ts';
import { useGitServer } from '../workspace/workspace-fixture.ts';
import { approvedWork, commitMessage, key } from './approved-work.ts';
import { newThread, silent, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';

useGitServer();

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

const amended = (plan: string) =>
  plan.replace('\nverify', '\n  - { path: README.md, change: modify }\nverify').concat('3. Tell of it in README.md\n');

/** A run with one step and something uncommitted that asked for an amendment, which stands on the branch. */
async function amendedWork(change: (plan: string) => string = amended) {
  const { db, boss } = database;
  const there = await approvedWork();
  const { workspaces, repository, work, write, head, base } = there;
  const thread = await wake(db, boss, newThread());
  const { approval, causes, branch } = work.run;
  const order = { phase: 'implement', branch, causes, head, base, approval } as const;
  const parked = await insertRun(db, thread, { ...order, occasion: work.run.occasion });
  assert.ok(parked !== null);
  const own = { ...work, run: { ...work.run, id: parked, thread, workspace: parked } };
  const checkout = await workspaces.writableCheckout(repository, head, parked);
  const done = { ...own, checkout };
  there.writeIn(checkout, 'src/cache.js', 'new\n');
  await addStep(db, parked, await commitStep(done, 'Keep entries'));
  const tasks = [{ title: 'Keep entries', status: 'done' } as const];
  await setTasks(db, parked, tasks);
  there.writeIn(checkout, 'src/clock.js', 'half a clock\n');
  await workspaces.snapshot(repository, checkout, parked);
  const text = change(work.plan);
  const outcome: Outcome = { kind: 'amendment', plan: text, reason: 'Readers must know.', findings: [] };
  await endRun(db, parked, { outcome, cost: null });
  await settleRun(db, parked);
  const onto = await workspaces.commitPlan(repository, {
    parent: head,
    path: 'plan.md',
    text,
    message: () => 'Amend\n',
  });
  const again = approval === null ? null : { ...approval, head: onto, planBlob: 'c'.repeat(40) };
  const occasion = { kind: 'approval', reviews: [10], resumes: parked } as const;
  const id = await insertRun(db, thread, { ...order, head: onto, causes: ['review:10'], approval: again, occasion });
  const run = id === null ? null : await readRun(db, id);
  assert.ok(run !== null);
  const ports = { ...work, github: { commitMessage }, run, plan: text, db, log: silent };
  const inMirror = (...args: string[]) =>
    git(there.root, ['--git-dir', join(there.root, 'mirrors', `${repository.id}.git`), ...args]);
  return { ...there, ports, parked, onto, thread, tasks, inMirror, write };
}

test('the steps of the run that asked stand on the amended plan as the new run’s own, by its approval and receipt', async () => {
  const { ports, onto, parked, tasks, workspaces, repository, inMirror } = await amendedWork();
  const before = (await readRun(database.db, parked))?.steps[0]?.commit;
  assert.deepEqual(await resumeWork(ports, onto), { work: 'kept', tasks });
  const run = await readRun(database.db, ports.run.id);
  const [step] = run?.steps ?? [];
  assert.ok(step !== undefined && step.commit !== null && step.commit !== before);
  assert.deepEqual({ ...step, commit: '' }, { title: 'Keep entries', commit: '', files: ['src/cache.js'] });
  const [tree = '', parent = ''] = inMirror('log', '-1', '--format=%T %P', step.commit).split(' ');
  assert.equal(parent, onto);
  const message = inMirror('log', '-1', '--format=%B', step.commit);
  const place = { repository: repository.id, branch: ports.run.branch, tree, parents: [parent] };
  const trailers = readSignedTrailers(message, place, key);
  assert.equal(message.split('\n')[0], 'Keep entries');
  assert.deepEqual(
    [trailers?.run, trailers?.reviews, trailers?.receipt?.head, trailers?.approvedBy],
    [ports.run.id, [10], onto, [{ login: 'ada', commit: onto }]],
  );
  const checkout = await workspaces.writableCheckout(repository, onto, ports.run.workspace);
  assert.equal(readFileSync(join(checkout.path, 'src/clock.js'), 'utf8'), 'half a clock\n');
  assert.equal(readFileSync(join(checkout.path, 'plan.md'), 'utf8'), ports.plan);
});

test('a process that dies before the run has a turn loses nothing: carrying over again starts from the kept work', async () => {
  const { ports, onto, workspaces, repository, writeIn } = await amendedWork();
  await resumeWork(ports, onto);
  const checkout = await workspaces.writableCheckout(repository, onto, ports.run.workspace);
  const work = { ...ports, checkout, issue: 42, earlier: [], amendments: [], refusedHosts: [], holdsCode: false };
  writeIn(checkout, 'README.md', 'told\n');
  await addStep(database.db, ports.run.id, await commitStep(work, 'Tell of it'));
  assert.equal((await resumeWork(ports, onto))?.work, 'kept');
  const again = await workspaces.writableCheckout(repository, onto, ports.run.workspace);
  assert.equal(readFileSync(join(again.path, 'README.md'), 'utf8'), 'hello\n');
  assert.deepEqual(
    (await readRun(database.db, ports.run.id))?.steps.map(({ title }) => title),
    ['Keep entries'],
  );
});

test('a step that was committed by a process that died before it was written down is written down when it is told again, once', async () => {
  const { ports, onto, workspaces, repository, writeIn } = await amendedWork();
  await resumeWork(ports, onto);
  const checkout = await workspaces.writableCheckout(repository, onto, ports.run.workspace);
  const work = { ...ports, checkout, issue: 42, earlier: [], amendments: [], refusedHosts: [], holdsCode: false };
  writeIn(checkout, 'README.md', 'told\n');
  const { commit, files } = await commitStep(work, 'Tell of it');
  const keeper = createKeeper(
    database.db,
    ports.run,
    { implementation: work, history: async () => [], day: noCeiling },
    silent,
  );
  for (const title of ['Tell of it', 'Nothing more', 'Tell of it', 'Nothing more'])
    assert.equal(await keeper.stepDone({ kind: 'step_done', seq: 1, title }), null);
  assert.deepEqual((await readRun(database.db, ports.run.id))?.steps.slice(1), [
    { title: 'Tell of it', commit, files },
    { title: 'Nothing more', commit: null, files: [] },
  ]);
});

test('where a revision took a finished step out of the plan, all is there to be undone and no step is kept', async () => {
  const without = (plan: string) => plan.replace('  - { path: src/cache.js, change: modify }\n', '');
  const { ports, onto, workspaces, repository } = await amendedWork(without);
  assert.deepEqual(await resumeWork(ports, onto), { work: 'loose', tasks: [] });
  assert.deepEqual((await readRun(database.db, ports.run.id))?.steps, []);
  assert.equal(await workspaces.lastCommit(repository, ports.run.workspace), null);
  const checkout = await workspaces.writableCheckout(repository, onto, ports.run.workspace);
  const tree = await readTree({
    ...ports,
    checkout,
    issue: 42,
    earlier: [],
    amendments: [],
    refusedHosts: [],
    holdsCode: false,
  });
  assert.deepEqual(tree.outside, ['`src/cache.js` (modify)']);
});

test('work that is gone begins anew from the amended plan, and nothing fails', async () => {
  const { ports, onto, workspaces, repository } = await amendedWork();
  await workspaces.sweep(new Set());
  assert.deepEqual(await resumeWork(ports, onto), { work: 'lost', tasks: [] });
  const unknown = { ...ports.run, occasion: { kind: 'approval', reviews: [10], resumes: 'gone' } } as const;
  assert.deepEqual(await resumeWork({ ...ports, run: unknown }, onto), { work: 'lost', tasks: [] });
  const checkout = await workspaces.writableCheckout(repository, onto, ports.run.workspace);
  assert.equal(readFileSync(join(checkout.path, 'src/cache.js'), 'utf8'), 'old\n');
});

test('the tree of an amendment is kept while it is reviewed and until its work goes on, and no longer', async () => {
  const { db } = database;
  const { ports, parked, thread } = await amendedWork();
  const set = (status: 'cancelled' | 'running' | 'finished') =>
    db.updateTable('run').set({ status, is_settled: true }).where('id', '=', ports.run.id).execute();
  const isKept = async () => (await runsToKeep(db)).has(parked);
  const found = { seenWakes: 1, owner: 'octo', name: 'shop', pullRequest: 50 };
  await recordFinding(db, thread, { ...found, state: 'awaiting_approval' });
  await set('cancelled');
  assert.equal(await isKept(), true);
  await set('running');
  assert.equal(await isKept(), true);
  await set('cancelled');
  await recordFinding(db, thread, { ...found, state: 'abandoned' });
  assert.equal(await isKept(), false);
  await recordFinding(db, thread, { ...found, state: 'implemented' });
  await set('finished');
  assert.equal(await isKept(), false);
});
