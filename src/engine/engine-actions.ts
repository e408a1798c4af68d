import type { ActContext, EngineAction } from '../github/github.ts';
import { formatThreadKey } from '../github/identifiers.ts';
import type { Action } from '../lifecycle/actions.ts';
import { PatchRefused, PushRefused } from '../workspace/workspace.ts';
import { auditNews } from './audit-log.ts';
import type { Logger } from './log.ts';
import { publishImplementation, publishPlan } from './publish.ts';
import type { ReconcilePorts } from './reconcile.ts';
import type { RunRecord } from './run-record.ts';
import { readRun } from './run-store.ts';

/**
 * `adopted`: what was to be pushed stands there already. `failed_run`: it cannot be pushed, and what follows in the
 * sequence no longer holds.
 */
export type Effect = 'done' | 'adopted' | 'failed_run';

type Ports = Pick<ReconcilePorts, 'db' | 'github' | 'workspaces' | 'runs' | 'sandboxFault' | 'log'>;
type Performers = {
  readonly [Kind in EngineAction['kind']]: (
    ports: Ports,
    action: Extract<EngineAction, { kind: Kind }>,
    context: ActContext,
  ) => Promise<Effect>;
};

const performers = {
  // The next look is the worker's to ask for, when it takes the run: before that there is nothing new to see.
  startRun: async ({ runs }, { order }, { thread, facts: { policy } }) => {
    // A configuration that cannot be read starts no run.
    if ('problems' in policy) return 'done';
    return done(runs.start(formatThreadKey(thread), order, policy.permissions));
  },
  stopRun: async ({ runs }, { run, why }) => done(runs.stop(run, why)),
  settleRun: async ({ runs }, { run, as }) => done(runs.settle(run, as)),
  publishPlan: (ports, { run }, context) => publish(ports, run, context, publishPlan),
  publishImplementation: (ports, { run }, context) => publish(ports, run, context, publishImplementation),
} satisfies Performers;

const kinds: ReadonlySet<string> = new Set(Object.keys(performers));

/** Whether the engine carries it out, and not GitHub's adapter. */
export function isEngineAction(action: Action): action is EngineAction {
  return kinds.has(action.kind);
}

/** @throws {BranchMoved} and whatever the workspace or GitHub report. */
export async function carryOut(ports: Ports, action: EngineAction, context: ActContext, log: Logger): Promise<Effect> {
  const effect = await dispatch(ports, action, context);
  log.info({ action: action.kind, effect }, 'carried out');
  return effect;
}

function dispatch(ports: Ports, action: EngineAction, context: ActContext): Promise<Effect> {
  switch (action.kind) {
    case 'startRun':
      return performers.startRun(ports, action, context);
    case 'stopRun':
      return performers.stopRun(ports, action);
    case 'settleRun':
      return performers.settleRun(ports, action);
    case 'publishPlan':
      return performers.publishPlan(ports, action, context);
    case 'publishImplementation':
      return performers.publishImplementation(ports, action, context);
  }
}

async function publish(
  ports: Ports,
  id: string,
  context: ActContext,
  push: (ports: Ports, run: RunRecord, context: ActContext) => Promise<Effect>,
): Promise<Effect> {
  const run = await readRun(ports.db, id);
  if (run === null) throw new Error(`expected run ${id} to be known, got no such run`);
  try {
    const effect = await push(ports, run, context);
    await tellPush(ports, run, context.head, effect);
    return run.isSettled ? 'done' : effect;
  } catch (error) {
    if (error instanceof PushRefused) await ports.runs.fail(id, 'push_refused', `${error.reason}${whereKept(run)}`);
    else if (error instanceof PatchRefused) await ports.runs.fail(id, 'patch_refused', error.reasons.join('\n'));
    else throw error;
    return 'failed_run';
  }
}

/** A push whose process died before it could say so is found by the next look. */
async function tellPush(ports: Ports, run: RunRecord, head: string | null, effect: Effect): Promise<void> {
  const before = run.head ?? run.approval?.head ?? null;
  if (head === null || head === before) return;
  const detail = `refs/heads/${run.branch} from ${before ?? 'nothing'} to ${head}`;
  const event = effect === 'adopted' ? 'push_found' : 'pushed';
  await auditNews(ports, { thread: run.thread, run: run.id, event, detail }, 'thread');
}

function whereKept({ outcome }: RunRecord): string {
  if (outcome?.kind !== 'work_ready') return '';
  return `\n\nThe work is not lost: until the next run here, its last commit is ${outcome.commit} in the app's own copy of the repository.`;
}

async function done(work: Promise<unknown>): Promise<Effect> {
  await work;
  return 'done';
}
