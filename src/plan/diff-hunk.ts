/** The hunk of a unified diff that GitHub keeps with a review comment. */
export interface HunkLine {
  /** 1-based line in the old file; `null` for an added line. */
  readonly old: number | null;
  /** 1-based line in the new file; `null` for a removed line. */
  readonly new: number | null;
  readonly text: string;
}

/** The numbered lines of a hunk; empty for a text without a hunk's head. */
export function parseHunk(hunk: string): readonly HunkLine[] {
  const [head, ...rows] = hunk.split('\n');
  const starts = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(head ?? '');
  if (starts === null) return [];
  let oldLine = Number(starts[1]);
  let newLine = Number(starts[2]);
  const lines: HunkLine[] = [];
  for (const row of rows) {
    if (row.startsWith('\\')) continue;
    const isAdded = row.startsWith('+');
    const isRemoved = row.startsWith('-');
    lines.push({ old: isAdded ? null : oldLine, new: isRemoved ? null : newLine, text: row.slice(1) });
    if (!isAdded) oldLine += 1;
    if (!isRemoved) newLine += 1;
  }
  return lines;
}
