/** Most that a run is given to begin with. More is refused as a whole: what people wrote is never cut without a word. */
const maxBytes = 512 * 1024;
const maxLines = 65_000;

/** Why a text is too much to be given to a run, and what to do; `null` where it is not. */
export function whyTooLarge(text: string): string | null {
  const bytes = Buffer.byteLength(text);
  const lines = text.split('\n').length;
  if (bytes <= maxBytes && lines <= maxLines) return null;
  return `Expected at most ${maxBytes} bytes and ${maxLines} lines of text from the issue, the reviews and the plan together, got ${bytes} bytes and ${lines} lines. Nothing was sent to the model. Say it in less, or in several rounds, then ask again.`;
}
