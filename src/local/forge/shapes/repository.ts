import { permissionOf } from '../access.ts';
import type { Forge } from '../forge.ts';
import { fullName } from '../lookup.ts';
import type { Account, Label, Repository } from '../state.ts';
import { accountShape } from './account.ts';

export function repositoryUrl(forge: Forge, repository: Repository): string {
  return `${forge.webUrl}/api/v3/repos/${fullName(repository)}`;
}

export function repositoryPage(forge: Forge, repository: Repository): string {
  return `${forge.webUrl}/${fullName(repository)}`;
}

/** Every address template of a repository, as GitHub words them. */
function addresses(url: string) {
  return {
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
  };
}

/** GitHub's `repository`, with the two counts that make it a `full-repository`. */
export function repositoryShape(forge: Forge, repository: Repository) {
  const url = repositoryUrl(forge, repository);
  const page = repositoryPage(forge, repository);
  const openIssues = repository.issues.filter((issue) => issue.state === 'open').length;
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: fullName(repository),
    owner: accountShape(forge, repository.owner),
    private: repository.private,
    visibility: repository.private ? 'private' : 'public',
    html_url: page,
    description: null,
    fork: false,
    url,
    ...addresses(url),
    clone_url: `${page}.git`,
    git_url: `${page}.git`,
    ssh_url: `${page}.git`,
    svn_url: page,
    default_branch: repository.defaultBranch,
    homepage: null,
    language: null,
    license: null,
    mirror_url: null,
    archived: repository.archived,
    disabled: false,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: false,
    has_discussions: false,
    forks: 0,
    forks_count: 0,
    open_issues: openIssues,
    open_issues_count: openIssues,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    network_count: 0,
    subscribers_count: 0,
    size: 0,
    topics: [],
    is_template: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
  };
}

export function labelShape(forge: Forge, repository: Repository, label: Label) {
  return {
    id: label.id,
    node_id: label.nodeId,
    url: `${repositoryUrl(forge, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    description: label.description,
    color: label.color,
    default: false,
  };
}

/** GitHub's `repository-collaborator-permission`. */
export function permissionShape(forge: Forge, repository: Repository, account: Account) {
  const { permission, roleName } = permissionOf(repository, account);
  const permissions = {
    pull: permission !== 'none',
    triage: ['triage', 'write', 'maintain', 'admin'].includes(roleName),
    push: ['write', 'maintain', 'admin'].includes(roleName),
    maintain: ['maintain', 'admin'].includes(roleName),
    admin: roleName === 'admin',
  };
  return {
    permission,
    role_name: roleName,
    user: { ...accountShape(forge, account), permissions, role_name: roleName },
  };
}
