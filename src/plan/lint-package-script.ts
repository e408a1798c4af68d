/** Scripts of package.json that a plan's commands call. */

import { type CommandPlace, isPlanned } from './command-place.ts';
import { nearestWord } from './edit-distance.ts';
import type { ShellWord } from './shell-words.ts';

const managers: readonly string[] = ['npm', 'pnpm', 'yarn'];

export function isScript(program: string): boolean {
  return managers.includes(program);
}

/** The finding on a call such as `npm run build` or `yarn test`; `null` where there is nothing to say. */
export function lintScriptCall(words: readonly ShellWord[], place: CommandPlace): string | null {
  const script = calledScript(words);
  if (script === null) return null;
  const { plan, context, folder } = place;
  const path = `${folder}package.json`;
  if (isPlanned(plan, path)) return null;
  if (!context.exists(path)) {
    return `expected ${path} at the base or among the planned files, got none; name a command that runs here`;
  }
  const scripts = readManifest(context.textOf(path));
  if (scripts === null || scripts.names.includes(script)) return null;
  if (words[0]?.text !== 'npm' && scripts.isProgram(script)) return null;
  const near = nearestWord(script, scripts.names);
  const known = scripts.names.length === 0 ? 'none' : scripts.names.slice(0, 20).join(', ');
  const advice = near === null ? `its scripts are: ${known}` : `did you mean "${near}"?`;
  return `${path} has no script "${script}" at the base; ${advice}${near === null ? '; use one of them' : ' Correct it'}, or plan a change of that file`;
}

/** Only where nothing else decides which package is meant, or whether the script has to be there. */
function calledScript([program, verb, name, ...rest]: readonly ShellWord[]): string | null {
  if (program === undefined || verb === undefined || !verb.isLiteral) return null;
  if (['test', 't'].includes(verb.text)) {
    return isElsewhere([...(name === undefined ? [] : [name]), ...rest]) ? null : 'test';
  }
  if (!['run', 'run-script'].includes(verb.text) || name === undefined || !name.isLiteral) return null;
  return name.text.startsWith('-') || isElsewhere(rest) ? null : name.text;
}

function isElsewhere(words: readonly ShellWord[]): boolean {
  const end = words.findIndex(({ text }) => text === '--');
  return words
    .slice(0, end === -1 ? words.length : end)
    .some(({ text }) => /^(?:--prefix|-w|--workspaces?|-C|--dir|--filter|--cwd|-r|--if-present)(?:=|$)/.test(text));
}

interface Manifest {
  readonly names: readonly string[];
  /** Whether a name may be a program of a package that this one depends on. */
  readonly isProgram: (name: string) => boolean;
}

function readManifest(text: string | null): Manifest | null {
  const manifest = text === null ? null : parseObject(text);
  if (manifest === null) return null;
  const packages = ['dependencies', 'devDependencies', 'optionalDependencies']
    .flatMap((key) => Object.keys(memberOf(manifest, key)))
    .flatMap((name) => [name.slice(name.lastIndexOf('/') + 1), ...name.split(/[/@-]/)]);
  return {
    names: Object.keys(memberOf(manifest, 'scripts')),
    isProgram: (name) => name === 'env' || (name === 'tsc' ? packages.includes('typescript') : packages.includes(name)),
  };
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function memberOf(value: object, key: string): object {
  const member: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof member === 'object' && member !== null ? member : {};
}
