import { ForgeError, notFound } from '../forge-error.ts';
import { resolveCommit, tryGit } from '../git-repository.ts';
import { repositoryPage, repositoryUrl } from '../shapes/repository.ts';
import type { Repository } from '../state.ts';
import { type Answer, type Call, type Handler, ok, openRepository } from './call.ts';
import { readText } from './fields.ts';
import type { OperationId } from './operation-ids.ts';
import { requireCommit } from './repositories.ts';

interface TreeEntry {
  readonly type: string;
  readonly sha: string;
  readonly path: string;
  /** Bytes; 0 for what is no file. */
  readonly size: number;
}

/** What stands at the path, or for a folder in it. */
function listTree(repository: Repository, commit: string, path: string): readonly TreeEntry[] {
  const args = ['ls-tree', '-z', '--long', commit, ...(path === '' ? [] : ['--', path])];
  const answer = tryGit(repository.gitDir, args);
  if (!answer.ok) return [];
  const rows = answer.stdout.split('\0').filter((row) => row !== '');
  return rows.map((row) => {
    const [mode = '', name = ''] = row.split('\t', 2);
    const [, type = '', sha = '', size = '0'] = mode.split(/ +/);
    return { type, sha, path: name, size: Number.parseInt(size, 10) || 0 };
  });
}

function entryShape(call: Call, repository: Repository, ref: string, entry: TreeEntry) {
  const path = entry.path.split('/').map(encodeURIComponent).join('/');
  const base = repositoryUrl(call.forge, repository);
  const page = repositoryPage(call.forge, repository);
  const isFile = entry.type === 'blob';
  const url = `${base}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  const gitUrl = `${base}/git/${isFile ? 'blobs' : 'trees'}/${entry.sha}`;
  const htmlUrl = `${page}/${isFile ? 'blob' : 'tree'}/${ref}/${path}`;
  return {
    type: isFile ? 'file' : 'dir',
    name: entry.path.split('/').at(-1) ?? '',
    path: entry.path,
    sha: entry.sha,
    size: entry.size,
    url,
    git_url: gitUrl,
    html_url: htmlUrl,
    download_url: isFile ? `${page}/raw/${ref}/${path}` : null,
    _links: { self: url, git: gitUrl, html: htmlUrl },
  };
}

/** A file with its content in base64, or a folder's entries. */
function getContent(call: Call): Answer {
  const { repository } = openRepository(call, 'contents');
  if (resolveCommit(repository.gitDir, 'HEAD') === null) throw new ForgeError(404, 'This repository is empty.');
  const ref = readText(call.query, 'ref') ?? repository.defaultBranch;
  const commit = requireCommit(repository, ref);
  const path = String(call.params.path).replace(/^\/+|\/+$/g, '');
  const [entry] = path === '' ? [] : listTree(repository, commit, path);
  if (path === '' || entry?.type === 'tree') {
    const entries = listTree(repository, commit, path === '' ? '' : `${path}/`);
    return ok(entries.map((each) => entryShape(call, repository, ref, each)));
  }
  const blob = entry === undefined ? null : tryGit(repository.gitDir, ['cat-file', 'blob', entry.sha]);
  if (entry === undefined || blob?.ok !== true) throw notFound();
  const content = blob.bytes.toString('base64').replace(/(.{60})/g, '$1\n');
  return ok({ ...entryShape(call, repository, ref, entry), encoding: 'base64', content });
}

export const contentHandlers = {
  'repos/get-content': getContent,
} as const satisfies Partial<Record<OperationId, Handler>>;
