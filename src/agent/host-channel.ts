import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Cost } from '../lifecycle/memory.ts';
import type { ChildMessage, HostMessage, RunResult, RunSpec, Task } from './run-protocol.ts';

/** What a run says to its host. The promises resolve once the host has made it durable, and never where the host is gone. */
export interface HostChannel {
  turn(turn: {
    readonly messages: readonly BetaMessageParam[];
    readonly plan: string | null;
    readonly spent: Cost;
  }): Promise<void>;
  stepDone(title: string): Promise<void>;
  history(path: string | null, limit: number): Promise<string>;
  tasks(tasks: readonly Task[]): void;
  audit(event: string, detail: string): void;
  ended(result: RunResult, spent: Cost): Promise<void>;
}

export interface HostEvents {
  readonly start: (spec: RunSpec) => void;
  /** Told to stop, or the host is gone. */
  readonly stop: () => void;
}

/** The side of the child: `process`, or a stand-in. */
export interface Port {
  readonly send: (message: ChildMessage) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly onDisconnect: (listener: () => void) => void;
}

const kinds: readonly string[] = ['start', 'stored', 'history', 'stop'] satisfies readonly HostMessage['kind'][];
const MAX_DETAIL = 500;

/** The host is this same program: its messages are known by their kind. */
function isHostMessage(message: unknown): message is HostMessage {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  return typeof message.kind === 'string' && kinds.includes(message.kind);
}

/** Opens the run's side of the channel. Messages of other kinds than the host's are left unheard. */
export function openHostChannel(port: Port, events: HostEvents): HostChannel {
  let seq = 0;
  const waiting = new Map<number, (text: string) => void>();
  port.onDisconnect(events.stop);
  port.onMessage((message) => {
    if (!isHostMessage(message)) return;
    if (message.kind === 'start') events.start(message.spec);
    else if (message.kind === 'stop') events.stop();
    else waiting.get(message.seq)?.(message.kind === 'history' ? message.text : '');
  });
  const ask = (write: (seq: number) => ChildMessage): Promise<string> => {
    seq += 1;
    const own = seq;
    const { promise, resolve } = Promise.withResolvers<string>();
    waiting.set(own, (text) => {
      waiting.delete(own);
      resolve(text);
    });
    port.send(write(own));
    return promise;
  };
  const store = async (write: (seq: number) => ChildMessage): Promise<void> => {
    await ask(write);
  };
  return {
    history: (path, limit) => ask((own) => ({ kind: 'history', seq: own, path, limit })),
    turn: (turn) => store((own) => ({ kind: 'turn', seq: own, ...turn })),
    stepDone: (title) => store((own) => ({ kind: 'step_done', seq: own, title })),
    tasks: (tasks) => port.send({ kind: 'tasks', tasks }),
    audit: (event, detail) => port.send({ kind: 'audit', event, detail: detail.slice(0, MAX_DETAIL) }),
    ended: (result, spent) => store((own) => ({ kind: 'ended', seq: own, result, spent })),
  };
}
