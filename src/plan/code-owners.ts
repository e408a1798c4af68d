/**
 * CODEOWNERS as GitHub reads it: much like gitignore, but the last rule that matches wins, `docs/*` stops at the files of
 * `docs`, and `!`, `[ ]` and `\#` are no syntax. A line that GitHub calls invalid is as if it were not there.
 * Source: https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
 */

export interface CodeOwnersRule {
  readonly pattern: string;
  /** As written: `@login`, `@organization/team` or an e-mail address. A rule without owners leaves its paths to nobody. */
  readonly owners: readonly string[];
  readonly matches: (path: string) => boolean;
}

/** Where GitHub looks for the file, in its order: the first that is there counts, and no other. */
export const codeOwnersPlaces = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** The rules in the order of their lines. */
export function parseCodeOwners(text: string): readonly CodeOwnersRule[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map(parseLine)
    .filter((rule) => rule !== null);
}

/** The owners of a file, from the root of the repository without a leading `/`; empty where it has none. */
export function ownersOf(rules: readonly CodeOwnersRule[], path: string): readonly string[] {
  return rules.findLast((rule) => rule.matches(path))?.owners ?? [];
}

const owner = /^(?:@[A-Za-z0-9][\w-]*(?:\/[\w.-]+)?|[^\s@]+@[^\s@]+)$/;

/** A blank within a pattern is written `\ `; a `#` behind a blank begins a comment. */
function parseLine(line: string): CodeOwnersRule | null {
  const [, pattern, rest = ''] = /^\s*((?:\\.|[^\s\\])+)(?:\s+(.*))?$/.exec(line) ?? [];
  if (pattern === undefined || pattern.startsWith('#')) return null;
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const comment = words.findIndex((word) => word.startsWith('#'));
  const owners = comment === -1 ? words : words.slice(0, comment);
  const matches = matcherOf(pattern);
  return matches === null || !owners.every((each) => owner.test(each)) ? null : { pattern, owners, matches };
}

type Segment = 'any depth' | readonly Token[];
/** One character of a name; `many` and `one` stand for `*` and `?`. */
type Token = 'many' | 'one' | { readonly character: string };

/** What of a path the segments must cover: all of it, less than all of it, or either. */
type Reach = 'whole' | 'above' | 'either';

function matcherOf(pattern: string): CodeOwnersRule['matches'] | null {
  if (/^!|^\\#|[[\]]|\*\*\*|\/\//.test(pattern) || pattern === '/') return null;
  const names = pattern
    .replace(/^\//, '')
    .replace(/(?:\/|(?<![^/])\*\*)+$/, '')
    .split('/')
    .filter((name) => name !== '');
  const isOpen = /(?:\/|^\*\*|\/\*\*)$/.test(pattern);
  const reach: Reach = isOpen ? 'above' : names.at(-1) === '*' ? 'whole' : 'either';
  const isAnchored = pattern.replace(/\/$/, '').includes('/');
  const segments = [...(isAnchored ? [] : ['any depth' as const]), ...names.map(parseSegment)];
  return (path) => covers(segments, path.split('/'), reach);
}

function parseSegment(name: string): Segment {
  if (name === '**') return 'any depth';
  const characters = name.match(/\\.|./gsu) ?? [];
  return characters.map((character) => {
    if (character === '*') return 'many';
    return character === '?' ? 'one' : { character: character.replace(/^\\/, '') };
  });
}

/** Follows how many names of the path the segments so far can stand for. */
function covers(segments: readonly Segment[], names: readonly string[], reach: Reach): boolean {
  let counts: readonly number[] = [0];
  for (const segment of segments) {
    if (segment === 'any depth') {
      const least = counts[0] ?? names.length + 1;
      counts = names.map((_, index) => index).filter((count) => count >= least);
    } else {
      counts = counts.filter((count) => isName(segment, names[count])).map((count) => count + 1);
    }
  }
  const isCovered = {
    whole: (count: number) => count === names.length,
    above: (count: number) => count < names.length,
    either: () => true,
  };
  return counts.some(isCovered[reach]);
}

/** Goes back to the last `*` alone, so that no pattern takes long. */
function isName(tokens: readonly Token[], name: string | undefined): boolean {
  if (name === undefined) return false;
  const characters = [...name];
  let [token, at, star, from] = [0, 0, -1, 0];
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted === 'many') {
      [star, from] = [token, at];
      token += 1;
    } else if (wanted === 'one' || (wanted !== undefined && wanted.character === characters[at])) {
      token += 1;
      at += 1;
    } else if (star === -1) {
      return false;
    } else {
      from += 1;
      [token, at] = [star + 1, from];
    }
  }
  return tokens.slice(token).every((each) => each === 'many');
}
