/** The same path with a real model, on a copy of somebody's repository, with a person at the forge's pages. */
import { basename, resolve } from 'node:path';
import type { Screen } from '../../screen.ts';
import { git, resolveCommit, tryGit } from '../forge/git-repository.ts';
import { fullName } from '../forge/lookup.ts';
import { addLabels } from '../forge/operations.ts';
import { personActor } from '../forge/setup.ts';
import type { Repository } from '../forge/state.ts';
import { createNarrator } from './narrator.ts';
import { explainByLog, openStage, parseIssue, type StageOptions } from './stage.ts';
import { createWait, WaitFailure } from './waiting.ts';

export interface RealDemoOptions {
  readonly screen: Screen;
  readonly programPath: string;
  readonly signal: AbortSignal;
  /** Folder of a git repository; only read. */
  readonly repository: string;
  /** First line: the title. */
  readonly issue: string;
  readonly model: StageOptions['model'];
}

/**
 * Runs until the signal fires.
 * @throws {WaitFailure} where the folder holds no commit, {AppFailure} where the app ends.
 */
export async function hostRealDemo(options: RealDemoOptions, cleanup: AsyncDisposableStack): Promise<void> {
  const { screen, signal } = options;
  const source = resolve(options.repository);
  screen.print(`Planwright demo with the real model, on a copy of what is committed at HEAD of ${source}.`);
  screen.progress('starting forge and app');
  const stage = await openStage(
    {
      project: {
        name: basename(source).replaceAll(/[^A-Za-z0-9._-]/g, '-'),
        fill: (repository) => copyHead(source, repository),
        issue: parseIssue(options.issue),
      },
      model: options.model,
      notice: null,
      programPath: options.programPath,
      signal,
    },
    cleanup,
  );
  const page = `${stage.forge.webUrl}/${fullName(stage.repository)}/issues/${stage.issue.number}`;
  screen.event('start', `open ${page} to read, comment and review, as maintainer or reviewer; Ctrl-C ends the demo`);
  addLabels(stage.forge, personActor(stage.maintainer), stage.repository, stage.issue, ['plan']);
  const watch = createNarrator(stage, screen, null);
  const wait = createWait({ watch, signal, timeoutMs: null });
  await explainByLog(stage, () => wait('you, at the pages', () => null));
}

/** Fetches from the folder: nothing is written there, and what is not committed stays behind. */
export function copyHead(source: string, repository: Repository): void {
  const { gitDir, defaultBranch } = repository;
  const fetched = tryGit(gitDir, ['fetch', '--quiet', '--no-tags', '--', source, `+HEAD:refs/heads/${defaultBranch}`]);
  if (!fetched.ok) {
    throw new WaitFailure(`expected a git repository with a commit at ${source}, got: ${fetched.stderr.trim()}`);
  }
  git(gitDir, ['rev-parse', '--verify', `refs/heads/${defaultBranch}`]);
  if (resolveCommit(gitDir, 'HEAD') === null) throw new WaitFailure(`expected a commit at HEAD of ${source}, got none`);
}
