import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { formatMarker } from '../../src/github/identifiers.ts';
import { readApprovalGate } from '../../src/lifecycle/approval-gate.ts';
import { closePullRequest, createComment, editComment, editIssue } from '../../src/local/forge/operations.ts';
import { createAccount, personActor } from '../../src/local/forge/setup.ts';
import type { Issue } from '../../src/local/forge/state.ts';
import { startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** Whose permission a look asks for, in no order; the setter of the label is `wes`. */
async function askedFor(issue: Issue): Promise<readonly string[]> {
  world.pass(61_000);
  world.takeRequests();
  await world.github.observe(world.threadOf(issue));
  return world
    .takeRequests()
    .flatMap((request) => /collaborators\/([^/]+)\/permission/.exec(request)?.[1] ?? [])
    .toSorted();
}

const edit = (issue: Issue, by: string, body: string) => {
  world.pass();
  editIssue(world.forge, world.actor(by), world.repository, issue, { body });
};

test('an issue without comments and edits costs the permission of who set the label, and no more', async () => {
  const issue = world.issue();
  edit(issue, 'rea', 'Before the label.');
  world.label(issue);
  assert.deepEqual(await askedFor(issue), ['wes']);
});

test('before there is a pull request, people who commented before the label are asked for, and none else', async () => {
  const issue = world.issue();
  world.comment(issue, 'mia', 'It grows on Tuesdays.');
  world.comment(issue, 'tri', 'Same here.');
  world.comment(issue, 'tri', 'And on Fridays.');
  world.comment(issue, 'rea', 'The author of the issue is heard anyway.');
  world.label(issue);
  world.comment(issue, 'out', 'Do as I say.');
  assert.deepEqual(await askedFor(issue), ['mia', 'tri', 'wes']);
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  assert.deepEqual(await askedFor(issue), []);
  closePullRequest(world.forge, world.actor('wes'), world.repository, pull);
  assert.deepEqual(await askedFor(issue), ['wes'], 'the request came to its end with its pull request');
});

test('after questions, whoever replies on the issue or on its pull request is asked for, and nobody from before them', async () => {
  const issue = world.issue();
  world.label(issue);
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  world.comment(issue, 'tri', '1. b');
  world.comment(pull, 'tri', '1. b');
  world.pass();
  const marker = formatMarker({ kind: 'questions', thread: `${world.repository.id}#${issue.number}`, cause: 'run-1' });
  createComment(world.forge, world.appActor, world.repository, issue, `Which?\n\n${marker}`);
  assert.deepEqual(await askedFor(issue), []);
  world.comment(issue, 'mia', '1. a\n<!-- 2. b -->');
  world.comment(pull, 'out', '1. b\n<!-- 2. b -->');
  world.comment(pull, 'rea', 'The author of the issue is heard anyway.');
  assert.deepEqual(await askedFor(issue), [], 'the thread waits for nobody');
  world.label(issue, 'wes', 'plan: question');
  assert.deepEqual(await askedFor(issue), ['mia', 'out']);
  const { issue: shown, pullRequests } = await world.github.observe(world.threadOf(issue));
  const seen = [shown, ...pullRequests].flatMap(({ comments }) => comments.flatMap((comment) => comment.seen ?? []));
  assert.deepEqual(seen, ['1. a', '1. b'], 'what nobody sees is heard of no one');
});

test('nobody who commented is asked for while nobody asks for a plan', async () => {
  const issue = world.issue();
  world.comment(issue, 'mia', 'It grows on Tuesdays.');
  assert.deepEqual(await askedFor(issue), []);
});

test('of more than thirty people who commented the newest thirty are asked for; the others are not read', async () => {
  const issue = world.issue();
  const people = Array.from({ length: 33 }, (_, index) => createAccount(world.forge, `p${index + 10}`));
  for (const person of people) {
    world.pass();
    createComment(world.forge, personActor(person), world.repository, issue, 'Me too.');
  }
  world.label(issue);
  const asked = await askedFor(issue);
  assert.deepEqual(asked, [...people.slice(3).map(({ login }) => login), 'wes'].toSorted());
});

test('who edited the issue after the label is asked for, also once there is a pull request', async () => {
  const issue = world.issue();
  world.label(issue);
  edit(issue, 'rea', 'Do something else.');
  edit(issue, 'mia', 'Do what was meant.');
  assert.deepEqual(await askedFor(issue), ['mia', 'rea', 'wes']);
  world.plan(issue);
  world.open(`planwright/issue-${issue.number}`);
  assert.deepEqual(await askedFor(issue), ['mia', 'rea']);
});

test('what the facts hold is enough to tell an edit, a change of the label and an edited comment from what stood there', async () => {
  const issue = world.issue();
  const comment = world.comment(issue, 'mia', 'It grows.');
  world.label(issue);
  edit(issue, 'rea', 'Other words.');
  world.pass();
  editComment(world.forge, world.actor('mia'), world.repository, issue, comment, 'It shrinks.');
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(
    facts.issue.edits.map(({ what, by }) => [what, by?.login]),
    [['body', 'rea']],
  );
  assert.notEqual(facts.issue.comments[0]?.editedAt, null);
});

test('with a configuration that is broken, the one who set the label it still names is asked for', async (t) => {
  const broken = await startWorld({
    files: { '.github/planwright.yml': 'trigger:\n  label: ai\napproval:\n  required: none\n' },
  });
  t.after(() => broken.close());
  const issue = broken.issue();
  broken.label(issue, 'tri', 'plan');
  broken.label(issue, 'mia', 'ai');
  broken.comment(issue, 'out', 'Me too.');
  broken.takeRequests();
  const facts = await broken.github.observe(broken.threadOf(issue));
  assert.deepEqual(facts.permissions, { [broken.account('mia').id]: 'maintain' });
  assert.ok('problems' in facts.policy);
  assert.equal(facts.policy.triggerLabel, 'ai');
});

test('S12, case 57: no query and no answer of GitHub that is read knows an author association', async () => {
  const folder = new URL('../../src/github/', import.meta.url);
  const found = readdirSync(folder).filter((name) =>
    /author_?association/i.test(readFileSync(new URL(name, folder), 'utf8')),
  );
  assert.deepEqual(found, []);
});

/** How the gate reads one approval of a plan by the person. */
async function approvedBy(login: string) {
  const issue = world.issue();
  world.label(issue);
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  world.review(pull, login, { event: 'APPROVE' });
  const facts = await world.github.observe(world.threadOf(issue));
  assert.ok(!('problems' in facts.policy));
  const pullRequest = facts.pullRequests.at(-1);
  assert.ok(pullRequest !== undefined);
  const verdict = readApprovalGate(facts, facts.policy, { pullRequest, askers: null, held: null });
  return { counted: verdict.counted.map((each) => each.login), reasons: verdict.ignored.map(({ reason }) => reason) };
}

test('case 57: an approval counts by the permission that the endpoint tells; where it tells none, it does not count, and says so', async () => {
  assert.deepEqual(await approvedBy('rea'), { counted: [], reasons: ['permission is read; write is needed'] });
  for (const status of [404, 500]) {
    const match = { method: 'GET', path: /collaborators\/wes\/permission$/ };
    world.forge.faults.add({ match, times: 10, effect: { kind: 'status', status } });
    assert.deepEqual(await approvedBy('wes'), { counted: [], reasons: ['their permission could not be read'] });
    world.forge.faults.clear();
  }
});

test('case 58: an approval by a person with write access counts, whatever they are to the organisation', async () => {
  assert.deepEqual(await approvedBy('wes'), { counted: ['wes'], reasons: [] });
});

test('a crowd of strangers with commands does not keep the reviewers from being asked for', async () => {
  const issue = world.issue();
  world.label(issue);
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  for (let number = 1; number <= 12; number += 1) {
    const stranger = createAccount(world.forge, `crowd-${number}`);
    createComment(world.forge, personActor(stranger), world.repository, issue, '/plan');
  }
  world.review(pull, 'mia', { event: 'APPROVE' });
  world.takeRequests();
  await world.github.observe(world.threadOf(issue));
  const asked = world.takeRequests().flatMap((each) => /collaborators\/([^/]+)\/permission/.exec(each)?.[1] ?? []);
  assert.equal(asked.length, 13);
  assert.ok(asked.indexOf('mia') < 8, asked.join(' '));
});
