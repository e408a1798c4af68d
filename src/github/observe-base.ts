import { z } from 'zod';
import { recordedBase } from '../lifecycle/branch.ts';
import type { PullRequestFacts } from '../lifecycle/facts.ts';
import type { Held } from './session.ts';

/** GitHub lists no more than this many files of a comparison. */
const maxComparedFiles = 300;

const comparison = z.object({
  status: z.string(),
  files: z.array(z.object({ filename: z.string(), previous_filename: z.string().optional() })),
});

/**
 * The paths of the plan's scope that changed on the base branch since the plan was written. No call is made while the
 * branch stands where it stood. `unknown` wherever it cannot be told: too many files, a rewritten base, no scope, an error.
 * Source: https://docs.github.com/rest/commits/commits#compare-two-commits
 */
export async function observeChangedOnBase(
  held: Held,
  repository: { readonly owner: string; readonly name: string },
  pullRequest: PullRequestFacts,
  tip: string | null,
): Promise<PullRequestFacts['changedOnBase']> {
  const base = recordedBase(pullRequest);
  if (pullRequest.state !== 'open' || base === null || tip === null) return 'unknown';
  if (tip === base) return [];
  const scope = pullRequest.planOfRecord?.scope ?? null;
  if (scope === null) return 'unknown';
  try {
    const { data } = await held.client.rest.repos.compareCommitsWithBasehead({
      owner: repository.owner,
      repo: repository.name,
      basehead: `${base}...${tip}`,
      per_page: 1,
    });
    return changedPaths(
      data,
      scope.map(({ path }) => path),
    );
  } catch {
    return 'unknown';
  }
}

/** Those of `scope` that a comparison names as changed, by their old or new name. */
export function changedPaths(answer: unknown, scope: readonly string[]): PullRequestFacts['changedOnBase'] {
  const parsed = comparison.safeParse(answer);
  if (!parsed.success || parsed.data.files.length >= maxComparedFiles) return 'unknown';
  if (parsed.data.status !== 'ahead' && parsed.data.status !== 'identical') return 'unknown';
  const changed = new Set(
    parsed.data.files.flatMap((file) => [file.filename, file.previous_filename ?? file.filename]),
  );
  return [...new Set(scope)].filter((path) => changed.has(path));
}
