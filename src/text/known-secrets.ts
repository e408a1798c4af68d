/**
 * Finds in a text the secrets that this app itself holds, however somebody wrote them down to get them past a scan:
 * 1. as they are, or a part that is worth something: cut at either end, or one of the halves;
 * 2. with blanks, line breaks, marks or characters that nobody sees between their characters, or in wide letters;
 * 3. backwards;
 * 4. in base64 (also the form for URLs, and from any byte on), in hex of either case, or in escapes of URLs, code or HTML;
 * 5. in two of these ways at once;
 * 6. in base32, in bits, in the numbers of its characters, or with each letter moved by 13.
 * All in one way: of text and secret alike only letters and digits count, without their case, and stretches of each form
 * of a secret are looked up. What of a secret everybody knows (its prefix, a token's header, the public half of a key) is
 * not looked for.
 */
import { withoutEscapes } from './escapes.ts';
import { type FoundSecret, mergeFound } from './found-secret.ts';

export interface KnownSecret {
  readonly value: string;
  /** What it is, e.g. `webhook secret`; never the secret. */
  readonly what: string;
}

export interface KnownSecrets {
  /** From now on it is looked for. One that is too short to be told from words is not. */
  add(secret: KnownSecret): void;
  find(text: string): readonly FoundSecret[];
}

/** Letters that are looked up in one go. */
const stretch = 8;
/** A secret with fewer letters and digits could be a word. */
const leastLetters = 12;
/**
 * Of those added last: a token is over within the hour, and a long one takes half a megabyte here. Older ones are still told
 * by their form.
 */
const mostAdded = 200;

/** One way to write a secret. */
interface Form {
  readonly what: string;
  readonly letters: string;
  /** How many letters in a row are a part that counts. */
  readonly needed: number;
}

interface Place {
  readonly form: Form;
  readonly offset: number;
}

/** @param first those that are looked for for as long as this lives */
export function createKnownSecrets(first: readonly KnownSecret[]): KnownSecrets {
  const places = new Map<string, Place[]>();
  const added = new Map<string, readonly Form[]>();
  const addForms = (secret: KnownSecret) => {
    const forms = formsOf(secret);
    for (const form of forms) {
      for (const { key, place } of placesOf(form)) places.set(key, [...(places.get(key) ?? []), place]);
    }
    return forms;
  };
  const dropForms = (forms: readonly Form[]) => {
    for (const { key } of forms.flatMap(placesOf)) {
      const left = (places.get(key) ?? []).filter(({ form }) => !forms.includes(form));
      if (left.length === 0) places.delete(key);
      else places.set(key, left);
    }
  };
  for (const secret of first) addForms(secret);
  return {
    add: (secret) => {
      if (added.has(secret.value)) return;
      added.set(secret.value, addForms(secret));
      const [oldest] = added;
      if (added.size <= mostAdded || oldest === undefined) return;
      dropForms(oldest[1]);
      added.delete(oldest[0]);
    },
    find: (text) => {
      if (places.size === 0) return [];
      const made = withoutEscapes(text);
      const escaped = made === null ? [] : findIn(places, lettersOf(made.text));
      const inEscapes = escaped.map(({ start, end, what }) => ({
        what,
        start: made?.sourceOf(start) ?? start,
        end: made?.sourceOf(end) ?? end,
      }));
      return mergeFound([...findIn(places, lettersOf(text)), ...inEscapes]);
    },
  };
}

function placesOf(form: Form): readonly { readonly key: string; readonly place: Place }[] {
  const found: { readonly key: string; readonly place: Place }[] = [];
  // A part that counts holds at least one whole stretch of these.
  const step = form.needed - stretch + 1;
  for (let offset = 0; offset + stretch <= form.letters.length; offset += step) {
    found.push({ key: form.letters.slice(offset, offset + stretch), place: { form, offset } });
  }
  return found;
}

function formsOf({ value, what }: KnownSecret): readonly Form[] {
  const secret = secretPart(value);
  const { letters } = lettersOf(secret);
  if (letters.length < leastLetters) return [];
  const part = partThatCounts(secret, letters.length);
  const plain = [secret, backwards(secret)];
  const once = plain.flatMap(encodingsOf);
  const twice = once.flatMap(encodingsOf);
  const numbers = [10, 8].map((base) => [...Buffer.from(secret)].map((byte) => byte.toString(base)).join(''));
  const seldom = [turnedByHalf(secret), ...numbers, bitsOf(secret), ...base32Of(secret)];
  const written = [...plain, ...once, ...twice, ...once.map(backwards), ...twice.map(backwards), ...seldom];
  return written.map((text) => {
    const form = lettersOf(text).letters;
    return { what, letters: form, needed: Math.max(stretch, Math.floor((part * form.length) / letters.length)) };
  });
}

/** A part of a random text is nowhere by chance; of one that is made of words, each word is. */
function partThatCounts(secret: string, letters: number): number {
  const inWords = (secret.match(/[A-Z]?[a-z]{4,}|[A-Z]{4,}/g) ?? []).join('').length;
  if (inWords > letters / 2) return Math.max(leastLetters, Math.ceil(letters * 0.75));
  return letters < 24 ? Math.max(10, letters - 7) : Math.min(32, Math.floor(letters / 3));
}

/** Without what others have in common with it, or may know. */
function secretPart(value: string): string {
  const pem = /-----BEGIN [A-Z ]*PRIVATE KEY-----([\s\S]*?)-----END /.exec(value)?.[1];
  // An RSA key begins with what the public key holds: at most a quarter of it.
  if (pem !== undefined) return pem.slice(Math.floor(pem.length * 0.3));
  const own = value.replace(/^(?:gh[a-z]_|github_pat_|sk-ant-(?:[a-z]+\d*-)?)/, '');
  // The header of a JWT and how its claims begin are alike in all of them.
  return own.replace(/^(?:\d+_)?eyJ[\w-]+\.[\w-]{24}/, '');
}

function backwards(text: string): string {
  return [...text].toReversed().join('');
}

function encodingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  // Behind none, one or two other bytes, without the letters that hold a part of those or of what follows.
  const base64 = [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return letters.replaceAll('=', '').slice(Math.ceil((before * 4) / 3), -1);
  });
  return [...base64, bytes.toString('hex')];
}

function turnedByHalf(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.toLowerCase().charCodeAt(0) - 97;
    return String.fromCharCode(97 + ((code + 13) % 26));
  });
}

function bitsOf(text: string): string {
  return [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

/** From any byte of its groups of five on, without the letters that hold a part of others. */
function base32Of(text: string): readonly string[] {
  const bits = bitsOf(text);
  return [0, 1, 2, 3, 4].map((skipped) => {
    const groups = bits.slice(skipped).match(/.{5}/g) ?? [];
    return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'.charAt(Number.parseInt(group, 2))).join('');
  });
}

interface Letters {
  readonly letters: string;
  /** The offset of each in the text. */
  readonly at: Int32Array;
}

/** The letters and digits of ASCII that a text holds, in lower case; wide and ornate ones count as what they show. */
function lettersOf(text: string): Letters {
  const codes = Buffer.alloc(text.length);
  const at = new Int32Array(text.length);
  let length = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    const letter = code < 128 ? plainLetter(code) : plainLetter(shownCode(text, offset));
    if (letter === 0) continue;
    codes[length] = letter;
    at[length] = offset;
    length += 1;
  }
  return { letters: codes.toString('latin1', 0, length), at };
}

/** In lower case; 0 for what is neither letter nor digit. */
function plainLetter(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return code;
  return code >= 65 && code <= 90 ? code + 32 : 0;
}

/** The one character of ASCII that a character stands for; 0 where it stands for none. */
function shownCode(text: string, offset: number): number {
  const shown = String.fromCodePoint(text.codePointAt(offset) ?? 0).normalize('NFKC');
  return shown.length === 1 ? shown.charCodeAt(0) : 0;
}

function findIn(places: ReadonlyMap<string, readonly Place[]>, { letters, at }: Letters): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  for (let offset = 0; offset + stretch <= letters.length; offset += 1) {
    for (const place of places.get(letters.slice(offset, offset + stretch)) ?? []) {
      const [start, end] = commonPart(letters, offset, place);
      if (end - start < place.form.needed) continue;
      found.push({ what: place.form.what, start: at[start] ?? 0, end: (at[end - 1] ?? 0) + 1 });
      offset = Math.max(offset, end - stretch);
    }
  }
  return found;
}

/** The longest part around the stretch that text and form have in common. */
function commonPart(letters: string, from: number, { form, offset }: Place): readonly [number, number] {
  let [start, own] = [from, offset];
  while (start > 0 && own > 0 && letters.charCodeAt(start - 1) === form.letters.charCodeAt(own - 1)) {
    start -= 1;
    own -= 1;
  }
  let [end, ownEnd] = [from + stretch, offset + stretch];
  while (
    end < letters.length &&
    ownEnd < form.letters.length &&
    letters.charCodeAt(end) === form.letters.charCodeAt(ownEnd)
  ) {
    end += 1;
    ownEnd += 1;
  }
  return [start, end];
}
