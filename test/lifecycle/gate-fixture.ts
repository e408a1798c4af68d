/** A plan in review in the small world, and what the gate says of it. */
import assert from 'node:assert/strict';
import { type GateVerdict, readApprovalGate, recheckApproval } from '../../src/lifecycle/approval-gate.ts';
import type { Facts, Person, PullRequestFacts } from '../../src/lifecycle/facts.ts';
import type { Approval } from '../../src/lifecycle/memory.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import type { World, WorldPullRequest } from './world.ts';
import * as the from './world.ts';

export const nobody = '0 of 1 required approvals of this plan.';

/** A plan that waits for its review, a moment after it was opened. */
export function planInReview(overrides: Partial<World> = {}): World {
  const world = the.createWorld(overrides);
  the.setLabel(world, the.writer, 'labeled');
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  return world;
}

/** Code that waits for its review, its plan's approval held; each step a second after the one before. */
export function implemented(): { readonly world: World; readonly own: WorldPullRequest } {
  const world = the.createWorld();
  const events = [
    () => the.setLabel(world, the.writer, 'labeled'),
    () => the.work(world, 'finish'),
    () => the.addReview(world, the.writer, 'APPROVED'),
    () => the.work(world, 'finish'),
  ];
  for (const happen of events) {
    world.tick += 1;
    happen();
    the.reconcile(world);
  }
  const own = the.openPullRequest(world);
  assert.ok(own);
  return { world, own };
}

export function withApproval(change: Partial<Policy['approval']>): Policy {
  return { ...the.policy, approval: { ...the.policy.approval, ...change } };
}

/** What GitHub is made to say beside what happened in the world. */
export interface Beside {
  readonly pullRequest?: Partial<PullRequestFacts>;
  readonly facts?: Partial<Facts>;
  readonly askers?: readonly Person[] | null;
}

/** The gate by the world's own policy. */
export function verdictOf(world: World, beside: Beside = {}): GateVerdict {
  const { facts, question } = ask(world, beside);
  return readApprovalGate(facts, world.policy, { ...question, held: null });
}

export function recheck(world: World, held: Approval, beside: Beside = {}) {
  const { facts, question } = ask(world, beside);
  return recheckApproval(facts, world.policy, { ...question, held });
}

function ask(world: World, { pullRequest: change, facts: changed, askers = [the.writer] }: Beside) {
  const facts = the.factsOf(world);
  const own = facts.pullRequests.at(-1);
  assert.ok(own, 'a pull request is open');
  const pullRequest = { ...own, ...change };
  return { facts: { ...facts, ...changed, pullRequests: [pullRequest] }, question: { pullRequest, askers } };
}

/** The approval that the writer has just given. */
export function approved(world: World): Approval {
  the.addReview(world, the.writer, 'APPROVED');
  const { approval } = verdictOf(world);
  assert.ok(approval, 'the gate is open');
  world.tick += 1;
  return approval;
}

/** The run that the app orders next, if any. */
export function nextRun(world: World): string | null {
  const pass = the.reconcile(world);
  const started = pass.effects.find((effect) => effect.kind === 'startRun');
  return started?.kind === 'startRun' ? started.order.phase : null;
}
