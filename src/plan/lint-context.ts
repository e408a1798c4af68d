/** What a plan is held against. */
import { nearestWord } from './edit-distance.ts';
import type { Plan } from './plan-file.ts';

/** The tree of the base commit. */
export interface BaseTree {
  /** Whether a file of this path is in it. */
  readonly exists: (path: string) => boolean;
  /** A file's text; `null` where it is none, or cannot be told: then nothing is said of what is in it. */
  readonly textOf: (path: string) => string | null;
  /** The names in a folder, folders with a `/` behind; empty where there is no such folder. `''` is the root. */
  readonly namesIn: (folder: string) => readonly string[];
}

export interface LintContext extends BaseTree {
  readonly issue: number;
  /** The commit that the run reads. */
  readonly base: string;
  readonly planPath: string;
  /** Of the forge, which is the only one that a plan may link to; absent where there is none. */
  readonly forgeHost?: string;
}

/** Each finding is one line that says what is wrong where, and what to do. */
export type LintRule = (plan: Plan, context: LintContext) => readonly string[];

/** A planned path, or the end of one: `cache.ts` for `src/cache.ts`. */
export function isKnown(path: string, planned: readonly string[]): boolean {
  return planned.some((candidate) => candidate === path || candidate.endsWith(`/${path}`));
}

/** Most folders that are looked into for one path that is not there. */
const mostFolders = 2000;

/**
 * The path that was probably meant: one spelt almost like it in the same folder, or the only file of the same name
 * anywhere. Folders of dependencies and hidden ones are not looked into.
 */
export function nearestPath(path: string, tree: BaseTree): string | null {
  const border = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, border), path.slice(border)];
  const beside = tree.namesIn(folder.slice(0, -1)).filter((each) => !each.endsWith('/'));
  const slip = nearestWord(name, beside);
  if (slip !== null) return `${folder}${slip}`;
  const namesakes: string[] = [];
  const folders = [''];
  for (let index = 0; index < folders.length && index < mostFolders && namesakes.length < 2; index += 1) {
    const at = folders[index] ?? '';
    for (const each of tree.namesIn(at.slice(0, -1))) {
      if (each === name) namesakes.push(`${at}${each}`);
      if (each.endsWith('/') && !/^(?:\.|node_modules\/|vendor\/)/.test(each)) folders.push(`${at}${each}`);
    }
  }
  return namesakes.length === 1 ? (namesakes[0] ?? null) : null;
}
