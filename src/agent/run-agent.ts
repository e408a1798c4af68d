/** One run, from its specification to its result. */
import { realpathSync } from 'node:fs';
import type { Cost } from '../lifecycle/memory.ts';
import type { CommandPlace, CommandRunner, RunCommand } from '../sandbox/command-runner.ts';
import { findHeldPlaces } from '../sandbox/held-places.ts';
import { createLazyRunner } from '../sandbox/lazy-runner.ts';
import { budgetReached, createRunBudget, endAtCeiling, type RunBudget, wallTimeLeftMs } from './budget.ts';
import { createCallGate } from './call-gate.ts';
import { createCompactor } from './compactor.ts';
import { type ConversationLog, createConversationLog } from './conversation-log.ts';
import { takeUp } from './held-call.ts';
import { createHelp } from './helper.ts';
import type { HostChannel } from './host-channel.ts';
import { type AfterReply, runLoop } from './loop.ts';
import { createModelClient, defaultPatience } from './model-client.ts';
import { tellWithout } from './model-failure.ts';
import { deviationsSoFar, type Opening, openRun, tasksSoFar } from './opening.ts';
import { amendmentLint, planLint } from './plan-lint.ts';
import { systemPrompt } from './prompts.ts';
import { describeRejection, grantChance, isRejected } from './rejection.ts';
import { createReplyHandler, type ReplyHandler } from './reply-handler.ts';
import type { RunResult, RunSpec } from './run-protocol.ts';
import { newRunState, type RunState } from './run-state.ts';
import { changeRules, plannedScope } from './tools/change-rules.ts';
import type { ToolDefinition } from './tools/definition.ts';
import type { Help } from './tools/delegate.ts';
import { implementTools, planTools } from './tools/offer.ts';
import type { AmendmentPorts } from './tools/propose-amendment.ts';
import { createTurnOrder, type TurnOrder } from './tools/turn-order.ts';
import { describeFailures, runChecks } from './verification.ts';

const MAX_MEND_ROUNDS = 2;

type LiveOpening = Exclude<Opening, { readonly kind: 'ended' }>;

export interface RunEnd {
  readonly result: RunResult;
  readonly spent: Cost;
}

interface Equipment {
  readonly tools: readonly ToolDefinition[];
  /** `null` in a plan run without a shell. */
  readonly commands: CommandRunner | null;
}

interface EquipParts {
  readonly host: HostChannel;
  readonly state: RunState;
  readonly order: TurnOrder;
  readonly help: Help;
}

/**
 * The one sandbox of the process. A plan run is offered a shell only once it is proved that nothing can be written; what an
 * implementation runs is proved before its first command, which mostly comes late.
 */
async function openSandbox(spec: RunSpec, host: HostChannel): Promise<CommandRunner> {
  const tell = (reason: string) => host.audit('no_sandbox', reason);
  const commands = await openUntold(spec, tell);
  if (!commands.available) tell(commands.reason);
  return commands;
}

async function openUntold(spec: RunSpec, tell: (reason: string) => void): Promise<CommandRunner> {
  const { phase, checkout, scratch, hosts = [], sandboxFault } = spec;
  if (sandboxFault !== undefined) return { available: false, reason: sandboxFault };
  if (phase === 'plan') return proveSandbox({ checkout, scratch, writable: false, readOnly: [], hosts: [] });
  const findPlace = async () => {
    const readOnly = await findHeldPlaces(checkout, plannedScope(spec.plan));
    return { checkout, scratch, writable: true, readOnly, hosts };
  };
  return createLazyRunner(findPlace, tell);
}

async function proveSandbox(place: CommandPlace): Promise<CommandRunner> {
  const { createCommandRunner } = await import('../sandbox/command-runner.ts');
  return createCommandRunner(place);
}

function runnerOf(commands: CommandRunner | null): RunCommand | null {
  return commands?.available ? commands.run : null;
}

async function equip(spec: RunSpec, { host, state, order, help }: EquipParts): Promise<Equipment> {
  if (spec.phase === 'plan') {
    const checkout = { access: 'read-only', path: spec.checkout, commit: spec.base } as const;
    const commands = spec.planShell ? await openSandbox(spec, host) : null;
    const ports = { checkout, readHistory: host.history, state, order, task: spec, lint: planLint(spec), help };
    return { tools: planTools({ ...ports, command: runnerOf(commands) }), commands };
  }
  const commands = await openSandbox(spec, host);
  const checkout = { access: 'writable', path: spec.checkout, commit: spec.base } as const;
  return {
    tools: implementTools({
      checkout,
      readHistory: host.history,
      state,
      order,
      check: changeRules(spec),
      command: runnerOf(commands),
      hosts: spec.hosts ?? [],
      progress: host,
      amendment: amendmentOf(spec, host),
      help,
    }),
    commands,
  };
}

function amendmentOf(spec: RunSpec, host: HostChannel): AmendmentPorts {
  return { plan: spec.plan, holdsCode: spec.holdsCode, lint: amendmentLint(spec, host.readTree) };
}

interface FinishParts {
  readonly state: RunState;
  readonly host: HostChannel;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * When the implementation says that it is done: gives back what may not be committed, runs the checks, and gives back what
 * failed and what the checks themselves have changed where they may not. What is not mended then is the host's to refuse.
 */
function finisher(
  spec: RunSpec,
  commands: CommandRunner | null,
  { state, host, say, signal }: FinishParts,
): (budget: { readonly kind: string }) => Promise<AfterReply> {
  let rounds = 0;
  const giveBack = async (budget: { readonly kind: string }): Promise<boolean> => {
    const tree = await host.readTree();
    if (!isRejected(tree)) {
      state.rejections = 0;
      return false;
    }
    if (budget.kind === 'exhausted' || !grantChance(state)) return false;
    say(describeRejection(tree, spec));
    return true;
  };
  return async (budget) => {
    if (await giveBack(budget)) return { kind: 'go_on' };
    const runner = commands ?? { available: false, reason: 'there is none in this phase' };
    const checked = await runChecks(spec.checks, runner, signal);
    signal.throwIfAborted();
    const failures = describeFailures(checked);
    if (failures !== null && rounds < MAX_MEND_ROUNDS && budget.kind !== 'exhausted') {
      rounds += 1;
      say(failures);
      return { kind: 'go_on' };
    }
    if (spec.checks.length > 0 && (await giveBack(budget))) return { kind: 'go_on' };
    const verifications = checked.map(({ verification }) => verification);
    return { kind: 'end', result: { kind: 'work_done', deviations: state.deviations, verifications } };
  };
}

/**
 * Runs the agent until it has a result. Every failure that can be expected is a result.
 * @throws the signal's reason once it is aborted
 */
export async function runAgent(given: RunSpec, host: HostChannel, signal: AbortSignal): Promise<RunEnd> {
  const startedAt = performance.now();
  const spec = { ...given, checkout: realpathSync(given.checkout), scratch: realpathSync(given.scratch) };
  const budget = createRunBudget(spec, () => performance.now() - startedAt, host.dayLeft);
  const opening = await openRun(spec, { plan: planLint(spec), amendment: amendmentOf(spec, host) });
  if (opening.kind === 'ended') return { result: opening.result, spent: spec.spent };
  const log = createConversationLog(spec.conversation, host);
  const state = newRunState(spec.plan, tasksSoFar(spec), deviationsSoFar(spec));
  if (opening.kind === 'ask') log.append(...opening.say);
  const end = async (result: RunResult) => {
    if (mustBeKept(spec, result)) await log.storeUnanswered(state.plan, budget.spent());
    return { result, spent: budget.spent() };
  };
  const spent = endAtCeiling(budget);
  if (spent !== null) return end(spent);
  const wall = AbortSignal.timeout(Math.ceil(wallTimeLeftMs(spec)));
  const surroundings = { host, budget, log, state, signal: AbortSignal.any([signal, wall]) };
  const result = await converse(spec, opening, surroundings).catch((error: unknown) =>
    readEnd(error, { signal, wall }, spec, budget),
  );
  return end(result);
}

/** Whether what the run was told is said to the model by no later run: whoever has a parked run go on adds nothing to it. */
function mustBeKept({ brief }: RunSpec, result: RunResult): boolean {
  if (result.kind === 'failed') return brief?.kind === 'answered' && result.reason !== 'crashed';
  return result.kind === 'budget_reached';
}

interface Surroundings {
  readonly host: HostChannel;
  readonly budget: RunBudget;
  readonly log: ConversationLog;
  readonly state: RunState;
  readonly signal: AbortSignal;
}

async function converse(
  spec: RunSpec,
  opening: LiveOpening,
  { host, budget, log, state, signal }: Surroundings,
): Promise<RunResult> {
  const order = createTurnOrder();
  const patience = { ...defaultPatience, ...spec.patience };
  const client = createModelClient(spec.model, patience);
  const gate = createCallGate(spec, { state, order, host });
  const helpers = createHelp({ client, spec, patience, budget, host });
  const help: Help = (task, looking, end) => helpers(task, looking.map(gate.guardForHelper), end);
  const equipment = await equip(spec, { host, state, order, help });
  const { commands } = equipment;
  const tools = equipment.tools.map(gate.guard);
  const say = (text: string) => log.append({ role: 'user', content: [{ type: 'text', text }] });
  const finish = finisher(spec, commands, { state, host, say, signal });
  const replies = createReplyHandler({ spec, tools, state, order, log, host, budget, finish });
  try {
    const early =
      opening.kind === 'held'
        ? await takeUp(opening.held, { gate, tools: equipment.tools, state, log, host, budget, signal })
        : await begin(opening, replies);
    if (early.kind === 'end') return early.result;
    const { model } = spec;
    const system = systemPrompt(spec.phase);
    const compactor = createCompactor({ spec, state, log, host, budget, forgetLooks: replies.forgetLooks });
    const runner = { client, model, system, tools, order, signal };
    return await runLoop({
      ...runner,
      patience,
      log,
      host,
      compactor,
      handle: replies.handle,
      countCut: budget.addCut,
      whenSpent: () => endAtCeiling(budget),
    });
  } finally {
    if (commands?.available) await commands.close();
  }
}

async function begin(
  opening: Exclude<LiveOpening, { readonly kind: 'held' }>,
  replies: ReplyHandler,
): Promise<AfterReply> {
  return opening.kind === 'after_end' ? replies.goOnAfterEnd() : { kind: 'go_on' };
}

/** The wall time is part of the budget: when it is over, requests and commands end at once. */
function readEnd(
  error: unknown,
  { signal, wall }: { readonly signal: AbortSignal; readonly wall: AbortSignal },
  spec: RunSpec,
  budget: RunBudget,
): RunResult {
  if (signal.aborted) throw error;
  if (wall.aborted) {
    return endAtCeiling(budget) ?? budgetReached({ level: 'run', detail: 'The run has used its time.' });
  }
  return { kind: 'failed', reason: 'crashed', detail: describeCrash(error, spec.model.apiKey) };
}

/** One line on an error that nobody expected; the model's key is not in it. */
export function describeCrash(error: unknown, apiKey: string): string {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `The run broke off: ${tellWithout(apiKey, said)}`;
}
