import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { git } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';
import { askingTranscript, playAskedCall } from './asked-call.ts';
import { saidTo } from './model-log.ts';
import { quickFile, quickPlan, quickText } from './quick-transcript.ts';
import { shareWorld } from './shared-world.ts';
import {
  comment,
  commitsOf,
  isImplementation,
  lookedAt,
  markersOf,
  openIssue,
  refsOf,
  requestsOf,
  review,
  setTrigger,
  stickyComment,
  type Thread,
  waitForCode,
  waitForPlan,
  waitIn,
} from './thread.ts';
import { createScene, type World } from './world.ts';

const title = 'Write it down and name it';
const added = 'INDEX.md';
const reason = `The note must be named in ${added} as well.`;
const first = { title: `Write \`${quickFile}\`.`, status: 'done' };
const second = { title: `Name it in \`${added}\`.`, status: 'done' };
const scope = `  - { path: ${quickFile}, change: create }`;

const questions = [{ question: 'Where to?', suggestions: ['A page', 'A note'] }, { question: 'In which words?' }];

/** Asks before it plans, wants to plan again before it builds, and amends the plan. */
const transcript = parseTranscript('amendment', {
  match: title,
  steps: [
    {
      capture: { issue: 'Issue: #(\\d+)', base: 'Base commit: ([0-9a-f]{40})' },
      respond: [{ tool: 'ask_user_question', input: { questions } }],
    },
    {
      when: 'This is what people say to your questions\\.',
      respond: [
        { tool: 'write_plan', input: { content: quickPlan } },
        { tool: 'exit_plan_mode', input: {} },
      ],
    },
    {
      when: 'The plan was approved by @',
      respond: [{ tool: 'enter_plan_mode', input: { reason: 'There is more to it.' } }],
    },
    {
      when: 'User declined to enter plan mode\\.',
      respond: [
        { tool: 'write', input: { file_path: quickFile, content: quickText } },
        { tool: 'update_tasks', input: { tasks: [first] } },
        { tool: 'write', input: { file_path: added, content: quickText } },
      ],
    },
    {
      respond: [
        {
          tool: 'propose_amendment',
          input: {
            reason,
            edits: [
              { old_string: scope, new_string: `${scope}\n  - { path: ${added}, change: create }` },
              { old_string: `1. ${first.title}`, new_string: `1. ${first.title}\n2. ${second.title}` },
            ],
          },
        },
      ],
    },
    {
      when: 'The amended plan was approved by @',
      respond: [
        { tool: 'write', input: { file_path: added, content: quickText } },
        { tool: 'update_tasks', input: { tasks: [first, second] } },
      ],
    },
    { respond: [{ text: 'Done.' }] },
  ],
});

const shared = shareWorld({ transcripts: [transcript, askingTranscript] });
let world: World;
let thread: Thread;
let pull: PullRequestIssue;
let approved: string;

before(async () => {
  world = await shared.open();
  thread = openIssue(world, world.addRepository('amended'), title);
});
after(() => shared.leave());
const scene = createScene(() => world);

/** Waits until the thread waits for people, for the `time`-th time. */
async function waitForQuestions(time: number): Promise<void> {
  await waitIn(thread, `question ${time}`, () => {
    const told = markersOf(thread).filter((marker) => marker.startsWith('questions '));
    return (told.length === time && thread.issue.labels.includes('plan: question')) || null;
  });
}

scene(
  'questions park the run without a process; each answer that counts reaches the model under its question',
  async () => {
    const { maintainer, reader, reviewer } = world.people;
    const { issue } = thread;
    setTrigger(thread);
    await waitForQuestions(1);
    const isRun = (command: string) => command.includes('run-child');
    await world.wait('the end of its process', () => !world.processes().some(isRun) || null);
    comment(thread, issue, reader, '1. b\n2. Everywhere.');
    const beside = comment(thread, issue, maintainer, 'Good question.');
    comment(thread, issue, maintainer, '2. In few.');
    await waitIn(thread, 'what is open', () => /Question 1 is still open/.test(stickyComment(thread).body) || null);
    assert.ok(markersOf(thread).includes(`reply comment:${beside.id}`));
    assert.equal(requestsOf(thread).length, 1);
    comment(thread, issue, reviewer, '1. b');
    pull = await waitForPlan(thread);
    const told = saidTo(requestsOf(thread).at(1)).split(/^Question (?=\d$)/m);
    assert.match(told[1] ?? '', /b\) A note\n[\s\S]*by @reviewer \(writer\) ---\nA note\n/);
    assert.match(told[2] ?? '', /by @maintainer \(writer\) ---\nIn few\.\n[\s\S]*beside[\s\S]*\nGood question\.\n/);
    assert.doesNotMatch(told.join(''), /Everywhere/);
  },
);

scene(
  'the wish to plan again parks the implementation: a writer alone declines it, also on the pull request',
  async () => {
    const { maintainer, reader, reviewer } = world.people;
    approved = pull.pullRequest.headSha;
    review(thread, reviewer, { event: 'APPROVE' });
    await waitForQuestions(2);
    const { length } = requestsOf(thread);
    comment(thread, pull, reader, '/replan');
    await lookedAt(thread);
    assert.equal(requestsOf(thread).length, length);
    comment(thread, pull, maintainer, '/continue');
    await waitForPlan(thread, 2);
    assert.match(saidTo(requestsOf(thread).at(length)), /\nUser declined to enter plan mode\.$/m);
  },
);

scene(
  'an edit outside of the scope is refused, and an amendment puts the plan back into review with its reason',
  async () => {
    const refused = requestsOf(thread).filter(isImplementation).map(saidTo).join('\n');
    assert.match(
      refused,
      /expected a change within the plan's scope, got INDEX\.md \(create\).*call propose_amendment/,
    );
    const head = pull.pullRequest.headSha;
    assert.deepEqual(
      commitsOf(thread, pull).map(({ subject, trailers }) => [subject, trailers.get('Planwright-Phase')]),
      [
        [`Plan issue ${thread.issue.number}`, 'plan'],
        [`Amend the plan for issue ${thread.issue.number}`, 'plan'],
      ],
    );
    assert.equal(git(thread.repository.gitDir, ['diff', '--name-only', approved, head]), 'plan.md\n');
    const told = pull.comments.filter(({ body }) => body.includes('planwright:amendment'));
    assert.equal(told.length, 1);
    for (const words of [reason, `${approved}...${head}`, '/cancel']) assert.ok(told[0]?.body.includes(words), words);
    assert.equal(pull.pullRequest.draft, true);
    assert.ok(pull.pullRequest.requestedReviewers.some(({ login }) => login === 'reviewer'));
    await lookedAt(thread);
    assert.equal(pull.pullRequest.headSha, head);
    assert.equal(pull.comments.filter(({ body }) => body.includes('planwright:lapsed')).length, 0);
  },
);

scene('after its approval the work goes on with the step that was kept, and moves the one branch forward', async () => {
  const refs = refsOf(thread);
  const head = pull.pullRequest.headSha;
  review(thread, world.people.reviewer, { event: 'APPROVE' });
  await waitForCode(thread);
  const { [`refs/heads/${pull.pullRequest.headRef}`]: moved, ...others } = refsOf(thread);
  const { [`refs/heads/${pull.pullRequest.headRef}`]: before, ...same } = refs;
  assert.deepEqual([others, before, moved], [same, head, pull.pullRequest.headSha]);
  assert.equal(git(thread.repository.gitDir, ['merge-base', head, pull.pullRequest.headSha]).trim(), head);
  const commits = commitsOf(thread, pull);
  assert.deepEqual(
    commits.slice(2).map(({ subject }) => subject),
    [first.title, second.title, `Finish the work on issue ${thread.issue.number}`],
  );
  const runs = commits.slice(2).map(({ trailers }) => trailers.get('Planwright-Run'));
  assert.equal(new Set(runs).size, 1);
  for (const { trailers } of commits.slice(2)) {
    assert.equal(trailers.get('Planwright-Approved-By'), `reviewer at ${head}`);
  }
  const files = git(thread.repository.gitDir, ['diff', '--name-only', `main...${pull.pullRequest.headSha}`]);
  assert.deepEqual(files.trim().split('\n'), [added, quickFile]);
});

scene('the open call is answered with the approval, and the report names the amendment and both steps', async () => {
  const [going] = requestsOf(thread).filter((request) => saidTo(request).includes('The amended plan was approved by'));
  const results = going?.messages.at(-1)?.content;
  assert.ok(Array.isArray(results) && results.some((block) => block.type === 'tool_result'));
  assert.match(saidTo(going), /Your work is there as it was when you proposed the amendment/);
  const body = pull.body ?? '';
  assert.ok(body.includes(`The plan was amended: ${reason}`), body);
  const [one, two] = commitsOf(thread, pull).slice(2);
  assert.ok(body.includes(one?.sha ?? '?') && body.includes(two?.sha ?? '?'));
  assert.deepEqual(world.forge.violations, []);
});

scene(
  'a call that a rule leaves to people parks the implementation; a writer alone allows it, and it is made once',
  () => playAskedCall(world),
);
