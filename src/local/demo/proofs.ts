/** What anybody can try for themselves at the end: the project's tests on the branch, and the receipt. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Screen } from '../../screen.ts';
import { GIT_ENVIRONMENT } from '../forge/git-repository.ts';
import { fullName, type PullRequestIssue } from '../forge/lookup.ts';
import type { Stage } from './stage.ts';
import { WaitFailure } from './waiting.ts';

const mainFile = fileURLToPath(new URL('../../main.ts', import.meta.url));
const programTimeoutMs = 60_000;
const run = promisify(execFile);

export interface Proof {
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/**
 * Clones the branch and runs the project's own tests on it.
 * @throws {WaitFailure} with their output where they do not pass
 */
export async function runProjectTests(stage: Stage, pull: PullRequestIssue, { screen, signal }: Proof): Promise<void> {
  screen.progress('running the tests on the pushed branch');
  const clone = join(stage.folder, 'clone');
  const limits = { signal, timeout: programTimeoutMs };
  const { headRef } = pull.pullRequest;
  await run('git', ['clone', '--quiet', '--branch', headRef, stage.repository.gitDir, clone], {
    ...limits,
    env: { ...GIT_ENVIRONMENT },
  });
  try {
    // Without the environment: a test runner that inherits one of another runner reports to that one.
    await run(process.execPath, ['--test'], { ...limits, cwd: clone, env: {} });
  } catch (error) {
    signal.throwIfAborted();
    throw new WaitFailure(`expected the project's tests to pass on the pushed branch, got:\n${outputOf(error)}`);
  }
  screen.event('tests', `node --test passes on a clone of ${headRef}`);
}

/**
 * Runs `planwright verify` as a process of its own, with the app's environment, against the forge.
 * @throws {WaitFailure} with what it said where not every claim holds
 */
export async function verifyPullRequest(stage: Stage, pull: PullRequestIssue, proof: Proof): Promise<void> {
  const { screen, signal } = proof;
  const reference = `${fullName(stage.repository)}#${pull.number}`;
  screen.event('verify', `npm run verify -- ${reference}`);
  screen.progress('recomputing what the pull request claims');
  try {
    const { stdout } = await run(process.execPath, [mainFile, 'verify', reference], {
      signal,
      timeout: programTimeoutMs,
      env: { ...stage.environment },
    });
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) screen.event('verify', line);
    screen.event('verify', `exit code 0: all ${lines.length} hold`);
  } catch (error) {
    signal.throwIfAborted();
    throw new WaitFailure(`expected every claim of ${reference} to hold, got:\n${outputOf(error)}`);
  }
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const streams = ['stdout', 'stderr'].map((name) => String(Reflect.get(error, name) ?? '').trim());
  return streams.filter((text) => text !== '').join('\n') || error.message;
}
