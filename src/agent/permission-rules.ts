/**
 * Rules for calls of tools, as repositories write them: `Tool` or `Tool(pattern)`. The names are those of Claude Code, mapped
 * to the tools here, and the tools' own names. A rule that allows is read as narrowly as its words permit, a rule that asks or
 * denies as widely.
 */
import { isQuickPattern, quickPatternRule } from '../plan/scope.ts';
import { splitSurely } from './shell-commands.ts';

/** What a pattern of a rule is held against. */
type Subject = 'command' | 'path' | 'helper' | 'none';

interface Named {
  /** The tools that a rule by this name allows. */
  readonly allows: readonly string[];
  /** Those that it asks for or denies, where these are more. */
  readonly restricts?: readonly string[];
  readonly subject: Subject;
}

export interface Rule {
  /** As it was written. */
  readonly text: string;
  readonly named: Named;
  /** `null` for every call. */
  readonly pattern: string | null;
}

const changing = ['write', 'edit', 'move', 'delete'] as const;
const reading = ['read', 'glob', 'grep'] as const;
const own = (name: string, subject: Subject): Named => ({ allows: [name], subject });

/** The tools of both phases by the names that rules know them by. */
const toolsByName: ReadonlyMap<string, Named> = new Map<string, Named>([
  ['Bash', own('bash', 'command')],
  ['Read', { allows: reading, subject: 'path' }],
  ['Glob', own('glob', 'path')],
  ['Grep', own('grep', 'path')],
  ['LS', own('glob', 'path')],
  ['Edit', { allows: changing, subject: 'path' }],
  ['Write', { allows: ['write'], restricts: changing, subject: 'path' }],
  ['MultiEdit', { allows: ['edit'], restricts: changing, subject: 'path' }],
  ['NotebookEdit', { allows: ['edit'], restricts: changing, subject: 'path' }],
  ['Agent', own('delegate', 'helper')],
  ['Task', own('delegate', 'helper')],
  ['EnterPlanMode', own('enter_plan_mode', 'none')],
  ['ExitPlanMode', own('exit_plan_mode', 'none')],
  ['AskUserQuestion', own('ask_user_question', 'none')],
  ['TodoWrite', own('update_tasks', 'none')],
  ['bash', own('bash', 'command')],
  ...[...reading, ...changing].map((name) => [name, own(name, 'path')] as const),
  ['git_log', own('git_log', 'path')],
  ['delegate', own('delegate', 'helper')],
  ...[
    'enter_plan_mode',
    'exit_plan_mode',
    'ask_user_question',
    'update_tasks',
    'write_plan',
    'edit_plan',
    'take_suggestion',
    'propose_amendment',
  ].map((name) => [name, own(name, 'none')] as const),
]);

/** What is wrong with a rule: what was expected of it, and what to do. */
interface RuleMistake {
  readonly expected: string;
  readonly remedy: string;
}

export type ReadRule = { readonly rule: Rule } | { readonly mistake: RuleMistake };

/** Reads one rule. Every rule that it takes can be matched. */
export function parseRule(text: string): ReadRule {
  const match = /^([A-Za-z_]+)(?:\(([^\n\r]*)\))?$/.exec(text);
  if (match?.[1] === undefined) {
    return { mistake: { expected: 'a rule as "Tool" or "Tool(pattern)"', remedy: 'write it like Bash(npm test:*)' } };
  }
  const named = toolsByName.get(match[1]);
  if (named === undefined) {
    const expected = `a rule for one of ${[...toolsByName.keys()].join(', ')}`;
    return { mistake: { expected, remedy: 'name one of them, or remove the rule' } };
  }
  if (match[2] === undefined) return { rule: { text, named, pattern: null } };
  const pattern = named.subject === 'path' ? fromRoot(match[2]) : match[2].trim();
  const mistake = findMistake(match[1], named.subject, pattern);
  return mistake === null ? { rule: { text, named, pattern } } : { mistake };
}

function findMistake(name: string, subject: Subject, pattern: string): RuleMistake | null {
  if (subject === 'none') {
    return { expected: `${name} without a pattern`, remedy: 'remove what stands in the brackets' };
  }
  if (pattern === '') {
    return { expected: 'a pattern between the brackets', remedy: `write ${name} alone for every call of it` };
  }
  if (subject === 'path') return findPathMistake(pattern);
  if (subject === 'helper') {
    return /^(?:\*|[a-z]+)$/.test(pattern)
      ? null
      : { expected: 'the kind of a helper, or *', remedy: `write it like ${name}(explore)` };
  }
  return isPlainCommand(pattern)
    ? null
    : { expected: 'a pattern of one command', remedy: 'write a rule for each command, without signs of the shell' };
}

/** A pattern that holds what no part of a split command can hold would never match. */
function isPlainCommand(pattern: string): boolean {
  const parts = splitSurely(pattern);
  return parts !== null && parts.length === 1 && parts[0] === pattern && (pattern.match(/\*/g)?.length ?? 0) <= 3;
}

function fromRoot(pattern: string): string {
  return pattern.trim().replace(/^(?:\.\/|\/(?!\/))/, '');
}

function findPathMistake(pattern: string): RuleMistake | null {
  const leadsOut = pattern.startsWith('/') || pattern.startsWith('~') || pattern.split('/').includes('..');
  if (leadsOut || pattern.startsWith('!') || pattern.includes('\\')) {
    return { expected: 'a glob pattern from the root of the repository', remedy: 'write it like src/**' };
  }
  return isQuickPattern(pattern) ? null : { expected: quickPatternRule, remedy: 'write a shorter pattern' };
}
