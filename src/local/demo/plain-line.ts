/** Texts of the forge as one line of a terminal. */

/** At most `length` characters of the first line that says something. */
export function clip(text: string, length = 80): string {
  const visible = text.replaceAll(/<!--[\s\S]*?-->/g, '').split('\n');
  const line = visible.map((each) => each.trim()).find((each) => each !== '') ?? '';
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** Without emphasis, with short commits and links by their words alone; a comparison keeps its path on the forge. */
export function plain(markdown: string): string {
  const linked = markdown
    .replaceAll('**', '')
    .replaceAll(/\[([^\]]*)\]\((\S+?)\)/g, (_, words: string, url: string) => {
      const comparison = /^https?:\/\/[^/]+(\/.+\/compare\/[0-9a-f]{7})[0-9a-f]*(\.\.\.[0-9a-f]{7})[0-9a-f]*$/.exec(
        url,
      );
      return comparison === null ? words : `${words}: ${comparison[1]}${comparison[2]}`;
    });
  return linked.replaceAll(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1');
}
