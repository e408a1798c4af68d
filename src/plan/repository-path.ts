/**
 * A path inside the repository as git spells it: relative, with `/`, without `.`, `..`, empty or `.git` parts, and
 * without control characters, backslashes or `*`: a plan names files, not patterns.
 */
export const repositoryPathPattern = /^(?!(?:.*\/)?(?:\.{1,2}|\.[gG][iI][tT])?(?:\/|$))[^\\*\p{Cc}]{1,1024}$/u;

/** The rule in words, as the expected part of a problem. */
export const repositoryPathRule =
  'the path of one file from the root of the repository, e.g. src/cache.ts (no leading /, no ./ or .. parts, no pattern)';

const pathCharacters = /^(?![-@])[\p{L}\p{N}_.@+()[\]/-]+$/u;
const sourceExtension = /\.(?:[cm]?[jt]sx?|mdx?|ya?ml|toml|py|rb|rs|java|kts?|swift|sh)$/i;
/** Endings that a symbol may have as well (`mutex.lock`, `res.json`): a path only behind a folder. */
const ambiguousExtension =
  /\.(?:json5?|jsonc|ini|cfg|conf|rst|txt|html?|s?css|less|vue|svelte|go|c|h|cc|cpp|hpp|cs|php|bash|sql|graphql|proto|lock|xml|svg|csv|gradle|exs?|erl|scala|clj|lua|dart|tf|nix)$/i;
const productName = /^[A-Z][A-Za-z]*\.js$/;
const webAddress = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev)\//;

/** What a code span names of a repository: a file, and what in it. */
export interface CitedPlace {
  /** In git's spelling. */
  readonly path: string;
  /** 1-based and inclusive, as they are written; `null` for the whole file or a symbol. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  /** As it is written, e.g. `Cache.evict`; `null` for the whole file or lines. */
  readonly symbol: string | null;
}

const lineSuffix = /(?::L?(\d{1,9})(?:[-:–]L?(\d{1,9}))?|#L(\d{1,9})(?:C\d+)?(?:-L?(\d{1,9})(?:C\d+)?)?)$/;
const name = String.raw`[\p{L}_$#@][\p{L}\p{N}_$]*`;
/** An identifier, a member of something (`Class.method`, `module::item`, `Class#method`), either with a call's brackets. */
const symbolForm = new RegExp(String.raw`^(?:${name})(?:(?:\.|::|#|->)${name})*[?!]?(?:\([^()]*\))?$`, 'u');

/** Whether a code span reads as the name of something in code. */
export function isSymbol(span: string): boolean {
  return span.length <= 200 && symbolForm.test(span);
}

/**
 * The place that a code span cites: `a.ts`, `a.ts:12`, `a.ts:12-20`, `a.ts#L12-L20`, `a.ts:symbol`, `a.ts::Class::method`.
 * `null` for a span that names no file: a command, a symbol, a folder, a pattern, an address.
 */
export function parseCitedPlace(span: string): CitedPlace | null {
  const text = span.trim().replace(/^\.\//, '');
  const [suffix, from, to, anchor, anchorEnd] = lineSuffix.exec(text) ?? [];
  if (suffix !== undefined) {
    const path = parsePath(text.slice(0, -suffix.length));
    const first = Number(from ?? anchor);
    // A number behind a second colon is a column.
    const last = Number((suffix.lastIndexOf(':') > 0 ? undefined : to) ?? anchorEnd ?? first);
    return path === null ? null : { path, lines: { first, last }, symbol: null };
  }
  const border = text.search(/[:#]/);
  if (border === -1) return placeOf(parsePath(text), null);
  const path = parsePath(text.slice(0, border));
  const symbol = text.slice(border).replace(/^(?:::?|#)/, '');
  // The anchor of a heading is no symbol.
  if (text[border] === '#' && path !== null && /\.(?:mdx?|html?)$/i.test(path)) return placeOf(path, null);
  return isSymbol(symbol) ? placeOf(path, symbol) : null;
}

function placeOf(path: string | null, symbol: string | null): CitedPlace | null {
  return path === null ? null : { path, lines: null, symbol };
}

function parsePath(path: string): string | null {
  if (!pathCharacters.test(path) || !repositoryPathPattern.test(path)) return null;
  if (productName.test(path) || webAddress.test(path)) return null;
  const isFile = sourceExtension.test(path) || (path.includes('/') && ambiguousExtension.test(path));
  return isFile ? path : null;
}
