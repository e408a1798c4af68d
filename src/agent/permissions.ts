/**
 * Which calls of tools are carried out. Four layers, each of which holds alone:
 *
 * 1. The offer: a phase offers kinds of tools (`tools/kinds.ts`), and only what is offered can be called. No rule is asked.
 * 2. The rules, of calls that are offered: `deny` wins over `ask`, and `ask` over `allow`. What no rule names goes by the mode:
 *    `auto` carries it out; `ask` asks a writer before a tool of kind `resource` runs.
 * 3. Plan mode: while planning, the rules that allow what could change anything are gone, whatever the mode
 *    (`permissionsInPlanMode`). Rules that ask or deny stay. Approval gives the untouched set back
 *    (`lifecycle/plan-mode-permissions.ts`).
 * 4. The tools' own guards: the scope of the plan, protected paths, the path guard, the sandbox.
 */
import type { Phase } from '../lifecycle/memory.ts';
import type { Permissions } from '../lifecycle/policy.ts';
import { parseRule, type Rule } from './permission-rules.ts';
import {
  allowCommand,
  allowsTool,
  matchesHelper,
  matchesPath,
  mightMatchPath,
  mightRun,
  readCommandPattern,
  restrictsTool,
} from './rule-matching.ts';
import { programOf } from './shell-commands.ts';
import { runsArguments } from './suspect-commands.ts';
import type { ToolKind } from './tools/kinds.ts';

/** What a call is about. */
export type CallSubject =
  | { readonly kind: 'command'; readonly text: string }
  /** Every path that it names, as it was asked for and as it is without links. */
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  /** The kinds of the helpers that it starts; none where that cannot be told. */
  | { readonly kind: 'helpers'; readonly helpers: readonly string[] }
  | { readonly kind: 'none' };

export interface JudgedCall {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly subject: CallSubject;
}

export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly rule: string }
  /** `rule` is `null` where the mode asks. */
  | { readonly kind: 'asks'; readonly rule: string | null };

/** Permissions whose rules have been read. */
export interface Rules {
  readonly mode: Permissions['mode'];
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** The rules that hold in a phase. One that cannot be read, which no configuration lets through, denies every call. */
export function readRules(permissions: Permissions, phase: Phase): Rules {
  const { mode, allow, ask, deny } = phase === 'plan' ? permissionsInPlanMode(permissions) : permissions;
  const read = (rules: readonly string[]) => rules.map(parseRule);
  const known = (rules: readonly string[]) => read(rules).flatMap((each) => ('rule' in each ? [each.rule] : []));
  const unreadable = [...allow, ...ask, ...deny].filter((text) => 'mistake' in parseRule(text));
  const named = { allows: [], subject: 'none' } as const;
  const closed = unreadable.map((text): Rule => ({ text, named, pattern: null }));
  return { mode, allow: known(allow), ask: known(ask), deny: [...known(deny), ...closed] };
}

/** What becomes of a call that the phase offers. Pure. */
export function judgeCall(rules: Rules, call: JudgedCall): Verdict {
  const denied = rules.deny.find((rule) => restricts(rule, call));
  if (denied !== undefined) return { kind: 'denied', rule: denied.text };
  // What asks people by itself needs no question before it.
  const asked = call.kind === 'interactive' ? undefined : rules.ask.find((rule) => restricts(rule, call));
  if (asked !== undefined) return { kind: 'asks', rule: asked.text };
  const isLeftToMode = call.kind === 'resource' && rules.mode === 'ask';
  return isLeftToMode && !isAllowed(rules.allow, call) ? { kind: 'asks', rule: null } : { kind: 'allowed' };
}

/** Whether there is a rule that keeps files from a tool that searches. */
export function hidesAnything({ ask, deny }: Rules, tool: string): boolean {
  return [...deny, ...ask].some((rule) => restrictsTool(rule, tool));
}

/** Whether a line of what a search found may not be shown: nobody asks a writer for a part of an answer. */
export function hidesFromSearch({ ask, deny }: Rules, tool: string, path: string): boolean {
  const call: JudgedCall = { tool, kind: 'data_source', subject: { kind: 'paths', paths: [path] } };
  return [...deny, ...ask].some((rule) => restricts(rule, call));
}

/** The rule that denies a change of these paths by whatever tool; `null` where none does. */
export function denyingRule(permissions: Permissions, paths: readonly string[]): string | null {
  const rules = readRules(permissions, 'implement');
  const calls = ['write', 'edit', 'move', 'delete'].map((tool) =>
    judgeCall(rules, { tool, kind: 'resource', subject: { kind: 'paths', paths } }),
  );
  return calls.find((verdict) => verdict.kind === 'denied')?.rule ?? null;
}

function restricts(rule: Rule, { tool, subject }: JudgedCall): boolean {
  if (rule.named.allows.length === 0) return true;
  if (!restrictsTool(rule, tool)) return false;
  switch (subject.kind) {
    case 'command':
      return mightRun(rule, subject.text);
    case 'paths':
      return rule.pattern === null || subject.paths.some((path) => mightMatchPath(rule, path));
    case 'helpers':
      return subject.helpers.length === 0 || subject.helpers.some((helper) => matchesHelper(rule, helper));
    case 'none':
      return true;
  }
}

/** Several rules together may allow what a call names. */
function isAllowed(all: readonly Rule[], { tool, subject }: JudgedCall): boolean {
  const rules = all.filter((rule) => allowsTool(rule, tool));
  const every = rules.some(({ pattern }) => pattern === null);
  switch (subject.kind) {
    case 'command':
      return allowCommand(rules, subject.text);
    case 'paths':
      return every || areAll(subject.paths, (path) => rules.some((rule) => matchesPath(rule, path)));
    case 'helpers':
      return every || areAll(subject.helpers, (helper) => rules.some((rule) => matchesHelper(rule, helper)));
    case 'none':
      return every;
  }
}

function areAll<T>(items: readonly T[], test: (item: T) => boolean): boolean {
  return items.length > 0 && items.every(test);
}

/** Programs that run whatever they are given. */
const interpreters = new Set(
  (
    'awk bun bunx csh deno docker fish gawk ghci irb java julia lua make node nodejs osascript perl php pipx pnpx podman pwsh ' +
    'powershell python r rscript ruby scala swift tclsh tcsh tsx ts-node uv uvx'
  ).split(' '),
);
/** The same of programs whose other commands are tame. */
const running = [
  'npm run',
  'npm exec',
  'yarn run',
  'yarn exec',
  'yarn dlx',
  'pnpm run',
  'pnpm exec',
  'pnpm dlx',
].concat('npm x', 'go run', 'cargo run');

/**
 * The permissions while planning: without the rules that allow any command, an interpreter or any helper, whatever the mode.
 * Nothing is lost: the set that was in force is kept as it was.
 */
export function permissionsInPlanMode(permissions: Permissions): Permissions {
  return { ...permissions, allow: permissions.allow.filter((text) => !isDangerous(text)) };
}

function isDangerous(text: string): boolean {
  const read = parseRule(text);
  if ('mistake' in read) return true;
  const { named, pattern } = read.rule;
  if (named.subject === 'helper') return pattern === null || pattern === '*';
  if (named.subject !== 'command') return false;
  const { head, form } = readCommandPattern(pattern);
  if (form === 'every') return true;
  const program = programOf(head)
    .replace(/['"]/g, '')
    .replace(/[\d.]+$/, '');
  // Behind an assignment stands any program.
  if (program === '' || runsArguments(program) || interpreters.has(program.toLowerCase())) return true;
  if (form === 'exact') return false;
  // A wildcard in the name of the program may stand for an interpreter.
  const isOpen = form === 'wildcards' && !head.trimStart().includes(' ');
  return isOpen || running.some((command) => `${command} `.startsWith(`${head.trim()} `) || head.startsWith(command));
}
