import { requireAccess } from '../access.ts';
import { commitsBetween, mergeBase } from '../commit-graph.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { branchHead, git, listRefs, NO_COMMIT, resolveCommit } from '../git-repository.ts';
import { findAccount } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { afterPush } from '../operations.ts';
import { filesBetween } from '../pull-request-diff.ts';
import { commitShape, fileShape } from '../shapes/commit.ts';
import { permissionShape, repositoryPage, repositoryShape, repositoryUrl } from '../shapes/repository.ts';
import type { Repository } from '../state.ts';
import { type Answer, type Call, type Handler, NO_CONTENT, ok, openRepository } from './call.ts';
import { readNumber } from './fields.ts';
import type { OperationId } from './operation-ids.ts';

/** GitHub lists no more files of a comparison than this. */
const MAX_FILES = 300;

/** The permission of one account; bots and strangers to the forge are not found. */
function permission(call: Call): Answer {
  const { repository } = openRepository(call);
  const login = String(call.params.username);
  const account = findAccount(call.forge, login);
  if (account === null) throw notFound();
  if (account.type !== 'User') throw new ForgeError(404, `${login} is not a user`);
  return ok(permissionShape(call.forge, repository, account));
}

/** A branch, tag or commit; also `owner:branch` of the repository itself. @throws {ForgeError} 404 */
export function requireCommit(repository: Repository, revision: string): string {
  const name = revision.replace(`${repository.owner.login}:`, '');
  const { gitDir } = repository;
  const commit =
    branchHead(gitDir, name) ??
    resolveCommit(gitDir, `refs/tags/${name}`) ??
    (name.startsWith('heads/') || name.startsWith('tags/') ? resolveCommit(gitDir, `refs/${name}`) : null) ??
    (/^[0-9a-f]{7,40}$/.test(name) ? resolveCommit(gitDir, name) : null);
  if (commit === null) throw new ForgeError(404, 'Not Found');
  return commit;
}

function compare(call: Call): Answer {
  const { repository } = openRepository(call, 'contents');
  const { forge } = call;
  const { gitDir } = repository;
  const [from = '', to = ''] = String(call.params.basehead).split('...');
  const base = requireCommit(repository, from);
  const head = requireCommit(repository, to);
  const common = mergeBase(gitDir, base, head);
  if (common === null) throw new ForgeError(404, `No common ancestor between ${from} and ${to}.`);
  const ahead = commitsBetween(gitDir, base, head);
  const behind = commitsBetween(gitDir, head, base).length;
  const size = readNumber(call.query, 'per_page') ?? 250;
  const first = ((readNumber(call.query, 'page') ?? 1) - 1) * size;
  const pageUrl = `${repositoryPage(forge, repository)}/compare/${from}...${to}`;
  const files = first > 0 ? [] : filesBetween(gitDir, common, head).slice(0, MAX_FILES);
  return ok({
    url: `${repositoryUrl(forge, repository)}/compare/${from}...${to}`,
    html_url: pageUrl,
    permalink_url: `${repositoryPage(forge, repository)}/compare/${base}...${head}`,
    diff_url: `${pageUrl}.diff`,
    patch_url: `${pageUrl}.patch`,
    base_commit: commitShape(forge, repository, base),
    merge_base_commit: commitShape(forge, repository, common),
    status: comparisonStatus(ahead.length, behind),
    ahead_by: ahead.length,
    behind_by: behind,
    total_commits: ahead.length,
    commits: ahead.slice(first, first + size).map((sha) => commitShape(forge, repository, sha)),
    files: files.map((file) => fileShape(forge, repository, head, file)),
  });
}

function comparisonStatus(ahead: number, behind: number): 'identical' | 'ahead' | 'behind' | 'diverged' {
  if (ahead === 0) return behind === 0 ? 'identical' : 'behind';
  return behind === 0 ? 'ahead' : 'diverged';
}

function refShape(call: Call, repository: Repository, ref: string, sha: string) {
  const url = repositoryUrl(call.forge, repository);
  const type = git(repository.gitDir, ['cat-file', '-t', sha]).trim();
  return {
    ref,
    node_id: nodeId('ref', `${repository.id}:${ref}`),
    url: `${url}/git/${ref}`,
    object: { type, sha, url: `${url}/git/${type}s/${sha}` },
  };
}

function getRef(call: Call): Answer {
  const { repository } = openRepository(call, 'contents');
  const ref = `refs/${call.params.ref}`;
  const sha = listRefs(repository.gitDir, ref).get(ref);
  if (sha === undefined) throw notFound();
  return ok(refShape(call, repository, ref, sha));
}

function listMatchingRefs(call: Call): Answer {
  const { repository } = openRepository(call, 'contents');
  const prefix = `refs/${call.params.ref}`;
  const refs = [...listRefs(repository.gitDir)].filter(([ref]) => ref.startsWith(prefix));
  return ok(refs.map(([ref, sha]) => refShape(call, repository, ref, sha)));
}

function deleteRef(call: Call): Answer {
  const { actor, repository } = openRepository(call, 'contents');
  requireAccess(actor, repository, { permissions: ['contents'], access: 'write', role: 'write' });
  const ref = `refs/${call.params.ref}`;
  const sha = listRefs(repository.gitDir, ref).get(ref);
  if (sha === undefined) throw new ForgeError(422, 'Reference does not exist');
  git(repository.gitDir, ['update-ref', '-d', ref, sha]);
  afterPush(call.forge, actor, repository, ref, sha, NO_COMMIT);
  return NO_CONTENT;
}

function getBranch(call: Call): Answer {
  const { repository } = openRepository(call, 'contents');
  const name = String(call.params.branch);
  const head = branchHead(repository.gitDir, name);
  if (head === null) throw new ForgeError(404, 'Branch not found');
  const url = `${repositoryUrl(call.forge, repository)}/branches/${encodeURIComponent(name)}`;
  return ok({
    name,
    commit: commitShape(call.forge, repository, head),
    _links: { self: url, html: `${repositoryPage(call.forge, repository)}/tree/${name}` },
    protected: false,
    protection: { enabled: false },
    protection_url: `${url}/protection`,
  });
}

function getCommit(call: Call): Answer {
  const { repository } = openRepository(call, 'contents');
  const sha = requireCommit(repository, String(call.params.ref));
  const parent = resolveCommit(repository.gitDir, `${sha}^`);
  const files = parent === null ? [] : filesBetween(repository.gitDir, parent, sha);
  const total = (key: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[key], 0);
  const [additions, deletions] = [total('additions'), total('deletions')];
  return ok({
    ...commitShape(call.forge, repository, sha),
    stats: { additions, deletions, total: additions + deletions },
    files: files.map((file) => fileShape(call.forge, repository, sha, file)),
  });
}

export const repositoryHandlers = {
  'repos/get': (call) => ok(repositoryShape(call.forge, openRepository(call).repository)),
  'repos/get-collaborator-permission-level': permission,
  'repos/compare-commits-with-basehead': compare,
  'repos/get-branch': getBranch,
  'repos/get-commit': getCommit,
  'git/get-ref': getRef,
  'git/list-matching-refs': listMatchingRefs,
  'git/delete-ref': deleteRef,
} as const satisfies Partial<Record<OperationId, Handler>>;
