/** Files of the repository that a plan's commands run. */

import { type CommandPlace, isPlanned } from './command-place.ts';
import { nearestPath } from './lint-context.ts';
import { repositoryPathPattern } from './repository-path.ts';
import type { ShellWord } from './shell-words.ts';

const interpreter = /^(?:node|python[23]?|python3\.\d+|bash|sh|ruby|perl|php|tsx|ts-node)$/;
/** Endings of files that people write rather than build. */
const written = /\.(?:[cm]?[jt]sx?|py|sh|bash|rb|pl|php)$/;

/** Whether a command names the file that it runs: `./script`, `scripts/check.sh`, `node path`. */
export function isProgramFile(words: readonly ShellWord[]): boolean {
  return fileOf(words) !== null;
}

function fileOf([program, ...rest]: readonly ShellWord[]): string | null {
  if (program === undefined) return null;
  if (!interpreter.test(program.text)) return program.text.includes('/') ? program.text : null;
  const [file] = rest.filter(
    ({ text }, index) => !isFlag(text) || rest.slice(0, index).some((word) => !isFlag(word.text)),
  );
  const flags = rest.slice(0, file === undefined ? rest.length : rest.indexOf(file)).map(({ text }) => text);
  // A flag of one letter may take the next word, or the program itself, as its value.
  if (file === undefined || !file.isLiteral || !written.test(file.text)) return null;
  return flags.every((flag) => /^--(?:test|check|watch|experimental-[\w-]+|no-[\w-]+|[\w-]+=.*)$/.test(flag))
    ? file.text
    : null;
}

function isFlag(text: string): boolean {
  return text.startsWith('-');
}

/** The finding on a file that is not there to be run; `null` where it is, or where a command before may have made it. */
export function lintProgramFile(words: readonly ShellWord[], place: CommandPlace): string | null {
  const { plan, context, folder, isFirst } = place;
  const path = `${folder}${(fileOf(words) ?? '').replace(/^(?:\.\/)+/, '')}`;
  if (!repositoryPathPattern.test(path) || /(?:^|\/)(?:node_modules|\.venv|venv|vendor)\//.test(path)) return null;
  const entries = plan.files.filter((entry) => entry.path === path);
  if (entries.some(({ change }) => change === 'delete')) {
    return `runs ${path}, which the plan deletes; name a command that still runs then`;
  }
  if (context.exists(path) || isPlanned(plan, path)) return null;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const isWritten = written.test(path) && context.namesIn(parent).length > 0;
  if (!isFirst && !isWritten) return null;
  const near = nearestPath(path, context);
  const advice = near === null ? 'correct the path' : `did you mean ${near}? Correct the path`;
  return `expected ${path} at the base or among the planned files, got none; ${advice}, or plan to create it`;
}
