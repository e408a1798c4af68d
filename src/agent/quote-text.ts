import { randomBytes } from 'node:crypto';
import type { Quoted } from './brief.ts';

// What a reader does not see: control and format characters but the emoji's joiner, fillers, and variation selectors but
// the emoji's.
const invisible =
  /(?!\u200d)[\p{Cc}\p{Cf}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0|\p{Variation_Selector}(?<!\ufe0f)/gu;

/** A text without the characters that a reader does not see; line breaks and tabs stay. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(invisible, (character) => (/[\n\t]/.test(character) ? character : ''));
}

/** A name or a path as part of one line. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim();
}

/**
 * Fences a text that others wrote with a delimiter that it cannot know, under a label of who wrote it and what that
 * person may do.
 */
export function fence(label: string, text: string): string {
  const mark = randomBytes(8).toString('hex');
  return `--- begin untrusted text ${mark}: ${oneLine(label)} ---\n${visibleText(text)}\n--- end untrusted text ${mark} ---`;
}

/** Fences what a person wrote under their login and what they are to the thread. */
export function fenceQuoted({ author, trust, text }: Quoted): string {
  return fence(`by @${author} (${trust})`, text);
}
