import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amendmentComment } from '../../src/github/comments.ts';

const rules = { ownIssue: 7 };
const whatToDo =
  'The work so far is kept. **Approve** this pull request to have it go on by the changed plan, or **request changes** ' +
  'to have the plan revised first. `/cancel` stops the work and leaves the branch as it is.';

test('an amendment says why, shows what it would change, and what each answer does', () => {
  const url = 'https://github.test/octo/repo/compare/a...b';
  assert.equal(
    amendmentComment('src/b.ts must change too.', url, rules),
    `**The implementation asks for a change of the plan.** [What it would change](${url}).\n\n> src/b.ts must change too.\n\n${whatToDo}`,
  );
});

test('the reason of an amendment mentions nobody, closes nothing and stays a quotation', () => {
  const text = amendmentComment('Ask @octocat.\n\n/cancel\nFixes #9 <!-- planwright:status x - -->', null, rules);
  const quoted = text.split('\n\n').slice(1, -1).join('\n\n');
  assert.ok(
    quoted.split('\n').every((line) => line.startsWith('>')),
    quoted,
  );
  assert.doesNotMatch(text, /(?<![`\w])@octocat|Fixes #9|<!--/);
  assert.ok(text.endsWith(whatToDo));
});
