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

/**
 * The path that a code span cites, in git's spelling; `null` for a span that is not one file's path: a command, a
 * symbol, a folder, a pattern, an address. A line number behind it (`a.ts:12`, `a.ts#L12`) is not part of the path.
 */
export function parseCitedPath(span: string): string | null {
  const path = span
    .trim()
    .replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '')
    .replace(/^\.\//, '');
  if (!pathCharacters.test(path) || !repositoryPathPattern.test(path)) return null;
  if (productName.test(path) || webAddress.test(path)) return null;
  const isFile = sourceExtension.test(path) || (path.includes('/') && ambiguousExtension.test(path));
  return isFile ? path : null;
}
