/** What is read of code owners and teams. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTeam } from '../../src/local/forge/setup.ts';
import { planText, startWorld, type World } from './forge-world.ts';

const permissions = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  members: 'read',
} as const;

let world: World;
before(async () => {
  world = await startWorld({ isOfOrganization: true, permissions });
  createTeam(world.forge, world.owner, 'core', { members: ['wes'], invited: ['mia'] });
  createTeam(world.forge, world.owner, 'docs', { members: ['mia'] });
});
after(() => world.close());

const configPath = '.github/planwright.yml';
const configure = (approval: string, files: Readonly<Record<string, string | null>> = {}) =>
  world.commit(world.account('ann'), 'main', { [configPath]: `approval:\n  ${approval}\n`, ...files }, 'Configure');

/** A thread whose plan names these paths, with a review by each of the people. */
function reviewed(paths: readonly string[], ...people: readonly string[]) {
  const issue = world.issue();
  const scope = paths.map((path) => ({ path, change: 'modify' }) as const);
  world.plan(issue, { text: planText(issue.number, world.head() ?? '', scope) });
  const pull = world.open(`planwright/issue-${issue.number}`);
  for (const login of people) world.review(pull, login, { event: 'APPROVE' });
  return { issue, pull, thread: world.threadOf(issue) };
}

const idOf = (login: string) => world.account(login).id;
const teamCalls = () => world.takeRequests().filter((request) => request.includes('/teams/'));
const mints = () =>
  world.forge.requests.filter(
    ({ path, body }) => path.endsWith('/access_tokens') && JSON.stringify(body).includes('members'),
  );

test('where no team and no code owner matters, nothing is asked of either and no token is minted that reads members', async () => {
  const { thread } = reviewed(['README.md'], 'wes');
  world.takeRequests();
  const facts = await world.github.observe(thread);
  assert.deepEqual(mints(), []);
  assert.deepEqual(
    world.takeRequests().filter((request) => !request.includes('/access_tokens') && request !== 'GET /app'),
    ['graphql Thread', 'GET /repos/acme/shop/collaborators/wes/permission'],
  );
  assert.deepEqual(facts.memberships, {});
  assert.equal(facts.pullRequests[0]?.codeOwners, 'unknown');
});

test('a member counts as one; who is invited, who is not in it and who is in no such team do not', async () => {
  configure('teams: [Acme/Core, acme/docs, acme/none]');
  const { thread } = reviewed(['README.md'], 'wes', 'mia', 'tri');
  const facts = await world.github.observe(thread);
  assert.deepEqual(facts.memberships, {
    [idOf('wes')]: { 'acme/core': 'member', 'acme/docs': 'not_member', 'acme/none': 'not_member' },
    [idOf('mia')]: { 'acme/core': 'not_member', 'acme/docs': 'member', 'acme/none': 'not_member' },
  });
});

test('whoever opened a conversation that is not resolved is asked about; a closed pull request asks about nobody', async () => {
  configure('teams: [acme/core]');
  const { pull, thread } = reviewed(['README.md']);
  world.review(pull, 'mia', { event: 'COMMENT', comments: [{ path: 'plan.md', line: 1, body: 'why?' }] });
  assert.deepEqual((await world.github.observe(thread)).memberships, { [idOf('mia')]: { 'acme/core': 'not_member' } });
  world.takeRequests();
  pull.state = 'closed';
  assert.deepEqual((await world.github.observe(thread)).memberships, {});
  assert.deepEqual(teamCalls(), []);
});

test('a team of another organization is unknown, and is not asked for', async () => {
  configure('teams: [other/core]');
  const { thread } = reviewed(['README.md'], 'wes');
  world.takeRequests();
  assert.deepEqual((await world.github.observe(thread)).memberships, { [idOf('wes')]: { 'other/core': 'unknown' } });
  assert.deepEqual(teamCalls(), []);
});

const match = { method: 'GET', path: /\/teams\/core\// };
test('a membership that GitHub answers with 404 is none; with 403, 500 or 502 it is unknown; the rest of the thread stands', async () => {
  configure('teams: [acme/core, acme/docs]');
  const { thread } = reviewed(['README.md'], 'wes');
  for (const [status, expected] of [
    [403, 'unknown'],
    [404, 'not_member'],
    [500, 'unknown'],
    [502, 'unknown'],
  ] as const) {
    world.forge.faults.add({ match, times: 9, effect: { kind: 'status', status } });
    const facts = await world.github.observe(thread);
    world.forge.faults.clear();
    assert.deepEqual(facts.memberships, { [idOf('wes')]: { 'acme/core': expected, 'acme/docs': 'not_member' } });
    assert.deepEqual(facts.permissions, { [idOf('wes')]: 'write' });
  }
});

test('a membership whose state is a word not known here, or no answer of the form, is unknown', async () => {
  configure('teams: [acme/core]');
  const { thread } = reviewed(['README.md'], 'wes');
  for (const body of [{ state: 'suspended' }, {}, ['active']]) {
    world.forge.faults.add({ match, effect: { kind: 'status', status: 200, body } });
    assert.deepEqual((await world.github.observe(thread)).memberships, { [idOf('wes')]: { 'acme/core': 'unknown' } });
  }
});

test('memberships and permissions that take too long are unknown, and hold nothing up', async () => {
  configure('teams: [acme/core]');
  const { thread } = reviewed(['README.md'], 'wes', 'mia');
  const github = world.connect(800);
  await github.observe(thread);
  const slow = { kind: 'delay', ms: 2500 } as const;
  world.forge.faults.add({ match: { method: 'GET', path: /core\/memberships\/wes/ }, effect: slow });
  assert.deepEqual((await github.observe(thread)).memberships, {
    [idOf('wes')]: { 'acme/core': 'unknown' },
    [idOf('mia')]: { 'acme/core': 'not_member' },
  });
  world.forge.faults.add({ match: { method: 'GET', path: /collaborators\/wes/ }, effect: slow });
  const { permissions: found, memberships } = await github.observe(thread);
  world.forge.faults.clear();
  assert.deepEqual(found, { [idOf('wes')]: 'unknown', [idOf('mia')]: 'maintain' });
  assert.deepEqual(memberships, { [idOf('mia')]: { 'acme/core': 'not_member' } });
});

test('a token that GitHub no longer takes is renewed once, and a permission that is not granted is unknown', async () => {
  configure('teams: [acme/core]');
  const { thread } = reviewed(['README.md'], 'wes');
  world.forge.faults.add({ match, effect: { kind: 'status', status: 401 } });
  assert.deepEqual((await world.github.observe(thread)).memberships, { [idOf('wes')]: { 'acme/core': 'member' } });
  const granted = world.installation.permissions;
  const { members: _, ...rest } = granted;
  world.installation.permissions = rest;
  const facts = await world.connect().observe(thread);
  world.installation.permissions = granted;
  assert.deepEqual(facts.memberships, { [idOf('wes')]: { 'acme/core': 'unknown' } });
  assert.deepEqual(facts.permissions, { [idOf('wes')]: 'write' });
});

const places = { '.github/CODEOWNERS': null, CODEOWNERS: null, 'docs/CODEOWNERS': null } as const;
const ownersOf = async (thread: ReturnType<World['threadOf']>) =>
  (await world.github.observe(thread)).pullRequests[0]?.codeOwners;

test("the owners of planned paths are read from the base branch's tip, from the first of GitHub's three places", async () => {
  configure('code_owners: true', { ...places, 'docs/CODEOWNERS': '* @mia\n' });
  const { issue, thread } = reviewed(['README.md', 'src/a.ts']);
  const owned = (readme: readonly string[], source: readonly string[]) => [
    { path: 'README.md', owners: readme },
    { path: 'src/a.ts', owners: source },
  ];
  assert.deepEqual(await ownersOf(thread), owned(['@mia'], ['@mia']));
  configure('code_owners: true', { CODEOWNERS: '*.md @wes x@example.com\n' });
  assert.deepEqual(await ownersOf(thread), owned(['@wes', 'x@example.com'], []));
  configure('code_owners: true', { '.github/CODEOWNERS': '* @acme/core\n/src/\n' });
  world.commit(world.account('wes'), `planwright/issue-${issue.number}`, { '.github/CODEOWNERS': '* @wes\n' }, 'Mine');
  assert.deepEqual(await ownersOf(thread), owned(['@acme/core'], []));
  configure('code_owners: true', places);
  assert.equal(await ownersOf(thread), 'none');
});

test('the members of teams among the owners of planned paths are asked for, and of no other owners', async () => {
  configure('code_owners: true', { ...places, CODEOWNERS: 'README.md @acme/Core @mia a@b.test\nsrc/ @acme/docs\n' });
  const { thread } = reviewed(['README.md'], 'wes');
  assert.deepEqual((await world.github.observe(thread)).memberships, { [idOf('wes')]: { 'acme/core': 'member' } });
});

test('code owners that cannot be read in full, as a plain text file, are unknown', async () => {
  configure('code_owners: true', { ...places, CODEOWNERS: `* @wes\n${'#'.repeat(600_000)}\n` });
  const { thread } = reviewed(['README.md']);
  assert.equal(await ownersOf(thread), 'unknown');
  configure('code_owners: true', { CODEOWNERS: '* @wes\0\n' });
  assert.equal(await ownersOf(thread), 'unknown');
  configure('code_owners: true', { CODEOWNERS: null, 'CODEOWNERS/a': '* @wes\n' });
  assert.equal(await ownersOf(thread), 'unknown');
  configure('code_owners: true', { 'CODEOWNERS/a': null, CODEOWNERS: '* @wes\n' });
  assert.deepEqual(await ownersOf(thread), [{ path: 'README.md', owners: ['@wes'] }]);
  const isQuestion = ({ body }: { readonly body: unknown }) => JSON.stringify(body ?? '').includes('query CodeOwners');
  const blob = { __typename: 'Blob', oid: 'a', text: '../OWNERS', isTruncated: false, isBinary: false };
  const answer = (databaseId: number, mode: number) => ({
    data: {
      repository: {
        databaseId,
        object: { __typename: 'Commit', place0: { mode, object: blob }, place1: null, place2: null },
      },
    },
  });
  const symbolicLink = 0o120000;
  for (const body of [
    answer(world.repository.id, symbolicLink),
    answer(1, 0o100644),
    { data: { repository: null } },
    {},
  ]) {
    world.forge.faults.add({ match: isQuestion, effect: { kind: 'status', status: 200, body } });
    assert.equal(await ownersOf(thread), 'unknown');
  }
  world.forge.faults.add({ match: isQuestion, times: 3, effect: { kind: 'status', status: 500 } });
  assert.equal(await ownersOf(thread), 'unknown');
  world.forge.faults.clear();
});

test("no call of all these breaks GitHub's own description", () => {
  assert.deepEqual(world.forge.violations, []);
});
