/**
 * Changing a file without changing more of it than was asked for: its line ends, its mark of the byte order and what of it
 * is no UTF-8 stay byte for byte. Pure.
 */
import { isUtf8 } from 'node:buffer';
import { CallRefused } from './definition.ts';

export interface Passage {
  readonly old: string;
  readonly new: string;
  /** Whether every occurrence is replaced; otherwise there must be exactly one. */
  readonly all: boolean;
}

const byteOrderMark = '\u{FEFF}';

/** @throws CallRefused where the passage is not there, not unique, or cannot be written in the file's encoding */
export function editBytes(file: Buffer, passage: Passage): { readonly bytes: Buffer; readonly count: number } {
  requireText(file);
  if (!isUtf8(file) && !isAscii(`${passage.old}${passage.new}`)) {
    throw new CallRefused('the file is not UTF-8, so that only passages of ASCII characters can be replaced in it');
  }
  const text = file.toString('latin1');
  const [wanted, instead] = fitting(text, bytesOf(passage.old), bytesOf(passage.new));
  const pieces = text.split(wanted);
  const count = pieces.length - 1;
  if (count === 0) throw new CallRefused('old_string is not in the file; read it again');
  if (count > 1 && !passage.all) {
    throw new CallRefused(
      `expected old_string once in the file, got it ${count} times; give more of what is around it`,
    );
  }
  return { bytes: Buffer.from(pieces.join(instead), 'latin1'), count };
}

/** The bytes of a file's new text. `before` is the file as it is; `null` where there is none. @throws CallRefused */
export function fitText(before: Buffer | null, content: string): Buffer {
  if (before === null) return Buffer.from(content);
  requireText(before);
  if (!isUtf8(before) && !isAscii(content)) {
    throw new CallRefused('the file is not UTF-8 and would get another encoding; edit it, or delete it first');
  }
  const text = before.toString('latin1');
  const hasMark = text.startsWith(bytesOf(byteOrderMark)) && !content.startsWith(byteOrderMark);
  const fitted = hasOnlyWindowsEnds(text) && !content.includes('\r') ? toWindowsEnds(content) : content;
  return Buffer.from(hasMark ? `${byteOrderMark}${fitted}` : fitted);
}

/** Strings of bytes, as those of the file are. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** As the file would have them: a model writes plain line ends, whichever it has read. */
function fitting(text: string, old: string, instead: string): readonly [string, string] {
  const converted = [toWindowsEnds(old), toWindowsEnds(instead)] as const;
  if (hasOnlyWindowsEnds(text)) return converted;
  return !text.includes(old) && text.includes(converted[0]) ? converted : [old, instead];
}

function hasOnlyWindowsEnds(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text);
}

function toWindowsEnds(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function requireText(file: Buffer): void {
  if (file.includes(0)) throw new CallRefused('expected a text file, got a binary one or one of another encoding');
}
