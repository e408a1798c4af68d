import { createHash } from 'node:crypto';

/** Git's object id of a file with this text, by the hash that the repository's other ids show it to use. */
export function blobId(text: string, otherId: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const hash = createHash(otherId.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
