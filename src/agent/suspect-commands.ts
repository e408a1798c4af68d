/**
 * What a text might run, for rules that ask or deny: read as a shell reads it, and from each side of its quotes, as another
 * shell may read those once more.
 */

/** Stands in a word for what only the shell can tell. */
const unknown = '\u0000';
/** Stands in a word for a sign that a quote or an escape has made plain. */
const plain = '\u0001';
/** `{}`, in whose place a runner puts what it has found. */
const found = '\u0002';

/** They run what their arguments say. */
const runners = new Set(
  (
    'builtin busybox chroot chrt command coproc doas env eval exec fakeroot find flock ionice mapfile nice nohup npx nsenter ' +
    'parallel prlimit readarray runuser script setarch setpriv setsid ssh stdbuf strace su sudo taskset time timeout trap ' +
    'unshare watch xargs'
  ).split(' '),
);
const packageRunners = new Set(['bun', 'npm', 'pnpm', 'yarn']);
const shells = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'sh', 'zsh']);
/** Behind them names stand for something else, or the commands of a file run. */
const renaming = new Set(['.', 'alias', 'bind', 'hash', 'source']);
const evaluating = new Set(['builtin', 'command', 'eval']);
/** They read more arguments from elsewhere. */
const feeding = new Set(['parallel', 'xargs']);
const keywords = new Set(['!', 'do', 'elif', 'else', 'if', 'then', 'until', 'while']);
/** More words behind a runner are not looked through: it might be anything. */
const maxRunWords = 200;

/** A command that a text might run: its words, without quotes. */
export type Suspect = readonly string[];

/** Everything in a text that might run as a command. */
export function suspectsIn(text: string): readonly Suspect[] {
  const isBraced = /\{(?:[^{}\s'"\\]|\\.|'[^']*'|"[^"]*")*?(?:,|\.\.)/.test(text);
  const suspects = [...new Set(readingsOf(text))].flatMap((reading) =>
    reading.split(/[;&|\r\n(){}<>]/).flatMap((part) => readCommand(part.split(/[ \t]+/).filter((word) => word !== ''))),
  );
  return isBraced ? [[unknown], ...suspects] : suspects;
}

/** Each of them also without its redirections, which may stand between the words of a command. */
function readingsOf(text: string): readonly string[] {
  // A line of a here-document begins outside of every quote.
  const bodies = text.includes('<<') ? text.split('\n') : [];
  const asShell = [text, ...bodies].map(withoutQuotes);
  const inQuotes = [text, text.replaceAll(/\\\r?\n/g, '')]
    .map(markUnknown)
    .flatMap((each) => [each.replaceAll(/['"\\]/g, ''), each.replaceAll(/['"]/g, ';').replaceAll('\\', '')]);
  return [...asShell, ...inQuotes].flatMap((reading) => [reading, withoutRedirections(reading)]);
}

function markUnknown(text: string): string {
  return text.replaceAll('$', unknown).replaceAll('`', `${unknown};`).replaceAll('{}', found);
}

const quoting =
  /\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\\r?\n|\\[\s\S]|(?<![^\s;&|()])#[^\n]*|\$|`|\{\}/g;

/** The text with quotes, escapes and comments taken out, so that every sign that is left is one to the shell. */
function withoutQuotes(text: string): string {
  return text.replaceAll(quoting, (piece) => {
    if (piece.startsWith("$'")) return unknown;
    if (piece.startsWith('#') || /^\\\r?\n$/.test(piece)) return '';
    if (piece.startsWith("'")) return withoutSigns(piece.slice(1, -1));
    if (piece.startsWith('"')) return withoutSigns(piece.slice(1, -1).replaceAll(/[$`]/g, unknown));
    return piece.startsWith('\\') ? withoutSigns(piece.slice(1)) : markUnknown(piece);
  });
}

function withoutSigns(text: string): string {
  return text.replaceAll(/[\s;&|(){}<>#*?[\]]/g, plain).replaceAll('\\', '');
}

function withoutRedirections(text: string): string {
  return text.replaceAll(/(?:(?<!\S)\d+|\{\w+\}|&)?(?:<<<|<<-?|<>|>>|>\||[<>]&?)[ \t]*(?![\s(])[^\s;&|()<>]+/g, ' ');
}

/** The command that the words are, and those that it might run. */
function readCommand(words: readonly string[]): readonly Suspect[] {
  const own = readOne(words);
  const [name = '', ...rest] = own;
  if (!isRunner(name, rest)) return own.length === 0 ? [] : [own];
  if (rest.length > maxRunWords) return [[unknown]];
  const run = rest.map((word, at) => {
    const before = at === 0 ? name : (rest[at - 1] ?? '');
    if (isPlace(word, before) || (word === '.' && !evaluating.has(before))) return [];
    const suspect = readOne(rest.slice(at));
    return own.slice(0, at + 1).some((each) => feeding.has(each)) ? withMore(suspect) : suspect;
  });
  return [own, ...run.filter((suspect) => suspect.length > 0)];
}

/** The one command that the words begin with, without what may stand before its name; empty where they hold none. */
function readOne(words: readonly string[]): Suspect {
  const start = words.findIndex((word) => !keywords.has(word) && !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word));
  const [first, ...rest] = start < 0 ? [] : words.slice(start);
  if (first === undefined) return [];
  const name = first.slice(first.lastIndexOf('/') + 1);
  const isHidden = isUnknown(name) || renaming.has(name) || rest.some((word) => word.startsWith('alias.'));
  return isHidden || readsElsewhere(name, rest) ? [unknown] : [name, ...rest];
}

/** Whether a program runs whatever it is given. */
export function runsArguments(name: string): boolean {
  return runners.has(name) || shells.has(name) || renaming.has(name) || keywords.has(name);
}

function isRunner(name: string, rest: readonly string[]): boolean {
  const isPackaged = packageRunners.has(name) && ['dlx', 'exec', 'x'].includes(rest[0] ?? '');
  return runners.has(name) || shells.has(name) || isPackaged;
}

/** A shell without a script reads its commands from elsewhere. */
function readsElsewhere(name: string, rest: readonly string[]): boolean {
  if (!shells.has(name)) return false;
  return (
    rest.every((word) => word.startsWith('-')) || rest.some((word) => /^(?:-\w*s\w*$|\/dev\/|\/proc\/)/.test(word))
  );
}

/** Whether what is found is put here as an argument, not as the program itself. */
function isPlace(word: string, before: string): boolean {
  return word === found && !/^-(?:exec|ok|I.)/.test(before) && before !== found;
}

/** With arguments that come from elsewhere; a runner gets from there what it is to run. */
function withMore(suspect: Suspect): Suspect {
  if (suspect.length === 0) return suspect;
  const last = suspect.at(-1) ?? '';
  return runners.has(last) || shells.has(last) ? [unknown] : [...suspect, unknown];
}

/** Whether only the shell, or what it runs, can tell what a word is. */
export function isUnknown(word: string): boolean {
  return word.includes(unknown) || word.includes(found) || word.startsWith(':::');
}

/** Whether a word of a text may come to be this one: as it stands, or as a pattern that the shell fills in. */
export function mayBecome(said: string, word: string): boolean {
  const open = said.search(/[*?[]/);
  if (open < 0 || said === '[' || said === '[[') return said === word;
  const tail = said.slice(Math.max(said.lastIndexOf('*'), said.lastIndexOf('?'), said.lastIndexOf(']'), open) + 1);
  return word.startsWith(said.slice(0, open)) && word.endsWith(tail);
}
