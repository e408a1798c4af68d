import type { z } from 'zod';

const maxShownCharacters = 60;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: '"key: value" lines',
  record: '"key: value" lines',
};

/**
 * One finding of a schema as *expected X, got Y*. A rule that the schema states in its own words (`regex`, `refine`)
 * gives its message as X, and may add what to do.
 */
export function describeIssue(issue: z.core.$ZodIssue, got: unknown): string {
  const expected = describeExpected(issue);
  if (got === undefined) return `missing; expected ${expected}`;
  return `expected ${expected}, got ${describeValue(got)}${describeRemedy(issue)}`;
}

/** A rule of a schema may say what to do beside what it expects. */
function describeRemedy(issue: z.core.$ZodIssue): string {
  const remedy: unknown = issue.code === 'custom' ? issue.params?.remedy : undefined;
  return typeof remedy === 'string' ? `; ${remedy}` : '';
}

function describeExpected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return describeLimit(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return describeLimit(issue.origin, 'at most', Number(issue.maximum));
    default:
      return issue.message;
  }
}

function describeLimit(origin: string, bound: 'at least' | 'at most', limit: number): string {
  if (origin === 'string') return `${bound} ${count(limit, 'character')}`;
  if (origin === 'array') return `${bound} ${count(limit, 'entry', 'entries')}`;
  return `a number of ${bound} ${limit}`;
}

function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

function describeValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${count(value.length, 'entry', 'entries')}`;
  if (typeof value === 'object') return '"key: value" lines';
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return shown.length > maxShownCharacters ? `${shown.slice(0, maxShownCharacters)}… (cut)` : shown;
}
