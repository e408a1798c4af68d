/**
 * The transcripts of the scripted model: JSON files that say, turn by turn, what the model answers.
 *
 *     {
 *       "match": "Issue: #\\d+",                      a regular expression: which conversations it plays
 *       "steps": [                                    one for each answer of the model, in order
 *         { "capture": { "base": "Base commit: (\\w{40})" },
 *           "respond": [ { "text": "Reading." }, { "tool": "read", "input": { "file_path": "README.md" } } ] },
 *         { "respond": [ { "tool": "write_plan", "input": { "content": { "$file": "plan.md" } } } ] },
 *         { "when": "requested changes", "respond": [ { "text": "Done." } ], "fault": { "status": 529 } }
 *       ]
 *     }
 *
 * A step with `when` is reached only when the last user message matches it, and from anywhere: it begins a scene. Every
 * other step follows the one before it. `{{base}}` in a text or an input stands for what `capture` found, in this step
 * or an earlier one of the file. `{ "$file": NAME }` stands for a file beside the transcript, with its templates filled.
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';

const pattern = z.string().transform((source, context) => {
  try {
    return new RegExp(source);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

/** How many requests for the step it hits; the requests after those get the step's answer. */
const times = z.int().positive().default(1);

const fault = z.union([
  /** The request is refused with this status and the vendor's error body. `retryAfter` is in seconds. */
  z.strictObject({ status: z.int().min(400).max(599), times, retryAfter: z.number().nonnegative().optional() }),
  /** The connection breaks after so many deltas of the stream. */
  z.strictObject({ cutAfterDeltas: z.int().nonnegative(), times }),
  /** The request is accepted and never answered. */
  z.strictObject({ silent: z.literal(true), times }),
  /** The stream carries an `error` event of this type after its first delta, e.g. `overloaded_error`. */
  z.strictObject({ errorEvent: z.string(), times }),
  /** The stream carries an event that is not JSON after its first delta. */
  z.strictObject({ malformed: z.literal(true), times }),
]);

const part = z.union([
  z.strictObject({ text: z.string().min(1) }),
  z.strictObject({ tool: z.string().min(1), input: z.record(z.string(), z.json()).default({}) }),
]);

const step = z.strictObject({
  when: pattern.optional(),
  /** By name, a regular expression over the conversation; its first group, or the whole match. The last match wins. */
  capture: z.record(z.string(), pattern).default({}),
  respond: z.array(part),
  /** `tool_use` where a tool is called, else `end_turn`. */
  stop_reason: z
    .enum([
      'end_turn',
      'max_tokens',
      'stop_sequence',
      'tool_use',
      'pause_turn',
      'compaction',
      'refusal',
      'model_context_window_exceeded',
    ])
    .optional(),
  /** Estimated from the sizes at four characters a token where it is not given. */
  usage: z.strictObject({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() }).optional(),
  /** What the request must hold, else it is refused with status 400. */
  expect: z
    .strictObject({
      /** Tools that must be offered. */
      tools: z.array(z.string()).default([]),
      /** Tools that must not be offered. */
      absentTools: z.array(z.string()).default([]),
      lastMessage: pattern.optional(),
    })
    .optional(),
  fault: fault.optional(),
  /** The answer stops in its middle until `release` is called with this name. */
  hold: z.string().optional(),
});

const transcript = z.strictObject({ match: pattern, steps: z.array(step).min(1) });

export type Step = z.infer<typeof step>;
export type Part = z.infer<typeof part>;
export type Fault = z.infer<typeof fault>;
export type Json = z.infer<ReturnType<typeof z.json>>;
export interface Transcript extends z.infer<typeof transcript> {
  /** Named in errors: the file's path, or what the caller says. */
  readonly name: string;
}

/** A transcript that cannot be played; the message names the file and the key. */
export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';
}

/**
 * Checks a transcript whose `$file` parts are already in place.
 * @throws {TranscriptError}
 */
export function parseTranscript(name: string, value: unknown): Transcript {
  const parsed = transcript.safeParse(value);
  if (parsed.success) return { name, ...parsed.data };
  const mistakes = flatten(parsed.error.issues).map(({ path, message }) => `${formatPath(path)}: ${message}`);
  throw new TranscriptError(`${name}: ${mistakes.join('; ')}`);
}

/**
 * Reads a transcript and the files it names.
 * @throws {TranscriptError}
 */
export async function readTranscript(file: string): Promise<Transcript> {
  const text = await readText(file, file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TranscriptError(`${file}: expected JSON, got ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseTranscript(file, await includeFiles(file, value, []));
}

async function includeFiles(file: string, value: unknown, path: readonly (string | number)[]): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item, index) => includeFiles(file, item, [...path, index])));
  if (typeof value !== 'object' || value === null) return value;
  const included: unknown = Reflect.get(value, '$file');
  if (typeof included === 'string') return readText(resolve(dirname(file), included), `${file}: ${formatPath(path)}`);
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await includeFiles(file, item, [...path, key])] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

async function readText(file: string, where: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TranscriptError(`${where}: expected a readable file at ${file}`, { cause: error });
  }
}

interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A union's own message says only that nothing fitted; the alternative that came furthest says what is wrong. */
function flatten(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): readonly Mistake[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }];
    const alternatives = issue.errors.map((errors) => flatten(errors, path));
    return alternatives.reduce((best, next) => (next.length < best.length ? next : best));
  });
}

function formatPath(path: readonly PropertyKey[]): string {
  return (
    path
      .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
      .join('')
      .replace(/^\./, '') || '(root)'
  );
}
