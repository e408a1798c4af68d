/** Programs of the system that the sandbox is made of, looked for in fixed places and never through an inherited PATH. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** What the sandbox is made of. */
export const sandboxPrograms = [
  'bwrap',
  'socat',
  'rg',
  'prlimit',
  'setpriv',
  'setsid',
  'bash',
  'env',
  'du',
  'which',
] as const;

const FOLDERS: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The search path of every sandboxed command: the folder of the node that runs us, then the system's. */
export const commandPath = [path.dirname(process.execPath), ...FOLDERS].join(':');

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Absolute path of a program; `null` where the system has none. */
export function findProgram(name: string): string | null {
  return FOLDERS.map((folder) => path.join(folder, name)).find(isExecutable) ?? null;
}

/** Which programs are missing, in one clause; `null` where none is. */
export function whyMissing(names: readonly string[]): string | null {
  const missing = names.filter((name) => findProgram(name) === null);
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}
