/** Asks for a thread: once, or patiently where it is not there yet or has another name. */
import { z } from 'zod';
import type { Facts } from '../lifecycle/facts.ts';
import { NotFound } from './client.ts';
import { Forbidden, Gone, type ThreadRef } from './github.ts';
import type { Account } from './identity.ts';
import { attemptVariables, ownPlanPath } from './observe-attempts.ts';
import { readAnswer } from './observe-pages.ts';
import { disturbanceTypes, statusLabelNames, threadQuery } from './observe-query.ts';
import { type RepositoryAnswer, statusLabelsAnswer, threadQueryAnswer } from './observe-schema.ts';
import type { Held } from './session.ts';

export interface Names {
  readonly owner: string;
  readonly name: string;
}

export interface Answer {
  readonly repository: RepositoryAnswer;
  /** The account that the token acts as. */
  readonly viewer: Account;
  readonly statusLabels: Facts['repository']['statusLabels'];
}

/** Waits before a look is repeated that found nothing: GitHub may tell of a thing before it can be read. */
const notFoundWaitsMs = [500, 1500, 3000] as const;

/** The thread as people write it: `owner/repo#42`, by the names that were last known. */
export function describeThread(thread: ThreadRef): string {
  return `${thread.repository.owner}/${thread.repository.name}#${thread.issue}`;
}

/** What the repository is called now. */
export function namesOf(repository: RepositoryAnswer): Names {
  return { owner: repository.owner.login, name: repository.name };
}

export interface Question {
  readonly appId: number;
  readonly names: Names;
  readonly planPath: string;
}

/** The variables of a query for a thread's attempts from `firstAttempt` on. */
export function variablesOf({ appId, names, planPath }: Question, issue: number, firstAttempt: number) {
  return {
    owner: names.owner,
    name: names.name,
    app: appId,
    plan: planPath,
    ownPlan: ownPlanPath(planPath, issue),
    disturbances: disturbanceTypes,
    ...attemptVariables(issue, firstAttempt),
  };
}

/** @throws {NotFound} @throws {Unreadable} */
export async function ask(held: Held, thread: ThreadRef, question: Question): Promise<Answer> {
  const { planPath } = question;
  const variables = { ...variablesOf(question, thread.issue, 1), issue: thread.issue, planAtHead: `HEAD:${planPath}` };
  const data = await held.query(threadQuery, variables);
  const { repository, viewer } = readAnswer(threadQueryAnswer, data, 'the thread');
  // The name may have passed to another repository.
  if (repository.databaseId !== thread.repository.id) throw new NotFound(`the repository ${thread.repository.id}`);
  const labels = readAnswer(statusLabelsAnswer, data, 'the labels').repository;
  const statusLabels = statusLabelNames.flatMap((name, index) => {
    const label = labels[`label${index}`] ?? null;
    return label === null ? [] : [[name, { nodeId: label.id }] as const];
  });
  return { repository, viewer, statusLabels: Object.fromEntries(statusLabels) };
}

/**
 * Looks again for a while, and under the name that the repository has now.
 * @throws {Gone} where there is still no such issue @throws {Forbidden} where there is nothing at all @throws {Unreadable}
 */
export async function askPatiently(
  held: Held,
  thread: ThreadRef,
  question: Question,
  wait: (milliseconds: number) => Promise<void>,
): Promise<Answer> {
  let { names } = question;
  let isRepositoryThere = false;
  for (const waitMs of notFoundWaitsMs) {
    try {
      return await ask(held, thread, { ...question, names });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
    await wait(waitMs);
    const found = await currentNames(held, thread);
    isRepositoryThere = found !== null;
    names = found ?? names;
  }
  try {
    return await ask(held, thread, { ...question, names });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const expected = `expected ${describeThread(thread)}, got`;
    const options = { cause: error };
    if (isRepositoryThere) throw new Gone(`${expected} its repository without it: it is gone`, null, options);
    throw new Forbidden(`${expected} nothing: it is gone or out of the app's reach`, null, options);
  }
}

const reachable = z.object({
  repositories: z.array(z.object({ id: z.number(), name: z.string(), owner: z.object({ login: z.string() }) })),
});

/** What the one repository that the token reaches is called now; `null` where it reaches none. */
async function currentNames(held: Held, thread: ThreadRef): Promise<Names | null> {
  const { data } = await held.client.rest.apps.listReposAccessibleToInstallation({ per_page: 10 });
  const repository = readAnswer(reachable, data, 'the repository').repositories.find(
    (each) => each.id === thread.repository.id,
  );
  return repository === undefined ? null : { owner: repository.owner.login, name: repository.name };
}
