/** Finds secrets in the forms in which services hand them out. Encoded or cut ones are not looked for here. */

interface FoundSecret {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** What it seems to be, e.g. `GitHub token`; never the secret. */
  readonly what: string;
}

type Lint = (text: string) => Promise<readonly FoundSecret[]>;

/** Characters that are looked at in one go; between two goes the process does other things. */
const windowLength = 256 * 1024;
/** Two goes share as much, so that what lies across their border is found: no form is longer. */
const overlap = 24 * 1024;

const ownForms = [
  // Also the long form of an installation's token, `ghs_<app>_<JWT>`.
  { what: 'GitHub token', form: /gh[opsur]_[A-Za-z0-9._-]{35,}[A-Za-z0-9_-]|github_pat_[A-Za-z0-9_]{36,}/g },
  { what: 'Anthropic API key', form: /sk-ant-[A-Za-z0-9_-]{24,}/g },
  // With a body, so that code may speak of the header; lines may be joined by escapes or quotes.
  {
    what: 'private key',
    form: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,200}?[A-Za-z0-9+/=]{40}[\w+/=\s\\"',]{0,9000}/g,
  },
];

/** Beyond as many raw hits in a text no further ones are looked for. */
const mostHits = 2000;

export interface SecretScan {
  /** In the order of the text, none within another. */
  readonly found: readonly FoundSecret[];
  /** False where there were so many that the rest of the text was not looked at. */
  readonly isComplete: boolean;
}

export async function findSecrets(text: string): Promise<SecretScan> {
  const lint = await openLint();
  const hits: FoundSecret[] = [];
  let at = 0;
  for (; at < text.length && hits.length < mostHits; at += windowLength - overlap) {
    const window = text.slice(at, at + windowLength);
    for (const hit of [...findOwnForms(window), ...(await lint(window))]) {
      hits.push({ ...hit, start: hit.start + at, end: hit.end + at });
    }
    await new Promise(setImmediate);
  }
  return { found: merge(hits), isComplete: at >= text.length };
}

function findOwnForms(text: string): readonly FoundSecret[] {
  return ownForms.flatMap(({ what, form }) =>
    [...text.matchAll(form)].map(({ index, 0: match }) => ({ what, start: index, end: index + match.length })),
  );
}

/** Hits that overlap are of one secret, which the first of them names: the own forms have the plainer names. */
function merge(hits: readonly FoundSecret[]): readonly FoundSecret[] {
  const merged: FoundSecret[] = [];
  for (const hit of hits.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || hit.start >= last.end) merged.push(hit);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, hit.end) };
  }
  return merged;
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
