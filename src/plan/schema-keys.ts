import { z } from 'zod';
import { editDistance } from './edit-distance.ts';

/** One key of a schema, by its dotted path, e.g. `approval.required`; `files[].path` for a key of a list's entries. */
export interface SchemaKey {
  readonly key: string;
  readonly isGroup: boolean;
  readonly default: unknown;
  /** What `.describe` says; empty where it says nothing. */
  readonly meaning: string;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Every key of an object schema, groups before their members, in the order of the schema. */
export function schemaKeys(schema: z.ZodType): readonly SchemaKey[] {
  return keysBelow(z.toJSONSchema(schema, { io: 'input' }), '');
}

function keysBelow(schema: JsonSchema, prefix: string): readonly SchemaKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (typeof member === 'boolean') return [];
    const key = `${prefix}${name}`;
    const { type, default: value, description, items } = member;
    const entries = typeof items === 'object' && !Array.isArray(items) ? keysBelow(items, `${key}[].`) : [];
    const self = { key, isGroup: type === 'object', default: value, meaning: description ?? '' };
    return [self, ...keysBelow(member, `${key}.`), ...entries];
  });
}

/** The key that was probably meant: the same last word in another place, or at most two slips of the keyboard away. */
export function nearestKey(written: string, known: readonly SchemaKey[]): string | null {
  const ranked = known
    .map(({ key }) => ({
      key,
      slips: Math.min(editDistance(written, key), editDistance(lastWord(written), lastWord(key))),
    }))
    .toSorted((a, b) => a.slips - b.slips || editDistance(written, a.key) - editDistance(written, b.key));
  const best = ranked[0];
  const tolerated = Math.min(2, Math.floor(lastWord(written).length / 2));
  return best !== undefined && best.slips <= tolerated ? best.key : null;
}

function lastWord(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}
