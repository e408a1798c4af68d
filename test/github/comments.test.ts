import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  holdMessage,
  markedBody,
  numbersComment,
  planComment,
  questionsComment,
  refusalComment,
  statusComment,
} from '../../src/github/comments.ts';
import { costLine } from '../../src/github/cost-text.ts';
import { formatMarker, parseMarker } from '../../src/github/identifiers.ts';
import type { ThreadStatus } from '../../src/lifecycle/actions.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import { maxBodyCharacters } from '../../src/text/text-out.ts';

const rules = { ownIssue: 42 };
const idle: ThreadStatus = {
  state: 'inactive',
  pullRequest: 43,
  isPullRequestOpen: false,
  failure: null,
  obstacles: [],
  note: null,
  previousPullRequest: null,
  cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 },
};

const texts: Record<ThreadState, string> = {
  inactive:
    '**Nothing is under way.** A person with write access starts a plan by setting the trigger label, or with `/plan`.',
  pending:
    '**A plan was asked for and is queued.** The repository will be read and not changed. Taking the label off, or `/cancel`, withdraws the request.',
  planning:
    '**The plan in #43 is being revised.** Nothing but the plan file changes. Taking the label off, or `/cancel`, stops it.',
  awaiting_answer:
    '**There are questions before the work can go on.** They are in a comment of their own; a reply by a writer or by the author of this issue is taken as the answer.',
  awaiting_approval:
    '**The plan is ready for review in #43.** Approve the pull request to have it implemented, or request changes with comments on its lines. Until a person with write access approves, nothing but the plan is written.',
  exit_pending: '**The work is being stopped.** Nothing more will be pushed.',
  implementing:
    "**The plan in #43 was approved and is being implemented.** The commits appear there once they are within the plan's scope and checked. Dismissing the approval, taking the label off, or `/cancel` stops it.",
  implemented:
    '**The approved plan is implemented in #43, which is ready for code review.** The approval was for the plan: the code needs a review of its own. Requesting changes there has them made.',
  failed:
    '**The last run failed.** Nothing is under way.\n\nA person with write access tries it again with `/retry`, or by setting the label again.',
  abandoned:
    '**This thread was given up.** #43 is left as it is. Setting the label again, or `/plan`, starts anew on another branch.',
  completed: '**Done: #43 was merged.**',
};

test('a withdrawn request with an open pull request says that the label goes on with it', () => {
  assert.equal(
    statusComment({ ...idle, state: 'abandoned', isPullRequestOpen: true, note: 'The request was withdrawn.' }, rules),
    '**Nothing more is done here.** #43 is left as it is. Setting the label again, or `/plan`, goes on with it.\n\nThe request was withdrawn.',
  );
});

for (const state of Object.keys(texts).filter((each): each is ThreadState => each in texts)) {
  test(`the status comment of a thread that is ${state} says what it means and what to do next`, () => {
    assert.equal(statusComment({ ...idle, state }, rules), texts[state]);
  });
}

test('a first plan is announced without a pull request', () => {
  assert.equal(
    statusComment({ ...idle, state: 'planning', pullRequest: null }, rules),
    '**A plan is being written.** The repository is read and not changed; a draft pull request with the plan follows. Taking the label off, or `/cancel`, stops it.',
  );
});

test('a failure says its reason, quotes the detail and how to retry, and what it cost', () => {
  const status: ThreadStatus = {
    ...idle,
    state: 'failed',
    failure: { reason: 'out_of_scope', detail: 'src/a.ts\n@bob fixes #7' },
    note: 'Nothing was pushed.',
    previousPullRequest: 40,
    cost: { turns: 12, inputTokens: 34567, outputTokens: 1200, dollars: 0.4249, elapsedMs: 0 },
  };
  assert.equal(
    statusComment(status, rules),
    [
      '**The implementation changed files that the plan does not name, so nothing was pushed.** Nothing is under way.',
      '> src/a.ts\n> `@bob` fixes `#7`',
      'A person with write access tries it again with `/retry`, or by setting the label again.',
      'Nothing was pushed.',
      'The attempt before this one is #40.',
      'Used so far: 12 turns, 34,567 tokens in, 1,200 tokens out, about $0.42.',
    ].join('\n\n'),
  );
});

test('what stands in the way is listed in place of the state', () => {
  const obstacles = ['.github/planwright.yml:3: approval.required: expected a number, got "@two"'];
  assert.equal(
    statusComment({ ...idle, obstacles }, rules),
    '**No plan can be written here yet.**\n\n- .github/planwright.yml:3: approval.required: expected a number, got "`@two`"\n\nOnce this is mended, the request goes on by itself; `/retry` asks for it at once.',
  );
});

test('a cost without a known price says so, and no cost says nothing', () => {
  assert.equal(
    costLine({ turns: 1, inputTokens: 5, outputTokens: 6, dollars: null, elapsedMs: 0 }),
    'Used so far: 1 turn, 5 tokens in, 6 tokens out, price not known.',
  );
  assert.equal(costLine(idle.cost), null);
});

test('a refusal names the person without notifying them', () => {
  assert.equal(
    refusalComment('rea', 'Only people with write access to this repository can ask for a plan.', rules),
    '**Nothing was started.** This was asked for by `rea`. Only people with write access to this repository can ask for a plan.',
  );
});

test('questions are numbered, with their suggestions lettered, and how to answer is shown by an example', () => {
  assert.equal(
    questionsComment(
      {
        kind: 'question',
        questions: [
          { text: 'Which cache,\n@bob?', suggestions: ['All of them', 'The first'] },
          { text: 'When?', suggestions: [] },
        ],
      },
      rules,
    ),
    `**Before the work can go on, please answer:**

1. Which cache, \`@bob\`?
   - a) All of them
   - b) The first
2. When?

Reply here in your own words or with the letter of a suggestion, each answer behind the number of its question, in one comment or in several:

\`\`\`
1. b
2. your answer
\`\`\`

A reply by a person with write access or by the author of this issue counts, as long as it is not edited. The work goes on once every question has an answer. \`/continue\` by a person with write access has it go on with what is there: the agent then says what it assumes for the rest.`,
  );
  assert.equal(questionsComment(null, rules), null);
});

test('one question needs no number', () => {
  assert.equal(
    questionsComment({ kind: 'question', questions: [{ text: 'When?', suggestions: [] }] }, rules),
    `**Before the work can go on, please answer:**

1. When?

Reply here in your own words. A reply by a person with write access or by the author of this issue counts, as long as it is not edited. \`/continue\` by a person with write access has the work go on without an answer: the agent then says what it assumes.`,
  );
});

test('a call that waits is shown whole, with who leaves it to people and how to answer', () => {
  const call = {
    kind: 'permission_asked',
    call: 'c',
    tool: 'bash',
    what: `echo \`x\` @bob  <b> ${'x'.repeat(600)}`,
    rule: 'Bash(echo:*)',
  } as const;
  assert.equal(
    questionsComment(call, rules),
    `**The agent asks to make one call.** It wants to use \`bash\` with:

\`\`echo \`x\` @bob  <b> ${'x'.repeat(600)}\`\`

This is left to people by the rule \`Bash(echo:*)\`. Until it is answered nothing runs, and the work so far is kept. A person with write access answers: \`/allow\` has this one call made as it stands here, \`/deny\` with or without a reason refuses it, and the agent goes on without it.`,
  );
  assert.match(
    questionsComment({ ...call, tool: 'write' }, rules) ?? '',
    / What it writes there is not shown here, but /,
  );
  const text = questionsComment({ ...call, tool: 'update_tasks', what: '', rule: null }, rules) ?? '';
  assert.match(
    text,
    /^\*\*The agent asks to make one call\.\*\* It wants to use `update_tasks`\.\n\nThis is left to people by the repository's permission mode `ask`\. /,
  );
});

test('a comment that names none of the questions is told which are open, and how to answer', () => {
  assert.equal(
    numbersComment('rea', [2, 3]),
    '**Which question does this answer?** The comment by `rea` names none of them, so it is passed on as a remark and questions 2 and 3 are still open. Put the number of its question before each answer, e.g. `2. your answer`; or a person with write access says `/continue`, and the work goes on with what is there.',
  );
  assert.match(numbersComment('rea', [4]), /a remark and question 4 is still open/);
});

test('a wish to go back to planning names both answers, and what becomes of code', () => {
  assert.equal(
    questionsComment({ kind: 'plan_mode_asked', reason: 'The file is gone.' }, rules),
    '**The implementation asks to go back to planning.**\n\n> The file is gone.\n\nA person with write access answers: `/replan` has the plan revised and reviewed again, and takes code that stands in the pull request out of it; `/continue` has the work go on as planned.',
  );
});

test('the plan is shown whole, in a fence that it cannot leave', () => {
  const plan = { blob: 'abcdef0123', text: '# Plan\n```\nx\n```\n', scope: [], isEmpty: false };
  assert.equal(
    planComment(plan, 43),
    'The plan as it stands in #43 (blob `abcdef0`):\n\n````markdown\n# Plan\n```\nx\n```\n````',
  );
});

test('a dismissal says why', () => {
  assert.equal(
    holdMessage('wes'),
    'This approval by `wes` was for the plan, and it is recorded: the plan is being implemented by it. It is set aside so that it does not count for the code, which comes next and needs a review of its own.',
  );
});

test('a body keeps its marker whatever its length', () => {
  const marker = { kind: 'reply', thread: '7#42', cause: 'comment:1' } as const;
  for (const text of ['short', '€'.repeat(200_000)]) {
    const body = markedBody(text, marker);
    assert.ok([...body].length <= maxBodyCharacters);
    assert.deepEqual(parseMarker(body), marker);
  }
});

test('a text that leaves a code fence open does not show the marker that ends the comment', () => {
  const marker = { kind: 'answer', thread: '9#7', cause: 'run-2/T1' } as const;
  assert.equal(markedBody('a\n~~~~ts\nopen', marker), `a\n~~~~ts\nopen\n~~~~\n\n${formatMarker(marker)}`);
});
