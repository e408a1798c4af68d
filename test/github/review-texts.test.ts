import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedBody, statusComment } from '../../src/github/comments.ts';
import { parseMarker } from '../../src/github/identifiers.ts';
import {
  answerComment,
  lapsedComment,
  leftOutText,
  type RevisionText,
  revisionComment,
} from '../../src/github/review-texts.ts';
import { maxBodyCharacters } from '../../src/text/text-out.ts';

const rules = { ownIssue: 42 };
const commit = 'abcdef0123456789';
const kept = { thread: 'T2', changed: false, text: 'It is needed, @ada.' };
const followed = { thread: 'T1', changed: true, text: 'Split, fixes #7.' };

const revision: RevisionText = {
  commit,
  comparison: 'https://github.test/o/r/compare/a...b',
  remarks: [
    {
      path: 'plan.md',
      lines: { start: 3, end: 4 },
      url: 'https://github.test/o/r/pull/43#discussion_r1',
      answer: followed,
    },
    { path: 'a`]b.md', lines: null, url: 'https://github.test/o/r/pull/43#discussion_r2', answer: kept },
  ],
  beside: ['line 9', 'lines 12-14'],
  asked: ['wes', 'mia'],
  leftOut: [
    { login: 'mallory', why: 'may_not_review', count: 3 },
    { login: 'ada', why: 'changed_later', count: 1 },
  ],
};

test('an answer names the commit that changed the plan, or says why nothing was changed', () => {
  assert.equal(answerComment(followed, commit, rules), '**Changed in abcdef0:** Split, fixes `#7`.');
  assert.equal(answerComment(kept, commit, rules), '**Kept because:** It is needed, `@ada`.');
  assert.equal(answerComment({ ...kept, text: ' ' }, commit, rules), '**Kept:** the revision gives no reason.');
  assert.equal(answerComment(followed, null, rules), '**The plan was left as it is:** Split, fixes `#7`.');
});

test('one comment maps remarks to changes, with the comparison, what else changed, who is asked and what was left out', () => {
  assert.equal(
    revisionComment(revision, rules),
    [
      '**The plan was revised in abcdef0.** [What changed](https://github.test/o/r/compare/a...b). Approve this version to have it implemented, or request changes again.',
      'Asked to look again, as earlier verdicts were on another plan: `wes`, `mia`.',
      'Also changed, where no remark stands: line 9, lines 12-14.',
      '**Left out:**\n\n- 3 comments by `mallory`: only people who may review this plan are heard.\n- 1 comment by `ada`: changed after the review was submitted; submit it again to have it heard.',
      '**Remarks and what came of them**\n\n- [`plan.md` lines 3-4](https://github.test/o/r/pull/43#discussion_r1): **Changed in abcdef0:** Split, fixes `#7`.\n- [``a`]b.md``](https://github.test/o/r/pull/43#discussion_r2): **Kept because:** It is needed, `@ada`.',
    ].join('\n\n'),
  );
});

test('a revision that changed nothing says so, and one that changed nothing else too', () => {
  const nothing = { ...revision, comparison: null, remarks: [], beside: null, asked: [], leftOut: [] };
  assert.equal(
    revisionComment({ ...nothing, commit: null }, rules),
    '**The plan was looked at again and left as it is.**',
  );
  assert.match(revisionComment({ ...nothing, beside: [] }, rules), /\n\nNothing else in the plan was changed\.$/);
});

test('what is said of a hundred and forty remarks fits, and counts those that are not listed', () => {
  const answer = { ...kept, text: '@all '.repeat(400) };
  const one = { path: 'p'.repeat(300), lines: null, url: 'https://github.test/x', answer };
  const text = revisionComment({ ...revision, remarks: Array.from({ length: 140 }, () => one) }, rules);
  const body = markedBody(text, { kind: 'revision', thread: '7#42', cause: 'run' });
  assert.ok([...body].length < maxBodyCharacters && !body.includes('cut here'));
  assert.match(text, /\n- and \d+ more, each answered in its thread$/);
  assert.equal(parseMarker(body)?.cause, 'run');
});

test('an approval that lapsed is told with its person, the reason and what is wanted', () => {
  const wanda = { login: 'wanda', why: 'names commit aaaaaaa, and the head is abcdef0' };
  assert.equal(
    lapsedComment([wanda], commit, rules),
    '**An approval no longer counts.** Nothing is implemented by it.\n\n- The approval by `wanda`: names commit aaaaaaa, and the head is abcdef0.\n\nPlease review the plan as it stands in abcdef0: approve it, or request changes.',
  );
  const many = Array.from({ length: 100 }, () => wanda);
  assert.match(lapsedComment(many, null, rules), /\n- and 70 more\.\n\nPlease review the plan as it stands: /);
});

test('what an implementation did not take along of the reviews is counted in the status comment', () => {
  const cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 };
  const base = { pullRequest: 43, isPullRequestOpen: true, failure: null, obstacles: [], note: null, cost };
  const text = statusComment({ ...base, state: 'implementing', previousPullRequest: null }, rules, revision.leftOut);
  assert.ok(text.endsWith(leftOutText(revision.leftOut) ?? 'none'));
  assert.equal(leftOutText([]), null);
});
