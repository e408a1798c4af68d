/** What is asked for, as a Markdown file says it. */
import type { IssueText } from '../agent/brief.ts';
import { renderText } from '../text/rendered-text.ts';

/** GitHub's own limit for the body of an issue. */
const maxCharacters = 65_536;
const byteOrderMark = /^\uFEFF/;
const underline = /^ {0,3}(?:=+|-+)\s*$/;

/** A dry run has no issue on GitHub; its plan names this one. */
const dryRunIssue = 1;

/** The issue, or one line that says why there is none. */
export type ParsedIssue = { readonly issue: IssueText } | { readonly problem: string };

/** The first line that is not blank is the title, with or without the mark of a heading; what follows is the body. */
export function parseIssueFile(bytes: Uint8Array, name: string): ParsedIssue {
  const text = decode(bytes);
  if (text === null) return { problem: `expected Markdown in UTF-8 in ${name}, got other bytes` };
  if (text.length > maxCharacters) {
    return {
      problem: `expected at most ${maxCharacters} characters in ${name}, as GitHub takes, got ${text.length}; shorten it`,
    };
  }
  const lines = text.replace(byteOrderMark, '').replaceAll(/\r\n?/g, '\n').split('\n');
  const at = lines.findIndex((line) => line.trim() !== '');
  const title = readTitle(lines[at] ?? '');
  if (title === '') return { problem: `expected a title in the first line of ${name}, got none; write what is wanted` };
  const isUnderlined = !lines[at]?.startsWith('#') && underline.test(lines[at + 1] ?? '');
  const body = lines
    .slice(at + (isUnderlined ? 2 : 1))
    .join('\n')
    .trim();
  const seen = renderText(body);
  if ('refused' in seen) return { problem: `${name} cannot be read as GitHub would show it: ${seen.refused}` };
  const hidden = seen.hidden === 0 ? {} : { hidden: seen.hidden };
  return {
    issue: { number: dryRunIssue, title, body: { author: 'you', trust: 'requester', text: seen.text, ...hidden } },
  };
}

/** `null` for what is no text. */
function decode(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function readTitle(line: string): string {
  return line
    .trim()
    .replace(/^#{1,6}(?:\s+|$)/, '')
    .replace(/\s+#+$/, '')
    .trim();
}
