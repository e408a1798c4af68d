import { randomBytes } from 'node:crypto';
import { count } from '../lifecycle/phrases.ts';
import { countHiddenRuns, visibleText } from '../text/hidden-characters.ts';
import type { Quoted } from './brief.ts';

/** A name or a path as part of one line. */
export function oneLine(text: string): string {
  return visibleText(text.replace(/\s/g, ' ')).replace(/ +/g, ' ').trim();
}

/**
 * Fences a text that others wrote with a delimiter that it cannot know, under a label of who wrote it and what that
 * person may do. Of what a reader does not see, the label says how much was taken out: `hidden` passages before, and the
 * characters here.
 */
export function fence(label: string, text: string, hidden = 0): string {
  const mark = randomBytes(8).toString('hex');
  const passages = hidden + countHiddenRuns(text);
  const without = passages === 0 ? '' : `, without ${count(passages, 'passage')} that nobody sees`;
  return `--- begin untrusted text ${mark}: ${oneLine(label)}${without} ---\n${visibleText(text)}\n--- end untrusted text ${mark} ---`;
}

/** Fences what a person wrote under their login and what they are to the thread. */
export function fenceQuoted({ author, trust, text, hidden }: Quoted): string {
  return fence(`by @${author} (${trust})`, text, hidden);
}
