import type { Forge } from '../forge.ts';
import { nodeId } from '../node-id.ts';
import type { CheckRun, ForgeApp, Repository } from '../state.ts';
import { appShape } from './app.ts';
import { repositoryPage, repositoryUrl } from './repository.ts';

/** One suite an app and commit; its id is the app's. */
function suiteId(check: CheckRun): number {
  return check.appId;
}

/** GitHub's `check-run`. */
export function checkRunShape(forge: Forge, repository: Repository, check: CheckRun, app: ForgeApp | null) {
  const url = `${repositoryUrl(forge, repository)}/check-runs/${check.id}`;
  return {
    id: check.id,
    node_id: check.nodeId,
    head_sha: check.headSha,
    external_id: check.externalId,
    url,
    html_url: `${repositoryPage(forge, repository)}/runs/${check.id}`,
    details_url: check.detailsUrl,
    name: check.name,
    status: check.status,
    conclusion: check.conclusion,
    started_at: check.startedAt,
    completed_at: check.completedAt,
    check_suite: { id: suiteId(check), node_id: nodeId('checkSuite', suiteId(check)) },
    output: {
      title: check.title,
      summary: check.summary,
      text: check.text,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    app: app === null ? null : appShape(forge, app),
    pull_requests: [],
  };
}
