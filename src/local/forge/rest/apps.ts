import { reaches } from '../access.ts';
import { deliveryHeaders } from '../delivery-headers.ts';
import type { Forge } from '../forge.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { findAccount } from '../lookup.ts';
import { createInstallationToken, revokeToken } from '../operations.ts';
import { accountShape } from '../shapes/account.ts';
import { appShape, deliveryShape, installationShape } from '../shapes/app.ts';
import { repositoryShape } from '../shapes/repository.ts';
import type { ForgeApp, Installation, WebhookDelivery } from '../state.ts';
import {
  type Answer,
  type Call,
  created,
  type Handler,
  NO_CONTENT,
  ok,
  page,
  requireActor,
  requireApp,
} from './call.ts';
import { type Fields, readFields, readList, readNumber } from './fields.ts';
import type { OperationId } from './operation-ids.ts';

function installationsOf(forge: Forge, app: ForgeApp): readonly Installation[] {
  return forge.state.installations.filter((each) => each.appId === app.id);
}

function getInstallation(call: Call, app: ForgeApp): Installation {
  const id = Number(call.params.installation_id);
  const installation = installationsOf(call.forge, app).find((each) => each.id === id);
  if (installation === undefined) throw notFound();
  return installation;
}

function createToken(call: Call): Answer {
  const app = requireApp(call);
  const installation = getInstallation(call, app);
  const repositoryIds = [...(readList(call.body, 'repository_ids') ?? [])].filter((each) => typeof each === 'number');
  const named = repositoriesByName(call, installation);
  const wanted = [...repositoryIds, ...named];
  const token = createInstallationToken(call.forge, installation, {
    repositoryIds: wanted.length === 0 ? undefined : wanted,
    permissions: readPermissions(readFields(call.body, 'permissions')),
  });
  const repositories = call.forge.state.repositories.filter((each) => token.repositoryIds?.includes(each.id));
  return created({
    token: token.token,
    expires_at: token.expiresAt,
    permissions: token.permissions,
    repository_selection: 'selected',
    ...(token.repositoryIds === null
      ? {}
      : { repositories: repositories.map((each) => repositoryShape(call.forge, each)) }),
  });
}

function repositoriesByName(call: Call, installation: Installation): readonly number[] {
  const names = readList(call.body, 'repositories') ?? [];
  return names.map((name) => {
    const isIt = (each: { readonly name: string; readonly owner: { readonly id: number } }): boolean =>
      each.name === name && each.owner.id === installation.account.id;
    return call.forge.state.repositories.find(isIt)?.id ?? 0;
  });
}

function readPermissions(fields: Fields | undefined): Record<string, 'read' | 'write'> | undefined {
  if (fields === undefined) return undefined;
  const permissions: Record<string, 'read' | 'write'> = {};
  for (const [name, access] of Object.entries(fields)) {
    if (access === 'read' || access === 'write') permissions[name] = access;
  }
  return permissions;
}

function listInstallationRepositories(call: Call): Answer {
  const actor = requireActor(call);
  if (actor.kind !== 'installation') {
    throw new ForgeError(403, 'You must authenticate with an installation access token.');
  }
  const repositories = call.forge.state.repositories.filter((each) => reaches(actor, each));
  const shape = (repository: (typeof repositories)[number]) => repositoryShape(call.forge, repository);
  return page(call, repositories, shape, (shapes) => ({
    total_count: repositories.length,
    repository_selection: 'selected',
    repositories: shapes,
  }));
}

function getDelivery(call: Call, app: ForgeApp): WebhookDelivery {
  const id = Number(call.params.delivery_id);
  const delivery = call.forge.state.deliveries.find((each) => each.id === id && each.appId === app.id);
  if (delivery === undefined) throw notFound();
  return delivery;
}

/** Newest first, paged by a cursor: the id of the page's first delivery. What no answer has come to is not listed. */
function listDeliveries(call: Call): Answer {
  const app = requireApp(call);
  const size = readNumber(call.query, 'per_page') ?? 30;
  const cursor = readNumber(call.query, 'cursor') ?? Number.POSITIVE_INFINITY;
  const newest = call.forge.state.deliveries
    .filter((each) => each.appId === app.id && each.status !== 'pending')
    .toReversed();
  const rest = newest.filter((each) => each.id <= cursor);
  const next = rest[size];
  const url = `${call.forge.webUrl}/api/v3${call.path}?per_page=${size}&cursor=${next?.id}`;
  const headers = next === undefined ? {} : { link: `<${url}>; rel="next"` };
  return { status: 200, body: rest.slice(0, size).map(deliveryShape), headers };
}

function deliveryDetail(call: Call): Answer {
  const app = requireApp(call);
  const delivery = getDelivery(call, app);
  const headers = deliveryHeaders(app, delivery, JSON.stringify(delivery.payload));
  return ok({
    ...deliveryShape(delivery),
    url: app.webhookUrl ?? '',
    request: { headers, payload: delivery.payload },
    response: { headers: {}, payload: '' },
  });
}

export const appHandlers = {
  'apps/get-authenticated': (call) => ok(appShape(call.forge, requireApp(call))),
  'apps/list-installations': (call) => {
    const app = requireApp(call);
    return page(call, installationsOf(call.forge, app), (each) => installationShape(call.forge, app, each));
  },
  'apps/get-installation': (call) => {
    const app = requireApp(call);
    return ok(installationShape(call.forge, app, getInstallation(call, app)));
  },
  'apps/get-repo-installation': (call) => {
    const app = requireApp(call);
    const name = `${call.params.owner}/${call.params.repo}`.toLowerCase();
    const repository = call.forge.state.repositories.find(
      (each) => `${each.owner.login}/${each.name}`.toLowerCase() === name,
    );
    const installation = installationsOf(call.forge, app).find((each) =>
      each.repositoryIds.includes(repository?.id ?? 0),
    );
    if (installation === undefined) throw notFound();
    return ok(installationShape(call.forge, app, installation));
  },
  'apps/create-installation-access-token': createToken,
  'apps/list-repos-accessible-to-installation': listInstallationRepositories,
  'apps/revoke-installation-access-token': (call) => {
    requireActor(call);
    if (call.credential.kind === 'token') revokeToken(call.forge, call.credential.token);
    return NO_CONTENT;
  },
  'apps/list-webhook-deliveries': listDeliveries,
  'apps/get-webhook-delivery': deliveryDetail,
  'apps/redeliver-webhook-delivery': (call) => {
    call.forge.webhooks.redeliver(getDelivery(call, requireApp(call)));
    return { status: 202, body: {} };
  },
  'users/get-by-username': (call) => {
    requireActor(call);
    const account = findAccount(call.forge, String(call.params.username));
    if (account === null) throw notFound();
    return ok(accountDetail(call.forge, account));
  },
} as const satisfies Partial<Record<OperationId, Handler>>;

/** GitHub's `public-user`. */
function accountDetail(forge: Forge, account: Parameters<typeof accountShape>[1]) {
  return {
    ...accountShape(forge, account),
    name: null,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };
}
