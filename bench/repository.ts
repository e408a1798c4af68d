/** A generated repository: the same bytes for the same name, on every machine. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileName } from './script.ts';

export interface GeneratedRepository {
  readonly gitDir: string;
  readonly head: string;
}

const functionsOfFile = 24;
const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'bench',
  GIT_AUTHOR_EMAIL: 'bench@localhost',
  GIT_COMMITTER_NAME: 'bench',
  GIT_COMMITTER_EMAIL: 'bench@localhost',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
} as const;

/** @param name goes into every file, so that two repositories have nothing in common */
export function generateRepository(folder: string, name: string, files: number): GeneratedRepository {
  for (let index = 0; index < files; index += 1) {
    const path = join(folder, fileName(index));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fileText(name, index));
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: folder, env: environment, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '-m', `Begin ${name}`);
  return { gitDir: join(folder, '.git'), head: git('rev-parse', 'HEAD') };
}

function fileText(name: string, index: number): string {
  const functions = Array.from({ length: functionsOfFile }, (_, at) => {
    const factor = ((index + 1) * 7919 + at * 104_729) % 997;
    return `/** Step ${at} of module ${index} of ${name}. */
export function step${at}(list, offset = ${factor % 13}) {
  return list.map((each) => each * ${factor} + offset).filter((each) => each % ${(at % 7) + 2} !== 0);
}
`;
  });
  return functions.join('\n');
}
