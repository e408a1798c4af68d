/**
 * Whether a plan's commands look as if they could run: a script that nobody defined, a file that is not there, a line that
 * no shell would take. What cannot be told for sure is not told.
 */

import { type CommandPlace, isPlanned } from './command-place.ts';
import type { LintContext } from './lint-context.ts';
import { isScript, lintScriptCall } from './lint-package-script.ts';
import { isProgramFile, lintProgramFile } from './lint-program-file.ts';
import type { Plan } from './plan-file.ts';
import { cutShellLine, type ShellWord } from './shell-words.ts';

export function lintVerification(plan: Plan, context: LintContext): readonly string[] {
  if (plan.verify.length === 0) return lintNoVerification(plan);
  const twice = plan.verify.filter((command, index) => plan.verify.indexOf(command) < index);
  return [
    ...twice.map((command) => `front matter, verify, "${command}": is there twice; keep one`),
    ...plan.verify.flatMap((command, index) =>
      lintCommand(command, { plan, context, folder: '', isFirst: index === 0 }).map(
        (fault) => `front matter, verify, "${command}": ${fault}`,
      ),
    ),
  ];
}

function lintNoVerification(plan: Plan): readonly string[] {
  const section = plan.sections.find(({ heading }) => heading.toLowerCase() === 'verification');
  if (section !== undefined && /^\s*(?:[-*]\s+)?no command\b.*\bbecause\b/im.test(section.text)) return [];
  return [
    'front matter, verify: empty; name the commands that show that the work is done, or write "No command verifies this, because …" under "## Verification"',
  ];
}

const wholePlaceholder = /^(?:todo|tbd|fixme|n\/a|none|\.{3}|…)\b|^(?:\.{3}|…|<[^<>]*>)$/i;
const placeholder = /(?:^|\s)(<[a-z](?:[\w .-]*\w)?>|…|\.{3})(?:\s|$)/i;

function lintCommand(command: string, place: CommandPlace): readonly string[] {
  const bare = command.replaceAll(/'[^']*'|"[^"]*"/g, '""');
  if (wholePlaceholder.test(command.trim()) || placeholder.test(bare)) {
    return ['holds a placeholder; write the command as it is to be run'];
  }
  const line = cutShellLine(command);
  if (line.kind === 'open') return [`cannot be read by a shell: ${line.what}; mend it`];
  return line.kind === 'unclear' ? [] : lintCommands(line.commands, place);
}

function lintCommands(commands: readonly (readonly ShellWord[])[], start: CommandPlace): readonly string[] {
  const findings: string[] = [];
  let place = start;
  for (const given of commands) {
    const words = withoutAssignments(given);
    const [program, target] = words;
    if (program === undefined) continue;
    if (program.text === 'cd') {
      const folder = folderBelow(place.folder, target);
      if (folder === null) return findings;
      place = { ...place, folder };
      continue;
    }
    if (['pushd', 'popd', 'if', 'for', 'while', 'case', '{', 'export', 'source', '.'].includes(program.text)) break;
    const fault = lintProgram(words, place);
    if (fault !== null) findings.push(fault);
    place = { ...place, isFirst: false };
  }
  return findings;
}

function withoutAssignments(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words.findIndex(({ text }) => !/^(?:[A-Za-z_]\w*=.*|env|time|!|exec|command)$/s.test(text));
  return start === -1 ? [] : words.slice(start);
}

/** `null` where the folder cannot be told. */
function folderBelow(folder: string, target: ShellWord | undefined): string | null {
  if (target === undefined || !target.isLiteral) return null;
  const path = target.text.replace(/^\.\//, '').replace(/\/+$/, '');
  if (path === '.' || path === '') return path === '.' ? folder : null;
  return path.startsWith('/') || path.split('/').includes('..') || path === '-' ? null : `${folder}${path}/`;
}

function lintProgram(words: readonly ShellWord[], place: CommandPlace): string | null {
  const [program] = words;
  if (program === undefined || !program.isLiteral) return null;
  if (isScript(program.text)) return lintScriptCall(words, place);
  if (program.text === 'make') return lintMake(words, place);
  return isProgramFile(words) ? lintProgramFile(words, place) : null;
}

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];

function lintMake(words: readonly ShellWord[], { plan, context, folder }: CommandPlace): string | null {
  if (words.slice(1).some(({ text }) => text.startsWith('-') || text.includes('='))) return null;
  const isThere = (name: string) => context.exists(`${folder}${name}`) || isPlanned(plan, `${folder}${name}`);
  if (makefiles.some(isThere)) return null;
  return `expected ${folder}Makefile at the base or among the planned files, got none; name a command that runs here`;
}
