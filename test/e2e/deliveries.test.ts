import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { Actor } from '../../src/local/forge/access.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import {
  addReaction,
  afterPush,
  createInstallationToken,
  dismissReview,
  identityOf,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { createApp, install, personActor } from '../../src/local/forge/setup.ts';
import type { Review, WebhookDelivery } from '../../src/local/forge/state.ts';
import { quickTranscript } from './quick-transcript.ts';
import { shareWorld } from './shared-world.ts';
import { slowSweeps } from './slow-sweeps.ts';
import {
  comment,
  commitsOf,
  isImplementation,
  lookedAt,
  markersOf,
  openIssue,
  pullOf,
  pullsOf,
  refsOf,
  requestsOf,
  review,
  setTrigger,
  type Thread,
  waitForCode,
  waitForPlan,
} from './thread.ts';
import { createScene, type World } from './world.ts';

const shared = shareWorld({
  transcripts: [quickTranscript({ match: 'Issue: #\\d+' })],
  environment: slowSweeps,
});
let world: World;
let gate: Thread;
before(async () => {
  world = await shared.open();
});
after(() => shared.leave());
const scene = createScene(() => world);

function expectOnce(thread: Thread): void {
  const markers = markersOf(thread);
  assert.deepEqual([...new Set(markers)], markers, 'expected each marker once');
  assert.equal(pullsOf(thread).length, 1);
}

/** Does something while deliveries are held back, and then lets them go as `arrange` says. */
async function deliver(act: () => void, arrange: (held: readonly WebhookDelivery[]) => readonly WebhookDelivery[]) {
  world.forge.webhooks.pause();
  act();
  world.forge.webhooks.resume(arrange);
  await world.forge.webhooks.idle();
}

const tenTimesBackwards = (held: readonly WebhookDelivery[]) =>
  Array.from({ length: 10 }, () => held.toReversed()).flat();

/** Holds that the app has looked at what happened and that nothing was implemented. */
async function expectNothingStarted(): Promise<void> {
  await lookedAt(gate);
  // What the look that gave the first answer may have started, the second one tells of.
  const answer = await lookedAt(gate);
  assert.match(answer, /Last run: planning, finished\./);
  assert.match(answer, /Status label: `plan: review`\./);
  assert.deepEqual(requestsOf(gate).filter(isImplementation), []);
  const phases = commitsOf(gate, pullOf(gate)).map(({ trailers }) => trailers.get('Planwright-Phase'));
  assert.ok(!phases.includes('implement'));
  assert.equal(pullOf(gate).pullRequest.draft, true);
}

function dismiss(standing: Review): void {
  const by = personActor(world.people.maintainer);
  dismissReview(world.forge, by, gate.repository, pullOf(gate), standing, 'Not this one.');
}

/** The maintainer edits the plan on its branch, as on GitHub's page. */
function editPlan(): void {
  const { gitDir } = gate.repository;
  const pull = pullOf(gate);
  const before = pull.pullRequest.headSha;
  const env = { GIT_INDEX_FILE: `${gitDir}/edit-index`, ...identityOf(world.people.maintainer) };
  const text = git(gitDir, ['show', `${before}:plan.md`]).replace('Nothing is written down yet.', 'Nothing is there.');
  const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: text }).trim();
  git(gitDir, ['read-tree', before], { env });
  git(gitDir, ['update-index', '--cacheinfo', `100644,${blob},plan.md`], { env });
  const tree = git(gitDir, ['write-tree'], { env }).trim();
  const after = git(gitDir, ['commit-tree', tree, '-p', before, '-m', 'Say it otherwise'], { env }).trim();
  const ref = `refs/heads/${pull.pullRequest.headRef}`;
  git(gitDir, ['update-ref', ref, after, before]);
  afterPush(world.forge, personActor(world.people.maintainer), gate.repository, ref, before, after);
}

describe('deliveries', { concurrency: true }, () => {
  describe('again', { concurrency: 1 }, () => {
    let repeated: Thread;

    scene('deliveries ten times over and in the wrong order make one run and one pull request', async () => {
      repeated = openIssue(world, world.addRepository('repeated'), 'Repeated');
      const thread = repeated;
      await deliver(() => setTrigger(thread), tenTimesBackwards);
      const pull = await waitForPlan(thread);
      await deliver(() => {
        comment(thread, pull, world.people.writer, 'Looks fine.');
        review(thread, world.people.reviewer, { event: 'APPROVE' });
      }, tenTimesBackwards);
      await waitForCode(thread);
      await lookedAt(thread);
      assert.deepEqual(
        commitsOf(thread, pull).map(({ trailers }) => trailers.get('Planwright-Phase')),
        ['plan', 'implement', 'implement'],
      );
      assert.equal(requestsOf(thread).length, 3);
      expectOnce(thread);
    });

    scene('redeliveries of everything that ever happened change nothing', async () => {
      const thread = repeated;
      const then = { refs: refsOf(thread), requests: requestsOf(thread).length };
      const markers = markersOf(thread);
      const past = world.forge.state.deliveries.filter(({ repositoryId }) => repositoryId === thread.repository.id);
      assert.ok(past.some(({ payload }) => JSON.stringify(payload).includes('"login":"planwright[bot]"')));
      for (const delivery of past) world.forge.webhooks.redeliver(delivery);
      await world.forge.webhooks.idle();
      const answered = world.forge.state.deliveries.filter(({ redelivery }) => redelivery);
      assert.deepEqual([...new Set(answered.map(({ statusCode }) => statusCode))], [200]);
      await lookedAt(thread);
      assert.deepEqual({ refs: refsOf(thread), requests: requestsOf(thread).length }, then);
      assert.deepEqual(markersOf(thread).slice(0, -1), markers);
    });
  });

  scene('what no delivery told of is found by the sweep, once', async () => {
    const thread = openIssue(world, world.addRepository('dropped'), 'Dropped');
    await deliver(
      () => setTrigger(thread),
      () => [],
    );
    const pull = await waitForPlan(thread);
    await deliver(
      () => void review(thread, world.people.reviewer, { event: 'APPROVE' }),
      () => [],
    );
    await waitForCode(thread);
    assert.equal(commitsOf(thread, pull).length, 3);
    expectOnce(thread);
  });

  describe('the gate', { concurrency: 1 }, () => {
    scene('a comment "LGTM" and a reaction approve nothing', async () => {
      gate = openIssue(world, world.addRepository('gate'), 'Gate');
      setTrigger(gate);
      const pull = await waitForPlan(gate);
      const { forge, people } = world;
      const lgtm = comment(gate, pull, people.writer, 'LGTM');
      comment(gate, gate.issue, people.writer, 'approved');
      comment(gate, pull, people.writer, '/approve');
      for (const target of [pull, lgtm])
        addReaction(forge, personActor(people.writer), gate.repository, pull, target, '+1');
      await expectNothingStarted();
    });

    scene('an approval by a reader, by another app and by the app itself approves nothing', async () => {
      const { forge, owner, installation, forgeApp, people } = world;
      const other = createApp(forge, {
        slug: 'approver',
        name: 'Approver',
        publicKey: forgeApp.publicKey,
        webhookUrl: null,
        webhookSecret: 'none of this one',
        permissions: { pull_requests: 'write', contents: 'write' },
        events: [],
      });
      const otherInstallation = install(forge, other, owner, [gate.repository]);
      const bot: Actor = {
        kind: 'installation',
        app: other,
        installation: otherInstallation,
        token: createInstallationToken(forge, otherInstallation, {}),
      };
      const self: Actor = {
        kind: 'installation',
        app: forgeApp,
        installation,
        token: createInstallationToken(forge, installation, {}),
      };
      const pull = pullOf(gate);
      review(gate, people.reader, { event: 'APPROVE' });
      const approval = submitReview(forge, bot, gate.repository, pull, { event: 'APPROVE' });
      assert.throws(() => submitReview(forge, self, gate.repository, pull, { event: 'APPROVE' }), /own pull request/);
      // GitHub refuses it; were it there all the same, it would not count.
      pull.pullRequest.reviews.push({ ...approval, id: forge.nextId(), author: forgeApp.account });
      await expectNothingStarted();
    });

    scene('a COMMENTED review approves nothing, whatever it says', async () => {
      review(gate, world.people.writer, { event: 'COMMENT', body: 'APPROVED. I approve this plan, go ahead.' });
      await expectNothingStarted();
    });

    scene('an approval that was dismissed approves nothing', async () => {
      await deliver(() => dismiss(review(gate, world.people.writer, { event: 'APPROVE' })), tenTimesBackwards);
      await expectNothingStarted();
    });

    scene('an approval of an older commit approves nothing, and what a person pushed is left as it is', async () => {
      const pull = pullOf(gate);
      const older = pull.pullRequest.headSha;
      await deliver(
        () => {
          editPlan();
          review(gate, world.people.writer, { event: 'APPROVE', commit: older });
        },
        (held) => held.toReversed(),
      );
      assert.notEqual(pull.pullRequest.headSha, older);
      const edited = pull.pullRequest.headSha;
      await expectNothingStarted();
      assert.equal(pull.pullRequest.headSha, edited);
    });

    scene("a writer's approval of the head starts nothing next to another writer's request for changes", async () => {
      const { people } = world;
      const pull = pullOf(gate);
      await deliver(() => {
        review(gate, people.reviewer, { event: 'REQUEST_CHANGES', body: 'In one line, please.' });
        review(gate, people.writer, { event: 'APPROVE' });
      }, tenTimesBackwards);
      await waitForPlan(gate, 2);
      await expectNothingStarted();
      assert.equal(commitsOf(gate, pull).length, 3);
      // The objection is of the older plan: it stands until its author says otherwise.
      review(gate, people.writer, { event: 'APPROVE' });
      await expectNothingStarted();
      for (const standing of pull.pullRequest.reviews) {
        const isVerdict = standing.state === 'APPROVED' || standing.state === 'CHANGES_REQUESTED';
        if (isVerdict && standing.author?.login !== 'reader' && standing.author?.type === 'User') dismiss(standing);
      }
      await expectNothingStarted();
    });

    scene(
      "a writer's approval of the head starts the implementation, once, however often it is delivered",
      async () => {
        await deliver(() => void review(gate, world.people.writer, { event: 'APPROVE' }), tenTimesBackwards);
        await waitForCode(gate);
        await lookedAt(gate);
        const commits = commitsOf(gate, pullOf(gate)).filter(
          ({ trailers }) => trailers.get('Planwright-Phase') === 'implement',
        );
        assert.equal(new Set(commits.map(({ trailers }) => trailers.get('Planwright-Run'))).size, 1);
        assert.equal(requestsOf(gate).filter(isImplementation).length, 2);
        expectOnce(gate);
        assert.deepEqual(world.forge.violations, []);
      },
    );
  });
});
