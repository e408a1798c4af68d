/** Which paths a commit's own `.gitignore` files ignore; what the tree's say now does not count, as the run could change them. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import type { Ignores } from './tree-scan.ts';

/** @param folder the host's own, for the rules and an index; what is there from before is used again. */
export async function ignoreRules(git: Git, gitDir: string, commit: string, folder: string): Promise<Ignores> {
  const rules = join(folder, `ignore-${commit}`);
  if (!existsSync(rules)) await writeRules(git, gitDir, commit, rules);
  return async (paths) => {
    const input = Buffer.from(paths.map((path) => `./${path}\0`).join(''), 'latin1');
    const args = ['check-ignore', '-z', '--stdin', '--no-index'];
    const { stdout } = await git.answer({ args, gitDir, workTree: rules, input, literalPaths: false });
    const ignored = stdout.toString('latin1').split('\0').slice(0, -1);
    return new Set(ignored.map((path) => path.slice('./'.length)));
  };
}

async function writeRules(git: Git, gitDir: string, commit: string, rules: string): Promise<void> {
  const half = `${rules}.new`;
  const index = `${rules}.index`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true });
  const entries = await git.bytes({ args: ['ls-tree', '-r', '-z', '--full-tree', commit], gitDir });
  const files = entries
    .toString('latin1')
    .split('\0')
    .filter((entry) => /^100\d{3} .*\t(?:.*\/)?\.gitignore$/s.test(entry))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
  if (files.length > 0) {
    await rm(`${index}.lock`, { force: true });
    await git.bytes({ args: ['read-tree', commit], gitDir, index });
    const input = Buffer.from(files.map((path) => `${path}\0`).join(''), 'latin1');
    await git.bytes({ args: ['checkout-index', '--quiet', '-z', '--stdin'], gitDir, workTree: half, index, input });
    await rm(index, { force: true });
  }
  await rename(half, rules);
}
