/** A command line cut into its simple commands, as far as that can be told without a shell. */

export interface ShellWord {
  readonly text: string;
  /** Whether a part of it is quoted or expanded by the shell: then the text is not what the program gets. */
  readonly isLiteral: boolean;
}

export type ShellLine =
  | { readonly kind: 'commands'; readonly commands: readonly (readonly ShellWord[])[] }
  /** The shell would wait for the rest. */
  | { readonly kind: 'open'; readonly what: string }
  /** Expansions, groups and the like: nothing is said of it. */
  | { readonly kind: 'unclear' };

const separators = new Set(['&&', '||', ';', '|', '&', '|&']);
const token =
  /\s+|#[^\n]*|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|&&|\|\||\|&|[0-9]*(?:>>|<<<|>&|<&|>\||>|<)|[;&|()]|[^\s'"\\;&|()<>]+|[\s\S]/gy;

/** Cuts one line. A comment at its end is no part of it. */
export function cutShellLine(line: string): ShellLine {
  if (/\$\(|\$'|`|<</.test(line)) return { kind: 'unclear' };
  const parts = partsOf(line);
  const open = findOpen(parts);
  if (open !== null) return { kind: 'open', what: open };
  return parts.includes('(') ? { kind: 'unclear' } : { kind: 'commands', commands: groupWords(parts) };
}

function partsOf(line: string): readonly string[] {
  const parts = [...line.matchAll(token)].map(([part]) => part);
  const comment = parts.findIndex((part, index) => part.startsWith('#') && (parts[index - 1] ?? ' ').trim() === '');
  return comment === -1 ? parts : parts.slice(0, comment);
}

function findOpen(parts: readonly string[]): string | null {
  const quote = parts.find((part) => part === "'" || part === '"');
  if (quote !== undefined) return `a ${quote} that is never closed`;
  if (parts.includes('\\')) return 'a \\ at the end';
  const countOf = (bracket: string) => parts.filter((part) => part === bracket).length;
  if (countOf('(') !== countOf(')')) return 'a bracket without its other one';
  const last = parts.findLast((part) => part.trim() !== '') ?? '';
  return separators.has(last) && last !== ';' && last !== '&' ? `nothing behind "${last}"` : null;
}

function groupWords(parts: readonly string[]): readonly (readonly ShellWord[])[] {
  const commands: ShellWord[][] = [[]];
  let word: ShellWord | null = null;
  for (const part of [...parts, ';']) {
    const isBorder = part.trim() === '' || separators.has(part);
    if (!isBorder) word = joinWord(word, part);
    if (isBorder && word !== null) commands.at(-1)?.push(word);
    if (isBorder) word = null;
    if (separators.has(part)) commands.push([]);
  }
  return commands.filter((command) => command.length > 0);
}

function joinWord(word: ShellWord | null, part: string): ShellWord {
  const isQuoted = /^['"]/.test(part);
  const text = isQuoted ? part.slice(1, -1) : part;
  const isLiteral = !isQuoted && !/[\\$*?~[\]{}]/.test(part);
  return { text: `${word?.text ?? ''}${text}`, isLiteral: isLiteral && (word?.isLiteral ?? true) };
}
