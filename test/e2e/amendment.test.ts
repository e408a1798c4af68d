import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { git } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';
import { saidTo } from './model-log.ts';
import { quickFile, quickPlan, quickText } from './quick-transcript.ts';
import {
  commitsOf,
  isImplementation,
  lookedAt,
  openIssue,
  refsOf,
  requestsOf,
  review,
  setTrigger,
  type Thread,
  waitForCode,
  waitForPlan,
} from './thread.ts';
import { createScene, openWorld, type World } from './world.ts';

const title = 'Write it down and name it';
const added = 'INDEX.md';
const reason = `The note must be named in ${added} as well.`;
const first = { title: `Write \`${quickFile}\`.`, status: 'done' };
const second = { title: `Name it in \`${added}\`.`, status: 'done' };
const scope = `  - { path: ${quickFile}, change: create }`;

const transcript = parseTranscript('amendment', {
  match: title,
  steps: [
    {
      capture: { issue: 'Issue: #(\\d+)', base: 'Base commit: ([0-9a-f]{40})' },
      respond: [
        { tool: 'write_plan', input: { content: quickPlan } },
        { tool: 'exit_plan_mode', input: {} },
      ],
    },
    {
      when: 'The plan was approved by @',
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

let world: World;
let thread: Thread;
let pull: PullRequestIssue;
let approved: string;

before(async () => {
  world = await openWorld({ transcripts: [transcript] });
  thread = openIssue(world, world.addRepository('notes'), title);
});
after(() => world?.close());
const scene = createScene(() => world);

scene(
  'an edit outside of the scope is refused, and an amendment puts the plan back into review with its reason',
  async () => {
    setTrigger(thread);
    pull = await waitForPlan(thread);
    approved = pull.pullRequest.headSha;
    review(thread, world.people.reviewer, { event: 'APPROVE' });
    await waitForPlan(thread, 2);
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
