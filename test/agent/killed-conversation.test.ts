// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openHostChannel } from '../../src/agent/host-channel.ts';
import { runAgent } from '../../src/agent/run-agent.ts';
import type { ChildMessage, HostMessage, RunResult, RunSpec, Said } from '../../src/agent/run-protocol.ts';
import { createCommandRunner } from '../../src/sandbox/command-runner.ts';
import { done, implement, results } from './implementation.ts';
import {
  type Answer,
  blocksOf,
  inOrder,
  type ModelServer,
  type SentRequest,
  startModelServer,
} from './model-server.ts';
import { drive, driveHere, specFor, storedConversation } from './run-driver.ts';

let folder: string;
let checkout: string;
let closeSandbox: () => Promise<void>;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'killed-'));
  checkout = path.join(folder, 'checkout');
  for (const name of ['checkout', 'scratch']) mkdirSync(path.join(folder, name));
  // While one is taken no other run of this process has a sandbox, and none needs one here.
  const commands = await createCommandRunner({
    checkout,
    scratch: path.join(folder, 'scratch'),
    writable: true,
    readOnly: [],
    hosts: [],
  });
  assert.ok(commands.available);
  closeSandbox = commands.close;
});
after(async () => {
  await closeSandbox();
  rmSync(folder, { recursive: true });
});

/** What outlives a process of the run: what its host has stored, and what its calls have done to the world. */
interface World {
  readonly stored: Said[];
  readonly steps: string[];
  readonly requests: SentRequest[];
}

/** The reply after so many: a look, or a change and a finished step that both bear its number. */
function reply(number: number, turns: number): Answer {
  if (number === turns) return done;
  const look = { tool: 'read', input: { file_path: 'log.txt', view_range: [1, 1] }, id: `look-${number}` };
  if (number % 4 === 0) return { say: [look] };
  const change = { file_path: 'log.txt', old_string: 'end\n', new_string: `change ${number}\nend\n` };
  const tasks = [{ title: `step ${number}`, status: 'done' }];
  return {
    say: [
      look,
      { tool: 'edit', input: change, id: `change-${number}` },
      { tool: 'update_tasks', input: { tasks }, id: `step-${number}` },
    ],
  };
}

/** A point at which a process dies: at a message that its host has kept and not answered, or never got. */
interface Death {
  readonly at: ChildMessage['kind'];
  readonly isKept: boolean;
}

/** One process of the run, from what is stored to its death or its result. */
async function live(world: World, server: ModelServer, death: Death | null): Promise<RunResult | null> {
  const { promise: dead, resolve: die } = Promise.withResolvers<null>();
  const dying = new AbortController();
  let isDead = false;
  let hear: (message: unknown) => void = () => undefined;
  const keep = (message: ChildMessage) => {
    if ('messages' in message) world.stored.push(message);
    if (message.kind === 'step_done') world.steps.push(message.title);
  };
  const send = (message: ChildMessage) => {
    if (isDead) return;
    isDead = message.kind === death?.at;
    if (!isDead || death?.isKept === true) keep(structuredClone(message));
    if (isDead) {
      dying.abort(new Error('killed'));
      die(null);
    } else if ('seq' in message) {
      const answer: HostMessage = { kind: 'stored', seq: message.seq };
      queueMicrotask(() => hear(answer));
    }
  };
  const onMessage = (listener: typeof hear) => {
    hear = listener;
  };
  const port = { send, onMessage, onDisconnect: () => undefined };
  const host = openHostChannel(port, { start: () => undefined, stop: () => undefined });
  const run = runAgent(specOf(world, server), host, dying.signal).then(({ result }) => result);
  run.catch(() => undefined);
  return Promise.race([run, dead]);
}

function specOf({ stored }: World, server: ModelServer): RunSpec {
  const last = stored.at(-1);
  const given = implement(inOrder(), { scopeMode: 'warn' }).spec;
  const spec = specFor({ spec: given ?? {} }, server.url, {
    checkout,
    scratch: path.join(folder, 'scratch'),
  });
  return {
    ...spec,
    budget: { ...spec.budget, maxTurns: 1_000, maxTokens: 10_000_000 },
    ...(last === undefined ? {} : { brief: null, spent: last.spent }),
    conversation: stored.flatMap(({ messages }) => messages),
  };
}

/** The numbers of the calls that worked, and of those that were told to the model as interrupted. */
function told(request: SentRequest | undefined): { worked: number[]; cut: number[] } {
  const answers = (request?.messages ?? [])
    .flatMap(blocksOf)
    .filter((block) => block.tool_use_id?.startsWith('change-'));
  const numbers = (isCut: boolean) =>
    answers
      .filter((block) => (block.is_error === true) === isCut)
      .map((block) => Number(block.tool_use_id?.slice('change-'.length)));
  return { worked: numbers(false), cut: numbers(true) };
}

/** Lets processes follow one another, each of which dies at the point that is asked for, until one comes to the end. */
async function play(turns: number, deathOf: (process: number) => Death | null): Promise<World & { deaths: number }> {
  writeFileSync(path.join(checkout, 'log.txt'), 'begin\nend\n');
  const requests: SentRequest[] = [];
  const server = await startModelServer((request) => {
    requests.push(request);
    return reply(request.messages.filter(({ role }) => role === 'assistant').length, turns);
  });
  const world: World = { stored: [], steps: [], requests };
  let deaths = 0;
  try {
    for (;;) {
      const result = await live(world, server, deathOf(deaths));
      if (result === null) deaths += 1;
      else {
        assert.deepEqual(result, { kind: 'work_done', deviations: [], verifications: [] });
        assert.equal(server.requests.length, requests.length, 'no request was refused as invalid');
        return { ...world, deaths };
      }
    }
  } finally {
    await server.close();
  }
}

function assertDoneOnce({ steps, requests }: World, turns: number): void {
  const changes = [...readFileSync(path.join(checkout, 'log.txt'), 'utf8').matchAll(/change (\d+)/g)].map(([, n]) =>
    Number(n),
  );
  assert.deepEqual([...new Set(changes)], changes, 'no change was made twice');
  assert.deepEqual([...new Set(steps)], steps, 'no step was kept twice');
  const { worked, cut } = told(requests.at(-1));
  const all = Array.from({ length: turns }, (_, number) => number).filter((number) => number % 4 !== 0);
  assert.deepEqual(
    [...worked, ...cut].toSorted((a, b) => a - b),
    all,
    'each call was answered',
  );
  assert.deepEqual(
    worked.filter((number) => !changes.includes(number)),
    [],
    'what is told as done is done',
  );
  for (const [index, { messages }] of requests.entries()) {
    const earlier = requests[index - 1]?.messages ?? [];
    assert.equal(JSON.stringify(messages.slice(0, earlier.length)), JSON.stringify(earlier), `request ${index}`);
  }
}

test('R40: a conversation of 200 turns that is killed at every turn boundary goes on, each request valid and no call made twice', async () => {
  const world = await play(200, (process) => (process < 200 ? { at: 'turn', isKept: true } : null));
  assert.deepEqual([world.deaths, world.requests.length], [200, 201]);
  assertDoneOnce(world, 200);
  assert.deepEqual(told(world.requests.at(-1)).cut, []);
  assert.equal(world.stored.at(-1)?.spent.turns, 201);
});

const inATool: readonly Death[] = [
  { at: 'reply', isKept: false },
  { at: 'reply', isKept: true },
  { at: 'step_done', isKept: false },
  { at: 'step_done', isKept: true },
  { at: 'turn', isKept: false },
];

test('R40: killed at every point in the middle of a tool, turn after turn, it goes on, and a call that was begun is told as interrupted', async () => {
  const world = await play(60, (process) => inATool[process % inATool.length] ?? null);
  assert.ok(world.deaths >= 45, `${world.deaths} deaths`);
  assertDoneOnce(world, 60);
  assert.ok(told(world.requests.at(-1)).cut.length >= 30);
});

for (const at of ['step_done', 'turn'] as const) {
  test(`139: a process that is killed for good at its ${at} leaves a conversation whose next request is valid`, async () => {
    const script = inOrder(reply(1, 2));
    const killed = await drive(
      implement(
        script,
        { scopeMode: 'warn' },
        {
          prepare: async (tree) => writeFileSync(path.join(tree, 'log.txt'), 'end\n'),
          onMessage: (message, child) => (message.kind === at ? !child.kill('SIGKILL') : true),
        },
      ),
    );
    assert.equal(killed.exit.signal, 'SIGKILL');
    const spec = { brief: null, conversation: storedConversation(killed), scopeMode: 'warn' } as const;
    const resumed = await driveHere(implement(inOrder(done), spec));
    assert.equal(resumed.result?.kind, 'work_done');
    const [look, change, step] = results(resumed.server.requests[0]);
    const isCut = at !== 'turn';
    for (const result of [look, change, step]) assert.equal(result?.startsWith('! The run was interrupted'), isCut);
  });
}
