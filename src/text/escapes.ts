/** Characters that are written as escapes of URLs, of program texts or of HTML. */

const escapes =
  /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|&#x([0-9a-f]{1,6});?|\b0x([0-9a-f]{2})\b|&#(\d{1,7});?|\\[nrt]/gi;

/** A text that was made from another one. */
export interface MadeText {
  readonly text: string;
  /** The offset in the other text that an offset in this one comes from. */
  readonly sourceOf: (offset: number) => number;
}

/** The text with what its escapes stand for in their place; `null` where it holds none. */
export function withoutEscapes(text: string): MadeText | null {
  let made = '';
  let at = 0;
  /** Where a piece begins, here and there. */
  const pieces: { readonly made: number; readonly source: number }[] = [];
  for (const match of text.matchAll(escapes)) {
    const [written, ...groups] = match;
    pieces.push({ made: made.length, source: at });
    made += text.slice(at, match.index);
    pieces.push({ made: made.length, source: match.index });
    made += characterOf(groups) ?? written;
    at = match.index + written.length;
  }
  if (at === 0) return null;
  pieces.push({ made: made.length, source: at });
  return { text: made + text.slice(at), sourceOf: (offset) => sourceOf(pieces, offset) };
}

/** @param groups what was written in each way; none for a line break or a tab */
function characterOf(groups: readonly (string | undefined)[]): string | null {
  const hex = groups.slice(0, 6).find((group) => group !== undefined);
  const decimal = groups[6];
  if (hex === undefined && decimal === undefined) return '\n';
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

function sourceOf(pieces: readonly { readonly made: number; readonly source: number }[], offset: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.made ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  return piece === undefined ? offset : piece.source + offset - piece.made;
}
