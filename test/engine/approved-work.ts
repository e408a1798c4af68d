/** An approved plan in a real repository, and an implementation of it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Implementation } from '../../src/engine/implementation.ts';
import type { RunRecord } from '../../src/engine/run-record.ts';
import type { GitHub } from '../../src/github/github.ts';
import { formatCommitMessage } from '../../src/github/trailers.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import { newKey } from '../github/keys.ts';
import { world } from '../workspace/workspace-fixture.ts';
import { policy } from './engine-fixture.ts';

export const key = newKey();
export const commitMessage: GitHub['commitMessage'] =
  ({ repository, branch }, message) =>
  (content) =>
    formatCommitMessage(message, { repository: repository.id, branch, ...content }, key);

export const planText = (base: string) => `---
issue: 42
base: "${base}"
files:
  - { path: src/cache.js, change: modify }
  - { path: src/clock.js, change: create }
verify: []
---
# Keep the cache

## Steps

1. Keep entries
2. Add a clock
`;

function writeIn(checkout: { readonly path: string }, path: string, text: string): void {
  mkdirSync(dirname(join(checkout.path, path)), { recursive: true });
  writeFileSync(join(checkout.path, path), text);
}

/** An approved plan on a branch, a writable tree of it, and the run that works in it. */
export async function approvedWork(more: Partial<Policy> = {}) {
  const there = world({ 'src/cache.js': 'old\n', 'README.md': 'hello\n' });
  const { workspaces, repository, base } = there;
  await workspaces.fetch(repository, [base], there.token);
  const plan = planText(base);
  const head = await workspaces.commitPlan(repository, {
    parent: base,
    path: 'plan.md',
    text: plan,
    message: () => 'Plan\n',
  });
  const checkout = await workspaces.writableCheckout(repository, head, 'r1');
  const run: RunRecord = {
    id: 'r1',
    thread: '1#42',
    phase: 'implement',
    branch: 'planwright/issue-42',
    causes: ['review:9'],
    occasion: { kind: 'approval', reviews: [9], resumes: null },
    status: 'running',
    head,
    base,
    approval: {
      repository,
      pullRequest: 50,
      head,
      planBlob: 'b'.repeat(40),
      base,
      reviewers: [{ id: 5, login: 'ada', permission: 'write', review: 9 }],
      rule: policy.approval,
      version: '0.1.0',
    },
    outcome: null,
    isSettled: false,
    cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 },
    plan: null,
    workspace: 'r1',
    steps: [],
    tasks: [],
    permissions: null,
    attempts: 1,
  };
  const work: Implementation = {
    github: { commitMessage },
    workspaces,
    repository,
    run,
    checkout,
    policy: { ...policy, ...more },
    plan,
    issue: 42,
    earlier: [],
    amendments: [],
    refusedHosts: [],
    holdsCode: false,
  };
  const write = (path: string, text: string) => writeIn(checkout, path, text);
  const done = { kind: 'work_done', deviations: [], verifications: [] } as const;
  return { ...there, work, head, checkout, write, writeIn, done };
}
