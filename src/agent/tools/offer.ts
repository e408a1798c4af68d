import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { Phase } from '../../lifecycle/memory.ts';
import type { RunCommand } from '../../sandbox/command-runner.ts';
import type { ReadOnlyCheckout, WritableCheckout } from '../../workspace/workspace.ts';
import type { RunState } from '../run-state.ts';
import { askUserQuestionTool } from './ask-user-question.ts';
import { bashTool, planBashTool } from './bash.ts';
import type { CheckChange } from './change-rules.ts';
import { CallWaits, type ToolDefinition } from './definition.ts';
import { delegateTool, type Help } from './delegate.ts';
import { enterPlanModeTool } from './enter-plan-mode.ts';
import { exitPlanModeTool, type LintText, type PlanTask } from './exit-plan-mode.ts';
import type { ReadHistory } from './git-log.ts';
import { kindsOffered, readKind } from './kinds.ts';
import { planFileTools } from './plan-file.ts';
import { type AmendmentPorts, proposeAmendmentTool } from './propose-amendment.ts';
import { readTools } from './read-files.ts';
import { takeSuggestionTool } from './take-suggestion.ts';
import type { TurnOrder } from './turn-order.ts';
import { type Progress, updateTasksTool } from './update-tasks.ts';
import { writeTools } from './write-files.ts';

export interface PlanPorts {
  readonly checkout: ReadOnlyCheckout;
  readonly readHistory: ReadHistory;
  readonly state: RunState;
  readonly order: TurnOrder;
  readonly task: PlanTask;
  readonly lint: LintText;
  readonly help: Help;
  /** `null` unless the repository wants a shell and its sandbox, in which the checkout cannot be written, has proved itself. */
  readonly command: RunCommand | null;
}

export interface ImplementPorts {
  readonly checkout: WritableCheckout;
  readonly readHistory: ReadHistory;
  readonly state: RunState;
  readonly order: TurnOrder;
  readonly check: CheckChange;
  /** `null` where the sandbox is missing or did not prove itself: then there is no shell. */
  readonly command: RunCommand | null;
  /** That commands can reach. */
  readonly hosts: readonly string[];
  readonly progress: Progress;
  readonly amendment: AmendmentPorts;
  readonly help: Help;
}

/** What is sent to the model: the tools whose kind the phase offers, and no other. */
export function offerTools(phase: Phase, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const kinds = kindsOffered(phase);
  return tools.filter((tool) => kinds.includes(readKind(tool.kind)));
}

/** The calls that lead out of a phase into the other: a thread loads both, each in its phase, or none. */
const ways: Readonly<Record<Phase, string>> = { plan: 'exit_plan_mode', implement: 'enter_plan_mode' };

/** @throws for tools that lack their half of the pair: what can be entered can be left */
export function requirePair(phase: Phase, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  if (tools.some(({ name }) => name === ways[phase])) return tools;
  const [own, other] = [ways[phase], ways[phase === 'plan' ? 'implement' : 'plan']];
  throw new Error(`expected ${own} among the tools of the ${phase} phase, got none; ${other} does not load without it`);
}

/** The tools of a plan run. They are made from a read-only checkout: none that changes the tree can be among them. */
export function planTools(ports: PlanPorts): readonly ToolDefinition[] {
  const { checkout, readHistory, state, order, task, lint, help } = ports;
  const looking = readTools(checkout, readHistory);
  const tools = offerTools('plan', [
    ...looking,
    delegateTool(looking, help),
    askUserQuestionTool(state, order),
    exitPlanModeTool(state, order, task, lint),
    ...planFileTools(state, task.remarks !== undefined),
    takeSuggestionTool(state, task.remarks ?? [], task.planPath),
    ...(ports.command === null ? [] : [planBashTool(checkout, ports.command)]),
  ]);
  return requirePair('plan', tools);
}

/** The tools of an implementation; `bash` only where there is a sandbox to run it in. */
export function implementTools(ports: ImplementPorts): readonly ToolDefinition[] {
  const { checkout, readHistory, state, order } = ports;
  const looking = readTools(checkout, readHistory);
  const tools = offerTools('implement', [
    ...looking,
    delegateTool(looking, ports.help),
    askUserQuestionTool(state, order),
    enterPlanModeTool(state, order),
    proposeAmendmentTool(state, order, ports.amendment),
    ...writeTools(checkout, ports.check),
    ...(ports.command === null ? [] : [bashTool(checkout, ports.command, ports.hosts)]),
    updateTasksTool(state, ports.progress, ports.amendment),
  ]);
  return requirePair('implement', tools);
}

async function inOrder(tool: ToolDefinition, order: TurnOrder, work: () => Promise<string>): Promise<string> {
  const kind = readKind(tool.kind);
  if (kind === 'interactive') return work();
  const isBeside = tool.isAlone !== true && (kind === 'data_source' || kind === 'delegate');
  return isBeside ? order.beside(work) : order.alone(work);
}

/** A call that waits for a writer has left its place in the order: the others of the turn go on. */
async function orPark(work: Promise<string>): Promise<string> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CallWaits)) throw error;
    await error.park();
    return '';
  }
}

/** A tool as the vendor's runner takes it. Inputs are checked by the tool itself, so that each call is accounted for. */
export function toRunnable(tool: ToolDefinition, order: TurnOrder, signal: AbortSignal): BetaRunnableTool<unknown> {
  return {
    type: 'custom',
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    parse: (input) => input,
    run: async (input, context) => {
      const id = context?.toolUse.id ?? '';
      try {
        const result = await orPark(inOrder(tool, order, () => tool.execute(input, { id, signal })));
        order.settle(id, true);
        return result;
      } catch (error) {
        order.settle(id, false);
        throw error;
      }
    },
  };
}
