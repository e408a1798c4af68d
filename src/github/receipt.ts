/** The receipt of an approval: canonical JSON, so that the same approval is always the same bytes, and a signature over it. */
import { z } from 'zod';
import type { Approval } from '../lifecycle/memory.ts';
import { fenced } from '../text/text-out.ts';
import type { AppKey } from './app-key.ts';

const ruleSchema = z.object({
  required: z.number(),
  users: z.array(z.string()).nullable(),
  teams: z.array(z.string()).nullable(),
  codeOwners: z.boolean(),
  notByRequester: z.boolean(),
  stale: z.enum(['warn', 'block', 'replan']),
  allowEmptyPlan: z.boolean(),
  requireResolvedThreads: z.boolean(),
});

export const approvalSchema = z.object({
  repository: z.object({ id: z.number(), owner: z.string(), name: z.string() }),
  pullRequest: z.number(),
  head: z.string(),
  planBlob: z.string(),
  base: z.string(),
  reviewers: z.array(z.object({ id: z.number(), login: z.string(), permission: z.string(), review: z.number() })),
  rule: ruleSchema,
  ceiling: z.object({ maxTurns: z.number(), maxTokens: z.number(), maxDollars: z.number().nullable() }).exactOptional(),
  version: z.string(),
}) satisfies z.ZodType<Approval>;

/** Keys in alphabetical order, no blanks, and nothing but printable ASCII: one line, whatever a name holds. */
export function formatReceipt(approval: Approval): string {
  return JSON.stringify(canonical(approval)).replaceAll(/[^\x20-\x7e]/g, escapeCharacter);
}

/** @returns `null` for anything but the bytes that `formatReceipt` writes */
export function parseReceipt(text: string): Approval | null {
  const parsed = approvalSchema.safeParse(parseJson(text));
  return parsed.success && formatReceipt(parsed.data) === text ? parsed.data : null;
}

/** A receipt as somebody shows it, with what is said to be this app's signature over exactly its bytes. */
export interface SignedReceipt {
  readonly receipt: string;
  readonly signature: string;
}

/** The approval in a signed receipt; `null` unless this app signed exactly these bytes. */
export function readReceipt({ receipt, signature }: SignedReceipt, key: AppKey): Approval | null {
  return key.holds(receipt, signature) ? parseReceipt(receipt) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const howToCheck =
  'This is why the gate opened, signed by this app: `npm run verify -- OWNER/REPO#PULL-REQUEST` recomputes it, and the ' +
  "app's public key verifies the signature (RSA, SHA-256) over exactly the line of JSON, without a line break at its end.";

/** The receipt and its signature as the check shows them, each in a block of its own. */
export function formatReceiptSection(approval: Approval, sign: AppKey['sign']): string {
  const receipt = formatReceipt(approval);
  return `### The receipt\n\n${howToCheck}\n\n${fenced(receipt, 'json')}\n\n${fenced(sign(receipt), 'text')}`;
}

/** The receipt and the signature in a check's summary, unverified; `null` where it shows none. */
export function parseReceiptSection(summary: string): SignedReceipt | null {
  const text = summary.replaceAll('\r\n', '\n');
  const match = /^(`{3,})json\n(.+)\n\1\n\n```text\n(.+)\n```\s*$/m.exec(text);
  return match?.[2] === undefined || match[3] === undefined ? null : { receipt: match[2], signature: match[3] };
}
