import { visibleText } from '../text/hidden-characters.ts';
import type { HistoryEntry } from '../workspace/workspace.ts';

/** A line a commit, whatever its author wrote: without what nobody sees of it. */
export function formatHistory(entries: readonly HistoryEntry[]): string {
  return entries.map(formatEntry).join('\n');
}

function formatEntry({ commit, date, author, subject }: HistoryEntry): string {
  const line = `${commit.slice(0, 10)} ${date} ${author}: ${subject}`;
  return visibleText(line.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' '));
}
