/**
 * How the text of a command reads, in two ways: what it surely is, for rules that allow, and what it might be, for rules that
 * ask or deny. Neither confines a command: what holds is the sandbox (`sandbox/command-runner.ts`), and a program that runs
 * another is beyond any reading of this text.
 */

/** Stands in a word for what only the shell can tell. */
const unknown = '\u0000';

/** Characters by which a text stops being a list of plain commands: expansions, groups, redirections, comments, escapes. */
const unsure = /[$`<>(){}\\#!]|(?![\t\n])\p{Cc}/u;

/** They run what their arguments say. */
const runners = new Set(
  (
    'builtin busybox chroot command coproc do doas else elif env eval exec find flock if in ionice nice nohup npx parallel ' +
    'prlimit runuser script setpriv setsid source ssh stdbuf strace su sudo then time timeout until watch while xargs'
  ).split(' '),
);
/** More words behind one of them are not looked through: it might be anything. */
const maxRunWords = 200;
const shells = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'sh', 'zsh']);

/** The end of a quoted piece that means just what it says; `null` where it may mean more. */
function endOfQuote(text: string, start: number): number | null {
  const quote = text[start] ?? '';
  const end = text.indexOf(quote, start + 1);
  const inside = text.slice(start + 1, end);
  const isPlain = !/\p{Cc}/u.test(inside) && (quote === "'" || !/[$`\\!]/.test(inside));
  return end >= 0 && isPlain ? end : null;
}

/**
 * The plain commands that a text is made of, as they are written but for the blanks between words; `null` where it holds
 * anything else than words, quotes and the signs between commands.
 */
export function splitSurely(text: string): readonly string[] | null {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === "'" || sign === '"') {
      const end = endOfQuote(text, at);
      if (end === null) return null;
      part += text.slice(at, end + 1);
      at = end;
    } else if (unsure.test(sign)) {
      return null;
    } else if (';&|\n'.includes(sign)) {
      parts.push(part);
      part = '';
    } else if (sign === ' ' || sign === '\t') {
      part = part === '' || part.endsWith(' ') ? part : `${part} `;
    } else {
      part += sign;
    }
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '');
}

/** A command that a text might run: its words, without quotes. */
export type Suspect = readonly string[];

/** Everything in a text that might run as a command, seen from each side of its quotes. */
export function suspectsIn(text: string): readonly Suspect[] {
  const joined = text.replaceAll(/\\\r?\n/g, '');
  const marked = joined.replaceAll(/[$`]/g, (sign) => (sign === '`' ? `${unknown};` : unknown));
  const isBraced = /\{[^{}\s]*(?:,|\.\.)/.test(joined);
  const readings = [marked.replaceAll(/['"\\]/g, ''), marked.replaceAll(/['"]/g, ';').replaceAll('\\', '')];
  const found = readings.flatMap((reading) => reading.split(/[;&|\r\n(){}<>]/)).flatMap(readSuspects);
  return isBraced ? [[unknown], ...found] : found;
}

function readSuspects(fragment: string): readonly Suspect[] {
  const words = fragment.split(/[ \t]+/).filter((word) => word !== '');
  const start = words.findIndex((word) => word !== '!' && !/^[A-Za-z_]\w*\+?=/.test(word));
  const [name, ...rest] = start < 0 ? [] : words.slice(start);
  if (name === undefined) return [];
  const own = [commandName(name), ...rest];
  if (own[0] === undefined || isUnknown(own[0])) return [[unknown]];
  // A shell without a script reads its commands from elsewhere.
  if (shells.has(own[0]) && rest.every((word) => word.startsWith('-'))) return [[unknown]];
  if (own[0] === '.' || own[0] === 'source') return [[unknown]];
  if (!runners.has(own[0]) && !shells.has(own[0])) return [own];
  if (rest.length > maxRunWords) return [[unknown]];
  return [own, ...rest.map((word, index) => [commandName(word), ...rest.slice(index + 1)])];
}

/** The name of a program without its folder; a pattern is the shell's to fill in. */
function commandName(word: string): string {
  if (word === '[' || word === '[[') return word;
  return /[*?[]/.test(word) ? unknown : word.slice(word.lastIndexOf('/') + 1);
}

/** Whether only the shell can tell what a word is. */
export function isUnknown(word: string): boolean {
  return word.includes(unknown);
}

/** The program that a command begins with, for sure as it is written: `/usr/bin/python3 -c x` begins with `python3`. */
export function programOf(command: string): string {
  const words = command.split(' ').filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  return (words[0] ?? '').split('/').at(-1) ?? '';
}
