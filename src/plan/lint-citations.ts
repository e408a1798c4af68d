/**
 * Every place that a plan cites is there at the base. Where a plan may speak of what is not there yet:
 * - a path, if the front matter names it;
 * - a symbol in a file that the front matter creates, or moves to;
 * - a symbol that one line of the plan introduces, by a word such as "add", "new", "create", "rename" or "extract".
 *
 * A symbol in backticks of its own beside a path ("`evict` of `src/cache.ts`") is held against the file where the plan
 * tells what is there: under Context, under Existing code to reuse, and in a step that changes it.
 */
import type { Citation } from './citations.ts';
import { nearestWord } from './edit-distance.ts';
import { isKnown, type LintContext, nearestPath } from './lint-context.ts';
import type { PlanSection } from './plan-body.ts';
import type { Plan } from './plan-file.ts';

/** Most places in files that are looked up, and most suggestions that are looked for: a plan can cite any number. */
const mostLookups = 500;
const mostSuggestions = 20;

interface Search {
  readonly plan: Plan;
  readonly context: LintContext;
  readonly planned: readonly string[];
  readonly introduced: ReadonlySet<string>;
  readonly told: Set<string>;
  lookups: number;
  suggestions: number;
}

export function lintCitations(plan: Plan, context: LintContext): readonly string[] {
  const introduced = new Set(plan.sections.flatMap((section) => section.introduced.map(lastName)));
  const planned = plan.files.map(({ path }) => path);
  const search: Search = { plan, context, planned, introduced, told: new Set(), lookups: 0, suggestions: 0 };
  return plan.sections.flatMap((section) =>
    section.citations.flatMap((citation) => {
      const fault = faultOf(citation, section, search);
      if (fault === null || search.told.has(fault.subject)) return [];
      search.told.add(fault.subject);
      return [`line ${citation.line}, section "## ${section.heading}": \`${fault.subject}\` ${fault.what}`];
    }),
  );
}

interface Fault {
  /** The citation, or the path alone where that is not there: it is told once, whatever in it is cited. */
  readonly subject: string;
  readonly what: string;
}

function formatSubject({ path, lines, symbol }: Citation): string {
  if (symbol !== null) return `${path}:${symbol}`;
  if (lines === null) return path;
  return `${path}:${lines.first}${lines.last === lines.first ? '' : `-${lines.last}`}`;
}

function faultOf(citation: Citation, section: PlanSection, search: Search): Fault | null {
  const { context, planned } = search;
  const { path } = citation;
  if (path === context.planPath) return null;
  const file = context.exists(path) ? path : plannedFile(path, planned);
  if (file === null) {
    if (search.told.has(path)) return null;
    const near = suggest(search, () => nearestPath(path, context));
    const advice = near === null ? 'correct the path' : `did you mean \`${near}\`? Correct the path`;
    return { subject: path, what: `is not there at the base; ${advice}, or name it in the front matter as create` };
  }
  if (citation.lines === null && citation.symbol === null) return null;
  if (!context.exists(file) || search.lookups >= mostLookups) return null;
  search.lookups += 1;
  const text = context.textOf(file);
  if (text === null) return null;
  const what = lineFault(citation, text) ?? symbolFault(citation, section, { text, search });
  return what === null ? null : { subject: formatSubject(citation), what };
}

function plannedFile(path: string, planned: readonly string[]): string | null {
  return planned.find((candidate) => isKnown(path, [candidate])) ?? null;
}

function suggest(search: Search, find: () => string | null): string | null {
  search.suggestions += 1;
  return search.suggestions > mostSuggestions ? null : find();
}

function lineFault({ lines }: Citation, text: string): string | null {
  if (lines === null) return null;
  if (lines.first > lines.last) return 'ends before it begins; write the first line first';
  const count = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  if (lines.first >= 1 && lines.last <= count) return null;
  return `is outside of the file, which has ${count === 1 ? '1 line' : `${count} lines`} at the base; read it again and correct the lines`;
}

function symbolFault(
  citation: Citation,
  section: PlanSection,
  { text, search }: { readonly text: string; readonly search: Search },
): string | null {
  const { symbol, path } = citation;
  const isReused = section.heading.toLowerCase() === 'existing code to reuse';
  if (symbol === null || (citation.isBeside && !tellsWhatIsThere(citation, section, isReused))) return null;
  const missing = namesToFind(symbol, path).find((name) => !hasWord(text, name));
  if (missing === undefined) return null;
  if (!isReused && search.introduced.has(lastName(symbol))) return null;
  const near = suggest(search, () => nearestWord(missing, new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))));
  const what = `names \`${missing}\`, which is not in that file at the base`;
  const advice = near === null ? 'correct the name' : `did you mean \`${near}\`? Correct the name`;
  return isReused
    ? `${what}; ${advice}, or take it out: only what is there can be reused`
    : `${what}; ${advice}, or say in the step that creates it that it is new`;
}

const changing =
  /\b(?:chang\w+|modif\w+|updat\w+|extend\w*|fix\w*|remov\w+|delet\w+|drop\w*|renam\w+|replac\w+|refactor\w*|reus\w+|cover\w*)\s+(?:the\s+|\w+\s+){0,2}$/i;

/** Whether a pair of names speaks of what is there rather than of what is to be. */
function tellsWhatIsThere({ symbol, sentence }: Citation, { heading }: PlanSection, isReused: boolean): boolean {
  const name = heading.toLowerCase();
  if (isReused || name === 'context') return true;
  return name === 'steps' && changing.test(sentence.slice(0, Math.max(0, sentence.indexOf(`\`${symbol}`))));
}

function withoutCall(symbol: string): string {
  return symbol.replace(/\(.*$/, '').replace(/[?!]$/, '');
}

function namesOf(symbol: string): readonly string[] {
  return withoutCall(symbol)
    .split(/\.|::|->|(?<=.)#/)
    .map((name) => name.replace(/^[@#]/, ''))
    .filter((name) => name !== '');
}

function lastName(symbol: string): string {
  return namesOf(symbol).at(-1) ?? symbol;
}

/** The last name, and each before it that is a type's: modules and objects may go by other names where they are. */
function namesToFind(symbol: string, path: string): readonly string[] {
  const names = namesOf(symbol);
  const stem = path
    .slice(path.lastIndexOf('/') + 1)
    .split('.')[0]
    ?.toLowerCase();
  const owners = names.slice(0, -1).filter((name) => /^\p{Lu}/u.test(name) && name.toLowerCase() !== stem);
  return [...owners, ...names.slice(-1)];
}

const wordCharacter = /[\p{L}\p{N}_$]/u;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + word.length] ?? ' '];
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) return true;
  }
  return false;
}
