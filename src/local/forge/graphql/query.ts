/** The root of a query. */
import { GraphQLError } from 'graphql';
import { actingAccount, reaches } from '../access.ts';
import { findAccount, findRenamedRepository, findRepository } from '../lookup.ts';
import { actorSource, userSource } from './account.ts';
import { nodeSource } from './node.ts';
import type { QueryCost } from './query-limit.ts';
import { repositorySource } from './repository.ts';
import { type Args, listArg, type Source, textArg } from './source.ts';
import type { View } from './view.ts';

const POINTS_PER_HOUR = 5000;
const HOUR_MS = 3_600_000;

export function queryRoot(view: View, cost: QueryCost): Source {
  return {
    viewer: () => userSource(view, actingAccount(view.actor)),
    node: (args) => nodeSource(view, textArg(args, 'id') ?? ''),
    // Promises, so that each id that names nothing is an error of its own.
    nodes: (args) => (listArg(args, 'ids') ?? []).map(async (id) => nodeSource(view, id)),
    repository: (args) => repositoryByName(view, args),
    repositoryOwner: (args) => {
      const account = findAccount(view.forge, textArg(args, 'login') ?? '');
      return account === null || account.type === 'Bot' ? null : actorSource(view, account);
    },
    user: (args) => {
      const login = textArg(args, 'login') ?? '';
      const account = findAccount(view.forge, login);
      if (account?.type === 'User') return userSource(view, account);
      throw notFound(`Could not resolve to a User with the login of '${login}'.`);
    },
    rateLimit: () => ({
      limit: POINTS_PER_HOUR,
      cost: cost.cost,
      nodeCount: cost.nodeCount,
      remaining: POINTS_PER_HOUR - cost.cost,
      used: cost.cost,
      resetAt: new Date(view.forge.clock() + HOUR_MS).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    }),
  };
}

/** A repository that has been renamed is found by its old name too, unless `followRenames` is false. */
function repositoryByName(view: View, args: Args): Source {
  const owner = textArg(args, 'owner') ?? '';
  const name = textArg(args, 'name') ?? '';
  const renamed = args.followRenames === false ? null : findRenamedRepository(view.forge, owner, name);
  const repository = findRepository(view.forge, owner, name) ?? renamed;
  if (repository === null || !reaches(view.actor, repository)) {
    throw notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
  }
  return repositorySource(view, repository);
}

function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}
