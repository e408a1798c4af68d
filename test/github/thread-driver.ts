/** The adapter under the real decision, with what the engine would do between looks done by hand. */
import assert from 'node:assert/strict';
import type { ThreadRef } from '../../src/github/github.ts';
import type { Action } from '../../src/lifecycle/actions.ts';
import { reviewsAmong } from '../../src/lifecycle/cause.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import { type ConformanceReport, type Outcome, type RunMemory, settleRun } from '../../src/lifecycle/memory.ts';
import type { Issue } from '../../src/local/forge/state.ts';
import { contextOf, planText, type World } from './forge-world.ts';

/** A thread's runs, as the engine would keep them. */
export function createDriver(world: World, issue: Issue) {
  const thread: ThreadRef = world.threadOf(issue);
  let runs: readonly RunMemory[] = [];
  const replace = (run: RunMemory) => {
    runs = runs.map((each) => (each.id === run.id ? run : each));
  };
  const find = (id: string): RunMemory => {
    const run = runs.find((each) => each.id === id);
    if (run === undefined) throw new Error(`expected the run ${id}, got none`);
    return run;
  };
  const publish = async (run: RunMemory, files: Readonly<Record<string, string | null>>) => {
    await world.github.withToken(thread, 'publish', async () => undefined);
    const message = world.signed('Work', {
      phase: run.phase,
      run: run.id,
      base: run.base,
      plan: null,
      reviews: reviewsAmong(run.causes),
      approvedBy: [],
      receipt: run.approval,
    });
    return world.commit(world.app.account, run.branch, files, message);
  };
  const perform = async (action: Action, context: ReturnType<typeof contextOf>): Promise<void> => {
    switch (action.kind) {
      case 'startRun': {
        const { occasion: _, ...order } = action.order;
        const cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 };
        const run = {
          ...order,
          id: `run-${runs.length + 1}`,
          status: 'queued',
          outcome: null,
          isSettled: false,
          cost,
        } as const;
        runs = [...runs, run];
        return;
      }
      case 'stopRun':
        replace({ ...find(action.run), status: 'stopping' });
        return;
      case 'settleRun':
        replace(settleRun(find(action.run), action.as));
        return;
      case 'publishPlan': {
        const run = find(action.run);
        const isThere = context.facts.branches.some(({ head }) => head.trailers?.run === run.id);
        if (!isThere && run.outcome?.kind === 'plan_ready')
          context.head = await publish(run, { 'plan.md': run.outcome.plan });
        return;
      }
      case 'publishImplementation': {
        const run = find(action.run);
        const isThere = context.facts.branches.some(({ head }) => head.trailers?.run === run.id);
        if (!isThere) context.head = await publish(run, { 'README.md': '# Shop, cleared\n', 'plan.md': null });
        return;
      }
      default:
        await world.github.act(action, context);
    }
  };
  /** One look. @returns the state */
  const look = async (): Promise<string> => {
    const facts = await world.github.observe(thread);
    const decision = decide(facts, { runs });
    const context = contextOf(thread, facts, { runs });
    for (const action of decision.actions) await perform(action, context);
    return decision.state;
  };
  /** A worker takes the newest run, which ends so. */
  const work = async (outcome: Outcome): Promise<string> => {
    const run = runs.at(-1);
    assert.ok(run);
    replace({ ...run, status: 'running' });
    // An implementation reads commits that the host has fetched or made before.
    if (run.phase === 'plan') await world.github.withToken(thread, 'clone', async () => undefined);
    await look();
    const cost = { turns: 3, inputTokens: 1000, outputTokens: 200, dollars: 0.01, elapsedMs: 0 };
    replace({ ...find(run.id), status: 'finished', outcome, cost });
    return look();
  };
  const forget = () => {
    runs = [];
  };
  return { look, work, forget, runs: () => runs };
}

export const report: ConformanceReport = {
  steps: [{ title: 'Clear the cache', commit: null, files: ['README.md'] }],
  files: [{ path: 'README.md', planned: 'modify', actual: 'modify' }],
  verifications: [],
  deviations: [],
};

export function planReady(world: World, issue: Issue): Outcome {
  return { kind: 'plan_ready', plan: planText(issue.number, world.head() ?? ''), findings: [], answers: [] };
}
