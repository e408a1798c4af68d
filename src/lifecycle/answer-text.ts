/** How the text of one comment reads as answers to numbered questions. Linear in its length, whatever it holds. */
import { blockAt, chosenText, isQuote, quotedQuestions, readChoices, readMarker } from './answer-marks.ts';
import type { Question } from './memory.ts';

export interface AnswerText {
  /** By the question's number, counted from 1: only the questions that something is said to. */
  readonly answers: ReadonlyMap<number, string>;
  /** What stands under no number; empty where all of it does. */
  readonly remark: string;
}

/** The part of a comment under one number, or under none. */
interface Section {
  readonly question: number | null;
  readonly lines: string[];
}

/** With one question alone, whatever is said is its answer. */
export function readAnswerText(body: string, questions: readonly Question[]): AnswerText {
  const told = splitSections(body, questions).filter((section) => saysSomething(textOf(section)));
  const [only] = questions;
  if (questions.length === 1 && only !== undefined) return readOnlyAnswer(body, told, only);
  const answers = new Map<number, string>();
  for (const [index, question] of questions.entries()) {
    const said = told.filter((section) => section.question === index + 1).map(textOf);
    if (said.length > 0) answers.set(index + 1, said.map((text) => chosenText(text, question)).join('\n'));
  }
  const beside = told.filter(({ question }) => question === null);
  return { answers, remark: beside.map(textOf).join('\n\n') };
}

/** One number before an only answer is not part of it; a list in it is. */
function readOnlyAnswer(body: string, told: readonly Section[], question: Question): AnswerText {
  const [first] = told;
  const text = first?.question === 1 && told.length === 1 ? textOf(first) : body.trim();
  return { answers: new Map(saysSomething(text) ? [[1, chosenText(text, question)]] : []), remark: '' };
}

function textOf({ lines }: Section): string {
  return lines.join('\n').trim();
}

/** Dots and dashes alone, as in a form that was left empty, say nothing. */
function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text);
}

function splitSections(body: string, questions: readonly Question[]): readonly Section[] {
  const lines = body.split(/\r\n?|\n/);
  let last: Section = { question: null, lines: [] };
  const sections = [last];
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at);
    const begun = sectionsOf(block, questions);
    if (begun.length === 0) for (const line of block) last.lines.push(line);
    sections.push(...begun);
    last = begun.at(-1) ?? last;
    at += block.length;
  }
  return sections;
}

/** The sections that begin with a block; none where it belongs to the section before it. */
function sectionsOf(block: readonly string[], questions: readonly Question[]): readonly Section[] {
  const [line = ''] = block;
  if (isQuote(line)) {
    const [first, ...others] = quotedQuestions(block, questions);
    if (first === undefined) return [];
    return [{ question: others.length === 0 ? first : null, lines: [] }];
  }
  if (block.length > 1) return [];
  const choices = readChoices(line, questions);
  if (choices.length > 0) return choices.map(({ question, letter }) => ({ question, lines: [letter] }));
  const marker = readMarker(line);
  if (marker === null) return [];
  const isAsked = marker.number >= 1 && marker.number <= questions.length;
  return [isAsked ? { question: marker.number, lines: [marker.rest] } : { question: null, lines: [line] }];
}
