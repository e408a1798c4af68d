import { commitsBetween } from '../commit-graph.ts';
import { getPullRequest, isPullRequest } from '../lookup.ts';
import {
  closePullRequest,
  editPullRequest,
  merge,
  openPullRequest,
  removeRequestedReviewers,
  reopenIssue,
  requestReviewers,
} from '../operations.ts';
import { changedFiles, pullRequestBase } from '../pull-request-diff.ts';
import { commitShape, fileShape } from '../shapes/commit.ts';
import { pullRequestShape, simplePullRequestShape } from '../shapes/pull-request.ts';
import { type Answer, type Call, created, type Handler, ok, openRepository, page } from './call.ts';
import { readFlag, readNullableText, readText, readTexts, readWord } from './fields.ts';
import { sorted } from './issues.ts';
import type { OperationId } from './operation-ids.ts';

/** The pull request of the path, for reading. */
export function openPull(call: Call) {
  const { actor, repository } = openRepository(call, 'pull_requests');
  return { actor, repository, pull: getPullRequest(repository, Number(call.params.pull_number)) };
}

function list(call: Call): Answer {
  const { repository } = openRepository(call, 'pull_requests');
  const state = readText(call.query, 'state') ?? 'open';
  const head = readText(call.query, 'head');
  const base = readText(call.query, 'base');
  const matching = repository.issues
    .filter(isPullRequest)
    .filter(
      (pull) =>
        (state === 'all' || pull.state === state) &&
        (head === undefined || head === `${repository.owner.login}:${pull.pullRequest.headRef}`) &&
        (base === undefined || base === pull.pullRequest.baseRef),
    );
  const ordered = sorted(matching, call.query);
  return page(call, ordered, (pull) => simplePullRequestShape(call.forge, repository, pull));
}

function create(call: Call): Answer {
  const { actor, repository } = openRepository(call);
  const pull = openPullRequest(call.forge, actor, repository, {
    title: readText(call.body, 'title') ?? '',
    body: readNullableText(call.body, 'body'),
    head: String(call.body.head),
    base: String(call.body.base),
    draft: readFlag(call.body, 'draft'),
    maintainerCanModify: readFlag(call.body, 'maintainer_can_modify'),
  });
  return created(pullRequestShape(call.forge, repository, pull));
}

function update(call: Call): Answer {
  const { actor, repository, pull } = openPull(call);
  editPullRequest(call.forge, actor, repository, pull, {
    title: readText(call.body, 'title'),
    body: readNullableText(call.body, 'body'),
    base: readText(call.body, 'base'),
  });
  if (call.body.state === 'closed') closePullRequest(call.forge, actor, repository, pull);
  if (call.body.state === 'open') reopenIssue(call.forge, actor, repository, pull);
  return ok(pullRequestShape(call.forge, repository, pull));
}

function mergePull(call: Call): Answer {
  const { actor, repository, pull } = openPull(call);
  const sha = merge(call.forge, actor, repository, pull, {
    method: readWord(call.body, 'merge_method', ['merge', 'squash']),
    expectedHead: readText(call.body, 'sha'),
  });
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}

function listCommits(call: Call): Answer {
  const { repository, pull } = openPull(call);
  const shas = commitsBetween(repository.gitDir, pullRequestBase(repository, pull), pull.pullRequest.headSha);
  return page(call, shas, (sha) => commitShape(call.forge, repository, sha));
}

function listFiles(call: Call): Answer {
  const { repository, pull } = openPull(call);
  const files = changedFiles(repository, pull);
  return page(call, files, (file) => fileShape(call.forge, repository, pull.pullRequest.headSha, file));
}

export const pullRequestHandlers = {
  'pulls/list': list,
  'pulls/create': create,
  'pulls/get': (call) => {
    const { repository, pull } = openPull(call);
    return ok(pullRequestShape(call.forge, repository, pull));
  },
  'pulls/update': update,
  'pulls/merge': mergePull,
  'pulls/list-files': listFiles,
  'pulls/list-commits': listCommits,
  'pulls/request-reviewers': (call) => {
    const { actor, repository, pull } = openPull(call);
    requestReviewers(call.forge, actor, repository, pull, readTexts(call.body, 'reviewers') ?? []);
    return created(simplePullRequestShape(call.forge, repository, pull));
  },
  'pulls/remove-requested-reviewers': (call) => {
    const { actor, repository, pull } = openPull(call);
    removeRequestedReviewers(call.forge, actor, repository, pull, readTexts(call.body, 'reviewers') ?? []);
    return ok(simplePullRequestShape(call.forge, repository, pull));
  },
} as const satisfies Partial<Record<OperationId, Handler>>;
