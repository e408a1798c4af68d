/** The attempts of a hostile agent as data, in `fixtures/hostile`: those of one phase, and those that are made in both. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const attemptClasses = [
  ...['files', 'process', 'network', 'ipc', 'privileges', 'resources', 'persistence', 'git', 'output'],
] as const;

/**
 * What must not be true after an attempt. Most is held against every attempt, whatever it names:
 * `read` (a secret stands in an answer, in any form), `changed` (anything outside), `connected`, `survived` (a process),
 * `harmed` (a process of the host), `won` (the command says so, by printing `{won}`), `flooded` (an answer without bound), `hung` (the run).
 * By name only: `accepted` (a call was not refused), `exists <path>`, `lacks <text>` (of the answers).
 */
const never = z.union([
  z.enum(['read', 'changed', 'connected', 'survived', 'harmed', 'won', 'flooded', 'hung', 'accepted']),
  z.templateLiteral(['exists ', z.string().min(1)]),
  z.templateLiteral(['lacks ', z.string().min(1)]),
]);

const oneCall = z
  .record(z.string().min(1), z.unknown())
  .refine((call) => Object.keys(call).length === 1, 'expected one tool with its input');

const attempt = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  class: z.enum(attemptClasses),
  /** Who would be harmed, and by what. */
  harms: z.string().min(10).max(120),
  /** One turn of the agent: `{ "<tool>": <input> }` each; the input of `bash` may be the command alone. */
  calls: z.array(oneCall).min(1),
  never: z.array(never).min(1),
  /** Whether the test also shows that it works on a plain bash, so that its check is known to be able to fail. */
  control: z.literal(true).optional(),
});

export interface Attempt extends Omit<z.infer<typeof attempt>, 'calls'> {
  readonly calls: readonly Call[];
}

export interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** A placeholder is a word in braces; `${…}`, `%{…}` and the like are the shell's. */
const placeholder = /(?<![$%@\\])\{([a-zA-Z][a-zA-Z0-9_]*)\}/g;

function fill(value: unknown, given: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replace(placeholder, (_, name: string) => {
      const text = given.get(name);
      if (text === undefined) throw new Error(`expected a known placeholder, got {${name}}`);
      return text;
    });
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, given));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, given)]));
}

function readCall(call: Readonly<Record<string, unknown>>): Call {
  const [tool, input] = Object.entries(call)[0] ?? ['', null];
  return { tool, input: tool === 'bash' && typeof input === 'string' ? { command: input } : input };
}

function nameOf(entry: unknown, index: number): string {
  const id = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : null;
  return typeof id === 'string' ? id : `number ${index + 1}`;
}

function readAttempt(entry: unknown, index: number, given: ReadonlyMap<string, string>): Attempt {
  try {
    const parsed = attempt.parse(fill(entry, given));
    return { ...parsed, calls: parsed.calls.map(readCall) };
  } catch (error) {
    const said = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`expected attempts of the form in test/hostile/attempts.ts, got ${nameOf(entry, index)}: ${said}`);
  }
}

/** @throws for an entry of another form, named by its id, for an id that is there twice, and for an unknown placeholder */
export function parseAttempts(entries: readonly unknown[], given: ReadonlyMap<string, string>): readonly Attempt[] {
  const attempts = entries.map((entry, index) => readAttempt(entry, index, given));
  const ids = attempts.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`expected every id once, got ${twice} twice`);
  return attempts;
}

function readEntries(name: string): readonly unknown[] {
  const place = new URL(`../../fixtures/hostile/${name}.json`, import.meta.url);
  return z.array(z.unknown()).parse(JSON.parse(readFileSync(place, 'utf8')));
}

export function readAttempts(phase: 'plan' | 'implement', given: ReadonlyMap<string, string>): readonly Attempt[] {
  return parseAttempts(['both-phases', phase].flatMap(readEntries), given);
}
