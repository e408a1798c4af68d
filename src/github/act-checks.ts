import type { CheckState } from '../lifecycle/actions.ts';
import type { CheckFacts } from '../lifecycle/facts.ts';
import { asShown, factsOfPullRequest, type KnownCheck, makeOnce, type Stage } from './act-stage.ts';
import { type CheckText, checkText, closeCheck } from './check-texts.ts';
import { statusOf } from './response-errors.ts';
import type { Held } from './session.ts';

/**
 * Shows a check on the head: the run of that name is updated in place, and made where there is none. A run that has been
 * completed keeps its status and conclusion for good, so that another verdict takes a new run; the latest one counts.
 * Source: https://github.com/orgs/community/discussions/24761
 */
export async function setCheck(stage: Stage, check: CheckState): Promise<void> {
  const head = stage.context.head ?? factsOfPullRequest(stage)?.head ?? null;
  if (head === null) return;
  const said = checkText(check, stage.rules);
  const { text: summary, note } = await stage.out(said.summary);
  const text = closeCheck({ ...said, title: await stage.line(said.title), summary }, check, stage.sign, note);
  const place = `${head} ${check.name}`;
  const known = knownRun(stage, head, check.name, place);
  if (known?.text === comparable(text)) return;
  const id = await stage.write(`set the check ${check.name}`, (held) => put(stage, held, { head, check, text, known }));
  if (id !== null) {
    stage.made.checks.set(place, { id, status: text.status, conclusion: text.conclusion, text: comparable(text) });
  }
}

interface Order {
  readonly head: string;
  readonly check: CheckState;
  readonly text: CheckText;
  readonly known: KnownRun | null;
}

type KnownRun = Omit<KnownCheck, 'text'>;

/** @returns the run's id; `null` where a run was there and says the same already */
async function put(stage: Stage, held: Held, order: Order): Promise<number | null> {
  const found = order.known ?? (mayHaveRuns(stage, order.head) ? await findRun(stage, held, order) : null);
  if (found === null || isPast(found, order.text)) return createRun(stage, held, order);
  try {
    await held.client.rest.checks.update({ ...stage.repository, check_run_id: found.id, ...written(order.text) });
    return found.id;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    return createRun(stage, held, order);
  }
}

/** Whether the run was completed with another verdict. */
function isPast(run: KnownRun, text: CheckText): boolean {
  return run.status === 'completed' && !isSameVerdict(run, text);
}

function isSameVerdict(run: KnownRun, text: CheckText): boolean {
  return run.status === text.status && run.conclusion === text.conclusion;
}

/** What the facts, or this sequence, say of the run; `null` where they cannot know or there is none. */
function knownRun(stage: Stage, head: string, name: string, place: string): KnownCheck | null {
  const made = stage.made.checks.get(place);
  if (made !== undefined) return made;
  const pullRequest = factsOfPullRequest(stage);
  if (pullRequest?.head !== head) return null;
  const shown = pullRequest.checks.findLast((check) => check.name === name);
  if (shown === undefined) return null;
  // GraphQL's words are REST's in capitals.
  const verdict = { status: shown.status.toLowerCase(), conclusion: shown.conclusion?.toLowerCase() ?? null };
  return { id: shown.id, ...verdict, text: comparableFacts(shown) };
}

/**
 * Whether the commit may bear runs that the facts do not show. A commit that was pushed after they were read bears none
 * but this sequence's; one that stood on a branch without a pull request may.
 */
function mayHaveRuns(stage: Stage, head: string): boolean {
  if (factsOfPullRequest(stage)?.head === head) return false;
  const commits = stage.facts.pullRequests.flatMap((pullRequest) => pullRequest.commits.map(({ sha }) => sha));
  return [...commits, ...stage.facts.branches.map((branch) => branch.head.sha)].includes(head);
}

function written(text: CheckText) {
  const { status, conclusion, title, summary } = text;
  return { status, ...(conclusion === null ? {} : { conclusion }), output: { title, summary } };
}

function createRun(stage: Stage, held: Held, order: Order): Promise<number> {
  return makeOnce(
    async () => {
      const { data } = await held.client.rest.checks.create({
        ...stage.repository,
        name: order.check.name,
        head_sha: order.head,
        external_id: stage.key,
        ...written(order.text),
      });
      return data.id;
    },
    async () => {
      const latest = await findRun(stage, held, order);
      return latest !== null && isSameVerdict(latest, order.text) ? latest.id : null;
    },
  );
}

async function findRun(stage: Stage, held: Held, order: Order): Promise<KnownRun | null> {
  const self = await stage.self();
  const { data } = await held.client.rest.checks.listForRef({
    ...stage.repository,
    ref: order.head,
    check_name: order.check.name,
    app_id: self.appId,
    filter: 'latest',
    per_page: 100,
  });
  return data.check_runs.filter((run) => run.external_id === stage.key).toSorted((a, b) => b.id - a.id)[0] ?? null;
}

function comparable(text: CheckText): string {
  return [text.status, text.conclusion ?? '', text.title, asShown(text.summary)].join('\n');
}

function comparableFacts(check: CheckFacts): string {
  const { status, conclusion, title, summary } = check;
  return [status.toLowerCase(), (conclusion ?? '').toLowerCase(), title ?? '', asShown(summary ?? '')].join('\n');
}
