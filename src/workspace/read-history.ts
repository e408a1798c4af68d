/** The commits that led to one, as data: no patch is read, so that no driver or filter is asked. */
import type { Git } from './git.ts';
import { pathFault } from './path-rules.ts';
import type { HistoryEntry } from './workspace.ts';

const separator = '\x1f';

/** Newest first. @param path only commits that changed this file or folder; `null` for all. */
export async function readHistory(
  git: Git,
  gitDir: string,
  commit: string,
  path: string | null,
  limit: number,
): Promise<readonly HistoryEntry[]> {
  if (path !== null && pathFault(path) !== null) return [];
  const format = ['%H', '%as', '%an', '%s'].join('%x1f');
  const only = path === null ? [] : [path];
  const output = await git.text({
    args: ['log', '-z', `--max-count=${limit}`, `--format=${format}`, '--no-show-signature', commit, '--', ...only],
    gitDir,
  });
  return output
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [sha = '', date = '', author = '', ...subject] = record.split(separator);
      return { commit: sha, date, author, subject: subject.join(separator) };
    });
}
