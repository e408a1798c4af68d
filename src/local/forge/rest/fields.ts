/** Reads fields of requests whose shape the official description has checked already. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' ? value : undefined;
}

/** `null` where the request says null, `undefined` where it says nothing. */
export function readNullableText(fields: Fields, key: string): string | null | undefined {
  return fields[key] === null ? null : readText(fields, key);
}

/** Also of digits, as query and path carry them. */
export function readNumber(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

export function readFlag(fields: Fields, key: string): boolean | undefined {
  const value = fields[key];
  return typeof value === 'boolean' ? value : undefined;
}

export function readWord<Word extends string>(fields: Fields, key: string, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === fields[key]);
}

export function readFields(fields: Fields, key: string): Fields | undefined {
  const value = fields[key];
  return isFields(value) ? value : undefined;
}

export function readList(fields: Fields, key: string): readonly unknown[] | undefined {
  const value = fields[key];
  return Array.isArray(value) ? value : undefined;
}

export function readTexts(fields: Fields, key: string): readonly string[] | undefined {
  return readList(fields, key)?.filter((each) => typeof each === 'string');
}
