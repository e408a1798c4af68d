import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { destinationOf } from '../../src/app.ts';

const place = {
  installation: { id: 7 },
  repository: { id: 100, name: 'shop', owner: { login: 'octo' } },
  sender: { id: 5, login: 'ada', type: 'User' },
};
const where = { installation: 7, repository: { id: 100, owner: 'octo', name: 'shop' } };
const toIssue = (issue: number) => ({ kind: 'issue', ...where, issue });
const ignored = (reason: string) => ({ kind: 'ignored', reason });

function pullRequest(ref: string, head: { id: number } | null = { id: 100 }) {
  return { number: 50, head: { ref, repo: head }, base: { repo: { id: 100 } } };
}

test('an event about an issue wakes the thread of that issue', () => {
  const actions = [
    'opened',
    'edited',
    'labeled',
    'unlabeled',
    'closed',
    'reopened',
    'locked',
    'deleted',
    'transferred',
  ];
  for (const action of actions) {
    assert.deepEqual(destinationOf('issues', { ...place, action, issue: { number: 42 } }), toIssue(42));
  }
  assert.deepEqual(destinationOf('issue_comment', { ...place, action: 'created', issue: { number: 42 } }), toIssue(42));
});

test('a comment on a pull request wakes the thread that knows that pull request', () => {
  const payload = { ...place, action: 'created', issue: { number: 50, pull_request: { url: 'x' } } };
  assert.deepEqual(destinationOf('issue_comment', payload), { kind: 'pull_request', ...where, pullRequest: 50 });
});

test('an event about a pull request wakes the thread that its branch names', () => {
  const events = [
    ['pull_request', 'synchronize'],
    ['pull_request', 'closed'],
    ['pull_request_review', 'submitted'],
    ['pull_request_review', 'dismissed'],
    ['pull_request_review_comment', 'created'],
    ['pull_request_review_thread', 'resolved'],
    ['pull_request_review_thread', 'unresolved'],
  ] as const;
  for (const [event, action] of events) {
    const payload = { ...place, action, pull_request: pullRequest('planwright/issue-42-3') };
    assert.deepEqual(destinationOf(event, payload), toIssue(42));
  }
});

test('a pull request from a fork, a deleted fork or another branch wakes nothing', () => {
  const of = (head: ReturnType<typeof pullRequest>) =>
    destinationOf('pull_request_review', { ...place, action: 'submitted', pull_request: head });
  assert.deepEqual(of(pullRequest('planwright/issue-42', { id: 101 })), ignored('the pull request comes from a fork'));
  assert.deepEqual(of(pullRequest('planwright/issue-42', null)), ignored('the pull request comes from a fork'));
  for (const ref of [
    'main',
    'planwright/issue-',
    'planwright/issue-42-',
    'x/planwright/issue-42',
    'planwright/issue-042',
  ]) {
    assert.deepEqual(of(pullRequest(ref)), ignored('the branch is not of this app'), ref);
  }
});

test('what a bot does wakes nothing, this app included', () => {
  for (const type of ['Bot', 'Organization', 'Mannequin']) {
    const payload = { ...place, sender: { ...place.sender, type }, action: 'labeled', issue: { number: 42 } };
    assert.deepEqual(destinationOf('issues', payload), ignored('the sender is not a person'));
  }
});

test('an issue that a bot edits and a conversation that a bot resolves wake nothing', () => {
  const bot = { ...place, sender: { ...place.sender, type: 'Bot' } };
  const pull = { pull_request: pullRequest('planwright/issue-42') };
  assert.deepEqual(
    [
      destinationOf('issues', { ...bot, action: 'edited', issue: { number: 42 }, changes: { body: { from: '' } } }),
      destinationOf('pull_request_review_thread', { ...bot, ...pull, action: 'resolved' }),
      destinationOf('pull_request_review_thread', { ...bot, ...pull, action: 'unresolved' }),
    ],
    Array.from({ length: 3 }, () => ignored('the sender is not a person')),
  );
});

test('case 62: nothing that this app does itself wakes anything, whatever it is echoed as', () => {
  const own = { ...place, sender: { id: 99, login: 'planwright[bot]', type: 'Bot' } };
  const issue = { number: 42 };
  const pull = { pull_request: pullRequest('planwright/issue-42') };
  const echoes: readonly (readonly [string, object])[] = [
    ['issue_comment', { action: 'created', issue }],
    ['issue_comment', { action: 'edited', issue }],
    ['issue_comment', { action: 'created', issue: { number: 50, pull_request: { url: 'x' } } }],
    ['issues', { action: 'labeled', issue, label: { name: 'plan: review' } }],
    ['issues', { action: 'unlabeled', issue, label: { name: 'plan: writing' } }],
    ['label', { action: 'created', label: { name: 'plan: review' } }],
    ['push', { ref: 'refs/heads/planwright/issue-42' }],
    ['create', { ref: 'planwright/issue-42', ref_type: 'branch' }],
    ['pull_request', { ...pull, action: 'opened' }],
    ['pull_request', { ...pull, action: 'synchronize' }],
    ['pull_request', { ...pull, action: 'edited', changes: { title: { from: '' }, body: { from: '' } } }],
    ['pull_request', { ...pull, action: 'review_requested' }],
    ['pull_request', { ...pull, action: 'ready_for_review' }],
    ['pull_request_review', { ...pull, action: 'submitted' }],
    ['pull_request_review', { ...pull, action: 'dismissed' }],
    ['pull_request_review_comment', { ...pull, action: 'created' }],
    ['pull_request_review_thread', { ...pull, action: 'resolved' }],
    ['check_run', { action: 'completed' }],
    ['check_suite', { action: 'requested' }],
  ];
  for (const [event, payload] of echoes) {
    assert.equal(destinationOf(event, { ...own, ...payload }).kind, 'ignored', JSON.stringify([event, payload]));
  }
});

test('case 64: what happens to a label of the repository wakes nothing', () => {
  for (const action of ['created', 'edited', 'deleted']) {
    const payload = { ...place, action, label: { name: 'plan' }, changes: { name: { from: 'bug' } } };
    assert.deepEqual(destinationOf('label', payload), ignored('the event is not listened to'), action);
  }
});

test('a bot that takes the label off, closes or retargets is heard; what this app does in that way is not', () => {
  const bot = { ...place, sender: { ...place.sender, type: 'Bot' } };
  const issue = { number: 42 };
  const pull = { pull_request: pullRequest('planwright/issue-42') };
  const heard = [
    destinationOf('issues', { ...bot, action: 'unlabeled', issue, label: { name: 'plan' } }),
    destinationOf('issues', { ...bot, action: 'closed', issue }),
    destinationOf('pull_request', { ...bot, ...pull, action: 'closed' }),
    destinationOf('pull_request', { ...bot, ...pull, action: 'edited', changes: { base: { ref: { from: 'main' } } } }),
  ];
  assert.deepEqual(
    heard.map(({ kind }) => kind),
    ['issue', 'issue', 'issue', 'issue'],
  );
  const own = [
    destinationOf('issues', { ...bot, action: 'unlabeled', issue, label: { name: 'plan: review' } }),
    destinationOf('pull_request', { ...bot, ...pull, action: 'edited', changes: { body: { from: '' } } }),
  ];
  assert.deepEqual(own, [ignored('the sender is not a person'), ignored('the sender is not a person')]);
});

test('an edited or deleted comment or review wakes nothing', () => {
  const issue = { number: 42 };
  for (const action of ['edited', 'deleted']) {
    assert.deepEqual(
      destinationOf('issue_comment', { ...place, action, issue }),
      ignored('the action is not listened to'),
    );
    const payload = { ...place, action, pull_request: pullRequest('planwright/issue-42') };
    assert.deepEqual(destinationOf('pull_request_review', payload), ignored('the action is not listened to'));
    assert.deepEqual(destinationOf('pull_request_review_comment', payload), ignored('the action is not listened to'));
  }
});

test('what happens to an installation or a repository wakes its threads', () => {
  for (const action of ['deleted', 'suspend', 'unsuspend', 'new_permissions_accepted']) {
    assert.deepEqual(destinationOf('installation', { action, installation: { id: 7 } }), {
      kind: 'installation',
      installation: 7,
    });
  }
  assert.deepEqual(destinationOf('repository', { ...place, action: 'archived' }), {
    kind: 'repository',
    installation: 7,
    repository: 100,
  });
});

test('no payload whatever makes it throw', () => {
  const events = fc.constantFrom(
    'issues',
    'issue_comment',
    'pull_request',
    'installation',
    'repository',
    '__proto__',
    'x',
  );
  const payload = fc.oneof(
    fc.anything(),
    fc.record({
      action: fc.constantFrom('created', 'labeled', 'deleted'),
      sender: fc.anything(),
      issue: fc.anything(),
    }),
  );
  fc.assert(
    fc.property(events, payload, (event, value) => {
      assert.equal(destinationOf(event, value).kind, 'ignored');
    }),
  );
});
