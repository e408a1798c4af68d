import type { HistoryEntry } from '../workspace/workspace.ts';

/** One line of a history, whatever its author wrote. */
export function formatEntry({ commit, date, author, subject }: HistoryEntry): string {
  return `${commit.slice(0, 10)} ${date} ${author}: ${subject}`.replaceAll(/\p{Cc}/gu, ' ');
}
