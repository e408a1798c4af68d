/** Which names may stand in a commit of ours, and which files are left out of every commit. Pure. */
import { hiddenCharacters } from '../text/hidden-characters.ts';

/** Why the path may not be committed; `null` where it may. `path` is decoded as UTF-8, U+FFFD standing for what was none. */
export function pathFault(path: string): string | null {
  if (path.includes('\u{FFFD}')) return 'its name is not UTF-8';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return 'its name holds control characters';
  if (hiddenCharacters(path).length > 0) {
    return 'its name holds invisible or direction-changing characters';
  }
  if (path.includes('\\')) return 'its name holds a backslash, which is a separator on Windows';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'it leads out of the tree';
  if (parts.some(isGitName)) return 'its name stands for a git directory on some system';
  return null;
}

/**
 * Whether a name is `.git` to some file system: in any case, with trailing dots and spaces or a stream name (NTFS), as the short
 * name `git~1` (NTFS), with ignorable characters in it (HFS+), or in full-width letters.
 */
export function isGitName(name: string): boolean {
  const stripped = name.replaceAll(/[\u{200C}-\u{200F}\u{202A}-\u{202E}\u{206A}-\u{206F}\u{FEFF}]/gu, '');
  const folded = stripped
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return folded === '.git' || /^git~\d+$/.test(folded);
}

/** Never part of a commit where the repository does not already have it: installed packages and files that hold keys. */
export function isLeftOut(name: string): boolean {
  if (name === 'node_modules') return true;
  if (/^\.env(?:\..+)?$/.test(name)) return !/\.(?:example|sample|template|dist)$/.test(name);
  return /\.(?:pem|p12|pfx)$/i.test(name) || /^id_(?:rsa|dsa|ecdsa|ed25519)$/.test(name);
}
