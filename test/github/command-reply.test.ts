import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandReply, commandReply } from '../../src/github/command-reply.ts';
import type { ThreadStatus } from '../../src/lifecycle/actions.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import type { World } from '../lifecycle/world.ts';
import * as the from '../lifecycle/world.ts';

type Happening = (world: World) => void;
const label: Happening = (world) => the.setLabel(world, the.writer, 'labeled');
const claim: Happening = (world) => the.work(world, 'claim');
const deliver: Happening = (world) => the.work(world, 'finish');
const ask: Happening = (world) => the.work(world, 'ask');
const approve: Happening = (world) => void the.addReview(world, the.writer, 'APPROVED');

/** The answer to a command in the thread, as it reads. `change` is made to the pull requests that the facts show. */
function answerTo(
  reply: CommandReply['reply'],
  events: readonly Happening[],
  change: (facts: CommandReply['facts']['pullRequests'][number]) => object = () => ({}),
): string {
  const world = the.createWorld();
  for (const happen of events) {
    world.tick += 1;
    happen(world);
    the.reconcile(world);
  }
  const shown = the.factsOf(world);
  const facts = { ...shown, pullRequests: shown.pullRequests.map((pull) => ({ ...pull, ...change(pull) })) };
  const memory = { runs: world.runs };
  const status = decide(facts, memory).actions.find(({ kind }) => kind === 'setStatusComment');
  const of: ThreadStatus | null = status?.kind === 'setStatusComment' ? status.status : null;
  return commandReply({ reply, facts, memory, rules: { ownIssue: 7 }, status: of ?? idle });
}

const idle: ThreadStatus = {
  state: 'inactive',
  pullRequest: null,
  isPullRequestOpen: false,
  failure: null,
  obstacles: [],
  note: null,
  previousPullRequest: null,
  cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 },
};
const nothing =
  '**Nothing is under way.** A person with write access starts a plan by setting the trigger label, or with `/plan`.';
const review =
  '**The plan is ready for review in #8.** Approve the pull request to have it implemented, or request changes with comments on its lines. Until a person with write access approves, nothing but the plan is written.';

test('a command that there is nothing to do for is answered with what is the case', () => {
  assert.equal(answerTo('retry', [label, deliver]), `There is nothing to try again.\n\n${review}`);
  assert.equal(answerTo('continue', [label, deliver]), `Nothing waits for this word.\n\n${review}`);
  assert.equal(answerTo('cancel', []), `There is nothing to stop.\n\n${nothing}`);
  assert.equal(answerTo('replan', []), `There is no plan here that could be written anew now.\n\n${nothing}`);
});

test('the label or /plan with an open plan is answered with the link to it', () => {
  assert.equal(answerTo('plan', [label, deliver]), `There is a pull request already: #8.\n\n${review}`);
});

test('/plan while a plan is on its way says so', () => {
  const [lead] = answerTo('plan', [label, claim]).split('\n\n');
  assert.equal(lead, 'A plan is on its way already, from what was asked for before.');
});

test('/view-plan without a plan says that there is none, and what waits', () => {
  assert.equal(answerTo('view_plan', []), `**There is no saved plan yet.** This is what waits:\n\n${nothing}`);
  assert.match(
    answerTo('view_plan', [label, claim]),
    /^\*\*There is no saved plan yet.*\n\n\*\*A plan is being written/,
  );
  assert.match(answerTo('view_plan', [label, ask]), /^\*\*There is no saved plan yet.*\n\n\*\*There are questions/);
});

test('/view-plan shows the saved plan, and which gate it waits at', () => {
  assert.equal(
    answerTo('view_plan', [label, deliver]),
    `**This is the saved plan.**\n\n${review}\n\nThe plan as it stands in #8 (blob \`blob-ru\`):\n\n\`\`\`markdown\nplan\n\`\`\``,
  );
});

test('/view-plan of a placeholder shows the gate that waits, and says that there is no plan', () => {
  const isEmpty = ({ planOfRecord }: { readonly planOfRecord: object | null }) => ({
    planOfRecord: { ...planOfRecord, isEmpty: true },
  });
  assert.equal(
    answerTo('view_plan', [label, deliver], isEmpty),
    `**There is no saved plan:** #8 holds a placeholder in its place. This is what waits:\n\n${review}`,
  );
});

test('/view-plan of an approved plan shows it, and that it is being implemented', () => {
  assert.match(
    answerTo('view_plan', [label, deliver, approve, claim]),
    /^\*\*This is the saved plan\.\*\*\n\n\*\*The plan in #8 was approved and is being implemented\.\*\*[\s\S]*```markdown\nplan\n```$/,
  );
});

test('/view-plan after the code has come says where the approved plan stands', () => {
  assert.match(
    answerTo('view_plan', [label, deliver, approve, deliver], () => ({ planOfRecord: null })),
    /^\*\*There is no plan file at the head of #8\.\*\* The approved plan stands in its commit `sha-run`\.\n\n\*\*The approved plan is implemented in #8/,
  );
});

test('/status says what stands on GitHub and what the last run does', () => {
  assert.equal(
    answerTo('status', [label, claim]),
    '- Status label: `plan: writing`.\n- Pull request: none yet.\n- Last run: planning, at work.',
  );
  assert.equal(answerTo('status', []), '- Status label: none.\n- Pull request: none yet.\n- Runs: none yet.');
});

test('/status tells a run that waits for its plan to be amended from one that waits for an answer', () => {
  const amend: Happening = (world) => the.work(world, 'amend');
  assert.match(answerTo('status', [label, claim, ask]), /- Last run: planning, waiting for an answer\.$/m);
  assert.match(
    answerTo('status', [label, deliver, approve, claim, amend]),
    /- Last run: implementation, waiting for the approval of a change of its plan\.$/m,
  );
});
