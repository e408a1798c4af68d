/** What the figures may be at most, or must be. Pure. */

export interface Ratios {
  /** Time a turn, over that of the bare loop. */
  readonly timePerTurn: number;
  /** Peak memory of the run's own process, over that of the bare loop's. */
  readonly peakMemory: number;
  /** Input tokens of all requests, over those of the bare loop. */
  readonly inputTokens: number;
}

/** What of the document the bounds are about. */
export interface Judged {
  readonly fixedOverheadTokens: number;
  readonly hasSameFixedPartInTwoRepositories: boolean;
  readonly runs: readonly {
    readonly turns: number;
    readonly ratios: Ratios;
    readonly product: { readonly equalPrefix: number; readonly storedTurns: number; readonly ending: string };
  }[];
}

export const bounds = {
  timePerTurn: 6,
  peakMemory: 2.5,
  inputTokens: 1.1,
  equalPrefix: 1,
  fixedOverheadTokens: 3000,
} as const;

/** Every bound that is broken, one line each; empty where all hold. */
export function brokenBounds({
  fixedOverheadTokens,
  hasSameFixedPartInTwoRepositories,
  runs,
}: Judged): readonly string[] {
  const broken = runs.flatMap(({ turns, ratios, product }) => {
    const of = `of ${turns} turns`;
    return [
      atMost(`time per turn ${of}, over the bare loop`, ratios.timePerTurn, bounds.timePerTurn),
      atMost(`peak memory ${of}, over the bare loop`, ratios.peakMemory, bounds.peakMemory),
      atMost(`input tokens ${of}, over the bare loop`, ratios.inputTokens, bounds.inputTokens),
      exactly(`equal prefix ${of}`, product.equalPrefix, bounds.equalPrefix),
      exactly(`stored turns ${of}`, product.storedTurns, turns),
      exactly(`end ${of}`, product.ending, 'plan_ready'),
    ];
  });
  const fixed =
    fixedOverheadTokens < bounds.fixedOverheadTokens
      ? null
      : `fixed overhead in tokens: expected less than ${bounds.fixedOverheadTokens}, got ${fixedOverheadTokens}`;
  const same = exactly('system and tools the same in two repositories', hasSameFixedPartInTwoRepositories, true);
  return [...broken, fixed, same].filter((line) => line !== null);
}

function atMost(what: string, measured: number, bound: number): string | null {
  return measured <= bound ? null : `${what}: expected at most ${bound}, got ${measured}`;
}

function exactly<T>(what: string, measured: T, bound: T): string | null {
  return measured === bound ? null : `${what}: expected ${bound}, got ${measured}`;
}
