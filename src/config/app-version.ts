import { readFileSync } from 'node:fs';

/** The version of this app, as its package names it; read once. */
export const appVersion: string = readVersion();

function readVersion(): string {
  const found: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown';
}
