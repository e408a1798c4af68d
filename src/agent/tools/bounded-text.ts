/** The most that one tool result says, in bytes of UTF-8. */
export const maxResultBytes = 50_000;

/** Cuts a text to at most `maxBytes` and says so, with `rest` as the way to get what was cut. */
export function boundText(text: string, rest: string, maxBytes = maxResultBytes): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // Not in the middle of a character: its further bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end)}\n[cut: the first ${end} of ${bytes.length} bytes; ${rest}]`;
}
