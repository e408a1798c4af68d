/** A secret in a text, by where it stands and what it is. */
export interface FoundSecret {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** What it seems to be, e.g. `GitHub token`; never the secret. */
  readonly what: string;
}

/** In the order of the text. Hits that overlap are of one secret, which the one that was given first of them names. */
export function mergeFound(hits: readonly FoundSecret[]): readonly FoundSecret[] {
  const merged: (FoundSecret & { readonly rank: number })[] = [];
  const ranked = hits.map((hit, rank) => ({ ...hit, rank }));
  for (const hit of ranked.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || hit.start >= last.end) merged.push(hit);
    else merged[merged.length - 1] = { ...earlier(last, hit), start: last.start, end: Math.max(last.end, hit.end) };
  }
  return merged.map(({ start, end, what }) => ({ start, end, what }));
}

function earlier<T extends { readonly rank: number }>(one: T, other: T): T {
  return one.rank <= other.rank ? one : other;
}
