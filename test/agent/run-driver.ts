/** Plays the host of a run: keeps what it says, answers what must be stored. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LineRemark, RunBrief } from '../../src/agent/brief.ts';
import { openHostChannel } from '../../src/agent/host-channel.ts';
import { runAgent } from '../../src/agent/run-agent.ts';
import type { ChildMessage, HostMessage, RunResult, RunSpec } from '../../src/agent/run-protocol.ts';
import { compileCacheFolder } from '../../src/compile-cache.ts';
import { noOtherCeilings, noRules } from '../no-ceilings.ts';
import { type ModelServer, type Script, startModelServer } from './model-server.ts';

const childPath = fileURLToPath(new URL('../../src/agent/run-child.ts', import.meta.url));

export const base = 'b'.repeat(40);

export const request: RunBrief = {
  kind: 'request',
  issue: { number: 7, title: 'Cache it', body: { author: 'ada', trust: 'issue author', text: 'It is slow.' } },
  note: null,
  instructions: [],
};

/** A remark of bob's on the last line of the plan's approach. */
export function remark(thread: string, given: Partial<LineRemark> = {}): LineRemark {
  return {
    thread,
    path: 'plan.md',
    subject: 'line',
    side: 'RIGHT',
    lines: { start: 17, end: 17 },
    quoted: 'Keep the last answer.',
    isOutdated: false,
    comments: [{ author: 'bob', trust: 'writer', text: '[suggestion 1]' }],
    suggestions: [],
    replaced: null,
    ...given,
  };
}

export function planText(change = 'modify'): string {
  return `---
issue: 7
base: "${base}"
files:
  - { path: src/cache.js, change: ${change} }
verify: ["node --test"]
---

# Cache it

## Context

It is slow.

## Approach

Keep the last answer.

## Steps

1. Keep the answer in \`src/cache.js\`.

## Existing code to reuse

Nothing is there to reuse.

## Verification

The tests pass.

## Risks and open questions

None.
`;
}

export interface DrivenRun {
  readonly messages: readonly ChildMessage[];
  readonly result: RunResult | null;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  readonly server: ModelServer;
  readonly checkout: string;
  readonly stderr: string;
}

export interface Drive {
  readonly script: Script;
  readonly spec?: Partial<RunSpec>;
  /** Files of the checkout, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Prepares the checkout further. */
  readonly prepare?: (checkout: string) => Promise<void>;
  /** Looks at each message before it is stored; `false` leaves it without an answer. */
  readonly onMessage?: (message: ChildMessage, child: ChildProcess) => boolean | undefined;
  /** What the host says to a message in place of `stored`. */
  readonly answer?: (message: ChildMessage) => HostMessage | undefined;
  /** Runs once the child has been started. */
  readonly onStart?: (child: ChildProcess, checkout: string) => void;
  /** Runs while the folders are still there. */
  readonly inspect?: (run: DrivenRun) => Promise<void> | void;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The end of the run that the child has. */
interface Session {
  readonly send: (message: HostMessage) => void;
}

async function makeFolders(drive: Drive): Promise<{ folder: string; checkout: string; scratch: string }> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'run-child-')));
  const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
  await mkdir(checkout);
  await mkdir(scratch);
  const files = drive.files ?? { 'src/cache.js': 'export const cache = 1;\n', 'README.md': 'A library.\n' };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(checkout, name)), { recursive: true });
    await writeFile(path.join(checkout, name), text);
  }
  await drive.prepare?.(checkout);
  return { folder, checkout, scratch };
}

export function specFor(
  drive: Pick<Drive, 'spec'>,
  url: string,
  folders: { checkout: string; scratch: string },
): RunSpec {
  return {
    run: 'r1',
    phase: 'plan',
    ...folders,
    planPath: 'plan.md',
    plan: null,
    issue: 7,
    base,
    brief: request,
    conversation: [],
    model: { id: 'model-1', apiKey: 'key-canary', baseUrl: url, maxOutputTokens: 1000, price: null },
    budget: { maxTurns: 50, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherCeilings },
    permissions: noRules,
    planShell: false,
    spent: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 },
    checks: [],
    scopeAllow: [],
    scopeMode: 'block',
    holdsCode: false,
    patience: { silentMs: 5_000, pingOnlyMs: 10_000, retryAfterMs: 2_000, retryDelayMs: 1 },
    ...drive.spec,
  };
}

function host(child: ChildProcess, drive: Drive, spec: RunSpec): Promise<Omit<DrivenRun, 'server' | 'checkout'>> {
  const messages: ChildMessage[] = [];
  let stderr = '';
  let result: RunResult | null = null;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.on('message', (message: ChildMessage) => {
    messages.push(message);
    if (message.kind === 'ended') result = message.result;
    if (drive.onMessage?.(message, child) === false) return;
    if (!('seq' in message) || !child.connected) return;
    child.send(drive.answer?.(message) ?? { kind: 'stored', seq: message.seq });
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ messages, result, exit: { code, signal }, stderr }));
    child.send({ kind: 'start', spec });
  });
}

async function withFolders(
  given: Drive,
  play: (spec: RunSpec) => Promise<Omit<DrivenRun, 'server' | 'checkout'>>,
): Promise<DrivenRun> {
  const server = await startModelServer(given.script);
  const { folder, checkout, scratch } = await makeFolders(given);
  try {
    const run = { ...(await play(specFor(given, server.url, { checkout, scratch }))), server, checkout };
    await given.inspect?.(run);
    return run;
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the real child from its start to its exit against a scripted model. */
export function drive(given: Drive): Promise<DrivenRun> {
  return withFolders(given, async (spec) => {
    const child = fork(childPath, [], {
      execPath: process.execPath,
      execArgv: [],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_COMPILE_CACHE: compileCacheFolder, ...given.environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    given.onStart?.(child, spec.checkout);
    try {
      return await host(child, given, spec);
    } finally {
      child.kill('SIGKILL');
    }
  });
}

/** The same run without a process of its own, for what has nothing to do with processes. */
export function driveHere(given: Omit<Drive, 'onMessage' | 'onStart' | 'environment'>): Promise<DrivenRun> {
  return withFolders(given, async (spec) => {
    const messages: ChildMessage[] = [];
    let listener: (message: unknown) => void = () => undefined;
    const session: Session = { send: (message) => listener(message) };
    const channel = openHostChannel(
      {
        send: (message) => {
          messages.push(structuredClone(message));
          if (!('seq' in message)) return;
          const answer: HostMessage = given.answer?.(message) ?? { kind: 'stored', seq: message.seq };
          queueMicrotask(() => session.send(answer));
        },
        onMessage: (given) => {
          listener = given;
        },
        onDisconnect: () => undefined,
      },
      { start: () => undefined, stop: () => undefined },
    );
    const { result, spent } = await runAgent(spec, channel, new AbortController().signal);
    await channel.ended(result, spent);
    return { messages, result, exit: { code: 0, signal: null }, stderr: '' };
  });
}

/** The conversation that the run's turns add up to. */
export function storedConversation(run: Pick<DrivenRun, 'messages'>) {
  return run.messages.flatMap((message) => ('messages' in message ? message.messages : []));
}

/** The kinds of what the run said, in order, but for what it tells of its cost meanwhile. */
export function kindsSaid(run: Pick<DrivenRun, 'messages'>): readonly ChildMessage['kind'][] {
  return run.messages.map(({ kind }) => kind).filter((kind) => kind !== 'spent');
}
