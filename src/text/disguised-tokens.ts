/**
 * Finds secrets by their form, though nobody told which, where they are
 * 1. encoded in base64 (also the form for URLs, wrapped, and from any byte on) or in hex (also with marks between bytes);
 * 2. written in escapes of URLs, code or HTML;
 * 3. spaced out;
 * 4. backwards, by themselves or on top of one of these.
 */
import { withoutEscapes } from './escapes.ts';
import type { FoundSecret } from './found-secret.ts';
import { findTokens, tokenPrefixes } from './token-forms.ts';

export function findDisguised(text: string): readonly FoundSecret[] {
  const reversed = backwards(text);
  const turned = [...findTokens(reversed), ...findForward(reversed)];
  return [...findForward(text), ...turned.map((found) => turn(found, text.length))];
}

function findEitherWay(text: string): readonly FoundSecret[] {
  const turned = findTokens(backwards(text));
  return [...findTokens(text), ...turned.map((found) => turn(found, text.length))];
}

function turn({ what, start, end }: FoundSecret, length: number): FoundSecret {
  return { what, start: length - end, end: length - start };
}

function findForward(text: string): readonly FoundSecret[] {
  return [...findEncoded(text, base64), ...findEncoded(text, hex), ...findEscaped(text), ...findSpaced(text)];
}

/** By units of UTF-16, so that offsets can be turned. */
function backwards(text: string): string {
  return text.split('').reverse().join('');
}

interface Encoding {
  /** A run of it, with what may stand between its characters. */
  readonly run: RegExp;
  readonly between: RegExp;
  readonly decode: (characters: string) => string;
  /** Characters that a group of bytes takes: where the first byte begins is not known. */
  readonly group: number;
  readonly charactersPerByte: number;
}

const base64: Encoding = {
  run: /[A-Za-z0-9+/_-][A-Za-z0-9+/_\s-]{50,}/g,
  between: /\s/g,
  decode: (characters) => Buffer.from(characters, 'base64').toString('latin1'),
  group: 4,
  charactersPerByte: 4 / 3,
};

const hex: Encoding = {
  run: /[0-9a-f](?:[^0-9a-z]{0,3}[0-9a-f]){69,}/gi,
  between: /[^0-9a-f]/gi,
  decode: (characters) => Buffer.from(characters, 'hex').toString('latin1'),
  group: 2,
  charactersPerByte: 2,
};

function findEncoded(text: string, encoding: Encoding): readonly FoundSecret[] {
  const { run, between, decode, group, charactersPerByte } = encoding;
  return [...text.matchAll(run)].flatMap(({ index, 0: written }) => {
    const characters = written.replace(between, '');
    return Array.from({ length: group }, (_, skipped) => skipped).flatMap((skipped) =>
      findEitherWay(decode(characters.slice(skipped))).map(({ what, start, end }) => {
        const place = placesIn(written, between);
        const first = skipped + Math.floor(start * charactersPerByte);
        const last = Math.min(skipped + Math.ceil(end * charactersPerByte), characters.length) - 1;
        return { what, start: index + place(first), end: index + place(last) + 1 };
      }),
    );
  });
}

/** The offset of a character of which only those count that stand not in between. */
function placesIn(written: string, between: RegExp): (nth: number) => number {
  const offsets = written.split('').flatMap((character, offset) => (character.search(between) === -1 ? [offset] : []));
  return (nth) => offsets[nth] ?? 0;
}

function findEscaped(text: string): readonly FoundSecret[] {
  const made = withoutEscapes(text);
  if (made === null) return [];
  return [...findTokens(made.text), ...findSpaced(made.text)].map(({ what, start, end }) => ({
    what,
    start: made.sourceOf(start),
    end: made.sourceOf(end - 1) + 1,
  }));
}

const inTokens = /[A-Za-z0-9_.-]/;
/** On average, characters that stand together: those of words are more. */
const mostTogether = 4;

/** Tokens with anything else between their characters, in pieces too short for words. */
function findSpaced(text: string): readonly FoundSecret[] {
  if (!spacedPrefix.test(text)) return [];
  const offsets: number[] = [];
  let joined = '';
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text.charAt(offset);
    if (!inTokens.test(character)) continue;
    offsets.push(offset);
    joined += character;
  }
  return findTokens(joined).flatMap(({ what, start, end }) => {
    const places = offsets.slice(start, end);
    const pieces = places.filter((place, index) => index === 0 || place !== (places[index - 1] ?? 0) + 1).length;
    const isSpaced = pieces * mostTogether >= end - start && isMixed(joined.slice(start, end));
    return isSpaced ? [{ what, start: places[0] ?? 0, end: (places.at(-1) ?? 0) + 1 }] : [];
  });
}

const gap = '[^A-Za-z0-9_.-]{0,4}';
const spacedPrefix = new RegExp(tokenPrefixes.map((prefix) => (prefix.match(/\[\w+\]|./g) ?? []).join(gap)).join('|'));

function isMixed(text: string): boolean {
  return /\d/.test(text) && [/[A-Z]/g, /[a-z]/g].every((kind) => (text.match(kind) ?? []).length >= 3);
}
