import { z } from 'zod';
import type { Action } from '../lifecycle/actions.ts';
import { totalCost } from '../lifecycle/budget.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';
import { readRequests, triggerOf } from '../lifecycle/request.ts';
import { parseFrontMatter } from '../plan/front-matter.ts';
import { asShown, factsOfPullRequest, makeOnce, openPullRequestOf, type Stage } from './act-stage.ts';
import { planCostText } from './cost-text.ts';
import { Forbidden, Unreadable } from './github.ts';
import type { Marker } from './identifiers.ts';
import { implementedBody, planBody, planPrefix, pullRequestTitle } from './pull-request-text.ts';
import { isUnclearMutation, isUnprocessable } from './response-errors.ts';
import type { Held } from './session.ts';

const opened = z.object({ number: z.number(), node_id: z.string(), head: z.object({ sha: z.string() }) });
type Opened = z.infer<typeof opened>;

/**
 * Opens the thread's pull request from its branch, as a draft; where the repository has none, an ordinary one that says
 * so in its title. One that is there already is taken for ours if it is.
 */
export async function openPullRequest(
  stage: Stage,
  action: Extract<Action, { kind: 'openPullRequest' }>,
): Promise<void> {
  const { context, facts } = stage;
  const known = facts.pullRequests.find(({ branch, state }) => branch === action.branch && state === 'open');
  if (context.pullRequest !== null) return;
  if (known !== undefined) {
    context.pullRequest = { number: known.number, nodeId: known.nodeId };
    context.head ??= known.head;
    return;
  }
  const made = await stage.write('open the pull request', (held) => openOnce(stage, held, action));
  context.pullRequest = { number: made.number, nodeId: made.node_id };
  context.head = made.head.sha;
}

async function openOnce(
  stage: Stage,
  held: Held,
  action: Extract<Action, { kind: 'openPullRequest' }>,
): Promise<Opened> {
  const marker: Marker = { kind: 'pull-request', thread: stage.key, cause: action.branch };
  const { policy } = stage.facts;
  const { standing } = readRequests(stage.facts, stage.context.memory, triggerOf(policy));
  const body = await stage.body(
    [
      planBody(stage.facts, action.previousPullRequest, standing, stage.context),
      ...costOfPlan(stage.context.memory, policy),
    ].join('\n\n'),
    marker,
  );
  const base = stage.facts.repository.defaultBranch?.name;
  if (base === undefined) throw new Unreadable('expected a default branch to open a pull request against, got none');
  const create = async (draft: boolean): Promise<Opened> => {
    const title = await stage.line(pullRequestTitle(stage.facts.issue, draft));
    const given = { ...stage.repository, title, body, base, head: action.branch, draft };
    const { data } = await held.client.rest.pulls.create(given);
    return opened.parse(data);
  };
  const find = async () => (await findOpen(stage, held, action.branch)).ours;
  const make = (draft: boolean) => makeOnce(() => create(draft), find);
  try {
    return await make(true).catch((error: unknown) => {
      if (isUnprocessable(error, /draft/i)) return make(false);
      throw error;
    });
  } catch (error) {
    if (!isUnprocessable(error, /already exists/i)) throw error;
    const { ours, foreign } = await findOpen(stage, held, action.branch);
    if (ours !== null) return ours;
    throw foreign === null ? error : obstructedBy(foreign, action.branch, error);
  }
}

/** What the plan has cost, and what approving it authorises. */
function costOfPlan(memory: Memory, policy: Facts['policy']): readonly string[] {
  if ('problems' in policy) return [];
  const plan = memory.runs.flatMap(({ outcome }) => (outcome?.kind === 'plan_ready' ? [outcome.plan] : [])).at(-1);
  const read = plan === undefined ? null : parseFrontMatter(plan);
  const files = read !== null && 'value' in read ? read.value.files.length : null;
  return [planCostText(files, totalCost(memory), policy.budget)];
}

const listed = z.array(
  opened.extend({
    user: z.object({ id: z.number(), login: z.string() }).nullable(),
    head: z.object({ sha: z.string(), ref: z.string(), repo: z.object({ id: z.number() }).nullable() }),
  }),
);
type Listed = z.infer<typeof listed>[number];

/** The open pull requests from the branch: that of this app, and one that somebody else opened. A fork's are neither. */
async function findOpen(
  stage: Stage,
  held: Held,
  branch: string,
): Promise<{ readonly ours: Opened | null; readonly foreign: Listed | null }> {
  const self = await stage.self();
  const head = `${stage.repository.owner}:${branch}`;
  const { data } = await held.client.rest.pulls.list({ ...stage.repository, state: 'open', head, per_page: 100 });
  const found = listed
    .parse(data)
    .filter((each) => each.head.ref === branch && each.head.repo?.id === stage.facts.repository.id);
  return {
    ours: found.find(({ user }) => user?.id === self.id) ?? null,
    foreign: found.find(({ user }) => user?.id !== self.id) ?? null,
  };
}

/** GitHub has one open pull request a branch and base: only a person can clear the way. */
function obstructedBy({ number, user }: Listed, branch: string, cause: unknown): Forbidden {
  const what = `pull request ${number} by ${user?.login ?? 'ghost'} is open from the branch \`${branch}\`, where the plan's own has to be`;
  return new Forbidden(`${what}; close it, and this goes on by itself.`, null, { cause });
}

/** Asks for reviews. Whom GitHub does not accept as a reviewer is left out: the plan can be reviewed all the same. */
export async function requestReviewers(stage: Stage, logins: readonly string[]): Promise<void> {
  const pullRequest = openPullRequestOf(stage);
  if (pullRequest === null) return;
  const asked = new Set((factsOfPullRequest(stage)?.requestedReviewers ?? []).map((login) => login.toLowerCase()));
  const mark = (login: string) => `reviewer ${login.toLowerCase()}`;
  const missing = logins.filter((login) => !asked.has(login.toLowerCase()) && !stage.made.done.has(mark(login)));
  if (missing.length === 0) return;
  const request = (held: Held, reviewers: readonly string[]) =>
    held.client.rest.pulls.requestReviewers({
      ...stage.repository,
      pull_number: pullRequest.number,
      reviewers: [...reviewers],
    });
  await stage.write('request reviews', async (held) => {
    try {
      await request(held, missing);
    } catch (error) {
      if (!isUnprocessable(error, /./)) throw error;
      stage.log.info({ pullRequest: pullRequest.number }, 'GitHub does not accept every reviewer');
      if (missing.length === 1) return;
      for (const login of missing) {
        await request(held, [login]).catch((refusal: unknown) => {
          if (!isUnprocessable(refusal, /./)) throw refusal;
        });
      }
    }
  });
  for (const login of missing) stage.made.done.add(mark(login));
}

/** Puts the conformance report into the pull request; the title loses its mark of a mere plan, and nothing else. */
export async function setPullRequestText(
  stage: Stage,
  action: Extract<Action, { kind: 'setPullRequestText' }>,
): Promise<void> {
  const pullRequest = openPullRequestOf(stage);
  if (pullRequest === null) return;
  const shown = stage.made.pullRequestText ?? factsOfPullRequest(stage);
  const marker: Marker = { kind: 'pull-request', thread: stage.key, cause: action.run };
  const body = await stage.body(implementedBody(stage.facts, action.report, stage.rules), marker);
  const isMarked = shown?.title.startsWith(planPrefix) === true;
  const title = isMarked ? await stage.line(shown.title.slice(planPrefix.length)) : null;
  if (shown !== null && asShown(shown.body) === asShown(body) && title === null) return;
  await stage.write('set the text of the pull request', ({ client }) =>
    client.rest.pulls.update({
      ...stage.repository,
      pull_number: pullRequest.number,
      body,
      ...(title === null ? {} : { title }),
    }),
  );
  stage.made.pullRequestText = { title: title ?? shown?.title ?? '', body };
}

const readyDocument = `mutation MarkReady($pullRequest: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $pullRequest }) { pullRequest { isDraft } }
}`;

/** Source: https://docs.github.com/graphql/reference/mutations#markpullrequestreadyforreview (REST cannot) */
export async function markReady(stage: Stage): Promise<void> {
  const pullRequest = openPullRequestOf(stage);
  if (pullRequest === null || stage.made.done.has('ready')) return;
  if (factsOfPullRequest(stage)?.isDraft === false) return;
  const mark = (held: Held) => held.mutate(readyDocument, { pullRequest: pullRequest.nodeId });
  await stage.write(
    'mark the pull request ready for review',
    async (held) => {
      try {
        await mark(held);
      } catch (error) {
        if (!isUnclearMutation(error)) throw error;
        const found = { ...stage.repository, pull_number: pullRequest.number };
        const { data } = await held.client.rest.pulls.get(found);
        if (data.draft !== false) await mark(held);
      }
    },
    'settle',
  );
  stage.made.done.add('ready');
}
