/** Workspaces in a temporary folder against a git server of their own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import {
  createWorkspaces,
  type WorkspaceLimits,
  type WorkspaceOptions,
} from '../../src/workspace/create-workspaces.ts';
import type { RepositoryRef, TokenSource, Workspaces } from '../../src/workspace/workspace.ts';
import { commitFiles, type GitServer, startGitServer } from './git-server.ts';

export interface World {
  readonly server: GitServer;
  readonly root: string;
  readonly workspaces: Workspaces;
  readonly repository: RepositoryRef;
  /** The bare repository on the forge. */
  readonly forge: string;
  readonly base: string;
  readonly token: TokenSource;
  /** A second set of workspaces over the same root, as after a restart. */
  restart(): Workspaces;
  /** What commits have left out. */
  readonly leftOut: string[];
}

let server: GitServer;
let count = 0;
const roots: string[] = [];

/** To be called once in a test file. */
export function useGitServer(): void {
  before(async () => {
    server = await startGitServer();
  });
  afterEach(() => {
    server.fault = () => null;
    server.beforeReceive = () => undefined;
    server.requests.length = 0;
  });
  after(async () => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
    await server.close();
  });
}

export function emptyWorld(limits: WorkspaceLimits = {}, more: Partial<WorkspaceOptions> = {}): Omit<World, 'base'> {
  count += 1;
  const repository = { id: count, owner: 'octo', name: `project-${count}` };
  const root = mkdtempSync(join(tmpdir(), 'workspaces-'));
  roots.push(root);
  const leftOut: string[] = [];
  const make = (): Workspaces =>
    createWorkspaces({
      root,
      gitUrl: ({ owner, name }) => `${server.url}/${owner}/${name}.git`,
      author: { name: 'planwright[bot]', email: '1+planwright[bot]@users.noreply.github.com' },
      allowedProtocols: 'http-and-https',
      limits: { networkTimeoutMs: 10_000, ...limits },
      onLeftOut: (_run, paths) => leftOut.push(...paths),
      ...more,
    });
  const forge = server.repository(`octo/project-${count}.git`);
  return {
    server,
    root,
    workspaces: make(),
    repository,
    forge,
    token: (operation) => operation(server.token),
    restart: make,
    leftOut,
  };
}

type Files = Parameters<typeof commitFiles>[1];

export function world(files: Files = { 'README.md': 'hello\n' }, limits: WorkspaceLimits = {}): World {
  const empty = emptyWorld(limits);
  return { ...empty, base: commitFiles(empty.forge, files) };
}

/** A world whose base is fetched and written out for run `r1`. */
export async function worldWithTree(files: Files = { 'README.md': 'hello\n' }, limits: WorkspaceLimits = {}) {
  const there = world(files, limits);
  await there.workspaces.fetch(there.repository, [there.base], there.token);
  const checkout = await there.workspaces.writableCheckout(there.repository, there.base, 'r1');
  return { ...there, checkout };
}

export { step } from './workspace-step.ts';
