/** What a remote says when it refuses, read from git's words. Git speaks English here: LC_ALL is C. */

/** A sentence for people where the cause is known; otherwise git's words. Given text is free of tokens. */
export function explainRemote(stderr: string): string {
  const words = remoteLines(stderr);
  const said = words === '' ? '' : ` It said: ${words}`;
  if (/returned error: 401|Authentication failed|could not read Username|could not read Password/.test(stderr)) {
    return `the server does not accept the token (401); check that the app is still installed on the repository.${said}`;
  }
  if (/returned error: 403/.test(stderr)) {
    return `the server forbids it (403); check the app's permission on contents and that the repository is not archived.${said}`;
  }
  if (/returned error: 404|repository '.*' not found|Repository not found/i.test(stderr)) {
    return `the repository was not found (404); it may be gone, or the app may not be installed on it.${said}`;
  }
  if (/unable to update url base from redirection|returned error: 30\d/.test(stderr)) {
    return 'the server answered with a redirection, which is not followed as it could lead the token elsewhere';
  }
  return firstFatal(stderr);
}

/**
 * What a refused push means, and what to do.
 * Source: what github.com answers to a push, and its documents on rules and limits.
 */
const refusals: readonly (readonly [words: RegExp, meaning: string])[] = [
  [
    /refusing to allow .* without `?workflows?`? (?:permission|scope)/i,
    'the app lacks the permission "workflows: write", without which nobody changes files beneath .github/workflows; grant it and accept it for the installation, or leave these files out of the plan',
  ],
  [
    /verified signatures/i,
    "a rule of the repository asks for signed commits, and the app's are not signed; exempt the app or the branches planwright/* from it",
  ],
  [
    /GH001|exceeds GitHub's file size limit/i,
    'a file is larger than GitHub takes; leave it out, or have the repository keep it elsewhere',
  ],
  [/push protection|GH013.*secret/i, 'GitHub has found what looks like a secret; have it taken out of the change'],
  [
    /GH006|GH013|protected branch|rule violations/i,
    'a rule of the repository forbids this push; exempt the app or the branches planwright/* from it',
  ],
];

/** What the remote said to a push that it refuses, with what that means where it is known. */
export function explainRefusal(words: string): string {
  const meaning = refusals.find(([pattern]) => pattern.test(words))?.[1];
  return meaning === undefined ? words : `${meaning}. GitHub said: ${words}`;
}

/** Whether the server turned the token away. */
export function isDenied(stderr: string): boolean {
  return /returned error: 40[134]|Authentication failed|could not read (?:Username|Password)|repository '.*' not found/i.test(
    stderr,
  );
}

/** Whether the answer is that the asked commit cannot be had by its SHA. */
export function lacksCommit(stderr: string): boolean {
  return /not our ref|does not allow request for unadvertised object|couldn't find remote ref|no such remote ref/i.test(
    stderr,
  );
}

/** The remote's own lines (`remote: …`), in one. */
export function remoteLines(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).flatMap((line) => {
    const text = /^remote:\s*(.*)$/.exec(line)?.[1];
    return text === undefined ? [] : [plain(text)];
  });
  return lines
    .filter((line) => line !== '' && !/^(?:Resolving deltas|Compressing objects|Counting objects)\b/.test(line))
    .join(' ')
    .slice(0, 1000);
}

/** `!\t<from>:<to>\t<summary>` of `git push --porcelain`; `null` where the remote did not get to answer. */
export function rejection(porcelain: string): string | null {
  const line = porcelain.split('\n').find((text) => text.startsWith('!\t'));
  const summary = line?.split('\t')[2];
  return summary === undefined ? null : plain(summary);
}

function firstFatal(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).map(plain);
  const found = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.find((line) => line !== '');
  return found?.slice(0, 1000) ?? 'git said nothing';
}

/** Without control characters and the terminal's escape sequences. */
function plain(text: string): string {
  const start = String.fromCharCode(27);
  return text
    .replaceAll(new RegExp(`${start}\\[[0-9;]*[A-Za-z]`, 'g'), '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
}
