import type { PathOwners, PullRequestFacts } from '../lifecycle/facts.ts';
import { ownersOf, parseCodeOwners } from '../plan/code-owners.ts';
import type { Names } from './observe-ask.ts';
import { readAnswer } from './observe-pages.ts';
import { codeOwnersQuery } from './observe-query.ts';
import { codeOwnersAnswer, type FileEntryAnswer } from './observe-schema.ts';
import type { Held } from './session.ts';

/** Git's modes of a file; a symbolic link, a submodule and a folder have others. */
const fileModes: ReadonlySet<number> = new Set([0o100644, 0o100755]);

/**
 * The owners of each planned path, by the file at the base branch's tip. `unknown` wherever they cannot be told: no scope,
 * no plain text, a text that GitHub gives only in part, an error.
 */
export async function observeCodeOwners(
  held: Held,
  repository: Names & { readonly id: number },
  pullRequest: PullRequestFacts,
  tip: string | null,
): Promise<PullRequestFacts['codeOwners']> {
  const scope = pullRequest.planOfRecord?.scope ?? null;
  if (pullRequest.state !== 'open' || tip === null || scope === null) return 'unknown';
  try {
    const data = await held.query(codeOwnersQuery, { owner: repository.owner, name: repository.name, commit: tip });
    const { databaseId, object } = readAnswer(codeOwnersAnswer, data, 'the code owners').repository;
    if (databaseId !== repository.id) return 'unknown';
    const entry = object.place0 ?? object.place1 ?? object.place2;
    return entry === null ? 'none' : ownersIn(entry, [...new Set(scope.map(({ path }) => path))]);
  } catch {
    return 'unknown';
  }
}

function ownersIn(
  { mode, object }: NonNullable<FileEntryAnswer>,
  paths: readonly string[],
): readonly PathOwners[] | 'unknown' {
  if (!fileModes.has(mode) || object?.__typename !== 'Blob') return 'unknown';
  if (typeof object.text !== 'string' || object.isTruncated !== false || object.isBinary === true) return 'unknown';
  const rules = parseCodeOwners(object.text);
  return paths.map((path) => ({ path, owners: ownersOf(rules, path) }));
}
