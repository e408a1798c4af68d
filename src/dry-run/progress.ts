/** What a dry run tells while it is at work, on standard error: one line a turn, and on a terminal a live line under them. */
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import { z } from 'zod';
import type { Cost } from '../lifecycle/memory.ts';
import type { Screen } from '../screen.ts';
import { cleanLine } from '../text/text-out.ts';

const maxCall = 80;
const redrawMs = 200;

export interface Progress {
  turn(messages: readonly BetaMessageParam[], spent: Cost): void;
  /** A call that was refused, or a retry. */
  notice(event: string, detail: string): void;
  end(): void;
}

/** From the moment that the model is asked for the first time. */
export function createProgress(screen: Screen): Progress {
  let turn = 1;
  const redraw = () => screen.progress(`turn ${turn}: waiting for the model`);
  const timer = setInterval(redraw, redrawMs);
  timer.unref();
  redraw();
  return {
    turn: (messages, spent) => {
      screen.event(`turn ${spent.turns}`, `${describeCalls(messages)} (${describeUse(spent)})`);
      turn = spent.turns + 1;
      redraw();
    },
    notice: (event, detail) => screen.event('note', cleanLine(`${event}: ${detail}`, 300)),
    end: () => {
      clearInterval(timer);
      screen.settle();
    },
  };
}

const subject = z.object({
  file_path: z.string().optional(),
  pattern: z.string().optional(),
  path: z.string().optional(),
  command: z.string().optional(),
});

/** The tools that a turn called, each with what it was about. */
function describeCalls(messages: readonly BetaMessageParam[]): string {
  const blocks = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? [...(content ?? [])] : [],
  );
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [describeCall(block.name, block.input)] : []));
  return calls.length === 0 ? 'no tool' : calls.join(', ');
}

function describeCall(name: string, input: unknown): string {
  const { data } = subject.safeParse(input);
  const about = data?.file_path ?? data?.pattern ?? data?.path ?? data?.command;
  return cleanLine(about === undefined ? name : `${name} ${about}`, maxCall);
}

function describeUse({ inputTokens, outputTokens, dollars }: Cost): string {
  const price = dollars === null ? '' : `, $${dollars.toFixed(2)}`;
  return `${inputTokens.toLocaleString('en-US')} tokens in, ${outputTokens.toLocaleString('en-US')} out so far${price}`;
}
