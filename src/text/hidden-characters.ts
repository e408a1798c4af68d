/**
 * Characters that a reader does not see, or that change what they see: by these text hides from review (Trojan Source,
 * Glassworm). Unicode's own list of what is not shown, and the separators and annotations that are missing there.
 * Source: https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
 */

/** Scripts in which a joiner or a non-joiner between letters is spelling. */
const joining = ['Arab', 'Syrc', 'Mong', 'Nkoo', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym']
  .concat(['Sinh', 'Khmr', 'Mymr', 'Tibt'])
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('');

/** Where one of them is part of what is seen: an emoji and its style, a keycap, a family of emoji, a joined letter. */
const seen = [
  String.raw`(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\d#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[${joining}])[\u200c\u200d](?!\p{Default_Ignorable_Code_Point})`,
].join('|');

/** The flags of England, Scotland and Wales are written with tags; they come first, to be passed over as a whole. */
const hidden = new RegExp(
  String.raw`\p{RGI_Emoji_Tag_Sequence}|(?!${seen})[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  'gv',
);

/** The hidden characters of a text in their order. A mark of the byte order at its start is one of them. */
export function hiddenCharacters(text: string): readonly string[] {
  return [...text.matchAll(hidden)].map(([found]) => found).filter((found) => !isFlag(found));
}

/** How often something is hidden in a text: characters next to each other are one time. */
export function countHiddenRuns(text: string): number {
  let [count, end] = [0, -1];
  for (const { 0: found, index } of text.matchAll(hidden)) {
    if (isFlag(found)) continue;
    if (index !== end) count += 1;
    end = index + found.length;
  }
  return count;
}

/** The text without them. */
export function removeHidden(text: string): string {
  return text.replace(hidden, (found) => (isFlag(found) ? found : ''));
}

/** A text as a reader sees it: no hidden character and no control but line breaks, all of one kind, and tabs. */
export function visibleText(text: string): string {
  const controlled = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '');
  return removeHidden(controlled);
}

function isFlag(found: string): boolean {
  return found.length > 2;
}
