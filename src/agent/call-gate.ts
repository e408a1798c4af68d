/** The gate before every call of a tool that was offered: it makes the call, refuses it, or leaves it to a writer. */
import { describeSubject, readSubject, whyNotShown } from './call-subject.ts';
import type { HostChannel } from './host-channel.ts';
import {
  type CallSubject,
  hidesAnything,
  hidesFromSearch,
  judgeCall,
  type Rules,
  readRules,
  type Verdict,
} from './permissions.ts';
import type { RunResult, RunSpec } from './run-protocol.ts';
import type { RunState } from './run-state.ts';
import { CallRefused, CallWaits, type ToolCall, type ToolDefinition } from './tools/definition.ts';
import { readKind } from './tools/kinds.ts';
import type { TurnOrder } from './tools/turn-order.ts';

type Asked = Extract<RunResult, { kind: 'permission_asked' }>;

export interface CallGate {
  /** The tool behind the gate: a call is made, refused (CallRefused), or left to a writer (CallWaits). */
  guard(tool: ToolDefinition): ToolDefinition;
  /** The same for a helper, which nobody can ask for: it does without. */
  guardForHelper(tool: ToolDefinition): ToolDefinition;
  /** The question that a call waits for, by the rules as they are now; `null` where it does not wait. */
  asks(tool: ToolDefinition, input: unknown, call: string): Promise<Asked | null>;
  /** Makes a call that a writer has allowed. @throws CallRefused where a rule denies it, which no word of a writer undoes */
  makeAllowed(tool: ToolDefinition, input: unknown, call: ToolCall): Promise<string>;
}

const MAX_COLONS = 5;

interface Desk {
  readonly rules: Rules;
  readonly root: string;
  readonly state: RunState;
  readonly order: TurnOrder;
  readonly host: HostChannel;
}

interface Judged {
  readonly verdict: Verdict;
  readonly subject: CallSubject;
}

export function createCallGate(
  spec: Pick<RunSpec, 'permissions' | 'phase' | 'checkout'>,
  { state, order, host }: Pick<Desk, 'state' | 'order' | 'host'>,
): CallGate {
  const desk = { rules: readRules(spec.permissions, spec.phase), root: spec.checkout, state, order, host };
  const behind = (tool: ToolDefinition, asked: Asking): ToolDefinition => ({
    ...tool,
    execute: (input, call) => make(desk, tool, input, call, asked),
  });
  return {
    guard: (tool) => behind(tool, (asks, subject) => leave(desk, asks, subject)),
    guardForHelper: (tool) => behind(tool, refuseHelper),
    asks: async (tool, input, call) => {
      const { verdict, subject } = await judge(desk, tool, input);
      return verdict.kind === 'asks' ? question(call, tool.name, describeSubject(subject), verdict.rule) : null;
    },
    makeAllowed: (tool, input, call) => make(desk, tool, input, call, () => undefined),
  };
}

async function judge({ rules, root }: Desk, { name, kind }: ToolDefinition, input: unknown): Promise<Judged> {
  const subject = await readSubject(name, input, root);
  if (subject === null) return { verdict: { kind: 'allowed' }, subject: { kind: 'none' } };
  return { verdict: judgeCall(rules, { tool: name, kind: readKind(kind), subject }), subject };
}

/** What becomes of a call that waits for a writer: throws, unless it is to be made. */
type Asking = (asks: Asked, subject: CallSubject) => void;

async function make(desk: Desk, tool: ToolDefinition, input: unknown, call: ToolCall, asked: Asking): Promise<string> {
  const { verdict, subject } = await judge(desk, tool, input);
  if (verdict.kind === 'denied') {
    desk.host.audit('call_denied', `${tool.name}, by the rule ${verdict.rule}`);
    throw new CallRefused(
      `expected a call that the rules of the repository allow, got ${tool.name}, which the rule ${verdict.rule} denies; do without it`,
    );
  }
  if (verdict.kind === 'asks') asked(question(call.id, tool.name, describeSubject(subject), verdict.rule), subject);
  const text = await tool.execute(input, call);
  return isSearch(tool.name) ? withoutHidden(desk.rules, tool.name, text) : text;
}

/** Nobody is asked to allow what they cannot see whole. */
function leave(desk: Desk, asks: Asked, subject: CallSubject): never {
  const why = whyNotShown(subject);
  if (why !== null) throw new CallRefused(`a writer has to allow this call, ${why}`);
  throw new CallWaits(() => park(desk, asks));
}

function refuseHelper({ tool }: Asked): never {
  throw new CallRefused(`expected a call that needs no writer, got ${tool}; a helper cannot ask, so do without it`);
}

function question(call: string, tool: string, what: string, rule: string | null): Asked {
  return { kind: 'permission_asked', call, tool, what, rule };
}

async function park({ state, order, host }: Desk, asks: Asked): Promise<void> {
  const isFirst = order.claimEnd(asks.call);
  if (isFirst) await order.haveOthersFailed(asks.call);
  if (!isFirst || state.parked !== null) {
    throw new CallRefused(
      'expected one call that waits for people, got a second one; make this one again once that is answered',
    );
  }
  host.audit('call_asked', `${asks.tool}, by ${asks.rule === null ? 'the mode' : `the rule ${asks.rule}`}`);
  state.parked = { call: asks.call, result: asks };
}

function isSearch(tool: string): boolean {
  return tool === 'glob' || tool === 'grep';
}

/**
 * Lines of files that a rule keeps from being read are left out of what a search of a folder around them found. How many, and
 * whether there were any, is not said: by that a search could be asked what stands in them.
 */
function withoutHidden(rules: Rules, tool: string, text: string): string {
  if (!hidesAnything(rules, tool)) return text;
  const shown = text.split('\n').filter((line) => !pathsIn(line).some((path) => hidesFromSearch(rules, tool, path)));
  const found = shown.join('\n').trimEnd();
  return [found === '' ? 'no matches' : found, '[files that rules of the repository keep are left out]'].join('\n');
}

/** Every beginning of a line that may be its path: `path`, or `path:line:text`, where a path may hold colons. */
function pathsIn(line: string): readonly string[] {
  const pieces = line.split(':').slice(0, MAX_COLONS);
  const paths = pieces.map((_, index) => pieces.slice(0, index + 1).join(':'));
  return line === '' ? [] : paths.map((path) => path.replace(/^\.\//, ''));
}
