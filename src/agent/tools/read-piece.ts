import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { maxResultBytes } from './bounded-text.ts';
import { CallRefused } from './definition.ts';

const MAX_CHARACTER_BYTES = 4;

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

/**
 * As much of a file as one result may say, from a byte on, in whole characters. What is left out is named with the byte to
 * read on from, so every part of a file can be had, also of one that is a single line. `place` is free of links.
 * @throws CallRefused for a byte behind the end
 */
export async function readPiece(place: string, from: number, maxBytes = maxResultBytes): Promise<string> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    if (from > 0 && from >= size) throw new CallRefused(`expected a byte of the file, which has ${size}, got ${from}`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(maxBytes, size - from)), { position: from });
    const bytes = buffer.subarray(0, bytesRead);
    const end = from + bytesRead >= size ? bytesRead : wholeEnd(bytes);
    const text = bytes.subarray(0, end).toString('utf8');
    const next = from + end;
    return next >= size ? text : `${text}\n[cut: bytes ${from} to ${next} of ${size}; read on with from_byte: ${next}]`;
  } finally {
    await file.close();
  }
}
