import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import {
  addLabels,
  changeInstallation,
  createComment,
  createIssue,
  openPullRequest,
  removeLabel,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { createRepository } from '../../src/local/forge/setup.ts';
import {
  at,
  commitFile,
  createWorld,
  jwtClient,
  personClient,
  type ReceivedDelivery,
  receiveWebhooks,
  type World,
} from './world.ts';

function label(world: World) {
  const { forge, repository, actors } = world;
  return createIssue(forge, actors.writer, repository, { title: 'T', labels: ['plan', 'bug'] });
}

/** `event.action` of each, sorted: deliveries race each other. */
function names(received: readonly ReceivedDelivery[]): readonly string[] {
  return received
    .map(({ headers, body }) => {
      const { action } = JSON.parse(body);
      return `${headers['x-github-event']}${action === undefined ? '' : `.${action}`}`;
    })
    .toSorted();
}

test('a delivery is signed over its bytes and names event, installation and receiver', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  createIssue(world.forge, world.actors.writer, world.repository, { title: 'Ünïcode' });
  await world.forge.webhooks.idle();
  const [delivery] = received;
  assert.ok(delivery);
  const signature = createHmac('sha256', world.app.webhookSecret).update(delivery.body).digest('hex');
  const { headers } = delivery;
  assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`);
  assert.equal(headers['x-github-event'], 'issues');
  assert.equal(headers['x-github-hook-installation-target-id'], String(world.app.id));
  assert.match(String(headers['user-agent']), /^GitHub-Hookshot\//);
  assert.match(String(headers['x-github-delivery']), /^[0-9a-f-]{36}$/);
  const payload = JSON.parse(delivery.body);
  assert.deepEqual(
    [payload.action, payload.issue.title, payload.repository.full_name, payload.installation.id, payload.sender.login],
    ['opened', 'Ünïcode', 'acme/shop', world.installation.id, 'wendy'],
  );
});

test('an issue with labels is told as opened and once for each label, all listing all labels', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  label(world);
  await world.forge.webhooks.idle();
  assert.deepEqual(names(received), ['issues.labeled', 'issues.labeled', 'issues.opened']);
  for (const { body } of received) {
    const listed: readonly { readonly name: string }[] = JSON.parse(body).issue.labels;
    assert.deepEqual(listed.map(({ name }) => name).toSorted(), ['bug', 'plan']);
  }
});

test('an app hears what it subscribes to, of the repositories that it is installed on', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  const { forge, actors } = world;
  const other = createRepository(forge, { owner: world.people.owner, name: 'other' });
  createIssue(forge, actors.owner, other, { title: 'Not yours' });
  const issue = label(world);
  removeLabel(forge, actors.writer, world.repository, issue, 'bug');
  addLabels(forge, actors.writer, world.repository, issue, ['plan']);
  createComment(forge, actors.reader, world.repository, issue, 'hello');
  changeInstallation(forge, actors.owner, world.installation, { add: [other] });
  await forge.webhooks.idle();
  assert.deepEqual(names(received), [
    'installation_repositories.added',
    'issue_comment.created',
    'issues.labeled',
    'issues.labeled',
    'issues.opened',
    'issues.unlabeled',
  ]);
});

test('a pull request is told as it is opened, pushed to, reviewed and closed', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  const before = commitFile(world, 'work', 'a.txt', 'a\n');
  const writer = personClient(world, world.people.writer);
  const owner = personClient(world, world.people.owner);
  const { data } = await owner.pulls.create({ ...at, title: 'P', head: 'work', base: 'main' });
  const on = { ...at, pull_number: data.number };
  const after = commitFile(world, 'work', 'a.txt', 'b\n');
  const { data: review } = await writer.pulls.createReview({ ...on, event: 'APPROVE' });
  await owner.pulls.dismissReview({ ...on, review_id: review.id, message: 'later' });
  await owner.pulls.update({ ...on, state: 'closed' });
  await world.forge.webhooks.idle();
  assert.deepEqual(names(received), [
    'pull_request.closed',
    'pull_request.opened',
    'pull_request.synchronize',
    'pull_request_review.dismissed',
    'pull_request_review.submitted',
    'push',
    'push',
  ]);
  const bodies = received.map(({ body }) => JSON.parse(body));
  const synchronize = bodies.find(({ action }) => action === 'synchronize');
  assert.deepEqual([synchronize.before, synchronize.after, synchronize.pull_request.head.sha], [before, after, after]);
  const submitted = bodies.find(({ action }) => action === 'submitted');
  assert.deepEqual(
    [submitted.review.state, submitted.review.body, submitted.review.commit_id],
    ['approved', null, after],
  );
});

test('a review thread that is resolved and opened again is told, by page and by GraphQL alike', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  const { forge, repository, actors } = world;
  commitFile(world, 'work', 'a.txt', 'a\n');
  const pull = openPullRequest(forge, actors.owner, repository, { title: 'P', head: 'work', base: 'main' });
  submitReview(forge, actors.writer, repository, pull, {
    event: 'COMMENT',
    comments: [{ path: 'a.txt', line: 1, body: 'x' }],
  });
  const [thread] = pull.pullRequest.threads;
  assert.ok(thread);
  await personClient(world, world.people.writer).graphql(
    'mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }',
    { id: thread.nodeId, baseUrl: `${forge.webUrl}/api` },
  );
  await fetch(`${forge.webUrl}/acme/shop/pull/${pull.number}/threads`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: forge.webUrl, cookie: 'forge_login=wendy' },
    body: new URLSearchParams({ thread: thread.nodeId, resolved: 'false' }),
  });
  await forge.webhooks.idle();
  const told = received
    .map(({ headers, body }) => ({ event: headers['x-github-event'], ...JSON.parse(body) }))
    .filter(({ event }) => event === 'pull_request_review_thread');
  assert.deepEqual(
    told.map((each) => [
      each.action,
      each.sender.login,
      each.sender.type,
      each.pull_request.head.ref,
      each.thread.node_id,
    ]),
    [
      ['resolved', 'wendy', 'User', 'work', thread.nodeId],
      ['unresolved', 'wendy', 'User', 'work', thread.nodeId],
    ],
  );
});

test('a failed delivery is recorded, never repeated by itself, and repeated on demand under its id', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world, 500);
  createIssue(world.forge, world.actors.writer, world.repository, { title: 'T' });
  await world.forge.webhooks.idle();
  const app = jwtClient(world);
  const { data: failed } = await app.apps.listWebhookDeliveries();
  assert.deepEqual(
    failed.map(({ event, action, status_code }) => [event, action, status_code]),
    [['issues', 'opened', 500]],
  );
  await app.apps.redeliverWebhookDelivery({ delivery_id: failed[0]?.id ?? 0 });
  await world.forge.webhooks.idle();
  const ids = received.map(({ headers }) => headers['x-github-delivery']);
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
  assert.equal(received[0]?.body, received[1]?.body);
  const { data: all } = await app.apps.listWebhookDeliveries();
  assert.deepEqual(
    all.map(({ redelivery }) => redelivery),
    [true, false],
  );
  assert.deepEqual(world.forge.violations, []);
});

test('a receiver that is away is recorded as not connected', async (context) => {
  const world = await createWorld(context);
  world.app.webhookUrl = 'http://127.0.0.1:1/hooks';
  createIssue(world.forge, world.actors.writer, world.repository, { title: 'T' });
  await world.forge.webhooks.idle();
  const [delivery] = world.forge.state.deliveries;
  assert.deepEqual([delivery?.statusCode, delivery?.status], [502, 'failed to connect to host']);
});

test('deliveries that are held can be left out, repeated and reordered', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  world.forge.webhooks.pause();
  label(world);
  await world.forge.webhooks.idle();
  assert.deepEqual(received, []);
  world.forge.webhooks.resume(([opened, first]) => (opened && first ? [first, opened, first] : []));
  await world.forge.webhooks.idle();
  assert.deepEqual(names(received), ['issues.labeled', 'issues.labeled', 'issues.opened']);
  assert.equal(new Set(received.map(({ headers }) => headers['x-github-delivery'])).size, 2);
});
