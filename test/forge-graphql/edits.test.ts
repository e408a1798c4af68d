import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeGraphql } from '../../src/local/forge/graphql/execute.ts';
import {
  addLabels,
  createIssue,
  deleteLabel,
  editIssue,
  editLabel,
  editReview,
  openPullRequest,
  removeLabel,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { createWorld } from './world.ts';

const query = `query ($number: Int!) {
  repository(owner: "ann", name: "shop") {
    issue(number: $number) {
      lastEditedAt includesCreatedEdit
      userContentEdits(first: 10) { nodes { editedAt editor { login } } }
      timelineItems(first: 10, itemTypes: [LABELED_EVENT, UNLABELED_EVENT, RENAMED_TITLE_EVENT]) {
        nodes {
          __typename
          ... on LabeledEvent { label { id name updatedAt } }
          ... on UnlabeledEvent { label { id name updatedAt } }
          ... on RenamedTitleEvent { previousTitle currentTitle actor { login } }
        }
      }
    }
  }
}`;

test('an edited body tells of each edit, newest first, and of the text that was posted', async (context) => {
  const { forge, repository, wes, rea, bot } = createWorld(context);
  const issue = createIssue(forge, rea, repository, { title: 'One', body: 'a' });
  editIssue(forge, wes, repository, issue, { body: 'b', title: 'Two' });
  editIssue(forge, rea, repository, issue, { body: 'c' });
  const [posted, first, second] = issue.edits;
  if (first !== undefined) first.editor = null;
  const { body } = await executeGraphql(forge, bot, { query, variables: { number: issue.number } });
  assert.deepEqual(JSON.parse(JSON.stringify(body)), {
    data: {
      repository: {
        issue: {
          lastEditedAt: second?.editedAt,
          includesCreatedEdit: true,
          userContentEdits: {
            nodes: [
              { editedAt: second?.editedAt, editor: { login: 'rea' } },
              { editedAt: first?.editedAt, editor: null },
              { editedAt: posted?.editedAt, editor: { login: 'rea' } },
            ],
          },
          timelineItems: {
            nodes: [
              {
                __typename: 'RenamedTitleEvent',
                previousTitle: 'One',
                currentTitle: 'Two',
                actor: { login: 'wes' },
              },
            ],
          },
        },
      },
    },
  });
  assert.equal(posted?.editedAt, issue.createdAt);
});

test('a timeline calls a label by what it is called now, and says when the label changed', async (context) => {
  const { forge, repository, wes, bot } = createWorld(context);
  const issue = createIssue(forge, wes, repository, { title: 'One' });
  addLabels(forge, wes, repository, issue, ['later', 'gone']);
  removeLabel(forge, wes, repository, issue, 'later');
  const renamed = editLabel(forge, wes, repository, 'later', { name: 'plan', color: '00ff00' });
  const [gone] = repository.labels.filter(({ name }) => name === 'gone');
  deleteLabel(forge, wes, repository, 'gone');
  addLabels(forge, wes, repository, issue, ['gone']);
  const again = repository.labels.find(({ name }) => name === 'gone');
  const { body } = await executeGraphql(forge, bot, { query, variables: { number: issue.number } });
  const told = (__typename: string, label: object) => ({ __typename, label });
  const plan = { id: renamed.nodeId, name: 'plan', updatedAt: renamed.updatedAt };
  const old = { id: gone?.nodeId, name: 'gone', updatedAt: null };
  const answer = JSON.parse(JSON.stringify(body));
  assert.deepEqual(answer.data.repository.issue.timelineItems.nodes, [
    told('LabeledEvent', plan),
    told('LabeledEvent', old),
    told('UnlabeledEvent', plan),
    told('UnlabeledEvent', old),
    told('LabeledEvent', { id: again?.nodeId, name: 'gone', updatedAt: again?.updatedAt }),
  ]);
  assert.ok(renamed.updatedAt > (issue.timeline[2]?.createdAt ?? ''));
});

test('an edited review says when', async (context) => {
  const { forge, repository, wes, bot, commit } = createWorld(context);
  commit(bot, 'work', { 'a.txt': 'a\n' }, 'Work');
  const pull = openPullRequest(forge, bot, repository, { title: 'P', head: 'work', base: 'main' });
  const review = submitReview(forge, wes, repository, pull, { event: 'APPROVE', body: 'yes' });
  const read = async () => {
    const text = `{ repository(owner: "ann", name: "shop") { pullRequest(number: ${pull.number}) {
      reviews(first: 1) { nodes { lastEditedAt } } } } }`;
    const { body } = await executeGraphql(forge, bot, { query: text });
    return JSON.parse(JSON.stringify(body)).data.repository.pullRequest.reviews.nodes;
  };
  assert.deepEqual(await read(), [{ lastEditedAt: null }]);
  editReview(forge, wes, repository, pull, review, 'yes, but');
  assert.deepEqual(await read(), [{ lastEditedAt: review.lastEditedAt }]);
  assert.ok(review.lastEditedAt !== null);
});
