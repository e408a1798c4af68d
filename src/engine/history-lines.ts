import type { HistoryEntry } from '../workspace/workspace.ts';

/** A line a commit, whatever its author wrote. */
export function formatHistory(entries: readonly HistoryEntry[]): string {
  return entries.map(formatEntry).join('\n');
}

function formatEntry({ commit, date, author, subject }: HistoryEntry): string {
  return `${commit.slice(0, 10)} ${date} ${author}: ${subject}`.replaceAll(/\p{Cc}/gu, ' ');
}
