/** The port of `workspace.ts` over git and a folder. */
import { mkdir } from 'node:fs/promises';
import type { KnownSecrets } from '../text/known-secrets.ts';
import { carryOver } from './carry-over.ts';
import { makePlanCommit } from './commit-plan.ts';
import { inspectTree, keepSnapshot, makeStep, type RunTree } from './commit-run.ts';
import { reportingDisk } from './disk-failure.ts';
import { fetchCommits, type Remote } from './fetch-commits.ts';
import { filesNamed } from './files-named.ts';
import { createGit, type Identity } from './git.ts';
import { type AllowedProtocols, defaultSearchPath } from './git-settings.ts';
import * as at from './layout.ts';
import { createMemory } from './memory.ts';
import { assertKnown, openMirror, readRef } from './mirror.ts';
import { queueMirrors } from './mirror-queue.ts';
import { pushCommit } from './push-commit.ts';
import { changesBetween } from './raw-diff.ts';
import { readHistory } from './read-history.ts';
import { readText } from './read-text.ts';
import { indexOf } from './record-tree.ts';
import { dropRunsExcept, mirroredRepositories, removeRun, removeRunsExcept } from './remove-run.ts';
import { sealTree, writeOut } from './tree-files.ts';
import { assertFit } from './tree-size.ts';
import type { RepositoryRef, Workspaces } from './workspace.ts';

export interface WorkspaceLimits {
  /** Largest file in a commit or snapshot, and largest that `readFile` returns; default 10 MiB. */
  readonly maxFileBytes?: number;
  /** Largest file that a run may commit, in bytes, unless it was as large before; default 1 MiB. */
  readonly maxNewFileBytes?: number;
  /** Most files that a run may change against its base; default 100. */
  readonly maxFiles?: number;
  /** Largest patch of a run against its base, in bytes; default 4 MiB. */
  readonly maxPatchBytes?: number;
  /** Longest that one exchange with a remote may take, in milliseconds; default 15 minutes. */
  readonly networkTimeoutMs?: number;
}

export interface WorkspaceOptions {
  /** Absolute. One process at a time works in it. */
  readonly root: string;
  /** Address of a repository, without credentials, e.g. `https://github.com/o/r.git`; with `file`, a git directory. */
  readonly gitUrl: (repository: RepositoryRef) => string;
  /** Author and committer of every commit. */
  readonly author: Identity;
  /** `http-and-https` only where the forge's own address is http; `file` only where there is no forge. */
  readonly allowedProtocols: AllowedProtocols;
  readonly limits?: WorkspaceLimits;
  /** Where git is looked for, as in PATH; default: the usual places. */
  readonly searchPath?: string;
  /** What the app itself holds: no commit may hold it in any form, nor its message or a name of a file. */
  readonly known?: KnownSecrets;
  /** Ends every running git call. */
  readonly signal?: AbortSignal;
  /** Told what a commit leaves out of a run's tree: key files, installed packages, special files. */
  readonly onLeftOut?: (run: string, paths: readonly string[]) => void;
}

const defaultLimits = {
  maxFileBytes: 10 * 1024 * 1024,
  maxNewFileBytes: 1024 * 1024,
  maxFiles: 100,
  maxPatchBytes: 4 * 1024 * 1024,
  networkTimeoutMs: 15 * 60_000,
} satisfies WorkspaceLimits;

/** Workspaces in a folder of this machine; the folder and everything in it is made when it is first needed. */
export function createWorkspaces(options: WorkspaceOptions): Workspaces {
  const layout = at.layoutOf(options.root);
  const known = options.known;
  const limits = { ...defaultLimits, ...options.limits, ...(known === undefined ? {} : { known }) };
  const git = createGit({
    home: layout.home,
    configFile: layout.configFile,
    ceiling: layout.root,
    allowedProtocols: options.allowedProtocols,
    searchPath: options.searchPath ?? defaultSearchPath,
    signal: options.signal ?? null,
  });
  const memory = createMemory();
  const inMirror = queueMirrors((folder) => openMirror(git, folder), layout);
  const remoteOf = (repository: RepositoryRef): Remote => ({
    url: options.gitUrl(repository),
    label: `${repository.owner}/${repository.name}`,
    timeoutMs: limits.networkTimeoutMs,
    mayBeShallow: options.allowedProtocols === 'file',
  });
  const runTree = (gitDir: string, base: string, run: string): RunTree => ({
    gitDir,
    folder: at.treeFolder(layout, run),
    indexFolder: at.indexFolder(layout, run),
    base,
    run,
    identity: options.author,
    maxFileBytes: limits.maxFileBytes,
    memory,
  });

  return {
    fetch: (repository, commits, token) =>
      inMirror(repository, (gitDir) => fetchCommits(git, gitDir, remoteOf(repository), commits, token)),

    readOnlyCheckout: (repository, commit, run) =>
      inMirror(repository, async (gitDir) => {
        await assertKnown(git, gitDir, commit);
        const { folder, indexFolder } = runTree(gitDir, commit, run);
        await writeOut(git, { gitDir, commit, folder, index: indexOf(indexFolder), symlinks: false });
        await sealTree(folder);
        return { access: 'read-only', path: folder, commit };
      }),

    writableCheckout: (repository, commit, run) =>
      inMirror(repository, async (gitDir) => {
        await assertKnown(git, gitDir, commit);
        const { folder, indexFolder } = runTree(gitDir, commit, run);
        const kept = await readRef(git, gitDir, at.snapshotRef(run));
        await writeOut(git, { gitDir, commit: kept ?? commit, folder, index: indexOf(indexFolder), symlinks: true });
        return { access: 'writable', path: folder, commit };
      }),

    scratch: async (run) => {
      const folder = at.scratchFolder(layout, run);
      await reportingDisk(() => mkdir(folder, { recursive: true }));
      return folder;
    },

    readFile: (repository, commit, path) =>
      inMirror(repository, async (gitDir) => {
        await assertKnown(git, gitDir, commit);
        return readText(git, gitDir, commit, path, limits.maxFileBytes);
      }),

    filesNamed: (repository, commit, names) =>
      inMirror(repository, async (gitDir) => {
        await assertKnown(git, gitDir, commit);
        await assertFit(git, gitDir, commit);
        return filesNamed(git, gitDir, commit, names, { maxFileBytes: 256 * 1024, maxBytes: 1024 * 1024 });
      }),

    history: (repository, commit, path, limit) =>
      inMirror(repository, async (gitDir) => {
        await assertKnown(git, gitDir, commit);
        return readHistory(git, gitDir, commit, path, limit);
      }),

    commitPlan: (repository, plan) =>
      inMirror(repository, (gitDir) => makePlanCommit(git, gitDir, { ...plan, known }, options.author)),

    snapshot: (repository, checkout, run) =>
      inMirror(repository, (gitDir) => keepSnapshot(git, runTree(gitDir, checkout.commit, run))),

    commitStep: (repository, checkout, { run, ...step }) =>
      inMirror(repository, async (gitDir) => {
        const tree = runTree(gitDir, checkout.commit, run);
        const { commit, leftOut } = await makeStep(git, tree, { ...step, limits });
        if (leftOut.length > 0) options.onLeftOut?.(run, leftOut);
        return commit;
      }),

    inspect: (repository, checkout, run) =>
      inMirror(repository, (gitDir) => inspectTree(git, runTree(gitDir, checkout.commit, run), limits)),

    carryOver: (repository, work) => inMirror(repository, (gitDir) => carryOver(git, gitDir, work, options.author)),

    lastCommit: (repository, run) => inMirror(repository, (gitDir) => readRef(git, gitDir, at.workRef(run))),

    changes: (repository, from, to) =>
      inMirror(repository, async (gitDir) => {
        for (const commit of [from, to]) await assertKnown(git, gitDir, commit);
        return changesBetween(git, gitDir, from, to);
      }),

    push: (repository, push, token) =>
      inMirror(repository, (gitDir) => pushCommit(git, gitDir, remoteOf(repository), push, token)),

    remove: async (run) => {
      at.runFolder(layout, run);
      await reportingDisk(() => removeRun(layout, run));
    },

    sweep: async (keep) => {
      await reportingDisk(() => removeRunsExcept(layout, keep));
      for (const id of await mirroredRepositories(layout)) {
        await inMirror({ id, owner: '', name: '' }, (gitDir) => dropRunsExcept(git, gitDir, keep));
      }
    },
  };
}
