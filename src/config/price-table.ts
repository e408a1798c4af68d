/** The operator's own prices of models, in a file of JSON. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Price } from '../agent/run-protocol.ts';
import { describeIssue } from '../plan/schema-problem.ts';

/** By the id of the model, exactly as it is configured. */
export type PriceTable = ReadonlyMap<string, Price>;

const dollars = z.number().min(0).max(1_000_000);
const tableSchema = z.record(
  z.string().min(1),
  z.strictObject({ input: dollars, output: dollars, cache_read: dollars, cache_write: dollars }),
);

/** Each problem names file, model and key. Prices are in US dollars for a million tokens. */
export function readPriceTable(path: string): PriceTable | { readonly problems: readonly string[] } {
  const name = JSON.stringify(path);
  const read = readJson(path);
  if (read === null) return { problems: [`expected a file of JSON that can be read, got ${name}`] };
  const parsed = tableSchema.safeParse(read.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${name}: ${placeOf(issue)}${describe(issue, read.value)}`);
    return { problems };
  }
  return new Map(
    Object.entries(parsed.data).map(([model, { input, output, cache_read: cacheRead, cache_write: cacheWrite }]) => [
      model,
      { input, output, cacheRead, cacheWrite },
    ]),
  );
}

function readJson(path: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) };
  } catch {
    return null;
  }
}

function placeOf({ path: [model, key] }: z.core.$ZodIssue): string {
  const parts = [
    ...(model === undefined ? [] : [`model ${JSON.stringify(String(model))}`]),
    ...(key === undefined ? [] : [String(key)]),
  ];
  return parts.length === 0 ? '' : `${parts.join(', ')}: `;
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    return `expected input, output, cache_read and cache_write alone, got ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
  }
  return describeIssue(issue, valueAt(value, issue.path));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined),
    value,
  );
}
