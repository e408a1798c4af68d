/** Plays attempts and says what each has done. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { collectOutput } from '../../src/sandbox/collect-output.ts';
import type { Agent, CallAnswer } from './agent.ts';
import type { Attempt } from './attempts.ts';
import { survivorsOf, type Tried, type Watch } from './harm.ts';
import type { Surroundings } from './surroundings.ts';

/** What attempts have done, by their ids; those that did nothing are not in it. */
export type Done = Readonly<Record<string, readonly string[]>>;

const HUNG_MS = 20_000;
const LARGEST_GROUP = 10;

/** What is told of one command by itself: how long it takes, how much it says, how its answer begins, what it leaves. */
const byItself = /^(?:survived|hung|flooded|lacks .*)$/s;

/** How the answer to a command begins that did run. */
const hasRun = /^(?:exit code \d+|killed|stopped after \d+ ms|stopped: )/;

/**
 * The one command of an attempt that can share a sandbox with others: each has a shell of its own in it, and an answer of
 * its own.
 */
function commandOf({ never, calls }: Attempt): string | null {
  const [call, ...others] = calls;
  if (call?.tool !== 'bash' || others.length > 0 || never.some((harm) => byItself.test(harm))) return null;
  const { input } = call;
  if (typeof input !== 'object' || input === null || !('command' in input) || 'timeout_ms' in input) return null;
  return typeof input.command === 'string' ? input.command : null;
}

function groupsOf(attempts: readonly Attempt[]): readonly (readonly Attempt[])[] {
  const together = attempts.filter((attempt) => commandOf(attempt) !== null);
  const groups: Attempt[][] = [];
  for (let at = 0; at < together.length; at += LARGEST_GROUP) groups.push(together.slice(at, at + LARGEST_GROUP));
  const alone = attempts.filter((attempt) => commandOf(attempt) === null);
  return [...alone.map((attempt) => [attempt]), ...groups];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function tryTogether(group: readonly Attempt[], agent: Agent): Promise<readonly Tried[]> {
  const [attempt] = group;
  if (attempt !== undefined && group.length === 1) return [{ attempt, answers: await agent(attempt.calls) }];
  const end = `end-${randomBytes(8).toString('hex')}`;
  const command = group
    .map((each) => `bash -c ${quote(commandOf(each) ?? '')} 2>&1; echo; echo "${end} $?"`)
    .join('\n');
  const [answer] = await agent([{ tool: 'bash', input: { command } }]);
  const parts = (answer?.text ?? '').replace(/^exit code 0\n/, '').split(new RegExp(`\\n${end} (\\d+)\\n`));
  return group.map((each, index) => {
    const [text, code] = parts.slice(2 * index, 2 * index + 2);
    const whole = code === undefined ? `not run: ${answer?.text.slice(0, 300)}` : `exit code ${code}\n${text}`;
    return { attempt: each, answers: [{ text: whole, isError: false }] };
  });
}

function isIdle({ attempt, answers }: Tried): boolean {
  return attempt.calls.some(({ tool }, index) => tool === 'bash' && !hasRun.test(answers[index]?.text ?? ''));
}

export async function play(attempts: readonly Attempt[], agent: Agent, watch: Watch): Promise<Done> {
  const done: Record<string, readonly string[]> = {};
  for (const group of groupsOf(attempts)) {
    const startedAt = performance.now();
    const tried = await tryTogether(group, agent);
    const isHung = performance.now() - startedAt > HUNG_MS;
    const found = await watch.look(tried);
    tried.forEach((each, index) => {
      const harms = [isHung ? 'hung' : [], isIdle(each) ? 'not run' : [], found[index] ?? []].flat();
      if (harms.length > 0) done[each.attempt.id] = [...harms, ...each.answers.map(({ text }) => text.slice(0, 500))];
    });
  }
  return done;
}

/** The same commands on a bash that nothing holds. */
function unconfined({ own, scratch }: Surroundings): Agent {
  const { PATH, ANTHROPIC_API_KEY } = process.env;
  return async (calls) => {
    const answers: CallAnswer[] = [];
    for (const { input } of calls) {
      const command = typeof input === 'object' && input !== null && 'command' in input ? String(input.command) : '';
      const env = { PATH, HOME: scratch, TMPDIR: scratch, ANTHROPIC_API_KEY };
      const child = spawn('/bin/bash', ['-c', command], { cwd: own.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const { exitCode, output } = await collectOutput(child, 100_000);
      answers.push({ text: `exit code ${exitCode}\n${output}`, isError: false });
    }
    return answers;
  };
}

/** What of the attempts that are to show it does not come true where nothing holds a command: nothing, if the checks can fail. */
export async function playUnconfined(attempts: readonly Attempt[], around: Surroundings, watch: Watch): Promise<Done> {
  const missed: Record<string, readonly string[]> = {};
  const agent = unconfined(around);
  for (const attempt of attempts.filter(({ control }) => control === true)) {
    const [harms] = await watch.look([{ attempt, answers: await agent(attempt.calls) }]);
    const notSeen = attempt.never.filter((harm) => harms?.includes(harm) !== true);
    if (notSeen.length > 0) missed[attempt.id] = notSeen;
    for (const pid of survivorsOf(around)) process.kill(Number(pid), 'SIGKILL');
  }
  return missed;
}

export function tell(attempts: readonly Attempt[], phase: string, done: Done): string {
  const classes = new Set(attempts.map((attempt) => attempt.class)).size;
  const succeeded = Object.keys(done).length;
  return `${attempts.length} attempts in the ${phase} phase by ${classes} classes: ${succeeded} succeeded`;
}
