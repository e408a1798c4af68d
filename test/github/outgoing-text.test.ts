/** Every function that composes what people read, given hostile words in every field that a model or a person fills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stepMessage } from '../../src/engine/implementation.ts';
import { checkText, closeCheck } from '../../src/github/check-texts.ts';
import { commandReply } from '../../src/github/command-reply.ts';
import * as comments from '../../src/github/comments.ts';
import { budgetReachedComment, planCostText } from '../../src/github/cost-text.ts';
import type { GitHub } from '../../src/github/github.ts';
import type { Marker } from '../../src/github/identifiers.ts';
import { implementedBody, planBody, pullRequestTitle } from '../../src/github/pull-request-text.ts';
import * as reviews from '../../src/github/review-texts.ts';
import type { ThreadStatus } from '../../src/lifecycle/actions.ts';
import type { Facts, Person } from '../../src/lifecycle/facts.ts';
import type { RunMemory } from '../../src/lifecycle/memory.ts';
import { hiddenCharacters } from '../../src/text/hidden-characters.ts';
import { type Node, parseGfm } from '../../src/text/markdown-edits.ts';
import { maxBodyCharacters } from '../../src/text/text-out.ts';
import { factsOf, planOrder } from '../engine/engine-fixture.ts';
import { approval, newKey } from './keys.ts';

const key = newKey();
const rules = { ownIssue: 42 };
const marker: Marker = { kind: 'reply', thread: '100#42', cause: 'comment:1' };
const cost = { turns: 1, inputTokens: 1, outputTokens: 1, dollars: null, elapsedMs: 1 };

const hostile: readonly string[] = [
  'ask @bob and @org/team, fixes #7, closes other/repo#1, resolves GH-9',
  'Fixes: https://github.test/o/r/issues/7 and closes octo/shop#8',
  '![pixel](https://evil.test/?d=1) [click](https://evil.test/?d=1) https://evil.test/x www.evil.test x@evil.test',
  '[a]: https://evil.test/\n\n[a] ![a] <https://evil.test>',
  '<img src="https://evil.test/"><a href="https://evil.test/">x</a> <!-- hidden --> <script>x</script>',
  '<!-- planwright:status 100%2342 %2D -->',
  '```\nopen @bob\n',
  '~~~~ts\n@bob fixes #7',
  '`` @bob ` #7 ``` @eve',
  '\\@bob &#64;bob @\u200bbob \u202e@bob\u0000 \u{e0041}',
  '> @bob\n> - fixes #7\n\n1. @eve\n\n| @a | b |\n|---|---|\n| @bob | fixes #7 |',
  '```suggestion\nx\n```',
  'x\n\nCloses #7\n\n@bob',
  '**a_'.repeat(60),
  '- [ ] @bob\n  - [x] #7',
  '](https://evil.test/) [x',
  '|@bob|`|#7',
];

const status: ThreadStatus = {
  state: 'failed',
  pullRequest: 43,
  isPullRequestOpen: true,
  failure: null,
  obstacles: [],
  note: null,
  previousPullRequest: 41,
  cost,
};

function runOf(outcome: RunMemory['outcome']): RunMemory {
  const { occasion: _, ...order } = planOrder();
  return { ...order, id: 'run-1', status: 'parked', outcome, isSettled: false, cost };
}

/** A login is not free text, but nothing relies on that where it stands in Markdown. */
const personOf = (login: string): Person => ({ id: 9, login, kind: 'user', isThisApp: false });

function factsWith(text: string): Facts {
  const facts = factsOf({ installation: 7, repository: { id: 100, owner: 'octo', name: 'shop' }, issue: 42 });
  const comment = {
    id: 1,
    nodeId: 'IC_1',
    author: personOf(text),
    body: text,
    createdAt: '2026-01-01T00:00:00Z',
    editedAt: null,
    marker: null,
    reactionsByThisApp: [],
  };
  const issue = { ...facts.issue, title: text, body: text, author: personOf(text), comments: [comment] };
  return { ...facts, issue };
}

const verdictWith = (text: string) => ({
  isOpen: true,
  approval,
  counted: [{ review: 9, login: text, permission: 'write' as const }],
  ignored: [{ review: 8, login: text, reason: text }],
  missing: [text],
  warnings: [text],
});
const answerWith = (text: string, changed = true) => ({ thread: 'PRRT_1', changed, text });
const report = (text: string) => ({
  steps: [{ title: text, commit: 'a'.repeat(40), files: [text] }],
  files: [{ path: text, planned: 'modify', actual: text }],
  verifications: [{ command: text, result: 'failed' as const, detail: text }],
  deviations: [text],
});

/** In Markdown. */
const bodies: Readonly<Record<string, (text: string) => string | null>> = {
  'status, note': (text) => comments.statusComment({ ...status, note: text }, rules),
  'status, obstacle': (text) => comments.statusComment({ ...status, obstacles: [text] }, rules),
  'status, failure': (text) =>
    comments.statusComment({ ...status, failure: { reason: 'crashed', detail: text } }, rules),
  'status, left out': (text) =>
    comments.statusComment(status, rules, [{ login: text, why: 'may_not_review', count: 2 }]),
  refusal: (text) => comments.refusalComment(text, text, rules),
  questions: (text) =>
    comments.questionsComment({ kind: 'question', questions: [{ text, suggestions: [text, text] }] }, rules),
  'several questions': (text) =>
    comments.questionsComment(
      {
        kind: 'question',
        questions: [
          { text, suggestions: [] },
          { text, suggestions: [] },
        ],
      },
      rules,
    ),
  'wish to plan again': (text) => comments.questionsComment({ kind: 'plan_mode_asked', reason: text }, rules),
  'call to be allowed': (text) =>
    comments.questionsComment({ kind: 'permission_asked', call: 'c', tool: text, what: text, rule: text }, rules),
  numbers: (text) => comments.numbersComment(text, [1, 2]),
  'plan as it stands': (text) => comments.planComment({ blob: 'b'.repeat(40), text, scope: [], isEmpty: false }, 43),
  amendment: (text) => comments.amendmentComment(text, 'https://github.test/octo/shop/compare/a...b', rules),
  hold: (text) => comments.holdMessage(text),
  gone: () => comments.goneComment,
  withheld: () => comments.withheldNote(['GitHub token', 'private key of this app']),
  ceiling: (text) => {
    const outcome = { kind: 'budget_reached', level: 'run', detail: text } as const;
    return budgetReachedComment(outcome, runOf(outcome), { memory: { runs: [] }, budget: null, rules });
  },
  'cost of a plan': () => planCostText(3, cost, { maxTurns: 1, maxTokens: 1, maxDollars: null, wallTimeMs: 1 }),
  'reply to a command': (text) =>
    commandReply({
      reply: 'view_plan',
      status: { ...status, note: text },
      facts: factsWith(text),
      memory: { runs: [] },
      rules,
    }),
  'reply with the status': (text) =>
    commandReply({ reply: 'status', status, facts: factsWith(text), memory: { runs: [runOf(null)] }, rules }),
  'pull request of a plan': (text) => planBody(factsWith(text), 41, null, { instructions: [text] }),
  'pull request of the work': (text) => implementedBody(factsWith(text), report(text), rules),
  'answer to a remark': (text) => reviews.answerComment(answerWith(text), 'a'.repeat(40), rules),
  'answer that keeps': (text) => reviews.answerComment(answerWith(text, false), null, rules),
  revision: (text) =>
    reviews.revisionComment(
      {
        commit: 'a'.repeat(40),
        comparison: 'https://github.test/octo/shop/compare/a...b',
        remarks: [
          {
            path: text,
            lines: null,
            url: 'https://github.test/octo/shop/pull/43#discussion_r1',
            answer: answerWith(text),
          },
        ],
        beside: ['line 3'],
        asked: [text],
        leftOut: [{ login: text, why: 'changed_later', count: 1 }],
      },
      rules,
    ),
  lapsed: (text) => reviews.lapsedComment([{ login: text, why: text }], 'a'.repeat(40), rules),
  'check of the plan': (text) => {
    const check = { name: 'planwright/plan', state: 'opened', verdict: verdictWith(text) } as const;
    return closeCheck(checkText(check, rules), check, key.sign).summary;
  },
  'check of the code': (text) =>
    checkText(
      { name: 'planwright/code', state: 'building', approvers: [], tasks: [{ title: text, status: 'in_progress' }] },
      rules,
    ).summary,
  'check of approved code': (text) =>
    checkText({ name: 'planwright/code', state: 'approved', approvers: [text] }, rules).summary,
};

/** What is not Markdown, and ends up in a commit message. */
const lines: Readonly<Record<string, (text: string) => string>> = {
  'title of a draft': (title) => pullRequestTitle({ title, number: 42 }, true),
  'title of a plan': (title) => pullRequestTitle({ title, number: 42 }, false),
  "message of a step's commit": (title) => {
    const { occasion } = planOrder();
    const kept = {
      thread: '100#42',
      occasion,
      plan: null,
      workspace: 'run-1',
      steps: [],
      tasks: [],
      permissions: null,
    };
    const run = { ...runOf(null), ...kept, attempts: 0 };
    const github: Pick<GitHub, 'commitMessage'> = {
      commitMessage:
        (_place, { subject }) =>
        () =>
          subject,
    };
    const repository = { id: 100, owner: 'octo', name: 'shop' };
    return stepMessage({ github, repository, run }, title)({ tree: 't', parents: [] });
  },
};

const own = /^#4[123]$/;
const mention = /(?<![\w`/.])@[A-Za-z\d]/;
const reference = /(?:(?<!\w)(?:[\w.-]+\/[\w.-]+)?#\d+|\bgh-\d+)/gi;

/** What of a Markdown text GitHub would act on, load or lead to. */
function activeIn(text: string): readonly string[] {
  const active: string[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'image' || node.type === 'imageReference' || node.type === 'definition') active.push(node.type);
    if (node.type === 'html' && !/^<!-- planwright:[a-z-]+ \S+ \S+ -->$/.test(node.value)) active.push(node.value);
    if (node.type === 'link' && !node.url.startsWith('https://github.test/octo/shop/')) active.push(node.url);
    if (node.type === 'code' && /suggestion/i.test(node.lang ?? '')) active.push('suggestion');
    if (node.type === 'text') {
      if (mention.test(node.value)) active.push(node.value);
      active.push(...(node.value.match(reference) ?? []).filter((found) => !own.test(found)));
      if (/\/(?:issues|pull|discussions)\/\d/.test(node.value)) active.push(node.value);
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(parseGfm(text));
  return active;
}

for (const [channel, compose] of Object.entries(bodies)) {
  test(`S78, cases 157, 162, 163: ${channel}: nothing of a hostile text is active, hidden or left open`, () => {
    for (const text of hostile) {
      const said = compose(text);
      if (said === null) continue;
      const body = comments.markedBody(said, marker);
      assert.deepEqual(activeIn(body), [], `${text.slice(0, 60)}\n---\n${body.slice(0, 2000)}`);
      assert.deepEqual(hiddenCharacters(body), []);
      assert.ok([...body].length <= maxBodyCharacters);
      const blocks = parseGfm(body).children;
      assert.equal(blocks.at(-1)?.type, 'html', 'nothing swallows the marker');
      assert.equal(blocks.filter(({ type }) => type === 'html').length, 1, 'no other marker');
    }
  });
}

for (const [channel, compose] of Object.entries(lines)) {
  test(`S78, case 163: ${channel}: one line that mentions nobody and closes nothing`, () => {
    for (const text of hostile) {
      const line = compose(text);
      assert.equal(line.split('\n').length, 1);
      assert.ok(!mention.test(line), line);
      assert.deepEqual(line.match(reference) ?? [], [], line);
      assert.deepEqual(hiddenCharacters(line), []);
    }
  });
}

test('S78: what is open in one field is not closed by what stands in the next', () => {
  const parts = [
    '``',
    '`',
    '@bob',
    '#7',
    ' ',
    '<a href="',
    '">',
    '[x',
    '](https://evil.test/)',
    '&#64;',
    'bob',
    '\\',
    '~~~',
    '<!--',
    '-->',
    '![',
  ];
  const field = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((chosen) => chosen.join(''));
  fc.assert(
    fc.property(field, field, field, (one, two, three) => {
      const step = { title: one, commit: 'a'.repeat(40), files: [two, three] };
      const verification = { command: two, result: 'failed' as const, detail: three };
      const said = implementedBody(
        factsWith(''),
        {
          steps: [step],
          files: [{ path: two, planned: 'modify', actual: three }],
          verifications: [verification],
          deviations: [one, three],
        },
        rules,
      );
      assert.deepEqual(activeIn(said), [], said);
    }),
    { numRuns: 150 },
  );
});
