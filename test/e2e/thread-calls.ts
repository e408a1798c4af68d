/** What the app did for one thread, from outside: its calls, its log and its checks. */
import type { RequestRecord } from '../../src/local/forge/request-log.ts';
import { pullOf, type Thread } from './thread.ts';
import type { World } from './world.ts';

/** Waits for a line about the thread in the log of the app. */
export async function waitForLog(thread: Thread, words: RegExp): Promise<void> {
  const { repository, issue } = thread;
  const isIt = (line: string) => line.includes(`"thread":"${repository.id}#${issue.number}"`) && words.test(line);
  await thread.world.wait(`a line of the log like ${words}`, () => thread.world.log.some(isIt) || null);
}

/** Calls of the app that are about the repository, or mint a token for it. */
export function callsOf({ world, repository }: Thread): readonly RequestRecord[] {
  return world.forge.requests.filter(({ path, body }) => {
    const text = JSON.stringify(body ?? null);
    const isSearch = text.includes('query Candidates');
    const isMinted = text.includes(`"repository_ids":[${repository.id}]`);
    return !isSearch && (path.includes(`/${repository.name}`) || text.includes(`"${repository.name}"`) || isMinted);
  });
}

/** The conclusion of the app's newest check of that name on the head of the pull request. */
export function checkOf(thread: Thread, name: string): string | null {
  const { headSha } = pullOf(thread).pullRequest;
  const run = thread.repository.checkRuns.findLast((each) => each.headSha === headSha && each.name === name);
  return run?.conclusion ?? null;
}

/** What a call does on the way to code on the branch. */
export function stepOf({ method, path, body }: RequestRecord, dismissal: RegExp): readonly string[] {
  if (method === 'PUT' && dismissal.test(path)) return ['dismissed'];
  if (method === 'POST' && path.endsWith('/git-receive-pack')) return ['pushed'];
  const text = JSON.stringify(body ?? null);
  const isHold = path.includes('/check-runs') && text.includes('planwright/code') && text.includes('in_progress');
  return isHold ? ['held by the check'] : [];
}

/** Waits for so many further sweeps. */
export async function sweeps(world: World, count: number): Promise<void> {
  const all = () => world.forge.requests.filter(({ path }) => path.startsWith('/api/v3/app/installations?')).length;
  const then = all();
  await world.wait(`${count} more sweeps`, () => all() >= then + count || null);
}
