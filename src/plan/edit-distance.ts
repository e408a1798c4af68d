/** Insertions, deletions and replacements between two words; words above 100 characters are compared by their beginning. */
export function editDistance(a: string, b: string): number {
  const [left, right] = [a.slice(0, 100), b.slice(0, 100)];
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (right[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The known word that was probably meant: another spelling in capitals, or at most two slips of the keyboard away. */
export function nearestWord(written: string, known: Iterable<string>): string | null {
  const folded = written.toLowerCase();
  const tolerated = Math.min(2, Math.floor(written.length / 2.5));
  let best: { readonly word: string; readonly slips: number } | null = null;
  for (const word of known) {
    if (word === written || Math.abs(word.length - written.length) > tolerated) continue;
    const slips = word.toLowerCase() === folded ? 0 : editDistance(written, word);
    if (slips <= tolerated && (best === null || slips < best.slips)) best = { word, slips };
  }
  return best?.word ?? null;
}
