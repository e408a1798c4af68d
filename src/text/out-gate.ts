/**
 * The gate that every text passes on its way out of this process. It stops
 * 1. a secret that this app holds, in whatever form somebody wrote it down;
 * 2. a token or key of somebody else, by its form, also encoded, spaced out or backwards;
 * 3. a text with so many of them that not all of it was looked at.
 */
import { createHash } from 'node:crypto';
import { type FoundSecret, mergeFound } from './found-secret.ts';
import type { KnownSecret, KnownSecrets } from './known-secrets.ts';
import { findSecrets, type SecretScan } from './secret-scan.ts';

interface CheckedText {
  readonly text: string;
  /** What was taken out, each kind once, e.g. `GitHub token`; empty where the text is as it was. */
  readonly withheld: readonly string[];
}

export interface OutGate {
  /** From now on this secret lets no text pass that holds it. */
  learn(secret: KnownSecret): void;
  /** What kinds of secrets the text holds; empty where it may go out. */
  secretsIn(text: string): Promise<readonly string[]>;
  /** The text with a notice in the place of each secret. The same text comes out the same. */
  withhold(text: string): Promise<CheckedText>;
}

/** Texts whose scan is remembered: a look at a thread composes the same ones as the look before. */
const mostRemembered = 2000;
const tooMany = 'text with too many secrets to tell them all';

export function createOutGate(known: KnownSecrets): OutGate {
  const scans = new Map<string, Promise<SecretScan>>();
  const byForm = (text: string): Promise<SecretScan> => {
    const key = createHash('sha256').update(text).digest('base64');
    const scan = scans.get(key) ?? findSecrets(text);
    scans.delete(key);
    scans.set(key, scan);
    scan.catch(() => scans.delete(key));
    const [oldest] = scans.keys();
    if (scans.size > mostRemembered && oldest !== undefined) scans.delete(oldest);
    return scan;
  };
  const find = async (text: string): Promise<SecretScan> => {
    const { found, isComplete } = await byForm(text);
    return { found: mergeFound([...known.find(text), ...found]), isComplete };
  };
  return {
    learn: (secret) => known.add(secret),
    secretsIn: async (text) => {
      const { found, isComplete } = await find(text);
      return kindsOf(found, isComplete);
    },
    withhold: async (text) => {
      const { found, isComplete } = await find(text);
      const withheld = kindsOf(found, isComplete);
      if (withheld.length === 0) return { text, withheld };
      const rest = isComplete ? withoutFound(text, found) : null;
      const isClean = rest !== null && (await find(rest)).found.length === 0;
      return { text: isClean ? rest : noticeOf(withheld[0] ?? tooMany), withheld };
    },
  };
}

function kindsOf(found: readonly FoundSecret[], isComplete: boolean): readonly string[] {
  return [...new Set([...found.map(({ what }) => what), ...(isComplete ? [] : [tooMany])])];
}

function noticeOf(what: string): string {
  return `[withheld: looks like ${withArticle(what)}]`;
}

export function withArticle(what: string): string {
  return `${/^[aeiou]/i.test(what) ? 'an' : 'a'} ${what}`;
}

/** Line breaks and marks of code stay: without them the text around would turn from code into Markdown, or back. */
const structure = /[\n`~]+/g;

function withoutFound(text: string, found: readonly FoundSecret[]): string {
  const kept: string[] = [];
  let at = 0;
  for (const { start, end, what } of found) {
    const from = Math.max(at, wordStart(text, start));
    const to = wordEnd(text, end);
    if (to <= at) continue;
    kept.push(text.slice(at, from), noticeOf(what), ...(text.slice(from, to).match(structure) ?? []));
    at = to;
  }
  return kept.join('') + text.slice(at);
}

/** A passage goes with what is written close to it: a word cut in the middle could mention or link what the whole did not. */
function wordStart(text: string, start: number): number {
  let at = start;
  while (at > 0 && /[^\s`~]/.test(text.charAt(at - 1))) at -= 1;
  return at;
}

function wordEnd(text: string, end: number): number {
  let at = end;
  while (at < text.length && /[^\s`~]/.test(text.charAt(at))) at += 1;
  return at;
}
