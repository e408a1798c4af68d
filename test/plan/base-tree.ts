import type { BaseTree } from '../../src/plan/lint-context.ts';

/** A tree of these files. */
export function treeOf(files: Readonly<Record<string, string>>): BaseTree {
  const paths = Object.keys(files);
  return {
    exists: (path) => Object.hasOwn(files, path),
    textOf: (path) => files[path] ?? null,
    namesIn: (folder) => {
      const below = folder === '' ? '' : `${folder}/`;
      const names = paths.filter((path) => path.startsWith(below)).map((path) => path.slice(below.length));
      return [...new Set(names.map((name) => name.replace(/\/.*$/s, '/')))];
    },
  };
}
