/** How somebody may write a secret down to get it past a scan. */
const bytes = (text: string) => Buffer.from(text, 'utf8');
const backwards = (text: string) => text.split('').reverse().join('');
const between = (text: string, mark: string, every = 1) =>
  (text.match(new RegExp(`[^]{1,${every}}`, 'g')) ?? []).join(mark);
const percent = (text: string) => bytes(text).toString('hex').replace(/../g, '%$&');
const base64 = (text: string) => bytes(text).toString('base64');
const hex = (text: string) => bytes(text).toString('hex');

const base32 = (text: string) =>
  (
    [...bytes(text)]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .match(/.{5}/g) ?? []
  )
    .map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(group, 2)))
    .join('');

/** The eight of the requirement. */
export const requiredForms: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => secret,
  'cut 7': (secret) => secret.slice(7),
  reversed: backwards,
  base64,
  hex,
  spaced: (secret) => between(secret, ' '),
  URL: percent,
  half: (secret) => secret.slice(0, Math.floor(secret.length / 2)),
};

/** More of them, for secrets that are known. */
export const furtherForms: Readonly<Record<string, (secret: string) => string>> = {
  'cut 7 at the end': (secret) => secret.slice(0, -7),
  'the other half': (secret) => secret.slice(secret.length / 2),
  'base64 for URLs': (secret) => bytes(secret).toString('base64url'),
  'base64 behind one byte': (secret) => base64(`x${secret}`),
  'base64 behind two bytes': (secret) => base64(`xy${secret}z`),
  'base64 in lines': (secret) => between(base64(secret), '\n', 20),
  'base64 reversed': (secret) => backwards(base64(secret)),
  'base64 of reversed': (secret) => base64(backwards(secret)),
  'base64 twice': (secret) => base64(base64(secret)),
  'base64 of hex': (secret) => base64(hex(secret)),
  'base64 spaced': (secret) => between(base64(secret), ' '),
  'hex in capitals': (secret) => hex(secret).toUpperCase(),
  'hex with colons': (secret) => between(hex(secret), ':', 2),
  'hex reversed': (secret) => backwards(hex(secret)),
  'hex of base64': (secret) => hex(base64(secret)),
  'hex of half': (secret) => hex(secret.slice(0, secret.length / 2)),
  'bytes of C': (secret) => bytes(secret).toString('hex').replace(/../g, '0x$&, '),
  'escapes of a string': (secret) => hex(secret).replace(/../g, '\\x$&'),
  'escapes of JSON': (secret) => hex(secret).replace(/../g, '\\u00$&'),
  'entities of HTML': (secret) => [...bytes(secret)].map((code) => `&#${code};`).join(''),
  'reversed and spaced': (secret) => between(backwards(secret), ' '),
  'a character a line': (secret) => between(secret, '\n'),
  'with dashes': (secret) => between(secret, '-', 3),
  'between backticks and stars': (secret) => between(secret, '`*', 4),
  'with characters that nobody sees': (secret) => between(secret, '\u200b'),
  'in wide letters': (secret) =>
    secret.replace(/[A-Za-z0-9]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  'each letter moved by 13': (secret) =>
    secret.replace(/[a-z]/gi, (letter) =>
      String.fromCharCode(letter.charCodeAt(0) + (/[a-m]/i.test(letter) ? 13 : -13)),
    ),
  'numbers of characters': (secret) => [...bytes(secret)].join(', '),
  'octal escapes': (secret) => [...bytes(secret)].map((byte) => `\\${byte.toString(8)}`).join(''),
  bits: (secret) => [...bytes(secret)].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  base32: (secret) => base32(`x${secret}`),
  'in other case': (secret) => secret.toUpperCase(),
};
