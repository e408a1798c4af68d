/** The forms of the secrets that this app itself is handed, or lives beside, as they are handed out. */
import type { FoundSecret } from './found-secret.ts';

/** How such tokens begin, as sources of expressions. */
export const tokenPrefixes: readonly string[] = ['gh[opsur]_', 'github_pat_', 'sk-ant-'];

const forms = [
  // Also the long form of an installation's token, `ghs_<app>_<JWT>`.
  { what: 'GitHub token', form: /gh[opsur]_[A-Za-z0-9._-]{35,}[A-Za-z0-9_-]|github_pat_[A-Za-z0-9_]{36,}/g },
  { what: 'Anthropic API key', form: /sk-ant-[A-Za-z0-9_-]{24,}/g },
  // With a body, so that code may speak of the header; lines may be joined by escapes or quotes.
  {
    what: 'private key',
    form: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,200}?[A-Za-z0-9+/=]{40}[\w+/=\s\\"',]{0,9000}/g,
  },
];

export function findTokens(text: string): readonly FoundSecret[] {
  return forms.flatMap(({ what, form }) =>
    [...text.matchAll(form)].map(({ index, 0: match }) => ({ what, start: index, end: index + match.length })),
  );
}
