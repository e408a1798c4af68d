/** What people commit to the plan's branch is the plan of record, and stays below everything after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PublishPorts, publishPlan } from '../../src/engine/publish.ts';
import type { RunRecord } from '../../src/engine/run-record.ts';
import type { ActContext } from '../../src/github/github.ts';
import type { CommitTrailers } from '../../src/lifecycle/facts.ts';
import { BranchMoved } from '../../src/workspace/workspace.ts';
import { commitFiles, git } from '../workspace/git-server.ts';
import { useGitServer, type World, world } from '../workspace/workspace-fixture.ts';
import { factsOf, planOrder, pullRequestOf, runOf } from './engine-fixture.ts';

useGitServer();

const branch = 'planwright/issue-1';
const firstPlan = '# Plan\r\n\r\nDo  it.  \t\r\nGröße.';

/** A plan on its branch, above a base of two files. */
function planned(): World & { readonly plan: string } {
  const there = world({ 'README.md': 'hello\n', 'src/a.ts': 'a\n' });
  git(there.forge, ['update-ref', `refs/heads/${branch}`, there.base]);
  return { ...there, plan: commitFiles(there.forge, { 'plan.md': firstPlan }, branch) };
}

function revision(there: World, head: string, text: string, base = there.base): RunRecord {
  const order = planOrder({ branch, causes: ['review:9'], occasion: { kind: 'reviews', reviews: [9] }, head, base });
  const outcome = { kind: 'plan_ready', plan: text, findings: [], answers: [] } as const;
  return runOf(order, { id: 'run-2', thread: '1#1', status: 'finished', outcome, workspace: 'run-2', attempts: 1 });
}

function contextOf(there: World & { readonly plan: string }, head: string): ActContext {
  const ref = { installation: 7, repository: there.repository, issue: 1 };
  const trailers: CommitTrailers = {
    phase: 'plan',
    run: 'run-1',
    base: there.base,
    plan: null,
    reviews: [],
    approvedBy: [],
    receipt: null,
  };
  const commit = (sha: string, own: CommitTrailers | null) => ({
    sha,
    headline: 'x',
    committedAt: '2026-01-02T00:00:00Z',
    trailers: own,
  });
  const pullRequest = pullRequestOf({
    branch,
    head,
    commits: [commit(there.plan, trailers), ...(head === there.plan ? [] : [commit(head, null)])],
    files: [{ path: 'plan.md', change: 'ADDED' }],
  });
  const facts = factsOf(ref, { pullRequests: [pullRequest] });
  return { thread: ref, facts, memory: { runs: [] }, pullRequest: { number: 50, nodeId: 'PR_50' }, head };
}

async function publish(there: World & { readonly plan: string }, run: RunRecord, head: string): Promise<string> {
  const context = contextOf(there, head);
  const github: PublishPorts['github'] = {
    withToken: (_thread, _use, work) => there.token(work),
    commitMessage: () => () => 'Revise the plan\n',
  };
  await publishPlan({ workspaces: there.workspaces, github, sandboxFault: async () => null }, run, context);
  assert.ok(context.head !== null);
  return context.head;
}

const parentsOf = (there: World, commit: string) => git(there.forge, ['log', '-1', '--format=%P', commit]).split(' ');
const changedIn = (there: World, from: string, to: string) => git(there.forge, ['diff', '--name-only', from, to]);

function isAncestor(there: World, commit: string, of: string): boolean {
  return git(there.forge, ['merge-base', commit, of]) === commit;
}

test("a revision stands on a person's commit to the plan, and changes not a byte that it does not name", async () => {
  const there = planned();
  const edited = `${firstPlan.replace('Do  it.', 'Do it twice.')}\r\nAnd  more. `;
  const byPerson = commitFiles(there.forge, { 'plan.md': edited }, branch);
  const text = edited.replace('twice', 'once');
  const head = await publish(there, revision(there, byPerson, text), byPerson);
  assert.deepEqual(parentsOf(there, head), [byPerson]);
  assert.equal(git(there.forge, ['rev-parse', branch]), head);
  assert.equal(changedIn(there, byPerson, head), 'plan.md');
  assert.equal(await there.workspaces.readFile(there.repository, head, 'plan.md'), text);
});

test("a person's merge of the base stays below the revision with all that it brought", async () => {
  const there = planned();
  const base = commitFiles(there.forge, { 'src/b.ts': 'b\n', 'src/a.ts': 'A\n' });
  const tree = git(there.forge, ['merge-tree', '--write-tree', there.plan, base]);
  const merge = git(there.forge, ['commit-tree', tree, '-p', there.plan, '-p', base, '-m', 'Merge main']);
  git(there.forge, ['update-ref', `refs/heads/${branch}`, merge]);
  const head = await publish(there, revision(there, merge, '# Plan\n\nDo it.\n'), merge);
  assert.deepEqual(parentsOf(there, head), [merge]);
  assert.equal(changedIn(there, merge, head), 'plan.md');
  for (const commit of [there.plan, base, merge]) assert.ok(isAncestor(there, commit, head));
  assert.equal(git(there.forge, ['show', `${head}:src/b.ts`]), 'b');
});

test("a plan that is written anew on a newer base keeps a person's commit below it, and takes nothing out of the base", async () => {
  const there = planned();
  const byPerson = commitFiles(there.forge, { 'plan.md': '# By a person\n' }, branch);
  const base = commitFiles(there.forge, { 'src/b.ts': 'b\n' });
  const head = await publish(there, revision(there, byPerson, '# Anew\n', base), byPerson);
  assert.deepEqual(parentsOf(there, head), [byPerson, base]);
  assert.equal(changedIn(there, base, head), 'plan.md');
});

test("a person's commit that comes while the revision is published is not overwritten: nothing is pushed", async () => {
  const there = planned();
  const byPerson = commitFiles(there.forge, { 'plan.md': '# By a person\n' }, branch);
  await assert.rejects(publish(there, revision(there, there.plan, '# Revised\n'), there.plan), BranchMoved);
  assert.equal(git(there.forge, ['rev-parse', branch]), byPerson);
});

test('a revision that changes nothing makes no commit', async () => {
  const there = planned();
  assert.equal(await publish(there, revision(there, there.plan, firstPlan), there.plan), there.plan);
  assert.equal(git(there.forge, ['rev-parse', branch]), there.plan);
});
