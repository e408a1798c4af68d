import type { Actor } from '../access.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { findTeam } from '../lookup.ts';
import type { Team } from '../state.ts';
import { type Answer, type Call, type Handler, ok, requireActor } from './call.ts';
import type { OperationId } from './operation-ids.ts';

/** Source: https://docs.github.com/rest/teams/members#get-team-membership-for-a-user */
function membership(call: Call): Answer {
  const actor = requireActor(call);
  const organization = String(call.params.org);
  if (actor.kind === 'installation') requireMembersPermission(actor, organization);
  const team = findTeam(call.forge, organization, String(call.params.team_slug));
  if (team === null || !maySee(actor, team)) throw notFound();
  const username = String(call.params.username).toLowerCase();
  const [login, state] = [...team.members].find(([each]) => each.toLowerCase() === username) ?? [];
  if (login === undefined) throw notFound();
  const base = `${call.forge.webUrl}/api/v3/organizations/${team.organization.id}`;
  return ok({ url: `${base}/team/${team.id}/memberships/${login}`, role: 'member', state });
}

/** @throws {ForgeError} 403 */
function requireMembersPermission(
  { installation, token }: Extract<Actor, { readonly kind: 'installation' }>,
  organization: string,
): void {
  const isInstalled = installation.account.login.toLowerCase() === organization.toLowerCase();
  const granted = [installation.permissions.members, token.permissions.members];
  if (isInstalled && granted.every((access) => access !== undefined)) return;
  throw new ForgeError(403, 'Resource not accessible by integration', { acceptedPermissions: 'members=read' });
}

/** Teams are seen by the people in them. */
function maySee(actor: Actor, team: Team): boolean {
  return actor.kind === 'installation' || team.members.get(actor.account.login) === 'active';
}

export const teamHandlers = {
  'teams/get-membership-for-user-in-org': membership,
} as const satisfies Partial<Record<OperationId, Handler>>;
