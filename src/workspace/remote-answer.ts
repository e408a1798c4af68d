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
