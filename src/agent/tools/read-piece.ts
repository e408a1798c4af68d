import type { FileHandle } from 'node:fs/promises';
import { maxResultBytes } from './bounded-text.ts';
import { CallRefused } from './definition.ts';

const MAX_CHARACTER_BYTES = 4;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** A line's beginning is looked for in no more of a file than this, its end in no more than a result can hold. */
const MAX_SKIPPED_BYTES = 32 * 1024 * 1024;

/** Further bytes of a character begin with the bits 10. */
function isInside(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) === 0x80;
}

/** Where the last whole character ends. */
function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && start > bytes.length - MAX_CHARACTER_BYTES && isInside(bytes[start])) start -= 1;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? Math.max(0, start) : bytes.length;
}

/** Where a piece begins, and where it ends at the latest: before that byte. */
export interface Extent {
  readonly from: number;
  readonly to?: number;
}

/**
 * As much of a file as one result may say, in whole characters. What is left out is named with the byte to read on from, so
 * every part of a file can be had, also of one that is a single line.
 * @throws CallRefused for a byte behind the end
 */
export async function readPiece(file: FileHandle, { from, to }: Extent, maxBytes = maxResultBytes): Promise<string> {
  const { size } = await file.stat();
  if (from > 0 && from >= size) throw new CallRefused(`expected a byte of the file, which has ${size}, got ${from}`);
  const last = Math.min(to ?? size, size);
  const bytes = Buffer.alloc(Math.min(maxBytes, last - from));
  const { bytesRead } = await file.read(bytes, { position: from });
  const end = from + bytesRead >= last ? bytesRead : wholeEnd(bytes.subarray(0, bytesRead));
  const text = bytes.subarray(0, end).toString('utf8');
  const next = from + end;
  return next >= last ? text : `${text}\n[cut: bytes ${from} to ${next} of ${size}; read on with from_byte: ${next}]`;
}

/** Where the lines lie, without the last one's end. @throws CallRefused for lines that are not there */
export async function findLines(file: FileHandle, first: number, last: number): Promise<Extent> {
  if (last < first) throw new CallRefused(`expected the first line and then the last, got ${first} and ${last}`);
  const { size } = await file.stat();
  const start = await skipLines(file, 0, first - 1, MAX_SKIPPED_BYTES);
  if (start.missing > 0 && start.at < size) {
    throw new CallRefused(
      `expected a line within the first ${start.at} bytes, which are ${first - start.missing} lines, got ${first}; read on with from_byte: ${start.at}`,
    );
  }
  if (first > 1 && start.at >= size) {
    throw new CallRefused(`expected a line of the file, which has ${first - 1 - start.missing}, got ${first}`);
  }
  const end = await skipLines(file, start.at, last - first + 1, maxResultBytes);
  return end.missing === 0 ? { from: start.at, to: end.at - 1 } : { from: start.at };
}

interface Skipped {
  /** Where the line begins that is so many lines on; where the look ended where there are too few. */
  readonly at: number;
  /** How many ends of lines there are too few. */
  readonly missing: number;
}

async function skipLines(file: FileHandle, from: number, count: number, most: number): Promise<Skipped> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let [at, missing] = [from, count];
  while (missing > 0 && at - from < most) {
    const { bytesRead } = await file.read(chunk, { position: at });
    if (bytesRead === 0) break;
    const skipped = skipIn(chunk.subarray(0, bytesRead), missing);
    at += skipped.bytes;
    missing -= skipped.lines;
  }
  return { at, missing };
}

function skipIn(bytes: Buffer, count: number): { readonly bytes: number; readonly lines: number } {
  let lines = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, end + 1)) {
    lines += 1;
    if (lines === count) return { bytes: end + 1, lines };
  }
  return { bytes: bytes.length, lines };
}
