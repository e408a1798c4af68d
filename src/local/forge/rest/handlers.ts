import { bearerName } from '../credentials.ts';
import { appHandlers } from './apps.ts';
import { type Call, type Handler, ok } from './call.ts';
import { checkRunHandlers } from './check-runs.ts';
import { commentHandlers } from './comments.ts';
import { contentHandlers } from './contents.ts';
import { issueHandlers } from './issues.ts';
import { labelHandlers } from './labels.ts';
import type { OperationId } from './operation-ids.ts';
import { pullRequestHandlers } from './pull-requests.ts';
import { repositoryHandlers } from './repositories.ts';
import { reviewCommentHandlers } from './review-comments.ts';
import { reviewHandlers } from './reviews.ts';
import { teamHandlers } from './teams.ts';

function rateLimit(call: Call) {
  const core = call.forge.rateLimits.read(bearerName(call.credential), 'core');
  const graphql = call.forge.rateLimits.read(bearerName(call.credential), 'graphql');
  return ok({ resources: { core, graphql, search: core }, rate: core });
}

/** What answers each operation of the description. */
export const HANDLERS: Readonly<Record<OperationId, Handler>> = {
  ...appHandlers,
  ...repositoryHandlers,
  ...contentHandlers,
  ...issueHandlers,
  ...labelHandlers,
  ...commentHandlers,
  ...pullRequestHandlers,
  ...reviewHandlers,
  ...reviewCommentHandlers,
  ...checkRunHandlers,
  ...teamHandlers,
  'rate-limit/get': rateLimit,
};
