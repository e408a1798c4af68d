/**
 * Twelve ways in which an approval goes stale, each once after its run was queued and before it started, and once when the
 * work was done and not pushed. Nothing that is delivered tells the app: it has to look by itself.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { countLabelings } from '../../src/local/demo/narrator.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import {
  closePullRequest,
  dismissReview,
  editPullRequest,
  openPullRequest,
  reopenIssue,
  setCollaborator,
} from '../../src/local/forge/operations.ts';
import { personActor } from '../../src/local/forge/setup.ts';
import type { Account, Repository, Review } from '../../src/local/forge/state.ts';
import { forcePushSame, pushFile } from './person-push.ts';
import { quickFile, quickTranscript } from './quick-transcript.ts';
import { seedPlan } from './seeded-plan.ts';
import { shareWorld } from './shared-world.ts';
import {
  commitsOf,
  isImplementation,
  pullOf,
  pullsOf,
  removeTrigger,
  requestsOf,
  review,
  stickyComment,
  type Thread,
  waitIn,
} from './thread.ts';
import { createScene, expectSound, type World } from './world.ts';

/** A thread with its plan approved by somebody. */
interface Approved {
  readonly thread: Thread;
  readonly pull: PullRequestIssue;
  readonly by: Account;
  readonly review: Review;
  /** The file that its plan names. */
  readonly file: string;
}

interface Way {
  readonly name: string;
  readonly happen: (approved: Approved) => void;
  /** What people read then. */
  readonly told: RegExp;
}

let world: World;
const maintainer = () => world.people.maintainer;
const actor = () => personActor(maintainer());

function place({ thread, pull }: Approved) {
  return { world, repository: thread.repository, branch: pull.pullRequest.headRef, by: maintainer() };
}

const ways: readonly Way[] = [
  {
    name: 'the plan file is pushed to',
    happen: (approved) => void pushFile(place(approved), 'plan.md', planOf(approved).replace('None.', 'Some.')),
    told: /has a new head|names commit/,
  },
  {
    name: 'another file is pushed',
    happen: (approved) => void pushFile(place(approved), 'other.md', 'Another.\n'),
    told: /has a new head|names commit/,
  },
  {
    name: 'the branch is overwritten with another commit of the same files',
    happen: (approved) => void forcePushSame(place(approved)),
    told: /holds no commit of this app any more/,
  },
  {
    name: 'the pull request is pointed at another base',
    happen: ({ thread, pull }) => editPullRequest(world.forge, actor(), thread.repository, pull, { base: otherBase }),
    told: /base is develop/,
  },
  {
    name: 'the pull request is closed and reopened',
    happen: ({ thread, pull }) => {
      closePullRequest(world.forge, actor(), thread.repository, pull);
      reopenIssue(world.forge, actor(), thread.repository, pull);
    },
    told: /given before the pull request was (closed|reopened)/,
  },
  {
    name: 'the approval is dismissed by a person',
    happen: ({ thread, pull, review: approval }) =>
      dismissReview(world.forge, actor(), thread.repository, pull, approval, 'Not yet.'),
    told: /nothing of it was pushed.*0 of 1 required approvals/s,
  },
  {
    name: 'its reviewer requests changes',
    happen: ({ thread, by }) => void review(thread, by, { event: 'REQUEST_CHANGES', body: 'In one line.' }),
    told: /reviewer has requested changes|The plan was revised/,
  },
  {
    name: 'another writer requests changes',
    happen: ({ thread }) =>
      void review(thread, world.people.writer, { event: 'REQUEST_CHANGES', body: 'In one line.' }),
    told: /writer has requested changes|The plan was revised/,
  },
  {
    name: 'its reviewer loses write access',
    happen: ({ thread, by }) => setCollaborator(world.forge, actor(), thread.repository, by, 'read'),
    told: /permission is read; write is needed/,
  },
  {
    name: 'a planned file changes on the base',
    happen: (approved) => void pushFile({ ...place(approved), branch: 'main' }, approved.file, 'Made by others.\n'),
    told: /Planned files have changed on the base/,
  },
  {
    name: 'the label is taken off',
    happen: ({ thread }) => removeTrigger(thread),
    told: /Nothing more is done here.*The request was withdrawn/s,
  },
  {
    name: 'another open pull request has the same head',
    happen: (approved) => openTwin(approved),
    told: /Another open pull request .* has the same head commit/,
  },
];

const otherBase = 'develop';
const moments = ['before the start', 'before the push'] as const;
type Moment = (typeof moments)[number];

function planOf({ thread, pull }: Approved): string {
  return git(thread.repository.gitDir, ['show', `${pull.pullRequest.headSha}:plan.md`]);
}

function openTwin({ thread, pull }: Approved): void {
  const { repository } = thread;
  const branch = `twin-of-${pull.number}`;
  git(repository.gitDir, ['update-ref', `refs/heads/${branch}`, pull.pullRequest.headSha]);
  openPullRequest(world.forge, actor(), repository, { title: 'A twin', head: branch, base: 'main' });
}

function titleOf(way: Way, moment: Moment): string {
  return `Way ${ways.indexOf(way) + 1} ${moment}`;
}

/** Ways that are felt by every thread of a repository, and by whom their threads are approved there. */
const reviewersBeside: Readonly<Record<string, 'reviewer' | 'writer' | 'maintainer'>> = {
  'Way 9 before the start': 'reviewer',
  'Way 9 before the push': 'writer',
  'Way 10 before the start': 'maintainer',
  'Way 10 before the push': 'maintainer',
};

function fileOf(title: string): string {
  return title.startsWith('Way 10') ? `${title.replaceAll(' ', '-')}.md` : quickFile;
}

const shared = shareWorld({
  transcripts: ways.flatMap((way) =>
    moments.map((moment) => {
      const title = titleOf(way, moment);
      const holds = moment === 'before the push' ? { end: title } : {};
      return quickTranscript({ match: title, holds, file: fileOf(title) });
    }),
  ),
});
before(async () => {
  world = await shared.open();
});
after(() => shared.leave());
const scene = createScene(() => world);

/** The threads by title, each with a plan in review, as an app finds them that has lost its memory. */
function seedPlans(): ReadonlyMap<string, Thread> {
  world.forge.webhooks.pause();
  const [most, beside] = [world.addRepository('most'), world.addRepository('beside')];
  for (const { gitDir } of [most, beside]) git(gitDir, ['branch', otherBase, 'main']);
  const threads = new Map<string, Thread>();
  for (const moment of moments) {
    for (const way of ways) {
      const title = titleOf(way, moment);
      const repository: Repository = title in reviewersBeside ? beside : most;
      threads.set(title, seedPlan(world, repository, title, fileOf(title)));
    }
  }
  world.forge.webhooks.resume(() => []);
  return threads;
}

function approve(title: string, thread: Thread): Approved {
  const by = world.people[reviewersBeside[title] ?? 'reviewer'];
  const approval = review(thread, by, { event: 'APPROVE' });
  return { thread, pull: pullOf(thread), by, review: approval, file: fileOf(title) };
}

async function untilOrdered({ thread }: Approved): Promise<void> {
  await waitIn(thread, 'the order of its run', () => countLabelings(thread.issue, 'plan: building') > 0 || null);
}

/** Until the look that ended the run has told people: they are told last in a look. */
async function untilTold(way: Way, approved: Approved): Promise<void> {
  const { issue } = approved.thread;
  const isOver = () => !issue.labels.includes('plan: building') && way.told.test(saidOf(approved));
  try {
    await waitIn(approved.thread, `${way.name}: the end of its run`, () => isOver() || null);
  } catch (error) {
    throw new Error(`expected to be told ${way.told}, got: ${saidOf(approved)}`, { cause: error });
  }
}

/** Everything that the app says of the thread now: on the issue, in the pull request and in the check of the plan. */
function saidOf({ thread, pull }: Approved): string {
  const check = thread.repository.checkRuns.findLast(
    ({ headSha, name }) => headSha === pull.pullRequest.headSha && name === 'planwright/plan',
  );
  return [
    stickyComment(thread).body,
    check?.title,
    check?.summary,
    check?.text,
    ...pull.comments.map(({ body }) => body),
  ]
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** Why the approval has not been stopped; `null` where it has, and people are told. */
function whyNotStopped(way: Way, moment: Moment, approved: Approved): string | null {
  const { thread, pull } = approved;
  const phases = commitsOf(thread, pull).map(({ trailers }) => trailers.get('Planwright-Phase'));
  if (phases.includes('implement')) return 'an implementation was pushed';
  const wasAtWork = requestsOf(thread).some(isImplementation);
  if (wasAtWork !== (moment === 'before the push')) return `its run was ${wasAtWork ? '' : 'not '}at work`;
  const open = pullsOf(thread).filter(({ state }) => state === 'open').length;
  if (open !== 1) return `expected its one pull request open, got ${open}`;
  const said = saidOf(approved);
  return way.told.test(said) ? null : `nobody is told ${way.told}, but: ${said}`;
}

/** Approves the plans, and waits until the app has read that and ordered the runs. */
async function approveAll(
  threads: ReadonlyMap<string, Thread>,
  titles: readonly string[],
): Promise<readonly Approved[]> {
  const approvals = titles.map((title) => {
    const thread = threads.get(title);
    assert.ok(thread !== undefined);
    return approve(title, thread);
  });
  for (const approved of approvals) await untilOrdered(approved);
  return approvals;
}

/** Each way happens to its approval: to those in `waiting` before the start, to those in `working` before the push. */
async function happenAll(waiting: readonly Approved[], working: readonly Approved[]): Promise<void> {
  world.forge.webhooks.pause();
  for (const [index, way] of ways.entries()) way.happen(at(waiting, index));
  // In whatever order the queue gives them.
  const pushes = ways.map(async (way, index) => {
    const title = titleOf(way, 'before the push');
    await world.model.held(title);
    way.happen(at(working, index));
    world.model.release(title);
  });
  await Promise.all(pushes);
  // The news of it is lost: what the app knows, it has looked up.
  world.forge.webhooks.resume(() => []);
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  assert.ok(item !== undefined);
  return item;
}

scene('an approval that goes stale is stopped: in twelve ways, before the start and before the push', async (t) => {
  const threads = seedPlans();
  const starts = ways.map((way) => titleOf(way, 'before the start'));
  const pushes = ways.map((way) => titleOf(way, 'before the push'));
  // Two runs whose work is done but for the last word keep the others in the queue: there is room for two.
  const first = await approveAll(threads, pushes.slice(0, 2));
  for (const title of pushes.slice(0, 2)) await world.model.held(title);
  const waiting = await approveAll(threads, starts);
  const working = [...first, ...(await approveAll(threads, pushes.slice(2)))];
  await happenAll(waiting, working);
  for (const [index, way] of ways.entries()) {
    await untilTold(way, at(waiting, index));
    await untilTold(way, at(working, index));
  }
  const verdicts = ways.flatMap((way, index) => [
    { what: `${way.name}, before the start`, why: whyNotStopped(way, 'before the start', at(waiting, index)) },
    { what: `${way.name}, before the push`, why: whyNotStopped(way, 'before the push', at(working, index)) },
  ]);
  const stopped = verdicts.filter(({ why }) => why === null).length;
  t.diagnostic(`${stopped} of ${verdicts.length} stale approvals stopped`);
  const missed = verdicts.filter(({ why }) => why !== null);
  assert.deepEqual([missed, stopped], [[], 24]);
  expectSound(world);
});
