import { listRefs, readRef } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import type { Repository } from '../state.ts';
import { connection } from './connection.ts';
import { objectSource } from './git-object.ts';
import { pullRequestConnection } from './issue-list.ts';
import { repositorySource } from './repository.ts';
import { type Args, type Info, inputArg, type Source, textArg } from './source.ts';
import { requireRead, type View } from './view.ts';

/** The ref of a full name, e.g. `refs/heads/main`; `null` where there is none. */
export function refSource(view: View, repository: Repository, fullName: string): Source | null {
  requireRead(view, repository, 'contents');
  const oid = readRef(repository.gitDir, fullName);
  return oid === null ? null : presentRef(view, repository, fullName, oid);
}

/** A branch, by its name or in full: `main`, `heads/main`, `refs/heads/main`. */
export function qualifiedRefSource(view: View, repository: Repository, name: string): Source | null {
  if (name.startsWith('refs/')) return refSource(view, repository, name);
  const candidates = [`refs/${name}`, `refs/heads/${name}`, `refs/tags/${name}`];
  const sources = candidates.map((candidate) => refSource(view, repository, candidate));
  return sources.find((source) => source !== null) ?? null;
}

function presentRef(view: View, repository: Repository, fullName: string, oid: string): Source {
  const [, prefix = 'refs/', name = fullName] = /^(refs\/(?:heads|tags|[^/]+)\/)(.+)$/.exec(fullName) ?? [];
  return {
    __typename: 'Ref',
    id: nodeId('ref', `${repository.id}:${fullName}`),
    name,
    prefix,
    branchProtectionRule: null,
    repository: () => repositorySource(view, repository),
    target: () => objectSource(view, repository, oid),
    associatedPullRequests: (args, info) =>
      pullRequestConnection(
        view,
        repository,
        args,
        info,
        ({ pullRequest }) => `refs/heads/${pullRequest.headRef}` === fullName,
      ),
  };
}

/** Refs below `refPrefix`; names come without it. A `query` keeps the names that hold it. */
export function refConnection(view: View, repository: Repository, args: Args, info: Info): Source {
  requireRead(view, repository, 'contents');
  const asked = textArg(args, 'refPrefix') ?? 'refs/heads/';
  const prefix = asked.endsWith('/') ? asked : `${asked}/`;
  const query = (textArg(args, 'query') ?? '').toLowerCase();
  const refs = [...listRefs(repository.gitDir, prefix)].filter(([name]) =>
    name.slice(prefix.length).toLowerCase().includes(query),
  );
  const isDescending = (inputArg(args, 'orderBy').direction ?? args.direction) === 'DESC';
  return connection(args, info, {
    items: isDescending ? refs.toReversed() : refs,
    keyOf: ([name]) => name,
    present: ([name, oid]) => ({
      ...presentRef(view, repository, name, oid),
      name: name.slice(prefix.length),
      prefix,
    }),
  });
}
