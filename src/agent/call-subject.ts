/** What a call is about, read from its input before it runs. */

import { guardEntry, guardPath } from '../sandbox/path-guard.ts';
import { hiddenCharacters } from '../text/hidden-characters.ts';
import type { CallSubject } from './permissions.ts';
import { maxCommandCharacters } from './tools/bash.ts';

type Input = Readonly<Record<string, unknown>>;

/** The keys under which a tool takes paths. */
const pathKeys: Readonly<Record<string, readonly string[]>> = {
  read: ['file_path'],
  glob: ['path'],
  grep: ['path'],
  git_log: ['path'],
  write: ['file_path'],
  edit: ['file_path'],
  move: ['from', 'to'],
  delete: ['path'],
};

/** Tools that take the root where no path is given. */
const searching = new Set(['glob', 'grep', 'git_log']);
/** Tools that take the last part of a path as it stands, a link as a link. */
const keepingLinks = new Set(['move', 'delete']);

function isInput(input: unknown): input is Input {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** `null` where the input fits no tool of this name: then the tool itself refuses it. */
export async function readSubject(tool: string, input: unknown, root: string): Promise<CallSubject | null> {
  if (!isInput(input)) return null;
  if (tool === 'bash') {
    const { command } = input;
    return typeof command === 'string' && command.length <= maxCommandCharacters
      ? { kind: 'command', text: command }
      : null;
  }
  if (tool === 'delegate') return { kind: 'helpers', helpers: helpersIn(input) };
  const keys = pathKeys[tool];
  if (keys === undefined) return { kind: 'none' };
  const asked = keys.map((key) => input[key] ?? (searching.has(tool) ? '.' : undefined));
  const paths = asked.filter((path) => typeof path === 'string');
  if (paths.length < keys.length) return null;
  const places = await Promise.all(paths.map((path) => placesOf(root, path, keepingLinks.has(tool))));
  return { kind: 'paths', paths: [...new Set(places.flat())] };
}

/** A path as it was asked for, and as it is once its links have been followed; what the guard refuses stays as it is. */
async function placesOf(root: string, asked: string, keepsLink: boolean): Promise<readonly string[]> {
  const plain = asked
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  try {
    const { relative } = await (keepsLink ? guardEntry(root, asked) : guardPath(root, asked));
    return [plain || '.', relative || '.'];
  } catch {
    return [plain || '.'];
  }
}

const helperKeys = ['kind', 'helper', 'agent', 'type'];

/** The kinds of helpers that a call names, at whatever place of its input. */
function helpersIn(input: unknown): readonly string[] {
  if (Array.isArray(input)) return input.flatMap(helpersIn);
  if (!isInput(input)) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    helperKeys.includes(key) && typeof value === 'string' ? [value] : helpersIn(value),
  );
}

const MAX_SHOWN = 1000;
const [lineBreak, between] = [' ⏎ ', ' → '];
/** Controls, blanks that a shell takes for letters, and what has no form of its own. */
const misleading = /(?!\t)\p{Cc}|(?! )\p{Zs}|[\p{Cs}\p{Co}]/u;

/** Why nobody can be asked about a call: they would not see it whole, or see another one. `null` where they can. */
export function whyNotShown(subject: CallSubject): string | null {
  const shown = describeSubject(subject);
  if (shown.length > MAX_SHOWN) {
    return `and sees at most ${MAX_SHOWN} characters of it, got ${shown.length}; make it shorter`;
  }
  const texts = subject.kind === 'command' ? [subject.text] : subject.kind === 'paths' ? subject.paths : [];
  const isAmbiguous = texts.some((text) => text.includes(lineBreak.trim()) || text.includes(between.trim()));
  return isAmbiguous || hiddenCharacters(shown).length > 0 || misleading.test(shown)
    ? 'and it holds characters that nobody sees or that look like others; leave them out'
    : null;
}

/** What a writer is shown of a call, in one line and whole. */
export function describeSubject(subject: CallSubject): string {
  switch (subject.kind) {
    case 'command':
      return subject.text.replaceAll('\n', lineBreak);
    case 'paths':
      return subject.paths.join(between);
    case 'helpers':
      return subject.helpers.join(', ');
    case 'none':
      return '';
  }
}
