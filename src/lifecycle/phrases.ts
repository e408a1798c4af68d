/** How sentences name what there may be many of, or what is too long to be read. */

const mostNamed = 10;

/** The first few, and how many more there are: what a plan, a review or a request holds has no bound. */
export function nameSome(names: readonly string[], most = mostNamed): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}

/** All of a few: `1`, `1 and 2`, `1, 2 and 3`. */
export function nameAll(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** A number with its word: `1 comment`, `2 comments`. */
export function count(number: number, word: string): string {
  return `${number} ${number === 1 ? word : `${word}s`}`;
}

/** A git object id as people know it: the first seven characters. */
export function shortId(id: string): string {
  return id.slice(0, 7);
}
