import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { parseMarker } from '../../src/github/identifiers.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import { parseTranscript, type Transcript } from '../../src/local/model/transcript.ts';
import { saidTo } from './model-log.ts';
import { quickFile, quickPlan, quickText, quickTranscript } from './quick-transcript.ts';
import { shareWorld } from './shared-world.ts';
import {
  comment,
  commitsOf,
  openIssue,
  pullOf,
  pullsOf,
  refsOf,
  requestsOf,
  review,
  setTrigger,
  stickyComment,
  stickyComments,
  waitForCode,
  waitForPlan,
  waitIn,
} from './thread.ts';
import { createScene, expectSound, type World } from './world.ts';

const sentence = `${'word '.repeat(20)}\n`;
/** More than GitHub lets stand in a comment, and the most that a plan may hold. */
const hugePlan = `${quickPlan}${sentence.repeat(700)}`;
const largePlan = `${quickPlan}${sentence.repeat(635)}`;

/** The model first writes a plan that is too long, and then shortens it. */
function shorteningTranscript(match: string): Transcript {
  const { steps, ...transcript } = quickTranscript({ match, plan: largePlan });
  const [first] = steps;
  assert.ok(first !== undefined);
  return {
    ...transcript,
    steps: [{ ...first, respond: [{ tool: 'write_plan', input: { content: hugePlan } }] }, ...steps],
  };
}

/** The model looks once, and then declines to go on. */
const refusal = parseTranscript('refusal', {
  match: 'A task that is refused',
  steps: [{ respond: [{ tool: 'read', input: { file_path: 'README.md' } }] }, { respond: [], stop_reason: 'refusal' }],
});

const shared = shareWorld({
  transcripts: [shorteningTranscript('A plan that is too long'), refusal, quickTranscript({ match: 'Issue: #\\d+' })],
});
let world: World;
before(async () => {
  world = await shared.open();
});
after(() => shared.leave());
const scene = createScene(() => world);

describe('bad input', { concurrency: 4 }, () => {
  const titles = [
    '添加一个注释文件 🚀🔥✨',
    '..',
    '@{',
    `${'long '.repeat(50)}`.slice(0, 250),
    'Say "hello" and \'bye\' `now` $(touch /tmp/planwright-title) ; rm -rf . <!-- x --> @maintainer',
  ];

  for (const [name, defaultBranch, planned] of [
    ['legal', 'release/#12+x', titles.slice(0, 2)],
    ['non-latin', 'основная/枝', titles.slice(2)],
  ] as const) {
    scene(
      `on a default branch named ${defaultBranch} titles of any characters become plans, and code, on branches named by number alone`,
      async () => {
        const repository = world.addRepository(name, { defaultBranch });
        const threads = planned.map((title) => openIssue(world, repository, title));
        for (const thread of threads) setTrigger(thread);
        for (const thread of threads) {
          const pull = await waitForPlan(thread);
          assert.equal(pull.pullRequest.baseRef, defaultBranch);
          assert.equal(pull.pullRequest.headRef, `planwright/issue-${thread.issue.number}`);
          assert.equal(commitsOf(thread, pull).length, 1);
        }
        const [thread] = threads;
        assert.ok(thread !== undefined);
        review(thread, world.people.reviewer, { event: 'APPROVE' });
        const { headSha } = (await waitForCode(thread)).pullRequest;
        const changed = git(repository.gitDir, ['diff', '--name-only', `refs/heads/${defaultBranch}`, headSha]);
        assert.equal(changed, `${quickFile}\n`);
      },
    );
  }

  scene('a body of 200 kB is read as far as it fits, and planned', async () => {
    const thread = openIssue(world, world.addRepository('body'), 'A body of 200 kB');
    // GitHub itself takes no more than 65,536 characters: at four bytes each they are more than 200 kB.
    thread.issue.body = '𝔸'.repeat(50_000);
    assert.ok(Buffer.byteLength(thread.issue.body) >= 200_000);
    setTrigger(thread);
    await waitForPlan(thread);
  });

  scene(
    'a plan longer than a comment may be is sent back to the model, and the longest there is can be shown',
    async () => {
      const thread = openIssue(world, world.addRepository('long'), 'A plan that is too long');
      setTrigger(thread);
      const pull = await waitForPlan(thread);
      assert.match(
        saidTo(requestsOf(thread).at(-1)),
        /expected a plan of at most 65000 characters, got 7\d+; shorten it/,
      );
      const plan = git(thread.repository.gitDir, ['show', `${pull.pullRequest.headSha}:plan.md`]);
      assert.ok(plan.length > 64_000, `got ${plan.length}`);
      const asked = comment(thread, thread.issue, world.people.maintainer, '/view-plan');
      await waitIn(thread, 'the answer to /view-plan', () => asked.reactions.length > 0 || null);
      const shown = thread.issue.comments.find(({ body }) => parseMarker(body)?.cause === `comment:${asked.id}`);
      assert.ok(shown?.body.includes(sentence.trim()));
    },
  );

  scene(
    'an implementation at its ceiling is parked with its work kept, and goes on with it when a writer says /continue',
    async () => {
      const folder = join(world.folder, 'bounded');
      mkdirSync(join(folder, '.github'), { recursive: true });
      writeFileSync(join(folder, '.github', 'planwright.yml'), 'budget:\n  max_turns: 1\n');
      const repository = world.addRepository('bounded', { fromFolder: folder });
      const thread = openIssue(world, repository, 'More than may be used');
      setTrigger(thread);
      const pull = await waitForPlan(thread);
      assert.match(
        pull.body ?? '',
        /Writing this plan has used 1 turn, .*may use at most 1 turn, 2,000,000 tokens, 30 minutes/,
      );
      review(thread, world.people.reviewer, { event: 'APPROVE' });
      const question = await waitIn(thread, 'word of the ceiling', () => {
        const isIt = ({ body }: { readonly body: string }) => parseMarker(body)?.kind === 'questions';
        return thread.issue.comments.find(isIt) ?? null;
      });
      assert.match(question.body, /The run has used 1 turn, and the ceiling of a run is 1 turn\..*Nothing is lost/s);
      const refs = refsOf(thread);
      assert.equal(commitsOf(thread, pullOf(thread)).length, 1, 'nothing of it was pushed');
      comment(thread, thread.issue, world.people.reader, '/continue');
      comment(thread, thread.issue, world.people.maintainer, '/continue');
      const done = (await waitForCode(thread)).pullRequest;
      assert.notDeepEqual(refsOf(thread), refs);
      assert.equal(git(repository.gitDir, ['show', `${done.headSha}:${quickFile}`]), quickText);
      assert.equal(requestsOf(thread).length, 3);
    },
  );

  scene(
    'a refusal fails the run with its reason and its cost; `/retry` begins anew, and does not send what was refused again',
    async () => {
      const thread = openIssue(world, world.addRepository('declined'), 'A task that is refused');
      const refs = refsOf(thread);
      setTrigger(thread);
      for (const requests of [2, 4]) {
        const isTold = () => stickyComments(thread)[0]?.body.includes('Nothing is under way.') ?? false;
        await world.wait('the failure', () => (requestsOf(thread).length === requests && isTold()) || null);
        const text = stickyComment(thread).body;
        assert.match(text, /declined.*`\/retry`.*Used so far: \d turns, [\d,]+ tokens in, [\d,]+ tokens out/s);
        assert.deepEqual([pullsOf(thread), refsOf(thread)], [[], refs]);
        assert.deepEqual(
          requestsOf(thread)
            .at(-2)
            ?.messages.map(({ role }) => role),
          ['user'],
        );
        if (requests === 2) comment(thread, thread.issue, world.people.maintainer, '/retry');
      }
    },
  );
});

scene('whatever came, the app has neither ended nor broken the rules of the API', async () => expectSound(world));
