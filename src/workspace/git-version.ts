/** Whether the machine's git can be relied on; asked once at start-up. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGit, type Git } from './git.ts';
import { defaultSearchPath, hostConfig } from './git-settings.ts';

export type GitProbe =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly reason: string };

/** The git of the machine cannot be relied on. The message says why and what to do. */
export class UnfitGit extends Error {
  override readonly name = 'UnfitGit';
}

const oldest = { major: 2, minor: 39 };

/** @param searchPath where git is looked for, as in PATH; default: the usual places. */
export async function probeGit(searchPath: string = defaultSearchPath): Promise<GitProbe> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-git-'));
  try {
    return await probeIn(folder, searchPath);
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function probeIn(folder: string, searchPath: string): Promise<GitProbe> {
  const home = join(folder, 'home');
  const configFile = join(folder, 'config');
  await mkdir(home);
  await writeFile(configFile, hostConfig);
  const host = { home, configFile, ceiling: folder, allowedProtocols: 'https', searchPath, signal: null } as const;
  const git = createGit(host);
  const version = await git.text({ args: ['version'] });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(version) ?? [];
  if (!isRecent(Number(major), Number(minor))) {
    return { ok: false, reason: `expected git ${oldest.major}.${oldest.minor} or later, got "${version}"; update git` };
  }
  const fault = await behaviourFault(git, folder);
  return fault === null ? { ok: true, version: version.replace('git version ', '') } : { ok: false, reason: fault };
}

function withoutFix(name: string): string {
  return `expected a git with the fixes of July 2025, got one without that for ${name}; update git`;
}

function isRecent(major: number, minor: number): boolean {
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor);
}

/**
 * What the workspaces rely on, tried out; a distribution's git may have a fix that its version number does not tell.
 * A carriage return at a value's end has been quoted since the fix for CVE-2025-48384; the address of a bundle with a blank
 * in it, which the transport would take for two words, has been refused since that for CVE-2025-48385. No call asks for
 * bundles (`transfer.bundleURI=false`), so the second is a second door.
 */
async function behaviourFault(git: Git, folder: string): Promise<string | null> {
  const gitDir = join(folder, 'probe.git');
  await git.bytes({ args: ['init', '--bare', '--quiet', '--template=', '--', gitDir] });
  const blob = await git.text({ args: ['hash-object', '-w', '--stdin', '--no-filters'], gitDir, input: 'a\r\n' });
  if ((await git.text({ args: ['cat-file', '-s', blob], gitDir })) !== '3') {
    return 'expected git to keep bytes as they are, got others; install another git';
  }
  const file = join(folder, 'quoting');
  await git.bytes({ args: ['config', '--file', file, 'probe.value', 'a\r'] });
  if (!(await readFile(file, 'utf8')).includes('"a\r"')) return withoutFix('CVE-2025-48384');
  // Nobody answers on this port: a git that asks there all the same says so, in other words.
  const bundle = '--bundle-uri=https://127.0.0.1:9/a b';
  const clone = ['clone', '--quiet', '--bare', '--template=', bundle, '--', gitDir, join(folder, 'clone.git')];
  const { stderr } = await git.attempt({ args: clone });
  return stderr.includes('URI is malformed') ? null : withoutFix('CVE-2025-48385');
}
