import { isPullRequest } from '../lookup.ts';
import { repositoryPage } from '../shapes/repository.ts';
import type { Issue, Label, Repository } from '../state.ts';
import { connection } from './connection.ts';
import { issueConnection, pullRequestConnection } from './issue-list.ts';
import { repositorySource } from './repository.ts';
import { type Args, type Info, inputArg, type Source, textArg } from './source.ts';
import { addresses, type View } from './view.ts';

/** A label as it is, or what is left of one that is gone. */
export type ShownLabel = Omit<Label, 'updatedAt'> & { readonly updatedAt: string | null };

export function labelSource(view: View, repository: Repository, label: ShownLabel): Source {
  const bears = (issue: Issue): boolean => issue.labels.includes(label.name);
  const url = `${repositoryPage(view.forge, repository)}/labels/${encodeURIComponent(label.name)}`;
  return {
    __typename: 'Label',
    id: label.nodeId,
    name: label.name,
    color: label.color,
    description: label.description,
    isDefault: false,
    createdAt: null,
    updatedAt: label.updatedAt,
    ...addresses(view, url),
    repository: () => repositorySource(view, repository),
    issues: (args, info) =>
      issueConnection(view, repository, args, info, (issue) => bears(issue) && !isPullRequest(issue)),
    pullRequests: (args, info) => pullRequestConnection(view, repository, args, info, bears),
  };
}

/** Labels in the order asked for; a `query` keeps those whose name or description holds it. */
export function labelConnection(view: View, repository: Repository, labels: readonly Label[], args: Args, info: Info) {
  const query = (textArg(args, 'query') ?? '').toLowerCase();
  const order = inputArg(args, 'orderBy');
  const items = labels
    .filter((label) => `${label.name}\n${label.description ?? ''}`.toLowerCase().includes(query))
    .toSorted((one, other) => (order.field === 'NAME' ? one.name.localeCompare(other.name) : one.id - other.id));
  return connection(args, info, {
    items: order.direction === 'DESC' ? items.toReversed() : items,
    keyOf: (label) => label.id,
    present: (label) => labelSource(view, repository, label),
  });
}
