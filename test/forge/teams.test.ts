import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAccount, createRepository, createTeam, install } from '../../src/local/forge/setup.ts';
import { appClient, createWorld, personClient, refusalOf } from './world.ts';

/** The organization `octo` with the team `core`: `wendy` is in it, `rita` is invited. The app may read members. */
async function startOrganization(context: TestContext) {
  const world = await createWorld(context);
  const octo = createAccount(world.forge, 'octo', 'Organization');
  const repository = createRepository(world.forge, { owner: octo, name: 'site' });
  const team = createTeam(world.forge, octo, 'core', { members: ['wendy'], invited: ['rita'] });
  const installation = install(world.forge, { ...world.app, permissions: { members: 'read' } }, octo, [repository]);
  return { ...world, installation, team };
}

const of = (username: string, slug = 'core') => ({ org: 'octo', team_slug: slug, username });

test('an app that may read members is told who is in a team, who is invited and who is neither', async (context) => {
  const world = await startOrganization(context);
  const { rest } = appClient(world, { permissions: { members: 'read' } });
  const { data } = await rest.teams.getMembershipForUserInOrg(of('WENDY', 'CORE'));
  assert.deepEqual(data, {
    url: `${world.forge.webUrl}/api/v3/organizations/${world.team.organization.id}/team/${world.team.id}/memberships/wendy`,
    role: 'member',
    state: 'active',
  });
  assert.equal((await rest.teams.getMembershipForUserInOrg(of('rita'))).data.state, 'pending');
  for (const nobody of [of('sam'), of('wendy', 'no-such-team')]) {
    assert.equal((await refusalOf(rest.teams.getMembershipForUserInOrg(nobody))).status, 404);
  }
  assert.deepEqual(world.forge.violations, []);
});

test('a token without members, and an installation elsewhere, are told nothing of a team', async (context) => {
  const world = await startOrganization(context);
  const without = appClient(world, { permissions: {} });
  assert.equal((await refusalOf(without.rest.teams.getMembershipForUserInOrg(of('wendy')))).status, 403);
  const [elsewhere] = world.forge.state.installations;
  assert.ok(elsewhere);
  elsewhere.permissions.members = 'read';
  const { rest } = appClient({ ...world, installation: elsewhere });
  assert.equal((await refusalOf(rest.teams.getMembershipForUserInOrg(of('wendy')))).status, 403);
});

test('people see the teams that they are in, and no other', async (context) => {
  const world = await startOrganization(context);
  const member = personClient(world, world.people.writer);
  assert.equal((await member.rest.teams.getMembershipForUserInOrg(of('rita'))).data.state, 'pending');
  const invited = personClient(world, world.people.reader);
  assert.equal((await refusalOf(invited.rest.teams.getMembershipForUserInOrg(of('wendy')))).status, 404);
});

test("a person's account grants an app no permission of an organization", async (context) => {
  const world = await createWorld(context);
  const app = { ...world.app, permissions: { issues: 'write', members: 'read' } as const };
  assert.deepEqual(install(world.forge, app, world.people.owner, []).permissions, { issues: 'write' });
});
