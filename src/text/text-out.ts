/**
 * The one gate that text of models, files and people passes before this app posts it: it notifies nobody, closes and
 * links nothing, hides nothing, loads nothing, and fits. Markers and sentences of this app are put around it afterwards.
 */
import { hasManyLines, isNestedDeep } from './deep-nesting.ts';
import { visibleText } from './hidden-characters.ts';
import { editUntilCalm, type Node, parseGfm, plainText } from './markdown-edits.ts';

/** Most characters (code points) of a body of an issue, pull request or comment; GitHub answers 422 beyond. */
export const maxBodyCharacters = 65_536;
/** Most characters of a check run's summary. Source: https://docs.github.com/rest/checks/runs#create-a-check-run */
export const maxSummaryCharacters = 65_535;
/** Most characters of a title. */
export const maxTitleCharacters = 256;

/** A text of more characters, lines or marks is shown as code, as a hostile one would take a Markdown parser seconds. */
const maxCleanedCharacters = 8_000;
const maxCleanedLines = 600;
const maxCleanedMarks = 1_500;
/** Most characters of one line that is not to be code. */
const maxInlineCharacters = 2_000;

export interface OutRules {
  /** The one issue that may be referred to: the thread's own. */
  readonly ownIssue: number;
}

/**
 * Markdown that is safe to post. Mentions, references and addresses of issues become code, which GitHub does not act on;
 * HTML becomes visible text, HTML comments and images go; code stays as it is. Cleaning twice changes nothing more.
 */
export function cleanMarkdown(text: string, rules: OutRules): string {
  const visible = visibleText(text);
  if (isCostly(visible)) return linesAsCode(visible);
  // What does not come to rest is shown as it is, where GitHub does nothing with it.
  return (
    editUntilCalm(visible, (node, source) => escapeHtml(node, source) ?? neutralise(node, source, rules)) ??
    linesAsCode(visible)
  );
}

function isCostly(text: string): boolean {
  const isLong = text.length > maxCleanedCharacters || hasManyLines(text, maxCleanedLines);
  return isLong || (text.match(/[*_~]/g) ?? []).length > maxCleanedMarks || isNestedDeep(text);
}

/**
 * One line of Markdown that is safe wherever a line may stand: behind words, at the start of a list item, beside another
 * such line. What is open in it (a mark of code, a tag, a link) cannot be closed by what stands behind it.
 */
export function cleanInline(text: string, rules: OutRules, maxCharacters = maxInlineCharacters): string {
  const line = cleanLine(text, maxCharacters);
  if (line === '' || isPlainWords(line)) return line;
  const change = (node: Node, source: string) =>
    escapeHtml(node, source) ?? neutralise(node, source, rules) ?? closeText(node, source);
  const cleaned = line.length > maxInlineCharacters ? null : editUntilCalm(`x ${line}`, change);
  if (cleaned?.startsWith('x ') !== true) return inlineCode(line);
  const inline = cleaned.slice(2).trim();
  const isSafe = inline === '' || (isParagraph(inline) && editUntilCalm(inline, change) === inline);
  return isSafe ? inline : inlineCode(line);
}

/** Most lines are, and need no parser. */
function isPlainWords(line: string): boolean {
  return (
    /^[A-Za-z][\w ,;:.'"()?!%$/…-]*$/.test(line) && !/_|www\.|\/\/|\bgh-\d|\/(?:issues|pull|discussions)\//i.test(line)
  );
}

function isParagraph(text: string): boolean {
  if (isNestedDeep(text)) return false;
  const { children } = parseGfm(text);
  return children.length === 1 && children[0]?.type === 'paragraph';
}

/** Text with marks that could pair with others is written so that they cannot; `null` where it has none. */
function closeText(node: Node, source: string): string | null {
  if (node.type !== 'text') return null;
  const unescaped = source.replace(/\\[!-/:-@[-`{-~]/g, '');
  return /`|<(?=[A-Za-z/!?]|$)|&(?=#?\w+;)|\](?=[([:]|$)|\\$/.test(unescaped) ? escapeText(node.value) : null;
}

/** Each line as inline code, which holds wherever the text is put: a fence would not, in a list or behind a word. */
function linesAsCode(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : inlineCode(line)))
    .join('\n');
}

/** One line of plain text, for titles and names: no line break, no control character, cut with an ellipsis. */
export function cleanLine(text: string, maxCharacters: number): string {
  const line = visibleText(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

/**
 * One line of plain text that is active nowhere, for titles: they end up in commit messages, where code is text like any
 * other. A blank keeps a mention, a reference, the address of an issue or a word that skips checks from being one.
 * Source: https://docs.github.com/actions/how-tos/manage-workflow-runs/skip-workflow-runs
 */
export function inertLine(text: string, maxCharacters: number): string {
  const inert = cleanLine(text, maxCharacters)
    .replace(active, (found) => found.replace(/[@#](?=\w)/g, '$& ').replace(/(?<=gh)-(?=\d)/gi, ' '))
    .replace(/(?<=\/(?:issues|pull|discussions)\/)(?=\d)/gi, ' ')
    .replace(/\[(?! )(?=(?:[^\]]*\bskip\b[^\]]*|no[ -]ci)\])/gi, '[ ')
    .replace(/\*{3}(?=NO_CI)/gi, '');
  return cleanLine(inert, maxCharacters);
}

/** HTML that would be rendered becomes text that can be read; comments go, closed or not. */
function escapeHtml(node: Node, source: string): string | null {
  if (node.type !== 'html') return null;
  return source.replace(/<!--[\s\S]*?(?:-->|$)/g, '').replaceAll('<', '&lt;');
}

const name = String.raw`@[A-Za-z\d][\w-]*(?:\/[\w.-]*\w)?`;
const number = String.raw`#\d+|[Gg][Hh]-\d+\b`;
const active = new RegExp(
  String.raw`(?:(?<![\w/.])${name}|(?<!\w)(?:[A-Za-z\d][\w.-]*\/[\w.-]+)?#\d+|\b[Gg][Hh]-\d+\b)(?:${name}|${number})*`,
  'g',
);

function neutralise(node: Node, source: string, rules: OutRules): string | null {
  if (node.type === 'text') return neutraliseText(node.value, rules);
  // A block of this kind in a review comment is an offer to commit its lines.
  if (node.type === 'code' && /^suggestion$/i.test(node.lang ?? ''))
    return source.replace(/^([`~]+[ \t]*)\S+/, '$1text');
  if (node.type === 'image') return `${inlineCode(node.alt || 'image')} (${inlineCode(node.url)})`;
  if (node.type === 'link') return neutraliseLink(node.url, plainText(node), rules);
  return node.type === 'definition' || node.type === 'imageReference' ? inlineCode(source) : null;
}

/** The text as it reads, its active parts as code; `null` where it has none. */
function neutraliseText(value: string, rules: OutRules): string | null {
  const isActive = (found: string): boolean => found !== `#${rules.ownIssue}`;
  const found = [...value.matchAll(active)].filter(([each]) => isActive(each));
  if (found.length === 0) return null;
  let at = 0;
  let result = '';
  for (const match of found) {
    result += `${escapeText(value.slice(at, match.index))}\`${match[0]}\``;
    at = match.index + match[0].length;
  }
  return result + escapeText(value.slice(at));
}

/** Shows where a link leads instead of leading there. */
function neutraliseLink(url: string, label: string, rules: OutRules): string {
  const target = url.replace(/^mailto:/, '');
  if (label === '' || label === target) return inlineCode(target);
  return `${neutraliseText(label, rules) ?? escapeText(label)} (${inlineCode(target)})`;
}

/** Text that shows as it is in Markdown, but for what GitHub makes active. */
export function escapeText(value: string): string {
  return value
    .replace(/[\\`*_{}[\]<>&|~!]/g, '\\$&')
    .replace(/^(\s*)([#+=-])/gm, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/gm, '$1\\$2');
}

const cutNotice = '\n\n_This text was cut here because it is too long for GitHub._';

/**
 * The text within the limit, `reserved` characters less: cut at the end of a line where there is one, with an open code
 * fence closed, and saying that it was cut.
 */
export function fitBody(text: string, maxCharacters: number, reserved = 0, notice = cutNotice): string {
  const characters = [...text];
  const limit = maxCharacters - reserved;
  if (characters.length <= limit) return text;
  const room = limit - [...notice].length;
  const kept = characters.slice(0, room).join('');
  const shorter = cutAtLine(kept);
  const fence = openFence(shorter);
  if (fence === null) return shorter + notice;
  const closing = `\n${fence}`;
  return cutAtLine(characters.slice(0, room - closing.length).join('')) + closing + notice;
}

function cutAtLine(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > text.length / 2 ? text.slice(0, end) : text;
}

/** The text with a code fence closed that is open at its end: what follows is not swallowed by it. */
export function closeFence(text: string): string {
  const fence = openFence(text);
  return fence === null ? text : `${text}\n${fence}`;
}

/** The fence that is still open at the end of a text; `null` where none is. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence?.[1] === undefined) continue;
    // Behind backticks, more of them make it code in a line.
    const isInline = fence[1].startsWith('`') && fence[2]?.includes('`') === true;
    if (open === null) open = isInline ? null : fence[1];
    else if (fence[1].startsWith(open) && fence[2]?.trim() === '') open = null;
  }
  return open;
}

/** Text in a code fence that it cannot leave. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text as inline code that it cannot leave: for paths, commands and names. */
export function inlineCode(text: string): string {
  return codeSpan(cleanLine(text, 500));
}

/** The same of a line of which nothing may be left out, nor look other than it is: every blank stays, and it is not cut. */
export function wholeInlineCode(text: string): string {
  return codeSpan(visibleText(text).replaceAll('\n', ' '));
}

function codeSpan(line: string): string {
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
