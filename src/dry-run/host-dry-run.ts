/** The run's child, hosted as the engine hosts it; what it says is told and not stored. */
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { RunSpec } from '../agent/run-protocol.ts';
import { formatHistory } from '../engine/history-lines.ts';
import { createLog, type Logger } from '../engine/log.ts';
import { hostRun, type RunEnd, type RunKeeper } from '../engine/run-host.ts';
import type { Cost } from '../lifecycle/memory.ts';
import type { Screen } from '../screen.ts';
import { cleanLine } from '../text/text-out.ts';
import { NothingToCommit, PatchRefused, type RepositoryRef, type Workspaces } from '../workspace/workspace.ts';
import { createProgress, type Progress } from './progress.ts';
import { type Ending, interruptedReport, type Report, reportEnding } from './report.ts';

export interface HostedDryRun {
  readonly spec: RunSpec;
  readonly workspaces: Workspaces;
  readonly repository: RepositoryRef;
  readonly childPath: string;
  readonly searchPath: string;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** Resolves once every process of the run is gone. */
export async function hostDryRun(order: HostedDryRun): Promise<Report> {
  const { spec, childPath, searchPath, screen, signal } = order;
  const progress = createProgress(screen);
  const used = { cost: spec.spent };
  const log = createStderrLog(spec.model, progress);
  const hosted = hostRun({ childPath, searchPath, spec, log, keeper: createDryKeeper(order, progress, used) });
  const stop = () => void hosted.kill();
  signal.addEventListener('abort', stop);
  const end = await hosted.end;
  signal.removeEventListener('abort', stop);
  progress.end();
  if (end.kind === 'killed' || end.kind === 'suspended') return interruptedReport;
  const { ending, cost } = readEnd(end, used.cost);
  return reportEnding(ending, cost, await refusals(order, ending));
}

function readEnd(
  end: Extract<RunEnd, { kind: 'ended' | 'crashed' }>,
  soFar: Cost,
): { readonly ending: Ending; readonly cost: Cost } {
  if (end.kind === 'ended') return { ending: end.result, cost: end.spent };
  return { ending: { kind: 'failed', reason: 'crashed', detail: end.detail }, cost: soFar };
}

/** A plan run changes no tree and commits no step: the rest of what a child may say is nothing here. */
function createDryKeeper(
  { workspaces, repository, spec }: HostedDryRun,
  progress: Progress,
  used: { cost: Cost },
): RunKeeper {
  let begun: readonly BetaMessageParam[] = [];
  return {
    reply: async ({ messages, spent }) => {
      used.cost = spent;
      begun = messages;
    },
    turn: async ({ messages, spent }) => {
      used.cost = spent;
      progress.turn([...begun, ...messages], spent);
      begun = [];
    },
    spent: async ({ spent }) => {
      used.cost = spent;
    },
    history: async ({ path, limit }) => formatHistory(await workspaces.history(repository, spec.base, path, limit)),
    audit: async ({ event, detail }) => progress.notice(event, detail),
    stepDone: async () => null,
    readTree: async () => ({ outside: [], faults: [], changes: [] }),
    tasks: async () => undefined,
  };
}

/** Why the plan could not be committed, by the same check as before every commit. */
async function refusals({ workspaces, repository, spec }: HostedDryRun, ending: Ending): Promise<readonly string[]> {
  if (ending.kind !== 'plan_ready') return [];
  const message = () => 'Plan';
  try {
    await workspaces.commitPlan(repository, { parent: spec.base, path: spec.planPath, text: ending.plan, message });
    return [];
  } catch (error) {
    if (error instanceof PatchRefused) return error.reasons;
    if (error instanceof NothingToCommit) return [];
    throw error;
  }
}

/** Warnings of the host as lines for people, without secrets. */
function createStderrLog({ apiKey }: RunSpec['model'], progress: Progress): Logger {
  const environment = { logLevel: 'warn', privateKey: '', webhookSecret: '', model: { apiKey } } as const;
  return createLog(environment, { write: (entry) => progress.notice('log', cleanLine(entry, 300)) });
}
