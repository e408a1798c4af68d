import { notFound } from '../forge-error.ts';
import { type CheckRunChange, checkRunsOf, createCheckRun, updateCheckRun } from '../operations.ts';
import { checkRunShape } from '../shapes/check-run.ts';
import type { CheckRun, Repository } from '../state.ts';
import { type Answer, type Call, created, type Handler, ok, openRepository, page } from './call.ts';
import { type Fields, readFields, readNumber, readText, readWord } from './fields.ts';
import type { OperationId } from './operation-ids.ts';
import { requireCommit } from './repositories.ts';

function shape(call: Call, repository: Repository, check: CheckRun) {
  const app = call.forge.state.apps.find((each) => each.id === check.appId) ?? null;
  return checkRunShape(call.forge, repository, check, app);
}

function openCheck(call: Call) {
  const { actor, repository } = openRepository(call, 'checks');
  const check = repository.checkRuns.find((each) => each.id === Number(call.params.check_run_id));
  if (check === undefined) throw notFound();
  return { actor, repository, check };
}

function readChange(body: Fields): CheckRunChange {
  const output = readFields(body, 'output');
  return {
    externalId: readText(body, 'external_id'),
    detailsUrl: readText(body, 'details_url'),
    status: readWord(body, 'status', ['queued', 'in_progress', 'completed']),
    conclusion: readText(body, 'conclusion'),
    startedAt: readText(body, 'started_at'),
    completedAt: readText(body, 'completed_at'),
    output:
      output === undefined
        ? undefined
        : {
            title: readText(output, 'title'),
            summary: readText(output, 'summary'),
            text: readText(output, 'text'),
          },
  };
}

function create(call: Call): Answer {
  const { actor, repository } = openRepository(call);
  const { name, head_sha: headSha } = call.body;
  const check = createCheckRun(call.forge, actor, repository, String(name), String(headSha), readChange(call.body));
  return created(shape(call, repository, check));
}

function update(call: Call): Answer {
  const { actor, repository, check } = openCheck(call);
  updateCheckRun(call.forge, actor, repository, check, readChange(call.body));
  return ok(shape(call, repository, check));
}

function listForRef(call: Call): Answer {
  const { repository } = openRepository(call, 'checks');
  const sha = requireCommit(repository, String(call.params.ref));
  const which = readWord(call.query, 'filter', ['latest', 'all']) ?? 'latest';
  const name = readText(call.query, 'check_name');
  const status = readText(call.query, 'status');
  const appId = readNumber(call.query, 'app_id');
  const checks = checkRunsOf(repository, sha, which).filter(
    (check) =>
      (name === undefined || check.name === name) &&
      (status === undefined || check.status === status) &&
      (appId === undefined || check.appId === appId),
  );
  const wrap = (shapes: readonly unknown[]) => ({ total_count: checks.length, check_runs: shapes });
  return page(call, checks, (check) => shape(call, repository, check), wrap);
}

export const checkRunHandlers = {
  'checks/create': create,
  'checks/get': (call) => {
    const { repository, check } = openCheck(call);
    return ok(shape(call, repository, check));
  },
  'checks/update': update,
  'checks/list-for-ref': listForRef,
} as const satisfies Partial<Record<OperationId, Handler>>;
