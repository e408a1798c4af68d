/**
 * What the text of a command surely is, for rules that allow; what it might be stands in `suspect-commands.ts`. Neither
 * confines a command: what holds is the sandbox (`sandbox/command-runner.ts`), and a program that runs another is beyond any
 * reading of this text.
 */

/** Characters by which a text stops being a list of plain commands: expansions, groups, redirections, comments, escapes. */
const unsure = /[$`<>(){}\\#!]|(?![\t\n])\p{Cc}/u;

/** The end of a quoted piece that means just what it says; `null` where it may mean more. */
function endOfQuote(text: string, start: number): number | null {
  const quote = text[start] ?? '';
  const end = text.indexOf(quote, start + 1);
  const inside = text.slice(start + 1, end);
  const isPlain = !/\p{Cc}/u.test(inside) && (quote === "'" || !/[$`\\!]/.test(inside));
  return end >= 0 && isPlain ? end : null;
}

/**
 * The plain commands that a text is made of, as they are written but for the blanks between words; `null` where it holds
 * anything else than words, quotes and the signs between commands.
 */
export function splitSurely(text: string): readonly string[] | null {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === "'" || sign === '"') {
      const end = endOfQuote(text, at);
      if (end === null) return null;
      part += text.slice(at, end + 1);
      at = end;
    } else if (unsure.test(sign)) {
      return null;
    } else if (';&|\n'.includes(sign)) {
      parts.push(part);
      part = '';
    } else if (sign === ' ' || sign === '\t') {
      part = part === '' || part.endsWith(' ') ? part : `${part} `;
    } else {
      part += sign;
    }
  }
  // Other blanks are letters to a shell.
  return [...parts, part].map((each) => each.replaceAll(/^ | $/g, '')).filter((each) => each !== '');
}

/** The program that a command begins with, for sure as it is written: `/usr/bin/python3 -c x` begins with `python3`. */
export function programOf(command: string): string {
  const words = command.split(' ').filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  return (words[0] ?? '').split('/').at(-1) ?? '';
}
