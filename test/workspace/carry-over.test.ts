import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CarriedWork } from '../../src/workspace/workspace.ts';
import { git } from './git-server.ts';
import { useGitServer, world } from './workspace-fixture.ts';

useGitServer();

const message = (text: string) => () => `${text}\n`;

/** A plan, a run with two steps and something uncommitted on it, and an amended plan on top of the plan. */
async function parkedWork() {
  const there = world({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const { workspaces, repository, base } = there;
  await workspaces.fetch(repository, [base], there.token);
  const plan = (parent: string, text: string) =>
    workspaces.commitPlan(repository, { parent, path: 'plan.md', text, message: message('Plan') });
  const approved = await plan(base, '# Plan\n');
  const checkout = await workspaces.writableCheckout(repository, approved, 'r1');
  const write = (path: string, text: string) => writeFileSync(join(checkout.path, path), text);
  const keep = (text: string) =>
    workspaces.commitStep(repository, checkout, { run: 'r1', message: message(text), remove: [] });
  write('a.txt', 'a1\n');
  const first = await keep('First');
  write('new.txt', 'new\n');
  const second = await keep('Second');
  rmSync(join(checkout.path, 'b.txt'));
  write('loose.txt', 'loose\n');
  await workspaces.snapshot(repository, checkout, 'r1');
  const amended = await plan(approved, '# Plan, amended\n');
  assert.ok(first !== null && second !== null);
  const work: CarriedWork = {
    from: 'r1',
    base: approved,
    to: 'r2',
    onto: amended,
    message: (commit) => message(commit === first ? 'First again' : 'Second again'),
  };
  const inMirror = (...args: string[]) =>
    git(there.root, ['--git-dir', join(there.root, 'mirrors', `${repository.id}.git`), ...args]);
  return { ...there, work, approved, amended, first, second, checkout, plan, inMirror };
}

test('the steps of a run stand on the amended plan, each with a message of its own, and the rest is uncommitted', async () => {
  const { workspaces, repository, work, amended, first, second, inMirror } = await parkedWork();
  const commits = await workspaces.carryOver(repository, work);
  assert.ok(commits !== null);
  const [one, two] = [commits.get(first) ?? '', commits.get(second) ?? ''];
  assert.equal(inMirror('log', '--format=%H %s', `${amended}..${two}`), `${two} Second again\n${one} First again`);
  assert.equal(inMirror('show', `${one}:plan.md`), '# Plan, amended');
  assert.deepEqual(
    (await workspaces.changes(repository, amended, one)).map(({ path, change }) => [path, change]),
    [['a.txt', 'modify']],
  );
  assert.equal(await workspaces.lastCommit(repository, 'r2'), two);
  const checkout = await workspaces.writableCheckout(repository, amended, 'r2');
  assert.equal(readFileSync(join(checkout.path, 'plan.md'), 'utf8'), '# Plan, amended\n');
  const { uncommitted, faults } = await workspaces.inspect(repository, checkout, 'r2');
  assert.deepEqual(faults, []);
  assert.deepEqual(
    uncommitted.map(({ path, change }) => [path, change]),
    [
      ['b.txt', 'delete'],
      ['loose.txt', 'create'],
    ],
  );
});

test('carrying over again gives the same work again, and leaves what it came from', async () => {
  const { workspaces, repository, work, second, amended } = await parkedWork();
  const commits = await workspaces.carryOver(repository, work);
  const checkout = await workspaces.writableCheckout(repository, amended, 'r2');
  writeFileSync(join(checkout.path, 'lost.txt'), 'made by a process that died\n');
  await workspaces.commitStep(repository, checkout, { run: 'r2', message: message('Lost'), remove: [] });
  const again = await workspaces.carryOver(repository, work);
  assert.deepEqual(
    [...(again ?? [])].map(([old]) => old),
    [...(commits ?? [])].map(([old]) => old),
  );
  assert.equal(await workspaces.lastCommit(repository, 'r2'), again?.get(second));
  assert.equal(await workspaces.lastCommit(repository, 'r1'), second);
});

test('without messages everything is carried over uncommitted', async () => {
  const { workspaces, repository, work, amended } = await parkedWork();
  assert.deepEqual(await workspaces.carryOver(repository, { ...work, message: null }), new Map());
  assert.equal(await workspaces.lastCommit(repository, 'r2'), null);
  const checkout = await workspaces.writableCheckout(repository, amended, 'r2');
  const { uncommitted } = await workspaces.inspect(repository, checkout, 'r2');
  assert.deepEqual(
    uncommitted.map(({ path }) => path),
    ['a.txt', 'b.txt', 'loose.txt', 'new.txt'],
  );
});

test('work that is gone, or that meets other changes of the same lines, is not carried over', async () => {
  const { workspaces, repository, work, checkout, plan, approved } = await parkedWork();
  assert.equal(await workspaces.carryOver(repository, { ...work, from: 'r9' }), null);
  writeFileSync(join(checkout.path, 'plan.md'), '# Mine\n');
  await workspaces.snapshot(repository, checkout, 'r1');
  const onto = await plan(approved, '# Theirs\n');
  assert.equal(await workspaces.carryOver(repository, { ...work, onto }), null);
  assert.equal(await workspaces.lastCommit(repository, 'r2'), null);
});

test('the work of a run is found where git has packed its refs, and no work where there is none', async () => {
  const { workspaces, repository, base, first, second, checkout, inMirror } = await parkedWork();
  inMirror('pack-refs', '--all');
  assert.equal(await workspaces.lastCommit(repository, 'r1'), second);
  assert.equal(await workspaces.lastCommit(repository, 'r2'), null);
  assert.equal(await workspaces.readFile(repository, base, 'a.txt'), 'a\n');
  assert.equal(await workspaces.readFile(repository, first, 'a.txt'), 'a1\n');
  const third = await workspaces.commitStep(repository, checkout, { run: 'r1', message: message('Third'), remove: [] });
  assert.equal(await workspaces.lastCommit(repository, 'r1'), third);
});
