/** A checkout as the tree of its commit: what the plan lint asks of it. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BaseTree } from '../plan/lint-context.ts';

/** Largest file whose content is held against a plan, and most bytes of all of them. */
const maxFileBytes = 2 * 1024 * 1024;
const maxBytes = 32 * 1024 * 1024;

/** Reads each file and folder once, when it is first asked for. Links that lead out of the checkout lead nowhere. */
export function readCheckout(checkout: string): BaseTree {
  let room = maxBytes;
  const read = (asked: string): string | null => {
    const place = fileIn(checkout, asked);
    if (place === null || place.size > Math.min(maxFileBytes, room)) return null;
    room -= place.size;
    const bytes = readFileSync(place.path);
    return bytes.includes(0) ? null : bytes.toString('utf8');
  };
  return {
    exists: (asked) => fileIn(checkout, asked) !== null,
    textOf: once(read),
    namesIn: once((folder) => namesIn(checkout, folder)),
  };
}

function once<Value>(read: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, { readonly value: Value }>();
  return (key) => {
    const entry = known.get(key) ?? { value: read(key) };
    known.set(key, entry);
    return entry.value;
  };
}

function placeIn(checkout: string, asked: string): string | null {
  try {
    const place = realpathSync(path.join(checkout, asked));
    return place === checkout || place.startsWith(`${checkout}/`) ? place : null;
  } catch {
    return null;
  }
}

function fileIn(checkout: string, asked: string): { readonly path: string; readonly size: number } | null {
  const place = placeIn(checkout, asked);
  const found = place === null || place === checkout ? undefined : statSync(place, { throwIfNoEntry: false });
  return place !== null && found?.isFile() ? { path: place, size: found.size } : null;
}

function namesIn(checkout: string, folder: string): readonly string[] {
  const place = placeIn(checkout, folder);
  if (place === null || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(place, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
}
