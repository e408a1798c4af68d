import type { Cost, Task } from '../lifecycle/memory.ts';
import type { Ceiling } from '../lifecycle/policy.ts';
import type {
  ChildMessage,
  HostMessage,
  Rejection,
  RunEvent,
  RunResult,
  RunSpec,
  Said,
  TreeReport,
} from './run-protocol.ts';

/** What a run says to its host. The promises resolve once the host has made it durable, and never where the host is gone. */
export interface HostChannel {
  /** The first part of a turn whose calls change something: they run once it is durable. */
  reply(said: Said): Promise<void>;
  /** A complete turn, or the rest of one. */
  turn(said: Said): Promise<void>;
  /** What stood against keeping the step, if anything: then it was not kept. */
  stepDone(title: string): Promise<Rejection>;
  readTree(): Promise<TreeReport>;
  history(path: string | null, limit: number): Promise<string>;
  tasks(tasks: readonly Task[]): void;
  /** What has been used within a turn that is not complete yet. */
  spent(spent: Cost): void;
  /** What the run may use in all of what its repository has left for the day, as the host has said last; else `null`. */
  dayLeft(): Ceiling | null;
  audit(event: RunEvent, detail: string): void;
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

type HostAnswer = Exclude<HostMessage, { kind: 'start' | 'stop' }>;

const kinds: readonly string[] = [
  'start',
  'stored',
  'rejected',
  'tree',
  'history',
  'stop',
] satisfies readonly HostMessage['kind'][];
const MAX_DETAIL = 500;
const nothingAgainst: Rejection = { outside: [], faults: [] };

/** The host is this same program: its messages are known by their kind. */
function isHostMessage(message: unknown): message is HostMessage {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  return typeof message.kind === 'string' && kinds.includes(message.kind);
}

interface Questions {
  readonly ask: (write: (seq: number) => ChildMessage) => Promise<HostAnswer>;
  readonly answer: (answer: HostAnswer) => void;
}

/** A question has a number, by which its answer is known. */
function openQuestions(port: Port): Questions {
  let seq = 0;
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  return {
    ask: (write) => {
      seq += 1;
      const { promise, resolve } = Promise.withResolvers<HostAnswer>();
      waiting.set(seq, resolve);
      port.send(write(seq));
      return promise;
    },
    answer: (answer) => {
      waiting.get(answer.seq)?.(answer);
      waiting.delete(answer.seq);
    },
  };
}

/** Opens the run's side of the channel. Messages of other kinds than the host's are left unheard. */
export function openHostChannel(port: Port, events: HostEvents): HostChannel {
  const { ask, answer: answered } = openQuestions(port);
  let dayLeft: Ceiling | null = null;
  port.onDisconnect(events.stop);
  port.onMessage((message) => {
    if (!isHostMessage(message)) return;
    if (message.kind === 'start') events.start(message.spec);
    else if (message.kind === 'stop') events.stop();
    else {
      if (message.kind === 'stored') dayLeft = message.dayLeft ?? dayLeft;
      answered(message);
    }
  });
  const store = async (write: (seq: number) => ChildMessage): Promise<void> => {
    await ask(write);
  };
  return {
    history: async (path, limit) => {
      const answer = await ask((own) => ({ kind: 'history', seq: own, path, limit }));
      return answer.kind === 'history' ? answer.text : '';
    },
    reply: (said) => store((own) => ({ kind: 'reply', seq: own, ...said })),
    turn: (said) => store((own) => ({ kind: 'turn', seq: own, ...said })),
    stepDone: async (title) => {
      const answer = await ask((own) => ({ kind: 'step_done', seq: own, title }));
      return answer.kind === 'rejected' ? answer : nothingAgainst;
    },
    readTree: async () => {
      const answer = await ask((own) => ({ kind: 'read_tree', seq: own }));
      return answer.kind === 'tree' ? answer : { ...nothingAgainst, changes: [] };
    },
    tasks: (tasks) => port.send({ kind: 'tasks', tasks }),
    dayLeft: () => dayLeft,
    spent: (spent) => port.send({ kind: 'spent', spent }),
    audit: (event, detail) => port.send({ kind: 'audit', event, detail: detail.slice(0, MAX_DETAIL) }),
    ended: (result, spent) => store((own) => ({ kind: 'ended', seq: own, result, spent })),
  };
}
