/** What is read of changes: to texts, to labels, and of other pull requests at the same commit. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { appVersion } from '../../src/config/app-version.ts';
import { Unreadable } from '../../src/github/github.ts';
import type { IssueEdit } from '../../src/lifecycle/facts.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import { closePullRequest, deleteLabel, editIssue, editLabel, editReview } from '../../src/local/forge/operations.ts';
import { startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const person = (login: string) => ({ id: world.account(login).id, login, kind: 'user', isThisApp: false }) as const;
const edit = (issue: ReturnType<World['issue']>, by: string, change: { title?: string; body?: string }) => {
  world.pass();
  editIssue(world.forge, world.actor(by), world.repository, issue, change);
  return issue.updatedAt;
};

test('the facts name the version of this app', async () => {
  const facts = await world.github.observe(world.threadOf(world.issue()));
  assert.deepEqual(facts.app, { version: appVersion });
  assert.match(appVersion, /^\d+\.\d+\.\d+/);
});

test('every edit of title and body is told with its author, oldest first, and the posting is none', async () => {
  const issue = world.issue('One', 'a');
  const look = async () => (await world.github.observe(world.threadOf(issue))).issue.edits;
  assert.deepEqual(await look(), []);
  const expected: readonly IssueEdit[] = [
    { what: 'body', by: person('rea'), at: edit(issue, 'rea', { body: 'b' }) },
    { what: 'title', by: person('tri'), at: edit(issue, 'tri', { title: 'Two' }) },
    { what: 'body', by: person('wes'), at: edit(issue, 'wes', { body: 'c' }) },
  ];
  assert.deepEqual(await look(), expected);
});

test('an edit by an account that is gone is told, with nobody as its author', async () => {
  const issue = world.issue('One', 'a');
  const at = edit(issue, 'rea', { body: 'b' });
  for (const each of issue.edits) each.editor = null;
  const { edits } = (await world.github.observe(world.threadOf(issue))).issue;
  assert.deepEqual(edits, [{ what: 'body', by: null, at }]);
});

test('a body that was edited, though no edit is told, was edited by somebody unknown', async () => {
  const issue = world.issue('One', 'a');
  const first = edit(issue, 'wes', { body: 'b' });
  const last = edit(issue, 'rea', { body: 'c' });
  issue.edits.pop();
  const look = async () => (await world.github.observe(world.threadOf(issue))).issue.edits;
  assert.deepEqual(await look(), [
    { what: 'body', by: person('wes'), at: first },
    { what: 'body', by: null, at: last },
  ]);
  issue.edits = [];
  assert.deepEqual(await look(), [{ what: 'body', by: null, at: last }]);
});

test('more than 100 edits are read to their end', async () => {
  const issue = world.issue('0', 'b0');
  for (let index = 1; index <= 101; index += 1) edit(issue, 'wes', { title: `${index}`, body: `b${index}` });
  const { edits } = (await world.github.observe(world.threadOf(issue))).issue;
  assert.deepEqual(
    ['title', 'body'].map((what) => edits.filter((each) => each.what === what).length),
    [101, 101],
  );
  assert.ok(edits.every(({ at }, index) => index === 0 || at >= (edits[index - 1]?.at ?? '')));
});

test('a label renamed to the trigger says that it changed after it was set', async () => {
  const issue = world.issue();
  world.label(issue, 'tri', 'harmless');
  world.pass();
  const { updatedAt } = editLabel(world.forge, world.actor('wes'), world.repository, 'harmless', { name: 'plan-it' });
  const look = async () => (await world.github.observe(world.threadOf(issue))).issue.labelEvents;
  const told = async () => (await look()).map(({ label, labelChangedAt }) => ({ label, labelChangedAt }));
  assert.deepEqual(await told(), [{ label: 'plan-it', labelChangedAt: updatedAt }]);
  const [event] = await look();
  assert.ok(event !== undefined && updatedAt > event.at);
  deleteLabel(world.forge, world.actor('wes'), world.repository, 'plan-it');
  assert.deepEqual(await told(), [
    { label: 'plan-it', labelChangedAt: null },
    { label: 'plan-it', labelChangedAt: null },
  ]);
});

function planned() {
  const issue = world.issue();
  const head = world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  return { issue, head, pull, look: async () => (await world.github.observe(world.threadOf(issue))).pullRequests[0] };
}

test('a review whose body was edited says when', async () => {
  const { pull, look } = planned();
  const review = world.review(pull, 'wes', { event: 'APPROVE', body: 'yes' });
  assert.equal((await look())?.reviews[0]?.editedAt, null);
  world.pass();
  editReview(world.forge, world.actor('wes'), world.repository, pull, review, 'yes, and more');
  assert.equal((await look())?.reviews[0]?.editedAt, review.lastEditedAt);
  assert.ok(review.lastEditedAt !== null);
});

/** Another pull request at the commit. */
function twin(branch: string, head: string) {
  git(world.repository.gitDir, ['update-ref', `refs/heads/${branch}`, head]);
  return world.open(branch, world.actor('wes'));
}

test('other open pull requests with the same head are told, those of forks too, without a further request', async () => {
  const { issue, head, pull, look } = planned();
  world.takeRequests();
  assert.deepEqual((await look())?.sharedWith, []);
  assert.deepEqual(
    world.takeRequests().filter((request) => request.startsWith('graphql')),
    ['graphql Thread'],
  );
  const [same, fork, closed] = [twin('same', head), twin('of-a-fork', head), twin('closed', head)];
  fork.pullRequest.headRepositoryId = null;
  closePullRequest(world.forge, world.actor('wes'), world.repository, closed);
  const ahead = twin('ahead', head);
  ahead.pullRequest.headSha = world.commit(world.account('wes'), 'ahead', { 'a.txt': 'a\n' }, 'More');
  assert.deepEqual((await look())?.sharedWith, [same.number, fork.number]);
  world.commit(world.app.account, `planwright/issue-${issue.number}`, { 'b.txt': 'b\n' }, 'On');
  assert.deepEqual((await look())?.sharedWith, []);
  closePullRequest(world.forge, world.actor('ann'), world.repository, pull);
  assert.equal((await look())?.sharedWith, 'unknown');
});

const node = (number: number, headRefOid: string) => ({
  number,
  state: 'OPEN',
  headRefOid,
  repository: { databaseId: world.repository.id },
});

/** Answers the first look with what GitHub says of the head commit changed. */
async function lookWith(associated: (head: string) => unknown, further?: (head: string) => unknown) {
  const { issue, head } = planned();
  const thread = world.threadOf(issue);
  await world.github.observe(thread);
  const seen = world.forge.requests.findLast(({ body }) => JSON.stringify(body ?? '').includes('query Thread'));
  const token = `Bearer ${world.forge.state.tokens.at(-1)?.token}`;
  const response = await fetch(world.environment.graphqlUrl, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify(seen?.body),
  });
  const body = JSON.parse(await response.text());
  body.data.repository.pullRequests1.nodes[0].headCommit.nodes[0].commit.associatedPullRequests = associated(head);
  const match = (text: string) => (request: { readonly body: unknown }) =>
    JSON.stringify(request.body ?? '').includes(text);
  world.forge.faults.add({ match: match('query Thread'), effect: { kind: 'status', status: 200, body } });
  if (further !== undefined) {
    const page = { data: { node: { page: further(head) } } };
    world.forge.faults.add({ match: match('query Page'), effect: { kind: 'status', status: 200, body: page } });
  }
  try {
    return (await world.github.observe(thread)).pullRequests[0]?.sharedWith;
  } finally {
    world.forge.faults.clear();
  }
}

test('more pull requests with the same head than one page holds are read to their end', async () => {
  const more = { hasNextPage: true, endCursor: 'x' };
  const last = { hasNextPage: false, endCursor: null };
  const found = await lookWith(
    (head) => ({ nodes: [node(901, head), node(902, 'f'.repeat(40))], pageInfo: more }),
    (head) => ({ nodes: Array.from({ length: 100 }, (_, index) => node(1000 + index, head)), pageInfo: last }),
  );
  assert.deepEqual(found, [901, ...Array.from({ length: 100 }, (_, index) => 1000 + index)]);
});

test('whether a head is shared is unknown where GitHub does not say, and a list in pieces is unreadable', async () => {
  assert.equal(await lookWith(() => null), 'unknown');
  await assert.rejects(
    lookWith(() => ({ nodes: [null], pageInfo: { hasNextPage: false, endCursor: null } })),
    Unreadable,
  );
});

test("no call of all these breaks GitHub's own description", () => {
  assert.deepEqual(world.forge.violations, []);
});
