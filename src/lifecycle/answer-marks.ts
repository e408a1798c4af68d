/** How people say which question they answer: by its number, by the letter of a suggestion, by quoting it. */
import type { Question } from './memory.ts';

/** The letter by which people choose a suggestion. */
export function letterOf(suggestion: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + suggestion);
}

const marker = new RegExp(
  [
    '^ {0,2}(?:[-*+] {1,3})?(?:#{1,6} {1,3})?',
    String.raw`(?<bold>\*\*|__)?(?:(?<label>#|q(?:uestion)? ?)|\()?(?<number>\d{1,2})`,
    String.raw`(?<point>[.):](?!\d))?(?<end>\*\*|__)?(?<colon>:(?!\d))?(?![\p{L}\p{N}#*_/.-])[ \t]*(?<rest>.*)$`,
  ].join(''),
  'iu',
);

/**
 * The number that a line begins with, and what stands behind it: `1. b`, `1) b`, `1: b`, `(1) b`, `#1 b`, `Q1 b`,
 * `**1.** b`. A number further in, as of a list within an answer, is part of the text.
 */
export function readMarker(line: string): { readonly number: number; readonly rest: string } | null {
  const found = marker.exec(line)?.groups;
  if (found === undefined) return null;
  const { bold, label, number, point, end, colon, rest = '' } = found;
  const isMarked =
    label !== undefined || point !== undefined || colon !== undefined || (bold !== undefined && end !== undefined);
  if (!isMarked) return null;
  return { number: Number(number), rest: bold !== undefined && end === undefined ? `${bold}${rest}` : rest };
}

export interface Choice {
  readonly question: number;
  readonly letter: string;
}

/** A line of numbers with the letters of suggestions alone: `1b, 2a`. Empty for every other line. */
export function readChoices(line: string, questions: readonly Question[]): readonly Choice[] {
  if (!/^\s*(?:\d{1,2}[.):]? ?[a-z][,;.]?\s*)+$/i.test(line)) return [];
  const choices = [...line.matchAll(/(\d{1,2})[.):]? ?([a-z])/gi)].map(([, number = '', letter = '']) => ({
    question: Number(number),
    letter: letter.toLowerCase(),
  }));
  const isOffered = ({ question, letter }: Choice) =>
    questions[question - 1]?.suggestions.some((_, index) => letterOf(index) === letter) === true;
  return choices.every(isOffered) ? choices : [];
}

/** The suggestion that a text chooses, where it is nothing but its letter or its number; else the text itself. */
export function chosenText(text: string, { suggestions }: Question): string {
  if (text.length > 12) return text;
  const word = text.replaceAll(/[\s*_`"'().:]/g, '').toLowerCase();
  // A number may be meant as one.
  const hasNumbers = suggestions.some((suggestion) => /\p{N}/u.test(suggestion));
  const isChosen = (index: number) => word === letterOf(index) || (!hasNumbers && word === String(index + 1));
  return suggestions.find((_, index) => isChosen(index)) ?? text;
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** The questions that a quotation is of: by their number, or by their words. */
export function quotedQuestions(rows: readonly string[], questions: readonly Question[]): readonly number[] {
  const quoted = rows.map((row) => row.replace(/^ {0,3}> ?/, ''));
  const isAsked = (number: number) => number >= 1 && number <= questions.length;
  const numbered = quoted.flatMap((row) => readMarker(row)?.number ?? []).filter(isAsked);
  if (numbered.length > 0) return [...new Set(numbered)];
  const words = new Set(quoted.map(lettersOf));
  return questions.flatMap(({ text }, index) => (words.has(lettersOf(text)) ? [index + 1] : []));
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** One line; or all lines of the quotation, or of the fenced code, that begins there. */
export function blockAt(lines: readonly string[], at: number): readonly string[] {
  const line = lines[at] ?? '';
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) return lines.slice(at, endOfFence(lines, at, fence));
  if (!isQuote(line)) return [line];
  let end = at + 1;
  while (end < lines.length && isQuote(lines[end] ?? '')) end += 1;
  return lines.slice(at, end);
}

function endOfFence(lines: readonly string[], at: number, fence: string): number {
  for (let row = at + 1; row < lines.length; row += 1) {
    const text = lines[row]?.trim() ?? '';
    if (text.length >= fence.length && text === fence.charAt(0).repeat(text.length)) return row + 1;
  }
  return lines.length;
}
