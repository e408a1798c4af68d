import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ScopeEntry } from '../lifecycle/facts.ts';
import { protectedPlaces } from '../plan/protected-places.ts';
import { commandPath } from './programs.ts';

const run = promisify(execFile);

const OPTIONS = ['--files', '--hidden', '--no-ignore', '--no-config', '--no-messages', '--null', '--threads', '2'];
const MAX_LIST_BYTES = 512 * 1024 ** 2;

/**
 * What the commands of an implementation may not touch in a checkout as it is now. A link cannot be held: what it is, is
 * looked at when the tree is committed.
 */
export async function findHeldPlaces(checkout: string, scope: readonly ScopeEntry[]): Promise<readonly string[]> {
  const places = protectedPlaces(await listFiles(checkout), scope);
  return places.filter((place) => !isLink(path.join(checkout, place)));
}

/** Names that are no UTF-8 come out changed: none of what is protected is among them. */
async function listFiles(checkout: string): Promise<readonly string[]> {
  const options = { cwd: checkout, env: { PATH: commandPath }, maxBuffer: MAX_LIST_BYTES };
  try {
    const { stdout } = await run('rg', OPTIONS, options);
    return stdout.split('\0').filter((name) => name !== '');
  } catch (error) {
    // Its way of saying that there is none.
    if (error instanceof Error && 'code' in error && error.code === 1) return [];
    throw error;
  }
}

function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
