import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * A file that holds a secret. Like ssh, it refuses one of our own that others can read: a copy may be elsewhere by now. One
 * of another account's (a secret that a container is given) is theirs to guard, but nobody else may write it.
 */
export function readKeyFile(path: string): { readonly text: string } | { readonly fault: string } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return { fault: `expected a file that can be read, got ${JSON.stringify(path)}` };
  }
  try {
    const { mode, uid } = fstatSync(file);
    const forbidden = uid === process.getuid?.() ? 0o077 : 0o022;
    if ((mode & forbidden) === 0) return { text: readFileSync(file, 'utf8') };
    const found = `got mode ${(mode & 0o777).toString(8)} of ${JSON.stringify(path)}`;
    return { fault: `expected a file that its owner alone can read, ${found}; run "chmod 600" on it` };
  } catch {
    return { fault: `expected a file that can be read, got ${JSON.stringify(path)}` };
  } finally {
    closeSync(file);
  }
}
