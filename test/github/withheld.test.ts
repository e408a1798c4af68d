import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActContext, type GitHubAction, Withheld } from '../../src/github/github.ts';
import type { Comment, Facts } from '../../src/lifecycle/facts.ts';
import { factsOf, newThread } from '../engine/engine-fixture.ts';
import { secretForms } from '../text/secret-forms.ts';
import { furtherForms } from '../text/written-forms.ts';
import { recordApi } from './recording-api.ts';

const webhookSecret = 'f4c1d2a90b7e6358cc01947ab2de58f3';
const foreignToken = secretForms[0]?.[1] ?? '';

const { arrived, connect, acting } = recordApi([{ what: 'webhook secret of this app', value: webhookSecret }]);

const place = { owner: 'octo', repo: 'shop' };

test('S79: a request that holds a secret in any of its strings is not sent, and the refusal does not repeat it', async () => {
  const { client, mutate } = connect();
  const hidden = Object.entries(furtherForms).filter(([form]) => /base64 reversed|hex with|nobody sees/.test(form));
  for (const write of [(text: string) => text, ...hidden.map(([, each]) => each)]) {
    const bad = `It is ${write(webhookSecret)}.`;
    const sends: Readonly<Record<string, () => Promise<unknown>>> = {
      'a comment': () => client.rest.issues.createComment({ ...place, issue_number: 1, body: bad }),
      'a title': () => client.rest.pulls.create({ ...place, title: bad, body: 'x', head: 'h', base: 'main' }),
      'a body': () => client.rest.pulls.update({ ...place, pull_number: 1, body: bad }),
      'a branch': () => client.rest.pulls.create({ ...place, title: 't', body: 'x', head: bad, base: 'main' }),
      'a reply': () =>
        client.rest.pulls.createReplyForReviewComment({ ...place, pull_number: 1, comment_id: 2, body: bad }),
      'a dismissal': () => client.rest.pulls.dismissReview({ ...place, pull_number: 1, review_id: 2, message: bad }),
      'a label': () => client.rest.issues.addLabels({ ...place, issue_number: 1, labels: ['plan', bad] }),
      'a check': () =>
        client.rest.checks.create({
          ...place,
          name: 'c',
          head_sha: 'a'.repeat(40),
          output: { title: 't', summary: bad },
        }),
      'a file': () => client.rest.git.createRef({ ...place, ref: `refs/heads/${bad}`, sha: 'a'.repeat(40) }),
      'a mutation': () => mutate('mutation A($label0: CreateLabelInput!) { x }', { label0: { name: bad } }),
    };
    for (const [what, send] of Object.entries(sends)) {
      const error: unknown = await send().catch((caught: unknown) => caught);
      assert.ok(error instanceof Withheld, `${what}: ${String(error)}`);
      assert.match(error.message, /got one with what looks like a webhook secret of this app; nothing was sent$/);
      assert.ok(!error.message.includes(webhookSecret.slice(0, 8)));
    }
  }
  assert.deepEqual(arrived, []);
});

test('S79: what holds none is sent, and reading asks for whatever it likes', async () => {
  const { client, mutate } = connect();
  await client.rest.issues.createComment({ ...place, issue_number: 1, body: 'It is done.' });
  await client.rest.issues.list({ labels: foreignToken });
  await mutate('query A($name: String!) { x }', { name: foreignToken });
  assert.deepEqual(
    arrived.splice(0).map(({ call }) => call.replace(/\?.*/, '')),
    ['POST /repos/octo/shop/issues/1/comments', 'GET /issues', 'POST /graphql'],
  );
});

const thread = newThread();
const contextOf = (more: Partial<Facts['issue']> = {}): ActContext => {
  const facts = factsOf(thread);
  const memory = { runs: [], lostRuns: 0, shares: [] };
  return { thread, facts: { ...facts, issue: { ...facts.issue, ...more } }, memory, pullRequest: null, head: null };
};
const cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 };
const failed = (detail: string): GitHubAction => ({
  kind: 'setStatusComment',
  status: {
    state: 'failed',
    pullRequest: null,
    isPullRequestOpen: false,
    failure: { reason: 'crashed', detail },
    obstacles: [],
    note: null,
    previousPullRequest: null,
    cost,
  },
});

const bodies = () => arrived.splice(0).map(({ body }) => String(JSON.parse(body).body));

test('S79, case 160: a comment goes out without the secret and says what happened and what to do; the log of the app knows', async () => {
  const { act, withheld } = acting();
  await act(failed(`curl said ${Buffer.from(foreignToken).toString('base64')}`), contextOf());
  const [body = ''] = bodies();
  assert.match(
    body,
    /^\*\*The run ended unexpectedly\.\*\* Nothing is under way\.\n\n> curl said \[withheld: looks like a GitHub token\]\n/,
  );
  assert.match(
    body,
    /\n\n\*\*A part of this text was withheld\.\*\* It held what looks like a GitHub token, .* revokes it and makes a new one.*\n\n<!-- planwright:status \S+ %2D -->$/,
  );
  assert.deepEqual(withheld, [['GitHub token']]);
});

test('S79: a comment that something was taken out of is posted once: the next look finds it as it has to be', async () => {
  const { act } = acting();
  const action = failed(`curl said ${foreignToken}`);
  await act(action, contextOf());
  const [body = ''] = bodies();
  const comment: Comment = {
    id: 9,
    nodeId: 'IC_9',
    author: { id: 4, login: 'planwright', kind: 'bot', isThisApp: true },
    body: `${body.replaceAll('\n', '\r\n')}\r\n`,
    createdAt: '2026-12-01T10:00:00Z',
    editedAt: null,
    marker: 'status:-',
    reactionsByThisApp: [],
  };
  await act(action, contextOf({ comments: [comment] }));
  assert.deepEqual(arrived, []);
});

test('S79, case 160: the title of a pull request and the summary of a check go out without the secret', async () => {
  const { act } = acting();
  const context = contextOf({ title: `Use ${foreignToken} for it` });
  await act(
    { kind: 'openPullRequest', branch: `planwright/issue-${thread.issue}`, previousPullRequest: null },
    context,
  );
  assert.equal(JSON.parse(arrived.splice(0)[0]?.body ?? '').title, 'Use [withheld: looks like a GitHub token] for it');
  const many = contextOf({ title: `${webhookSecret} `.repeat(7) });
  await act({ kind: 'openPullRequest', branch: `planwright/issue-${thread.issue}`, previousPullRequest: null }, many);
  const { title } = JSON.parse(arrived.splice(0)[0]?.body ?? '');
  assert.match(title, /^\[withheld.*…$/);
  assert.ok(title.length <= 256, 'GitHub takes no longer title');
  const verdict = {
    isOpen: false,
    approval: null,
    counted: [],
    ignored: [],
    missing: [],
    warnings: [`Plan lint: line 3: ${foreignToken}`],
  };
  await act({ kind: 'setCheck', check: { name: 'planwright/plan', state: 'waiting', verdict } }, context);
  const { output } = JSON.parse(arrived.splice(0).at(-1)?.body ?? '');
  assert.match(
    output.summary,
    /Plan lint: line 3: \[withheld: looks like a GitHub token\]\n\n\*\*A part of this text was withheld\.\*\*/,
  );
});
