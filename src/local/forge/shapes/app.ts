import type { Forge } from '../forge.ts';
import { nodeId } from '../node-id.ts';
import type { ForgeApp, Installation, Repository, WebhookDelivery } from '../state.ts';
import { accountShape } from './account.ts';

const CREATED = '2026-01-01T00:00:00Z';

/** GitHub's `integration`. */
export function appShape(forge: Forge, app: ForgeApp) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('app', app.id),
    client_id: `Iv23${app.id}`,
    owner: accountShape(forge, app.account),
    name: app.name,
    description: null,
    external_url: forge.webUrl,
    html_url: `${forge.webUrl}/apps/${app.slug}`,
    created_at: CREATED,
    updated_at: CREATED,
    permissions: app.permissions,
    events: app.events,
    installations_count: forge.state.installations.filter((each) => each.appId === app.id).length,
  };
}

/** GitHub's `installation`. */
export function installationShape(forge: Forge, app: ForgeApp, installation: Installation) {
  return {
    id: installation.id,
    account: accountShape(forge, installation.account),
    repository_selection: 'selected',
    access_tokens_url: `${forge.webUrl}/api/v3/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${forge.webUrl}/api/v3/installation/repositories`,
    html_url: `${forge.webUrl}/settings/installations/${installation.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: installation.account.id,
    target_type: installation.account.type,
    permissions: installation.permissions,
    events: app.events,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    suspended_by: installation.suspendedAt === null ? null : accountShape(forge, installation.account),
    suspended_at: installation.suspendedAt,
  };
}

/** What installation events list of a repository. */
export function installedRepositoryShape(repository: Repository) {
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: `${repository.owner.login}/${repository.name}`,
    private: repository.private,
  };
}

/** GitHub's `hook-delivery-item`. */
export function deliveryShape(delivery: WebhookDelivery) {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt,
    redelivery: delivery.redelivery,
    duration: 0,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}
