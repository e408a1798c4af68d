/**
 * Finds secrets in a text: in the forms in which services hand them out, and those of this app's own kind also encoded,
 * spaced out or backwards; and in any form those that this app holds.
 */
import { findDisguised } from './disguised-tokens.ts';
import { isExampleSecret } from './example-secrets.ts';
import { type FoundSecret, mergeFound } from './found-secret.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { findTokens } from './token-forms.ts';

type Lint = (text: string) => Promise<readonly FoundSecret[]>;

/** Characters that are looked at in one go; between two goes the process does other things. */
const windowLength = 256 * 1024;
/** Two goes share as much, so that what lies across their border is found: no form is longer. */
const overlap = 24 * 1024;

/** No secret is shorter, or a part of one that counts. */
const leastCharacters = 10;
/** Beyond as many raw hits in a text no further ones are looked for. */
const mostHits = 2000;

export interface SecretScan {
  /** In the order of the text, none within another. */
  readonly found: readonly FoundSecret[];
  /** False where there were so many that the rest of the text was not looked at. */
  readonly isComplete: boolean;
}

/** @param known what this app holds, where it is known here */
export async function findSecrets(text: string, known?: KnownSecrets): Promise<SecretScan> {
  if (text.length < leastCharacters) return { found: [], isComplete: true };
  const lint = await openLint();
  const hits: FoundSecret[] = [];
  let at = 0;
  for (; at < text.length && hits.length < mostHits; at += windowLength - overlap) {
    const window = text.slice(at, at + windowLength);
    const byForm = [...findTokens(window), ...findDisguised(window), ...(await lint(window))];
    const real = byForm.filter(({ start, end }) => !isExampleSecret(window.slice(start, end)));
    // Those first that tell more of what they found.
    const found = [...(known?.find(window) ?? []), ...real];
    for (const hit of found) hits.push({ ...hit, start: hit.start + at, end: hit.end + at });
    await new Promise(setImmediate);
  }
  return { found: mergeFound(hits), isComplete: at >= text.length };
}

/** Loaded when the first text is scanned: the start of the app does not wait for it. */
async function openLint(): Promise<Lint> {
  const [{ lintSource }, { secretLintProfiler }, { rules }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/profiler'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  // It would keep a mark of every call for as long as the process lives.
  secretLintProfiler.setEnabled(false);
  const config = {
    rules: rules
      // Not those by which a text declares its own secrets harmless.
      .filter(({ meta }) => !meta.id.endsWith('-filter-comments'))
      .map((rule) => ({ id: rule.meta.id, rule, options: {} })),
  };
  // A name of no file: by that of a real one some rules would read the disk.
  const source = { filePath: 'text.txt', ext: '.txt', contentType: 'text' } as const;
  return async (text) => {
    const content = text.replace(/^\ufeff/, ' ');
    const { messages } = await lintSource({
      source: { ...source, content },
      options: { config, noPhysicFilePath: true },
    });
    // The number of an account is no secret.
    return messages
      .filter(({ messageId }) => messageId !== 'AWSAccountID')
      .map(({ ruleId, range: [start, end] }) => ({ start, end, what: nameOf(ruleId) }));
  };
}

function nameOf(ruleId: string): string {
  return `${ruleId.replace(/^.*secretlint-rule-/, '').replaceAll('-', ' ')} secret`;
}
