/**
 * What a plan may not hold, as GitHub shows the file with it to everybody who opens it:
 * 1. images of other hosts, which are loaded from there, and carry in their address whatever was put there;
 * 2. links to other hosts, which carry the same as soon as somebody follows them;
 * 3. HTML, which loads and links like both, or is not seen at all.
 * Addresses in code are neither loaded nor followed.
 */
import { isNestedDeep } from '../text/deep-nesting.ts';
import { editUntilCalm, type Node, parseWithoutEmphasis, plainText } from '../text/markdown-edits.ts';
import { escapeText, fenced, inlineCode } from '../text/text-out.ts';
import { splitFrontMatter } from './front-matter.ts';
import { bodyExcess, longLine } from './plan-excess.ts';
import { maxPlanCharacters } from './plan-file.ts';

/** The host that an address names, with its port; `null` for what is no address. */
export function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host : null;
}

/** One finding for each place, with its line and what to write instead. None where the text would take too long to read. */
export function lintForeign(text: string, ownHost: string | null): readonly string[] {
  const { body, firstLine } = bodyOf(text);
  if (isCostly(body)) return [];
  const findings: string[] = [];
  const visit = (node: Node): void => {
    const what = foreignWhat(node, ownHost);
    const line = (node.position?.start.line ?? 1) + firstLine - 1;
    if (what !== null) findings.push(`line ${line}: ${what}`);
    else if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(parseWithoutEmphasis(body));
  return findings;
}

const rounds = 3;

/** The text with all of that shown as code instead; what was inert already stays byte for byte. */
export function withoutForeign(text: string, ownHost: string | null): string {
  const { head, body } = bodyOf(text);
  const change = (node: Node, source: string) => (foreignWhat(node, ownHost) === null ? null : shown(node, source));
  const inert = isCostly(body) ? null : editUntilCalm(body, change, { parse: parseWithoutEmphasis, rounds });
  if (inert === body) return text;
  return `${head}${inert ?? `${fenced(body.trimEnd(), 'markdown')}\n`}`;
}

/** No plan is one of these; the lint says so. */
function isCostly(body: string): boolean {
  const isLong = body.length > maxPlanCharacters || longLine(body.split('\n')) !== -1;
  return isLong || bodyExcess(body) !== null || isNestedDeep(body);
}

interface Body {
  readonly head: string;
  readonly body: string;
  /** The number of its first line in the file. */
  readonly firstLine: number;
}

function bodyOf(text: string): Body {
  const parts = splitFrontMatter(text);
  if (parts === null) return { head: '', body: text, firstLine: 1 };
  return {
    head: `---\n${parts.yaml === '' ? '' : `${parts.yaml}\n`}---\n`,
    body: parts.body,
    firstLine: parts.bodyLine,
  };
}

/** Why a node may not stay; `null` where it may. */
function foreignWhat(node: Node, ownHost: string | null): string | null {
  if (node.type === 'html') return 'HTML, which does not show as it is written; put it in backticks, or leave it out';
  if (node.type !== 'image' && node.type !== 'link' && node.type !== 'definition') return null;
  const place = foreignPlace(node.url, ownHost);
  if (place === null) return null;
  const name = node.type === 'image' ? 'an image' : 'a link';
  return `${name} that leads to ${place}; write its address in backticks, or leave it out`;
}

/** Relative addresses lead to the repository. */
function foreignPlace(url: string, ownHost: string | null): string | null {
  const here = 'https://here.invalid';
  if (!URL.canParse(url, `${here}/`)) return 'no known place';
  const { origin, protocol, host } = new URL(url, `${here}/`);
  if (origin === here) return null;
  if (protocol !== 'https:' && protocol !== 'http:') return `an address of the kind ${inlineCode(protocol)}`;
  return host === ownHost ? null : inlineCode(host);
}

function shown(node: Node, source: string): string {
  if (node.type === 'image') return `${escapeText(oneLine(node.alt ?? 'image'))} (${inlineCode(node.url)})`;
  if (node.type !== 'link') return node.type === 'html' ? source.replaceAll('<', '&lt;') : inlineCode(source);
  const label = oneLine(plainText(node));
  const target = node.url.replace(/^mailto:/, '');
  return label === '' || label === target || `http://${label}` === target
    ? inlineCode(label || target)
    : `${escapeText(label)} (${inlineCode(node.url)})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
