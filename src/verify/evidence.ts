/** What GitHub shows now of a pull request and its receipts, read with the app's own token. Judges nothing. */
import { z } from 'zod';
import { defaultConfig, parseRepositoryConfig } from '../config/repository-config.ts';
import type { AppKey } from '../github/app-key.ts';
import { parseBranchName, type Reference } from '../github/identifiers.ts';
import { ownPlanPath } from '../github/observe-attempts.ts';
import { isOurs, placeOf, pullRequestOf, type Viewpoint } from '../github/observe-facts.ts';
import { createPager, readAnswer } from '../github/observe-pages.ts';
import { readPermissionOf } from '../github/observe-permissions.ts';
import { disturbanceTypes, pullRequestQuery } from '../github/observe-query.ts';
import { type PullRequestAnswer, pullRequestAnswer } from '../github/observe-schema.ts';
import { parseReceiptSection, readReceipt, type SignedReceipt } from '../github/receipt.ts';
import type { Held } from '../github/session.ts';
import { readSignature, shownReceipt } from '../github/trailers.ts';
import type { CommitFacts, Permission, Review } from '../lifecycle/facts.ts';
import type { Approval } from '../lifecycle/memory.ts';

/** There is nothing to verify; the message says what was expected, what was found and what to do. */
export class NothingToVerify extends Error {
  override readonly name = 'NothingToVerify';
}

export interface CommitEvidence extends CommitFacts {
  readonly signature: 'holds' | 'broken' | 'none';
  /** What its trailers show as a receipt, unverified. */
  readonly receipt: SignedReceipt | null;
}

export interface ReceiptEvidence {
  readonly shown: SignedReceipt;
  /** `null` where this app has not signed these bytes, or where they are no receipt. */
  readonly approval: Approval | null;
  /** The receipt that the check `planwright/plan` of the approved commit shows. */
  readonly check: SignedReceipt | 'none' | 'unknown';
  /** The files at the approved commit that may be its plan; `blob` is null where there is none. */
  readonly plans: readonly { readonly path: string; readonly blob: string | null }[] | 'unknown';
  /** What each reviewer may do now, by id. */
  readonly permissions: ReadonlyMap<number, Permission>;
}

export interface Evidence {
  readonly repository: number;
  readonly pullRequest: number;
  /** Oldest first. */
  readonly commits: readonly CommitEvidence[];
  readonly reviews: readonly Review[];
  /** Each receipt once, oldest first. */
  readonly receipts: readonly ReceiptEvidence[];
}

export interface Look {
  readonly held: Held;
  readonly reference: Reference;
  readonly key: AppKey;
  readonly appId: number;
}

/** @throws {NothingToVerify} @throws {NotFound} @throws {Unreadable} and the transport's errors */
export async function readEvidence(look: Look): Promise<Evidence> {
  const { view, whole, planPaths } = await readPullRequest(look);
  const facts = pullRequestOf(whole, null, view);
  const commits = whole.commits.nodes.map(({ commit }, index): CommitEvidence => {
    const own = facts.commits[index];
    if (own === undefined) throw new Error(`expected the facts of commit ${commit.oid}, got none`);
    const signature = readSignature(commit.message, placeOf(commit, facts.branch, view), look.key);
    return { ...own, signature, receipt: shownReceipt(commit.message) };
  });
  const ofHead = facts.checks.findLast(({ name }) => name === 'planwright/plan');
  const ofCode = commits.flatMap(({ trailers, receipt }) =>
    trailers?.phase === 'implement' && receipt !== null ? [receipt] : [],
  );
  const ofCheck = parseReceiptSection(ofHead?.summary ?? '');
  const shown = uniqueReceipts([...ofCode, ...(ofCheck === null ? [] : [ofCheck])]);
  const receipts = await Promise.all(shown.map((each) => readReceiptEvidence(look, each, planPaths, facts.reviews)));
  return { repository: view.repository, pullRequest: facts.number, commits, reviews: facts.reviews, receipts };
}

function uniqueReceipts(receipts: readonly SignedReceipt[]): readonly SignedReceipt[] {
  return [...new Map(receipts.map((each) => [`${each.receipt}\n${each.signature}`, each])).values()];
}

const answerSchema = z.object({
  viewer: z.object({ databaseId: z.number() }),
  repository: z.object({
    databaseId: z.number(),
    config: z.object({ text: z.string().nullish() }).nullable(),
    pullRequest: pullRequestAnswer,
  }),
});

async function readPullRequest({ held, reference, key, appId }: Look): Promise<{
  readonly view: Viewpoint;
  readonly whole: PullRequestAnswer;
  readonly planPaths: readonly string[];
}> {
  const { owner, name, number } = reference;
  const variables = { owner, name, number, app: appId, disturbances: disturbanceTypes };
  const { viewer, repository } = readAnswer(
    answerSchema,
    await held.query(pullRequestQuery, variables),
    'the pull request',
  );
  const branch = repository.pullRequest.headRefName;
  const issue = parseBranchName(branch)?.issue ?? 0;
  const view = { self: viewer.databaseId, appId, repository: repository.databaseId, issue, key };
  if (issue === 0 || !isOurs(repository.pullRequest, view)) {
    throw new NothingToVerify(
      `expected a pull request that this app opened from a branch of its own, got one from ${branch}; name the one that holds the plan`,
    );
  }
  const whole = await createPager(held, { owner, name, app: appId }).pullRequest(repository.pullRequest);
  return { view, whole, planPaths: planPathsOf(repository.config?.text ?? null, issue) };
}

/** Where the plan may have stood: where the configuration has it now, and where it stands without one. */
function planPathsOf(config: string | null, issue: number): readonly string[] {
  const parsed = parseRepositoryConfig(config);
  const paths = [...('config' in parsed ? [parsed.config.plan.path] : []), defaultConfig.plan.path];
  return [...new Set(paths.flatMap((path) => [path, ownPlanPath(path, issue)]))];
}

async function readReceiptEvidence(
  look: Look,
  shown: SignedReceipt,
  planPaths: readonly string[],
  reviews: readonly Review[],
): Promise<ReceiptEvidence> {
  const approval = readReceipt(shown, look.key);
  if (approval === null) return { shown, approval, check: 'unknown', plans: 'unknown', permissions: new Map() };
  const [check, plans, permissions] = await Promise.all([
    readCheck(look, approval.head).catch(() => 'unknown' as const),
    readPlans(look, approval.head, planPaths).catch(() => 'unknown' as const),
    readPermissions(look, approval, reviews),
  ]);
  return { shown, approval, check, plans, permissions };
}

async function readCheck({ held, reference, appId }: Look, commit: string): Promise<SignedReceipt | 'none'> {
  const { data } = await held.client.rest.checks.listForRef({
    owner: reference.owner,
    repo: reference.name,
    ref: commit,
    check_name: 'planwright/plan',
    app_id: appId,
    filter: 'latest',
    per_page: 100,
  });
  const latest = data.check_runs.toSorted((a, b) => b.id - a.id)[0];
  return parseReceiptSection(latest?.output.summary ?? '') ?? 'none';
}

const planAnswer = z.object({
  repository: z.object({ object: z.object({ __typename: z.string(), oid: z.string() }).nullable() }),
});
const planQuery = `query Plan($owner: String!, $name: String!, $place: String!) {
  repository(owner: $owner, name: $name) { object(expression: $place) { __typename oid } }
}`;

function readPlans({ held, reference }: Look, commit: string, paths: readonly string[]) {
  const { owner, name } = reference;
  return Promise.all(
    paths.map(async (path) => {
      const data = await held.query(planQuery, { owner, name, place: `${commit}:${path}` });
      const { object } = readAnswer(planAnswer, data, 'the plan').repository;
      return { path, blob: object?.__typename === 'Blob' ? object.oid : null };
    }),
  );
}

/** By the login that each reviewer has now, as far as their review still tells it. */
async function readPermissions(
  { held, reference }: Look,
  approval: Approval,
  reviews: readonly Review[],
): Promise<ReadonlyMap<number, Permission>> {
  const given = { owner: reference.owner, repo: reference.name };
  const entries = approval.reviewers.map(async ({ id, login }): Promise<[number, Permission]> => {
    const username = reviews.find(({ author }) => author?.id === id)?.author?.login ?? login;
    try {
      const { data } = await held.client.rest.repos.getCollaboratorPermissionLevel({ ...given, username });
      return [id, readPermissionOf(data, { id })];
    } catch {
      return [id, 'unknown'];
    }
  });
  return new Map(await Promise.all(entries));
}
