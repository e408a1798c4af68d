/**
 * What a change may not bring in: secrets, and characters that hide text from those who review it. Only what is new is
 * looked at: what the same file held, or another file loses, may stay and may move. Pure but for the scan of secrets.
 */
import { nameSome } from '../lifecycle/phrases.ts';
import { hiddenCharacters } from '../text/hidden-characters.ts';
import type { KnownSecrets } from '../text/known-secrets.ts';
import { findSecrets } from '../text/secret-scan.ts';

export interface ChangedFile {
  readonly path: string;
  /** What stood there: before this change, and before all of the work that it is a part of. */
  readonly before: readonly Buffer[];
  /** `null` where the file goes. */
  readonly after: Buffer | null;
}

/** Lines around a new one that are looked at with it: a secret may have lines that stood there before. */
const contextLines = 60;
const maxCharacters = 8 * 1024 * 1024;
const maxLines = 200_000;
const mostNamed = 5;

/** Reasons against the change, beginning with the path; none repeats a secret. What is too much to look at is one. */
export async function scanChange(files: readonly ChangedFile[], known?: KnownSecrets): Promise<readonly string[]> {
  const created = files.filter(({ before, after }) => before.length === 0 && after !== null);
  const [named] = (await findSecrets(created.map(({ path }) => path).join('\n'), known)).found;
  if (named !== undefined) return [`the name of a file holds what looks like a ${named.what}; name it otherwise`];
  const texts = files.map(readChange);
  const gone = texts.flatMap(lostLines);
  const lost = { lines: new Set(gone.map(bare)), text: gone.join('\n') };
  const added = texts.flatMap((text) => addedTo(text, lost));
  const sum = (size: (each: AddedText) => number) => added.reduce((total, each) => total + size(each), 0);
  if (sum(({ text }) => text.length) > maxCharacters || sum(({ lines }) => lines.length) > maxLines) {
    return [
      `expected at most ${maxLines} new lines and ${maxCharacters} characters to look through; change less in one step`,
    ];
  }
  const faults: string[] = [];
  for (const each of added) faults.push(...(await secretsIn(each, known)), ...hiddenIn(each));
  return faults;
}

interface ChangedText {
  readonly path: string;
  readonly isBinary: boolean;
  readonly before: readonly string[];
  readonly after: string | null;
}

function readChange({ path, before, after }: ChangedFile): ChangedText {
  const isBinary = after !== null && isBinaryFile(after);
  return { path, isBinary, before: before.map(readBytes), after: after === null ? null : readBytes(after) };
}

/** As git judges it. */
function isBinaryFile(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** Without its zeros, a text in characters of two bytes reads like any other. */
function readBytes(bytes: Buffer): string {
  return isBinaryFile(bytes) ? bytes.toString('latin1').replaceAll('\0', '') : bytes.toString('utf8');
}

function lostLines({ before, after }: ChangedText): readonly string[] {
  const kept = new Set(after?.split('\n').map(bare));
  return before.flatMap((text) => text.split('\n')).filter((line) => !kept.has(bare(line)));
}

/** A line that only moves to another depth, or gets another line ending, is the same. */
function bare(line: string): string {
  return line.replace(/^[ \t]+|[ \t\r]+$/g, '');
}

interface AddedLine {
  /** From 0. */
  readonly index: number;
  readonly line: string;
}

interface AddedText {
  readonly path: string;
  readonly isBinary: boolean;
  /** The new lines and those around them. */
  readonly text: string;
  /** The number in the file of each line of `text`. */
  readonly numbers: readonly number[];
  readonly lines: readonly AddedLine[];
  /** What may stay or move. */
  readonly allowed: readonly string[];
}

function addedTo(
  { path, isBinary, before, after }: ChangedText,
  lost: { readonly lines: ReadonlySet<string>; readonly text: string },
): readonly AddedText[] {
  if (after === null) return [];
  const old = new Set(before.flatMap((text) => text.split('\n')).map(bare));
  const all = after.split('\n');
  const isNew = (line: string) => line !== '' && !old.has(line) && !lost.lines.has(line);
  const lines = all.map((line, index) => ({ line, index })).filter(({ line }) => isNew(bare(line)));
  const shown = around(
    lines.map(({ index }) => index),
    all.length,
  );
  const text = shown.map((index) => all[index] ?? '').join('\n');
  return [{ path, isBinary, text, numbers: shown, lines, allowed: [...before, lost.text] }];
}

/** The indexes and those close to them, each once and in order. */
function around(indexes: readonly number[], length: number): readonly number[] {
  const near: number[] = [];
  for (const index of indexes) {
    const from = Math.max(index - contextLines, (near.at(-1) ?? -1) + 1);
    for (let at = from; at <= Math.min(index + contextLines, length - 1); at += 1) near.push(at);
  }
  return near;
}

async function secretsIn(
  { path, text, numbers, allowed }: AddedText,
  known: KnownSecrets | undefined,
): Promise<readonly string[]> {
  const { found, isComplete } = await findSecrets(text, known);
  const old = found.length === 0 ? [] : allowed.map(unspaced);
  const added = found.filter(({ start, end }) => !old.some((each) => each.includes(unspaced(text.slice(start, end)))));
  if (added.length === 0) {
    return isComplete ? [] : [`${path}: it holds too many secrets to tell old from new ones; leave it as it is`];
  }
  const numberAt = numbersAt(text, numbers);
  const places = added.map(({ what, start }) => ({ what, number: numberAt(start) }));
  return [...Map.groupBy(places, ({ what }) => what)].map(
    ([what, all]) =>
      `${path}: what looks like a ${what} is new in ${nameLines(all)}; take it out and say where it comes from instead`,
  );
}

/** A secret of many lines is the same at another depth. */
function unspaced(text: string): string {
  return text.replace(/\s+/g, '');
}

/** The number of the line at an offset; the offsets must be asked for in their order. */
function numbersAt(text: string, numbers: readonly number[]): (offset: number) => number {
  let [line, at] = [0, 0];
  return (offset) => {
    line += text.slice(at, offset).split('\n').length - 1;
    at = offset;
    return (numbers[line] ?? 0) + 1;
  };
}

function hiddenIn({ path, isBinary, lines }: AddedText): readonly string[] {
  if (isBinary) return [];
  const found = lines.flatMap(({ index, line }) => {
    // At the very start it is the mark of the byte order.
    const characters = hiddenCharacters(index === 0 ? line.replace(/^\ufeff/, '') : line);
    return characters.length === 0 ? [] : [{ number: index + 1, characters }];
  });
  if (found.length === 0) return [];
  const names = [...new Set(found.flatMap(({ characters }) => characters))].map(nameOf);
  return [
    `${path}: invisible characters (${nameSome(names, mostNamed)}) are new in ${nameLines(found)}; leave them out or write them as escapes`,
  ];
}

function nameLines(places: readonly { readonly number: number }[]): string {
  const numbers = [...new Set(places.map(({ number }) => String(number)))];
  return `line${numbers.length === 1 ? '' : 's'} ${nameSome(numbers, mostNamed)}`;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
