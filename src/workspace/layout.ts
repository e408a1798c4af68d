/** Where things lie under the workspaces' root. Only `tree` and `scratch` of a run are ever shown to a run. */
import { join } from 'node:path';
import { WorkspaceError } from './workspace.ts';

export interface Layout {
  readonly root: string;
  /** An empty folder: git's HOME and working folder. */
  readonly home: string;
  /** The host's own git configuration, in place of the user's. */
  readonly configFile: string;
  readonly mirrors: string;
  readonly runs: string;
  /** Indexes and ignore rules: the host's, outside of every tree. */
  readonly indexes: string;
}

/** @param root absolute */
export function layoutOf(root: string): Layout {
  return {
    root,
    home: join(root, 'git', 'home'),
    configFile: join(root, 'git', 'config'),
    mirrors: join(root, 'mirrors'),
    runs: join(root, 'runs'),
    indexes: join(root, 'indexes'),
  };
}

/** @throws {WorkspaceError} on what is no id of a repository */
export function mirrorFolder(layout: Layout, repository: number): string {
  if (!Number.isSafeInteger(repository) || repository < 0) {
    throw new WorkspaceError(`expected a repository id, got ${repository}; give GitHub's numeric id`);
  }
  return join(layout.mirrors, `${repository}.git`);
}

/** The files that the run works on. This and the next six throw a WorkspaceError on what is no id of a run. */
export function treeFolder(layout: Layout, run: string): string {
  return join(layout.runs, runName(run), 'tree');
}

/** The run's temporary files. */
export function scratchFolder(layout: Layout, run: string): string {
  return join(layout.runs, runName(run), 'scratch');
}

/** Everything of a run that it may see. */
export function runFolder(layout: Layout, run: string): string {
  return join(layout.runs, runName(run));
}

/** The host's own files about a run: its index and ignore rules. */
export function indexFolder(layout: Layout, run: string): string {
  return join(layout.indexes, runName(run));
}

/** What all refs of the run begin with. */
export function runRefs(run: string): string {
  return `refs/planwright/runs/${runName(run)}/`;
}

/** Points at the run's last commit. */
export function workRef(run: string): string {
  return `${runRefs(run)}work`;
}

/** Points at the run's tree when it was last kept. */
export function snapshotRef(run: string): string {
  return `${runRefs(run)}snapshot`;
}

/** A run's id becomes a folder and a part of a ref, so it is held to what both allow. */
function runName(run: string): string {
  const fits = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(run) && !/\.\.|\.$|\.lock$/i.test(run);
  if (!fits) {
    throw new WorkspaceError(
      `expected a run id of letters, digits, ".", "_" and "-", got ${JSON.stringify(run)}; do not pass it on`,
    );
  }
  return run;
}

/** @throws {WorkspaceError} unless it is a full SHA-1, so that it can be neither an option nor another revision syntax. */
export function assertCommit(commit: string): void {
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new WorkspaceError(`expected a full commit SHA of 40 hex digits, got ${JSON.stringify(commit)}`);
  }
}
