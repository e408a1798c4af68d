/** A plan under review by people who comment in every form, suggest lines and commit to the branch themselves. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { git } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import type { Review } from '../../src/local/forge/state.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';
import { formatCall } from './call-log.ts';
import { saidTo } from './model-log.ts';
import { pushFile } from './person-push.ts';
import { quickPlan } from './quick-transcript.ts';
import { shareWorld } from './shared-world.ts';
import {
  commitsOf,
  isImplementation,
  lookedAt,
  markersOf,
  openIssue,
  requestsOf,
  review,
  setTrigger,
  type Thread,
  waitForPlan,
  waitIn,
} from './thread.ts';
import { createScene, type World } from './world.ts';

const suggested = 'Ein  Satz – genau so.\t ';
const remarkOn = (words: string) => `Remark (\\S+):(?:(?!Remark \\S+:)[\\s\\S])*?${words}`;
const answersOf = (...answers: readonly (readonly [string, boolean, string])[]) =>
  answers.map(([thread, changed, text]) => ({ thread: `{{${thread}}}`, changed, text }));

const transcript = parseTranscript('revision', {
  match: 'Revise it',
  steps: [
    {
      capture: { issue: 'Issue: #(\\d+)', base: 'Base commit: ([0-9a-f]{40})' },
      respond: [
        { tool: 'write_plan', input: { content: quickPlan } },
        { tool: 'exit_plan_mode', input: {} },
      ],
    },
    {
      when: 'A reviewer requested changes to the plan\\.',
      capture: {
        suggestion: remarkOn('Suggestion 1 by'),
        range: remarkOn('Both of these'),
        file: remarkOn('Is this all'),
        old: remarkOn('Too short'),
      },
      respond: [
        { tool: 'write_plan', input: { content: '# Another plan\n' } },
        { tool: 'take_suggestion', input: { remark: '{{suggestion}}' } },
        { tool: 'edit_plan', input: { old_string: '1. Write `NOTES.md`.', new_string: '1. Write `NOTES.md` once.' } },
      ],
    },
    { respond: [{ tool: 'exit_plan_mode', input: { answers: answersOf(['suggestion', true, 'Taken over.']) } }] },
    {
      respond: [
        {
          tool: 'exit_plan_mode',
          input: {
            answers: answersOf(
              ['suggestion', true, 'Taken over, @reader.'],
              ['range', true, 'The step says once.'],
              ['file', false, 'nothing else is asked for.'],
              ['old', false, 'the line has been replaced since.'],
            ),
          },
        },
      ],
    },
  ],
});

const shared = shareWorld({ transcripts: [transcript] });
let world: World;
/** How many calls the app had made before. */
let callsBefore: number;
let thread: Thread;
let pull: PullRequestIssue;
let firstPlan: string;
let edited: string;
let editedText: string;
let comment: Review;
let objection: Review;

before(async () => {
  world = await shared.open();
  callsBefore = world.forge.requests.length;
  const config = { '.github/planwright.yml': 'approval:\n  required: 2\n' };
  const repository = world.addRepository('revised');
  for (const [path, text] of Object.entries(config)) {
    pushFile({ world, repository, branch: 'main', by: world.people.maintainer }, path, text);
  }
  thread = openIssue(world, repository, 'Revise it');
});
after(() => shared.leave());
const scene = createScene(() => world);

const planText = (commit: string) => git(thread.repository.gitDir, ['show', `${commit}:plan.md`]);
const lineIn = (text: string, start: string) => text.split(/\r?\n/).findIndex((line) => line.startsWith(start)) + 1;
const bodies = () => pull.comments.map(({ body }) => body.replace(/\n\n<!--.*/s, ''));

scene(
  "a person's commit to the plan lapses the approval before it, with one comment that asks for a new look",
  async () => {
    setTrigger(thread);
    pull = await waitForPlan(thread);
    firstPlan = pull.pullRequest.headSha;
    review(thread, world.people.writer, { event: 'APPROVE' });
    await lookedAt(thread);
    editedText = planText(firstPlan)
      .replace('Nothing is written down yet.', 'Größe ≠ 0, with blanks.  \t')
      .replaceAll('\n', '\r\n')
      .replace(/\r\n$/, '');
    const place = {
      world,
      repository: thread.repository,
      branch: pull.pullRequest.headRef,
      by: world.people.maintainer,
    };
    edited = pushFile(place, 'plan.md', editedText);
    await waitIn(thread, 'word of the lapsed approval', () => (pull.comments.length > 0 ? true : null));
    await lookedAt(thread);
    assert.deepEqual(bodies(), [
      `**An approval no longer counts.** Nothing is implemented by it.\n\n- The approval by \`writer\`: names commit ${firstPlan.slice(0, 7)}, and the head is ${edited.slice(0, 7)}: a person has changed the branch since.\n\nPlease review the plan as it stands in ${edited.slice(0, 7)}: approve it, or request changes.`,
    ]);
    assert.ok(pull.pullRequest.requestedReviewers.some(({ login }) => login === 'writer'));
  },
);

scene('every form of comment reaches the model as the reviewer saw it, and no word of a stranger does', async () => {
  const approach = lineIn(editedText, 'It is written down.');
  const steps = lineIn(editedText, '## Steps');
  review(thread, world.people.reader, {
    event: 'REQUEST_CHANGES',
    body: 'STRANGE ORDERS in a body',
    comments: [{ path: 'plan.md', line: steps, body: 'STRANGE ORDERS on a line' }],
  });
  comment = review(thread, world.people.writer, {
    event: 'COMMENT',
    commit: firstPlan,
    comments: [{ path: 'plan.md', line: lineIn(editedText, 'Größe'), body: 'Too short.' }],
  });
  objection = review(thread, world.people.reviewer, {
    event: 'REQUEST_CHANGES',
    comments: [
      { path: 'plan.md', line: approach, body: `Better:\r\n\`\`\`suggestion\r\n${suggested}\r\n\`\`\`` },
      { path: 'plan.md', startLine: steps, line: steps + 2, body: 'Both of these, once.' },
      { path: 'plan.md', line: null, body: 'Is this all?' },
    ],
  });
  await waitForPlan(thread, 2);
  const requests = requestsOf(thread).map(saidTo);
  const said = requests.at(-1) ?? '';
  for (const place of [
    `lines ${approach}-${approach} \\(RIGHT\\)`,
    `lines ${steps}-${steps + 2} \\(RIGHT\\)`,
    '\\(the whole file\\)',
    `lines \\d+-\\d+ \\(RIGHT\\)\nThe lines have changed since`,
  ]) {
    assert.match(said, new RegExp(`^Remark \\S+: plan\\.md ${place}`, 'm'));
  }
  assert.ok(said.includes(`Suggestion 1 by @reviewer: suggested replacement for lines ${approach}-${approach}\n`));
  assert.ok(said.includes('Nothing is written down yet.\n--- end'), 'expected the outdated line as it was');
  assert.ok(said.includes(editedText.replaceAll('\r\n', '\n')), 'expected the plan as the person left it');
  assert.deepEqual(
    requests.filter((text) => text.includes('STRANGE ORDERS')),
    [],
  );
});

scene('a revision changes only what was remarked on, byte for byte, on top of what the person committed', async () => {
  assert.deepEqual(
    commitsOf(thread, pull).map(({ sha, trailers }) => [sha, trailers.get('Planwright-Review')]),
    [
      [firstPlan, undefined],
      [edited, undefined],
      [pull.pullRequest.headSha, `${comment.id}, ${objection.id}`],
    ],
  );
  const { gitDir } = thread.repository;
  assert.equal(git(gitDir, ['rev-parse', `${pull.pullRequest.headSha}^`]).trim(), edited);
  const expected = editedText
    .replace('It is written down.', suggested)
    .replace('1. Write `NOTES.md`.', '1. Write `NOTES.md` once.');
  assert.equal(planText(pull.pullRequest.headSha), expected);
});

scene(
  'each remark has its one answer in its thread; what was changed is resolved, what was kept stays open',
  async () => {
    const head = pull.pullRequest.headSha.slice(0, 7);
    const told = pull.pullRequest.threads.map(({ comments, isResolved }) => [
      comments[0]?.body.split(/\r?\n/)[0],
      ...comments.slice(1).map(({ author, body }) => `${author?.login}: ${body.split('\n')[0]}`),
      isResolved,
    ]);
    assert.deepEqual(told, [
      ['STRANGE ORDERS on a line', false],
      ['Too short.', 'planwright[bot]: **Kept because:** the line has been replaced since.', false],
      ['Better:', `planwright[bot]: **Changed in ${head}:** Taken over, \`@reader\`.`, true],
      ['Both of these, once.', `planwright[bot]: **Changed in ${head}:** The step says once.`, true],
      ['Is this all?', 'planwright[bot]: **Kept because:** nothing else is asked for.', false],
    ]);
  },
);

scene(
  'one comment maps remarks to changes, asks those whose verdict lapsed again and counts what was left out',
  async () => {
    await lookedAt(thread);
    const head = pull.pullRequest.headSha;
    assert.equal(bodies().length, 2);
    const told = bodies()[1] ?? '';
    assert.ok(told.startsWith(`**The plan was revised in ${head.slice(0, 7)}.** [What changed](`));
    assert.ok(told.includes(`/acme/revised/compare/${edited}...${head})`));
    assert.ok(told.includes('Asked to look again, as earlier verdicts were on another plan: `writer`, `reviewer`.'));
    assert.ok(told.includes('Nothing else in the plan was changed.'));
    assert.ok(told.includes('- 2 comments by `reader`: only people who may review this plan are heard.'));
    assert.equal(told.match(/^- \[`plan\.md`/gm)?.length, 4);
    const asked = pull.pullRequest.requestedReviewers.map(({ login }) => login);
    assert.deepEqual(asked.toSorted(), ['maintainer', 'reviewer', 'writer']);
  },
);

scene('the app has reviewed, merged, approved and begun nothing: its only words are comments and replies', async () => {
  const calls = world.forge.requests.slice(callsBefore).map((request) => formatCall(request, undefined));
  const forbidden =
    /(POST|PUT) \S*\/(reviews|merge|events|dismissals)\b|(add|submit)PullRequestReview|merge\w*PullRequest/i;
  assert.deepEqual(
    calls.filter((call) => forbidden.test(call)),
    [],
  );
  const own = pull.pullRequest.reviews.filter(({ author }) => author?.type === 'Bot');
  assert.deepEqual([...new Set(own.map(({ state }) => state))], ['COMMENTED']);
  assert.ok(pull.pullRequest.reviews.every(({ state }) => state !== 'PENDING'));
  assert.deepEqual(requestsOf(thread).filter(isImplementation), []);
  const markers = markersOf(thread);
  assert.equal(new Set(markers).size, markers.length);
  assert.deepEqual(world.forge.violations, []);
});
