import { type Actor, requireAccess } from '../access.ts';
import { tell } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { resolveCommit } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import { checkRunShape } from '../shapes/check-run.ts';
import type { CheckRun, ForgeApp, Repository } from '../state.ts';

/** What a call says of a check run; what it leaves out stays. */
export interface CheckRunChange {
  readonly externalId?: string | undefined;
  readonly detailsUrl?: string | undefined;
  readonly status?: CheckRun['status'] | undefined;
  /** Makes the run completed. */
  readonly conclusion?: string | undefined;
  readonly startedAt?: string | undefined;
  readonly completedAt?: string | undefined;
  readonly output?:
    | { readonly title?: string | undefined; readonly summary?: string | undefined; readonly text?: string | undefined }
    | undefined;
}

const NEED = { permissions: ['checks'], access: 'write', role: 'write' } as const;

/** GitHub's limit for `summary` and `text`, in characters. */
const MAX_OUTPUT_LENGTH = 65_535;

/** @throws {ForgeError} 403 for people: check runs are an app's; 422 for a commit that is not there */
export function createCheckRun(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  name: string,
  headSha: string,
  change: CheckRunChange,
): CheckRun {
  const app = requireApp(actor, repository);
  if (resolveCommit(repository.gitDir, headSha) === null) {
    throw new ForgeError(422, `No commit found for SHA: ${headSha}`);
  }
  requireOutput(change);
  const id = forge.nextId();
  const check: CheckRun = {
    id,
    nodeId: nodeId('checkRun', id),
    appId: app.id,
    headSha,
    name,
    externalId: '',
    status: 'queued',
    conclusion: null,
    startedAt: now(forge),
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    detailsUrl: null,
  };
  apply(forge, check, change);
  repository.checkRuns.push(check);
  tellAboutCheck(forge, actor, repository, check, app, 'created');
  return check;
}

/** @throws {ForgeError} 403 for a check run of another app */
export function updateCheckRun(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  check: CheckRun,
  change: CheckRunChange,
): void {
  const app = requireApp(actor, repository);
  if (check.appId !== app.id) {
    throw new ForgeError(
      403,
      `Invalid app_id \`${app.id}\` - check run can only be modified by the GitHub App that created it.`,
    );
  }
  requireOutput(change);
  const wasCompleted = check.status === 'completed';
  apply(forge, check, change);
  if (!wasCompleted && check.status === 'completed') tellAboutCheck(forge, actor, repository, check, app, 'completed');
}

function requireApp(actor: Actor, repository: Repository): ForgeApp {
  requireAccess(actor, repository, NEED);
  if (actor.kind === 'installation') return actor.app;
  throw new ForgeError(403, 'You must authenticate via a GitHub App.');
}

function requireOutput({ output }: CheckRunChange): void {
  for (const text of [output?.summary, output?.text]) {
    if ((text ?? '').length > MAX_OUTPUT_LENGTH) {
      throw new ForgeError(422, `Invalid request.\n\nOnly ${MAX_OUTPUT_LENGTH} characters are allowed.`);
    }
  }
}

function apply(forge: Forge, check: CheckRun, change: CheckRunChange): void {
  check.externalId = change.externalId ?? check.externalId;
  check.detailsUrl = change.detailsUrl ?? check.detailsUrl;
  check.startedAt = change.startedAt ?? check.startedAt;
  check.title = change.output?.title ?? check.title;
  check.summary = change.output?.summary ?? check.summary;
  check.text = change.output?.text ?? check.text;
  // A completed run keeps its status and conclusion: https://github.com/orgs/community/discussions/24761
  if (check.status === 'completed') return;
  const status = change.conclusion === undefined ? (change.status ?? check.status) : 'completed';
  check.status = status;
  check.conclusion = status === 'completed' ? (change.conclusion ?? check.conclusion) : null;
  check.completedAt = status === 'completed' ? (change.completedAt ?? check.completedAt ?? now(forge)) : null;
}

function tellAboutCheck(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  check: CheckRun,
  app: ForgeApp,
  action: 'created' | 'completed',
): void {
  tell(forge, actor, repository, 'check_run', { action, check_run: checkRunShape(forge, repository, check, app) });
}

/** The newest of each name for the commit, or all of them. */
export function checkRunsOf(repository: Repository, headSha: string, which: 'latest' | 'all'): readonly CheckRun[] {
  const all = repository.checkRuns.filter((check) => check.headSha === headSha).toReversed();
  if (which === 'all') return all;
  const key = (check: CheckRun): string => `${check.appId} ${check.name}`;
  return all.filter((check, index) => all.findIndex((each) => key(each) === key(check)) === index);
}
