/** A hostile agent's hands: the tools of a phase behind the gate and the order that every run has, over the real sandbox. */
import { createCallGate } from '../../src/agent/call-gate.ts';
import { createOfferedTools, makeCalls } from '../../src/agent/call-results.ts';
import type { HostChannel } from '../../src/agent/host-channel.ts';
import { newRunState } from '../../src/agent/run-state.ts';
import { changeRules } from '../../src/agent/tools/change-rules.ts';
import type { ToolDefinition } from '../../src/agent/tools/definition.ts';
import { implementTools, planTools, toRunnable } from '../../src/agent/tools/offer.ts';
import { createTurnOrder, type TurnOrder } from '../../src/agent/tools/turn-order.ts';
import type { Phase } from '../../src/lifecycle/memory.ts';
import type { RunCommand } from '../../src/sandbox/command-runner.ts';
import type { ReadOnlyCheckout, WritableCheckout } from '../../src/workspace/workspace.ts';
import type { Call } from './attempts.ts';

export interface CallAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Makes the calls of one turn. */
export type Agent = (calls: readonly Call[]) => Promise<readonly CallAnswer[]>;

const LONGEST_TURN_MS = 30_000;

const host: HostChannel = {
  reply: async () => undefined,
  turn: async () => undefined,
  stepDone: async () => ({ outside: [], faults: [] }),
  readTree: async () => ({ outside: [], faults: [], changes: [] }),
  history: async () => 'abc 2026-01-01 ada: a change',
  tasks: () => undefined,
  spent: () => undefined,
  dayLeft: () => null,
  audit: () => undefined,
  ended: async () => undefined,
};

interface Parts {
  readonly state: ReturnType<typeof newRunState>;
  readonly order: TurnOrder;
  readonly command: RunCommand;
  /** The approved plan, or the one that is written. */
  readonly plan: string;
}

function planToolsOf(checkout: ReadOnlyCheckout, { plan: _, ...parts }: Parts): readonly ToolDefinition[] {
  const task = { issue: 42, base: checkout.commit, planPath: 'plan.md' };
  const rest = { readHistory: host.history, lint: async () => [], help: async () => 'nothing found' };
  return planTools({ ...parts, ...rest, checkout, task });
}

/** With the loosest rules that a repository can set. */
function implementToolsOf(checkout: WritableCheckout, { plan, ...parts }: Parts): readonly ToolDefinition[] {
  const rules = { plan, planPath: 'plan.md', scopeAllow: ['**'], scopeMode: 'warn', holdsCode: false } as const;
  const amendment = { plan, holdsCode: false, lint: async () => [] };
  const rest = { readHistory: host.history, help: async () => 'nothing found', hosts: [], progress: host, amendment };
  return implementTools({ ...parts, ...rest, checkout, check: changeRules(rules) });
}

/** @param checkout says by its access which phase it is */
export function createAgent(checkout: ReadOnlyCheckout | WritableCheckout, plan: string, command: RunCommand): Agent {
  const phase: Phase = checkout.access === 'read-only' ? 'plan' : 'implement';
  const state = newRunState(phase === 'plan' ? null : plan, []);
  const order = createTurnOrder();
  const parts = { state, order, command, plan };
  const made = checkout.access === 'read-only' ? planToolsOf(checkout, parts) : implementToolsOf(checkout, parts);
  const permissions = { mode: 'auto', allow: ['Bash', 'Bash(*)', 'Agent(*)'], ask: [], deny: [] } as const;
  const gate = createCallGate({ permissions, phase, checkout: checkout.path }, { state, order, host });
  const tools = made.map(gate.guard);
  const offered = createOfferedTools(tools, phase, host);
  let count = 0;
  return async (calls) => {
    const signal = AbortSignal.timeout(LONGEST_TURN_MS);
    const uses = calls.map(({ tool, input }) => {
      count += 1;
      return { type: 'tool_use' as const, id: `call-${count}`, name: tool, input };
    });
    const results = await makeCalls({ offered, order }, uses, async () => {
      const answered = await Promise.all(uses.map((use) => answer(use)));
      return { role: 'user', content: answered.flatMap((each) => (each === null ? [] : [each])) };
    });
    return results.map(({ content, is_error }) => ({ text: textOf(content), isError: is_error === true }));

    async function answer(use: (typeof uses)[number]) {
      const tool = tools.find(({ name }) => name === use.name);
      if (tool === undefined) return null;
      const result = { type: 'tool_result' as const, tool_use_id: use.id };
      try {
        const given = await toRunnable(tool, order, signal).run(use.input, { toolUse: use, toolUseBlock: use, signal });
        return { ...result, content: given };
      } catch (error) {
        return { ...result, content: `Error: ${error instanceof Error ? error.message : error}`, is_error: true };
      }
    }
  };
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
