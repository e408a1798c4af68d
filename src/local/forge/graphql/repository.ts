import { GraphQLError } from 'graphql';
import { roleOf } from '../access.ts';
import { listRefs } from '../git-repository.ts';
import { fullName, isPullRequest } from '../lookup.ts';
import { repositoryPage } from '../shapes/repository.ts';
import type { Issue, Repository } from '../state.ts';
import { actorSource } from './account.ts';
import { objectSource } from './git-object.ts';
import { conversationSource, issueSource } from './issue.ts';
import { issueConnection, pullRequestConnection } from './issue-list.ts';
import { labelConnection, labelSource } from './label.ts';
import { pullRequestSource } from './pull-request.ts';
import { qualifiedRefSource, refConnection, refSource } from './ref.ts';
import { type Args, type Info, numberArg, type Source, textArg } from './source.ts';
import { addresses, requireRead, type View } from './view.ts';

export function repositorySource(view: View, repository: Repository): Source {
  return {
    __typename: 'Repository',
    id: repository.nodeId,
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: fullName(repository),
    owner: () => actorSource(view, repository.owner),
    ...addresses(view, repositoryPage(view.forge, repository)),
    description: null,
    createdAt: repository.createdAt,
    updatedAt: repository.pushedAt,
    pushedAt: repository.pushedAt,
    isArchived: repository.archived,
    isPrivate: repository.private,
    visibility: repository.private ? 'PRIVATE' : 'PUBLIC',
    isDisabled: false,
    isLocked: false,
    isFork: false,
    isMirror: false,
    isTemplate: false,
    isInOrganization: repository.owner.type === 'Organization',
    hasIssuesEnabled: true,
    parent: null,
    isEmpty: () => listRefs(repository.gitDir, 'refs/heads/').size === 0,
    viewerPermission: viewerPermission(view, repository),
    ...contentFields(view, repository),
    ...threadFields(view, repository),
  };
}

/** The role of the person who asks; GitHub gives an app none. */
function viewerPermission(view: View, repository: Repository): string | null {
  return view.actor.kind === 'person' ? (roleOf(repository, view.actor.account)?.toUpperCase() ?? null) : null;
}

function contentFields(view: View, repository: Repository) {
  return {
    defaultBranchRef: () => refSource(view, repository, `refs/heads/${repository.defaultBranch}`),
    ref: (args: Args) => qualifiedRefSource(view, repository, textArg(args, 'qualifiedName') ?? ''),
    refs: (args: Args, info: Info) => refConnection(view, repository, args, info),
    object: (args: Args) => objectSource(view, repository, textArg(args, 'oid') ?? textArg(args, 'expression') ?? ''),
  } satisfies Source;
}

function threadFields(view: View, repository: Repository) {
  return {
    labels: (args: Args, info: Info) => labelConnection(view, repository, repository.labels, args, info),
    label: (args: Args) => {
      const name = (textArg(args, 'name') ?? '').toLowerCase();
      const label = repository.labels.find((each) => each.name.toLowerCase() === name);
      return label === undefined ? null : labelSource(view, repository, label);
    },
    issue: (args: Args) => {
      requireRead(view, repository, 'issue');
      const issue = findByNumber(repository, args);
      if (issue === null || isPullRequest(issue)) throw unresolved('an Issue', args);
      return issueSource(view, repository, issue);
    },
    pullRequest: (args: Args) => {
      requireRead(view, repository, 'pullRequest');
      const issue = findByNumber(repository, args);
      if (issue === null || !isPullRequest(issue)) throw unresolved('a PullRequest', args);
      return pullRequestSource(view, repository, issue);
    },
    issueOrPullRequest: (args: Args) => {
      const issue = findByNumber(repository, args);
      if (issue === null) throw unresolved('an issue or pull request', args);
      requireRead(view, repository, isPullRequest(issue) ? 'pullRequest' : 'issue');
      return conversationSource(view, repository, issue);
    },
    issues: (args: Args, info: Info) => issueConnection(view, repository, args, info),
    pullRequests: (args: Args, info: Info) => pullRequestConnection(view, repository, args, info),
  } satisfies Source;
}

function findByNumber(repository: Repository, args: Args): Issue | null {
  return repository.issues.find((issue) => issue.number === numberArg(args, 'number')) ?? null;
}

function unresolved(what: string, args: Args): GraphQLError {
  const message = `Could not resolve to ${what} with the number of ${numberArg(args, 'number')}.`;
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}
