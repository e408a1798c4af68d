/** Check runs, their suites (one an app and commit) and what they add up to. */
import { nodeId } from '../node-id.ts';
import { appShape } from '../shapes/app.ts';
import { checkRunShape } from '../shapes/check-run.ts';
import type { CheckRun, ForgeApp, Repository } from '../state.ts';
import { commitSource } from './commit.ts';
import { connection } from './connection.ts';
import { repositorySource } from './repository.ts';
import { type Args, type Info, inputArg, listArg, numberArg, type Source, textArg } from './source.ts';
import { addresses, requireRead, type View } from './view.ts';

/** Conclusions that fail a commit, and those that let it pass. Source: https://docs.github.com/graphql/reference/enums#statusstate */
const FAILING = ['failure', 'cancelled', 'timed_out', 'action_required', 'startup_failure', 'stale'];

function runsOn(repository: Repository, sha: string): readonly CheckRun[] {
  return repository.checkRuns.filter((run) => run.headSha === sha);
}

function findApp(view: View, appId: number): ForgeApp | null {
  return view.forge.state.apps.find((app) => app.id === appId) ?? null;
}

function upper(word: string | null): string | null {
  return word === null ? null : word.toUpperCase();
}

export function checkRunSource(view: View, repository: Repository, run: CheckRun): Source {
  const shape = checkRunShape(view.forge, repository, run, findApp(view, run.appId));
  return {
    __typename: 'CheckRun',
    id: run.nodeId,
    databaseId: run.id,
    name: run.name,
    externalId: run.externalId,
    status: upper(run.status),
    conclusion: upper(run.conclusion),
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    title: run.title,
    summary: run.summary,
    text: run.text,
    detailsUrl: run.detailsUrl,
    permalink: shape.html_url,
    ...addresses(view, shape.html_url),
    deployment: null,
    isRequired: false,
    repository: () => repositorySource(view, repository),
    checkSuite: () => suiteSource(view, repository, run.headSha, run.appId),
    annotations: (args, info) => connection(args, info, { items: [], keyOf: String, present: () => null }),
  };
}

export function appSource(view: View, app: ForgeApp): Source {
  const shape = appShape(view.forge, app);
  return {
    __typename: 'App',
    id: shape.node_id,
    databaseId: app.id,
    clientId: shape.client_id,
    slug: app.slug,
    name: app.name,
    description: shape.description,
    url: shape.html_url,
    createdAt: shape.created_at,
    updatedAt: shape.updated_at,
  };
}

/** The checks of one app on one commit. */
export function suiteSource(view: View, repository: Repository, sha: string, appId: number): Source {
  const runs = runsOn(repository, sha).filter((run) => run.appId === appId);
  const app = findApp(view, appId);
  const isDone = runs.every((run) => run.status === 'completed');
  const failing = runs.find((run) => FAILING.includes(run.conclusion ?? ''));
  return {
    __typename: 'CheckSuite',
    id: nodeId('checkSuite', `${repository.id}:${sha}:${appId}`),
    databaseId: appId,
    app: app === null ? null : appSource(view, app),
    status: isDone ? 'COMPLETED' : 'IN_PROGRESS',
    conclusion: isDone ? upper(failing?.conclusion ?? runs.at(-1)?.conclusion ?? null) : null,
    workflowRun: null,
    commit: () => commitSource(view, repository, sha),
    repository: () => repositorySource(view, repository),
    checkRuns: (args, info) => checkRunConnection(view, repository, runs, args, info),
  };
}

/** @throws {ForgeError} 403 without the permission to read checks */
export function checkSuiteConnection(view: View, repository: Repository, sha: string, args: Args, info: Info): Source {
  requireRead(view, repository, 'checks');
  const filter = inputArg(args, 'filterBy');
  const appId = numberArg(filter, 'appId');
  const name = textArg(filter, 'checkName');
  const runs = runsOn(repository, sha).filter(
    (run) => (appId === null || run.appId === appId) && (name === null || run.name === name),
  );
  return connection(args, info, {
    items: [...new Set(runs.map((run) => run.appId))],
    keyOf: (id) => id,
    present: (id) => suiteSource(view, repository, sha, id),
  });
}

function checkRunConnection(view: View, repository: Repository, all: readonly CheckRun[], args: Args, info: Info) {
  const filter = inputArg(args, 'filterBy');
  const appId = numberArg(filter, 'appId');
  const name = textArg(filter, 'checkName');
  const status = textArg(filter, 'status');
  const statuses = listArg(filter, 'statuses') ?? (status === null ? null : [status]);
  const conclusions = listArg(filter, 'conclusions');
  const runs = filter.checkType === 'ALL' ? all : latestRuns(all);
  return connection(args, info, {
    items: runs.filter(
      (run) =>
        (appId === null || run.appId === appId) &&
        (name === null || run.name === name) &&
        (statuses === null || statuses.includes(run.status.toUpperCase())) &&
        (conclusions === null || conclusions.includes(run.conclusion?.toUpperCase() ?? '')),
    ),
    keyOf: (run) => run.id,
    present: (run) => checkRunSource(view, repository, run),
  });
}

/** The newest run of each app and name, which is all that counts. */
function latestRuns(runs: readonly CheckRun[]): readonly CheckRun[] {
  const isLatest = (run: CheckRun): boolean =>
    !runs.some((other) => other.name === run.name && other.appId === run.appId && other.id > run.id);
  return runs.filter(isLatest);
}

/** `null` for a commit without any check. @throws {ForgeError} 403 without the permission to read checks */
export function rollupSource(view: View, repository: Repository, sha: string): Source | null {
  requireRead(view, repository, 'checks');
  const runs = latestRuns(runsOn(repository, sha));
  if (runs.length === 0) return null;
  return {
    __typename: 'StatusCheckRollup',
    id: nodeId('checkSuite', `${repository.id}:${sha}`),
    state: rollupState(runs),
    commit: () => commitSource(view, repository, sha),
    contexts: (args, info) =>
      connection(args, info, {
        items: runs,
        keyOf: (run) => run.id,
        present: (run) => checkRunSource(view, repository, run),
        extra: { checkRunCount: runs.length, statusContextCount: 0 },
      }),
  };
}

function rollupState(runs: readonly CheckRun[]): string {
  if (runs.some((run) => FAILING.includes(run.conclusion ?? ''))) return 'FAILURE';
  return runs.every((run) => run.status === 'completed') ? 'SUCCESS' : 'PENDING';
}
