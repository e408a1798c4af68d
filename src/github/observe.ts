import { appVersion } from '../config/app-version.ts';
import { defaultConfig, parseRepositoryConfig, repositoryConfigPath, toPolicy } from '../config/repository-config.ts';
import type { Facts, PullRequestFacts } from '../lifecycle/facts.ts';
import type { AppKey } from './app-key.ts';
import { type GitHub, type ThreadRef, Unreadable } from './github.ts';
import type { Identity } from './identity.ts';
import { type Answer, ask, askPatiently, describeThread, type Names, namesOf, variablesOf } from './observe-ask.ts';
import { type Attempt, branchesOf, mayHaveMore, ownPlanPath, planBlobOf, readAttempts } from './observe-attempts.ts';
import { observeChangedOnBase } from './observe-base.ts';
import { observeCodeOwners } from './observe-code-owners.ts';
import { issueOf, planOf, pullRequestOf, type Viewpoint } from './observe-facts.ts';
import { observeMemberships } from './observe-memberships.ts';
import { createPager, type Pager, readAnswer } from './observe-pages.ts';
import { createRecentWriters, observePermissions, type RecentWriters } from './observe-permissions.ts';
import { attemptsPerQuery, attemptsQuery } from './observe-query.ts';
import { attemptsAnswer, type BlobAnswer, type PullRequestAnswer, type RepositoryAnswer } from './observe-schema.ts';
import { createSeeComments, type SeeComments } from './observe-seen.ts';
import type { Held, Session } from './session.ts';

export interface ObserveOptions {
  readonly session: Session;
  readonly identity: Identity;
  readonly key: AppKey;
  /** Waits so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How long answers about people may take, in milliseconds, before they count as unknown. */
  readonly timeoutMs: number;
}

type Config = ReturnType<typeof parseRepositoryConfig>;

const maxAttempts = 300;

/** @returns `GitHub.observe` */
export function createObserve(options: ObserveOptions): GitHub['observe'] {
  const lastNames = new Map<number, Names>();
  const lastPlanPaths = new Map<number, string>();
  const recent = createRecentWriters(options.now);
  const seeComments = createSeeComments();
  return (thread) =>
    options.session.read(thread, `read ${describeThread(thread)}`, async (held) => {
      const appId = await options.identity.appId();
      const names = lastNames.get(thread.repository.id) ?? held.repository ?? thread.repository;
      const guess = lastPlanPaths.get(thread.repository.id) ?? defaultConfig.plan.path;
      const first = await askPatiently(held, thread, { appId, names, planPath: guess }, options.wait);
      options.identity.remember(first.viewer);
      const config = readConfig(first.repository.config);
      const planPath = planPathOf(config) ?? guess;
      const found = namesOf(first.repository);
      const again = { appId, names: found, planPath };
      const answer = planPath === guess ? first : await ask(held, thread, again);
      lastNames.set(thread.repository.id, found);
      lastPlanPaths.set(thread.repository.id, planPath);
      const view: Viewpoint = {
        self: answer.viewer.databaseId,
        appId,
        repository: thread.repository.id,
        issue: thread.issue,
        key: options.key,
      };
      const needsCodeOwners = 'config' in config && config.config.approval.code_owners;
      const { session, timeoutMs } = options;
      const reading = {
        view,
        names: found,
        planPath,
        recent,
        timeoutMs,
        session,
        thread,
        needsCodeOwners,
        seeComments,
      };
      return readFacts(held, answer, config, reading);
    });
}

interface Reading {
  readonly view: Viewpoint;
  readonly names: Names;
  readonly planPath: string;
  readonly recent: RecentWriters;
  readonly timeoutMs: number;
  readonly session: Session;
  readonly thread: ThreadRef;
  /** Whether `approval.code_owners` is set. */
  readonly needsCodeOwners: boolean;
  readonly seeComments: SeeComments;
}

function readConfig(blob: BlobAnswer): Config {
  if (blob === null) return parseRepositoryConfig(null);
  if (blob.__typename !== 'Blob' || blob.isBinary === true || blob.isTruncated !== false) {
    return { problems: [`${repositoryConfigPath}: expected a text file of at most 512 kB, got something else`] };
  }
  if (typeof blob.text !== 'string') throw new Unreadable('expected the text of the configuration, got none');
  return parseRepositoryConfig(blob.text);
}

function planPathOf(config: Config): string | null {
  return 'config' in config ? config.config.plan.path : null;
}

async function readFacts(held: Held, answer: Answer, config: Config, reading: Reading): Promise<Facts> {
  const { repository } = answer;
  const { view, names, planPath } = reading;
  const pager = createPager(held, { owner: names.owner, name: names.name, app: view.appId });
  const [issue, attempts] = await Promise.all([
    pager.issue(repository.issue),
    readAllAttempts(held, repository, reading, pager),
  ]);
  const { pullRequests, path } = await readPullRequests(held, attempts, answer, reading, pager);
  const facts = await reading.seeComments({
    app: { version: appVersion },
    repository: repositoryOf(answer),
    policy: 'config' in config ? toPolicy(config.config, path ?? planPath) : config,
    issue: issueOf(issue, view),
    branches: branchesOf(attempts, view),
    pullRequests,
  });
  const { recent, timeoutMs, session, thread } = reading;
  const permissions = await observePermissions({ held, facts, recent, timeoutMs });
  const known = { ...facts, permissions };
  return { ...known, memberships: await observeMemberships({ session, thread, facts: known, timeoutMs }) };
}

function repositoryOf({ repository, statusLabels }: Answer): Facts['repository'] {
  const branch = repository.defaultBranchRef;
  return {
    id: repository.databaseId,
    nodeId: repository.id,
    ...namesOf(repository),
    isArchived: repository.isArchived,
    defaultBranch: branch === null ? null : { name: branch.name, head: branch.target.oid },
    statusLabels,
  };
}

async function readAllAttempts(
  held: Held,
  repository: RepositoryAnswer,
  { view, names, planPath }: Reading,
  pager: Pager,
): Promise<readonly Attempt[]> {
  const attempts = [...(await readAttempts(repository, 1, view, pager))];
  const question = { appId: view.appId, names, planPath };
  while (mayHaveMore(attempts) && attempts.length < maxAttempts) {
    const first = attempts.length + 1;
    const data = await held.query(attemptsQuery, variablesOf(question, view.issue, first));
    const further = readAnswer(attemptsAnswer, data, `the attempts from ${first} to ${first + attemptsPerQuery - 1}`);
    attempts.push(...(await readAttempts(further.repository, first, view, pager)));
  }
  return attempts;
}

/** The thread's pull requests, the last of them in full, and the path of the plan. */
async function readPullRequests(
  held: Held,
  attempts: readonly Attempt[],
  { repository }: Answer,
  { view, names, planPath, needsCodeOwners }: Reading,
  pager: Pager,
): Promise<{ readonly pullRequests: readonly PullRequestFacts[]; readonly path: string }> {
  const ownPath = ownPlanPath(planPath, view.issue);
  const isTaken = repository.planAtHead !== null;
  const all = attempts.flatMap((attempt) => attempt.pullRequests.map((pullRequest) => ({ attempt, pullRequest })));
  const last = all.at(-1);
  if (last === undefined) return { pullRequests: [], path: isTaken ? ownPath : planPath };
  const whole = await pager.pullRequest(last.pullRequest);
  const isOwnPath = holdsPlanAt(whole, ownPath, planPath) ?? isTaken;
  const plan = planOf(planBlobOf(last.attempt, whole, isOwnPath));
  const facts = pullRequestOf(whole, plan, view);
  const tip = whole.baseRef?.target?.oid ?? null;
  const changedOnBase = await observeChangedOnBase(held, names, facts, tip);
  const place = { ...names, id: view.repository };
  const codeOwners = needsCodeOwners ? await observeCodeOwners(held, place, facts, tip) : 'unknown';
  const earlier = all.slice(0, -1).map(({ pullRequest }) => pullRequestOf(pullRequest, null, view));
  return { pullRequests: [...earlier, { ...facts, changedOnBase, codeOwners }], path: isOwnPath ? ownPath : planPath };
}

/** Which of both paths an open pull request's changes hold: `true` for the thread's own; `null` for neither. */
function holdsPlanAt(pullRequest: PullRequestAnswer, ownPath: string, planPath: string): boolean | null {
  if (pullRequest.state !== 'OPEN') return null;
  const paths = pullRequest.files.nodes.map(({ path }) => path);
  if (paths.includes(ownPath)) return true;
  return paths.includes(planPath) ? false : null;
}
