/** What requests weigh, and how much of each the next one repeats. Pure. */
import { z } from 'zod';

interface Weight {
  readonly bytes: number;
  /** Estimated: characters / 4. */
  readonly tokens: number;
}

export interface RequestFigures {
  readonly requests: number;
  readonly firstRequest: Weight;
  readonly allRequests: Weight;
  /** System prompt and tools of the first request, in tokens. */
  readonly fixedTokens: number;
  /**
   * How much of a request (tools, system, messages) the next one begins with, byte for byte: the least over the run. 1 is
   * all of it.
   */
  readonly equalPrefix: number;
  /** System prompt and tools as they were sent, the same in every request of the run; else `null`. */
  readonly fixedPart: { readonly system: unknown; readonly tools: readonly unknown[] } | null;
}

const request = z.object({
  system: z.unknown(),
  tools: z.array(z.unknown()),
  messages: z.array(z.unknown()).min(1),
});

/** @param bodies in their order, at least one */
export function measureRequests(bodies: readonly Buffer[]): RequestFigures {
  const parsed = bodies.map((body) => request.parse(JSON.parse(body.toString('utf8'))));
  const texts = parsed.map(({ tools, system, messages }) => [
    JSON.stringify(tools),
    JSON.stringify(system),
    ...messages.map((message) => JSON.stringify(message)),
  ]);
  const weights = bodies.map((body, index) => ({ bytes: body.length, tokens: tokensOf(texts[index] ?? []) }));
  const [first] = parsed;
  const fixed = new Set(texts.map(([tools, system]) => `${tools}${system}`));
  return {
    requests: bodies.length,
    firstRequest: weights[0] ?? { bytes: 0, tokens: 0 },
    allRequests: {
      bytes: weights.reduce((sum, { bytes }) => sum + bytes, 0),
      tokens: weights.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    fixedTokens: tokensOf(texts[0]?.slice(0, 2) ?? []),
    equalPrefix: Math.min(1, ...texts.slice(1).map((text, index) => equalShare(texts[index] ?? [], text))),
    fixedPart: fixed.size === 1 && first !== undefined ? { system: first.system, tools: first.tools } : null,
  };
}

function tokensOf(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
}

/** The share of `before` that `after` begins with. */
function equalShare(before: readonly string[], after: readonly string[]): number {
  const [whole, next] = [before.join('\n'), after.join('\n')];
  if (next.startsWith(`${whole}\n`)) return 1;
  let equal = 0;
  while (equal < whole.length && whole[equal] === next[equal]) equal += 1;
  return Math.min(equal, whole.length - 1) / whole.length;
}
