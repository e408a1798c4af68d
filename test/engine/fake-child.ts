/** A run's child that does what the first pattern of its scope says, over the real channel. */
import { spawn } from 'node:child_process';
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { ChildMessage, HostMessage, RunSpec } from '../../src/agent/run-protocol.ts';

const spent = { turns: 1, inputTokens: 10, outputTokens: 5, dollars: null, elapsedMs: 0 };

function say(message: ChildMessage): void {
  process.send?.(message);
}

function turn(seq: number, text: string): void {
  const messages: BetaMessageParam[] = [{ role: 'assistant', content: text }];
  say({ kind: 'turn', seq, messages, plan: `plan after ${text}`, spent: { ...spent, turns: seq } });
}

function end(seq: number, plan: string): void {
  say({ kind: 'ended', seq, result: { kind: 'plan_ready', plan, findings: [], answers: [] }, spent });
}

const behaviours: Readonly<Record<string, (spec: RunSpec, stored: number) => void>> = {
  /** One turn, then the plan; the plan says what the child was given, and shows an image of another host. */
  plans: (spec, stored) => {
    if (stored === 0) {
      turn(1, 'first');
    } else if (stored === 1) {
      const given = { brief: spec.brief?.kind ?? null, environment: Object.keys(process.env).toSorted() };
      end(2, `${JSON.stringify(given)}\n\n![x](https://evil.test/?d=1)`);
    } else {
      process.exit(0);
    }
  },
  /** Stores a turn and dies; with two turns behind it, it ends. */
  dies: (spec, stored) => {
    if (stored > 0) process.exit(3);
    if (spec.conversation.length < 2) {
      turn(1, `turn ${spec.conversation.length + 1}`);
    } else {
      end(1, `${spec.conversation.length} turns, ${spec.brief === null ? 'no' : 'a'} brief, ${spec.plan}`);
    }
  },
  dies_always: () => process.exit(3),
  babbles: () => {
    process.send?.({ kind: 'turn', seq: 'one' });
  },
  /** Says more than anybody could handle, on the channel and beside it. */
  floods: () => {
    process.stderr.write('x'.repeat(2_000_000));
    for (let said = 0; said < 20_000; said += 1) say({ kind: 'audit', event: 'call_failed', detail: '' });
    process.send?.({ kind: 'turn', seq: 'one' });
  },
  /** Starts a process of its own, tells its number, and waits. */
  waits: (_spec, stored) => {
    if (stored > 0) return;
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    turn(1, JSON.stringify({ pids: [process.pid, child.pid] }));
  },
  /** Says that it is at work, ends its turn a little later, and ends when it is started again. */
  slow: (spec, stored) => {
    if (spec.conversation.length > 0) {
      end(1, `went on after ${JSON.stringify(spec.conversation[0]?.content)}`);
    } else if (stored === 0) {
      say({ kind: 'tasks', tasks: [{ title: 'look around', status: 'in_progress' }] });
      setTimeout(() => turn(1, 'slow turn'), 300);
    }
  },
};

let spec: RunSpec | null = null;

process.on('message', (message: HostMessage) => {
  if (message.kind === 'start') {
    spec = message.spec;
    behaviours[spec.scopeAllow[0] ?? '']?.(spec, 0);
  } else if (message.kind === 'stored' && spec !== null) {
    behaviours[spec.scopeAllow[0] ?? '']?.(spec, message.seq);
  }
});
process.on('disconnect', () => process.exit(1));
