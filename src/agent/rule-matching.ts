/**
 * What a rule is about. A rule that allows has to name the whole of a call, for sure; for one that asks or denies it is enough
 * that it might.
 */
import picomatch from 'picomatch';
import type { Rule } from './permission-rules.ts';
import { splitSurely } from './shell-commands.ts';
import { isUnknown, mayBecome, type Suspect, suspectsIn } from './suspect-commands.ts';

/** Whether a rule that allows is about a tool at all. */
export function allowsTool({ named }: Rule, tool: string): boolean {
  return named.allows.includes(tool);
}

/** The same of a rule that asks or denies. */
export function restrictsTool({ named }: Rule, tool: string): boolean {
  return (named.restricts ?? named.allows).includes(tool);
}

const maxMatchedCharacters = 1024;
const matchers = new Map<string, (path: string) => boolean>();

/** Whether the pattern names the path, or a folder that it lies in. A pattern without a slash names it in every folder. */
export function matchesPath({ pattern }: Rule, path: string): boolean {
  return pattern === null || (path.length <= maxMatchedCharacters && matcherOf(pattern)(path));
}

function matcherOf(pattern: string): (path: string) => boolean {
  const bare = pattern.replace(/\/+$/, '');
  const place = bare.includes('/') || bare === '**' ? bare : `**/${bare}`;
  const globs = [place, `${place}/**`];
  const matcher = matchers.get(pattern) ?? picomatch(globs, { dot: true, nonegate: true, windows: false });
  matchers.set(pattern, matcher);
  return matcher;
}

/** A path that is too long to be matched counts as one that is restricted. */
export function mightMatchPath(rule: Rule, path: string): boolean {
  return matchesPath(rule, path) || (rule.pattern !== null && path.length > maxMatchedCharacters);
}

export function matchesHelper({ pattern }: Rule, helper: string): boolean {
  return pattern === null || pattern === '*' || pattern === helper;
}

interface CommandPattern {
  /** What stands before the first wildcard, or before `:*`. */
  readonly head: string;
  readonly form: 'every' | 'exact' | 'prefix' | 'wildcards';
}

export function readCommandPattern(pattern: string | null): CommandPattern {
  if (pattern === null || /^:?\*+$/.test(pattern)) return { head: '', form: 'every' };
  if (pattern.endsWith(':*')) return { head: pattern.slice(0, -2).trim(), form: 'prefix' };
  const star = pattern.indexOf('*');
  return star < 0 ? { head: pattern, form: 'exact' } : { head: pattern.slice(0, star), form: 'wildcards' };
}

/** Whether every command of the text, as far as it can be told for sure, is one that the rules name. */
export function allowCommand(rules: readonly Rule[], text: string): boolean {
  if (rules.some(({ pattern }) => readCommandPattern(pattern).form === 'every')) return true;
  const parts = splitSurely(text) ?? [];
  return parts.length > 0 && parts.every((part) => rules.some((rule) => matchesPart(rule, part)));
}

function matchesPart({ pattern }: Rule, part: string): boolean {
  const { head, form } = readCommandPattern(pattern);
  switch (form) {
    case 'every':
      return true;
    case 'exact':
      return part === head;
    case 'prefix':
      return part === head || part.startsWith(`${head} `);
    case 'wildcards':
      return matchesWildcards(pattern ?? '', part);
  }
}

/** In time proportional to the text: each piece is looked for once, after the one before it. */
function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  // A blank before a wildcard at the end also stands for the end: `ls *` names `ls`.
  if (last === '' && rest.length === 0 && text === first.trimEnd()) return true;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}

/** Whether anything that the text might run is what the rule names. */
export function mightRun(rule: Rule, text: string): boolean {
  const { form } = readCommandPattern(rule.pattern);
  if (form === 'every') return true;
  const parts = splitSurely(text) ?? [];
  return parts.some((part) => matchesPart(rule, part)) || suspectsIn(text).some((suspect) => mightBe(rule, suspect));
}

function mightBe({ pattern }: Rule, suspect: Suspect): boolean {
  const { head, form } = readCommandPattern(pattern);
  if (isUnknown(suspect[0] ?? '')) return true;
  if (form === 'wildcards') {
    const [program = ''] = head.split(' ');
    const text = (mayBecome(suspect[0] ?? '', program) ? [program, ...suspect.slice(1)] : suspect).join(' ');
    const known = suspect.slice(0, suspect.findIndex(isUnknown)).join(' ');
    const isOpen = suspect.some(isUnknown) && (known.startsWith(head) || head.startsWith(known));
    return isOpen || matchesWildcards(pattern ?? '', text);
  }
  return mightFollow(head.replaceAll(/['"]/g, '').split(' '), suspect, form === 'exact');
}

/** Whether the words begin a command, where options, each with a value, may stand between them. */
function mightFollow(words: readonly string[], suspect: Suspect, isExact: boolean): boolean {
  if (!mayBecome(suspect[0] ?? '', (words[0] ?? '').split('/').at(-1) ?? '')) return false;
  let at = 1;
  for (const [index, word] of words.slice(1).entries()) {
    const isLast = index === words.length - 2;
    const fits = (said: string) => mayBecome(said, word) || (isLast && !isExact && said.startsWith(word));
    while (at < suspect.length && !fits(suspect[at] ?? '') && mayStandBetween(suspect, at)) at += 1;
    const said = suspect[at];
    if (said === undefined) return false;
    if (isUnknown(said)) return true;
    if (!fits(said)) return false;
    at += 1;
  }
  const rest = suspect.slice(at).map((word, index) => isUnknown(word) || mayStandBetween(suspect, at + index));
  return !isExact || rest.every((mayStand) => mayStand);
}

function mayStandBetween(suspect: Suspect, at: number): boolean {
  const said = suspect[at] ?? '';
  if (isUnknown(said)) return false;
  return said.startsWith('-') || (at > 1 && (suspect[at - 1] ?? '').startsWith('-'));
}
