/** The whole path with a scripted model: a maintainer and a reviewer play their parts, everything else is real. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Screen } from '../../screen.ts';
import type { PullRequestIssue } from '../forge/lookup.ts';
import { addLabels } from '../forge/operations.ts';
import { personActor } from '../forge/setup.ts';
import { type ScriptedModel, startScriptedModel } from '../model/server.ts';
import { describeCalls } from './api-calls.ts';
import { countLabelings, createFailureWatch, createNarrator, formatUsage } from './narrator.ts';
import { approve, askOnALine, editThatLine, requestChanges } from './people.ts';
import { runProjectTests, verifyPullRequest } from './proofs.ts';
import { explainByLog, openStage, parseIssue, type Stage } from './stage.ts';
import { findPullRequests } from './timeline.ts';
import { createWait, type Wait, WaitFailure } from './waiting.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
const projectName = 'plain-csv';
const transcriptName = 'full-path';

export interface ScriptedDemoOptions {
  readonly screen: Screen;
  readonly programPath: string;
  readonly signal: AbortSignal;
  /** For each thing that is waited for, in milliseconds. */
  readonly timeoutMs: number;
}

/** What has come of it: there to be looked at for as long as nothing is cleaned up. */
export interface PlayedDemo {
  readonly stage: Stage;
  readonly pull: PullRequestIssue;
  readonly model: ScriptedModel;
}

/** @throws {WaitFailure} {AppFailure} where the path does not come to its end. */
export async function playScriptedDemo(
  options: ScriptedDemoOptions,
  cleanup: AsyncDisposableStack,
): Promise<PlayedDemo> {
  const { screen, signal } = options;
  screen.print(
    'Planwright demo with a scripted model: its answers come from a transcript. The app, git and the protocols are real.',
  );
  screen.progress('starting forge, model and app');
  const model = await startScriptedModel({ transcripts: [join(fixtures, 'transcripts', `${transcriptName}.json`)] });
  cleanup.defer(() => model.stop());
  const stage = await openStage(
    {
      project: readProject(),
      model: { apiKey: 'scripted', baseUrl: model.url, id: null },
      notice: 'The model behind the app is scripted: its answers come from a transcript.',
      programPath: options.programPath,
      signal,
    },
    cleanup,
  );
  screen.event('start', `forge at ${stage.forge.webUrl}, model at ${model.url}, app healthy`);
  const narrate = createNarrator(stage, screen, () => model.usage);
  const watchFailure = createFailureWatch(stage.issue);
  const watch = (what: string) => {
    narrate(what);
    const [refusal] = model.refusals;
    if (refusal !== undefined) throw new WaitFailure(`expected ${what}, but the model refused a request: ${refusal}`);
    watchFailure(what);
  };
  const wait = createWait({ watch, signal, timeoutMs: options.timeoutMs });
  const pull = await explainByLog(stage, () => walkThePath(stage, wait));
  const { length } = stage.forge.requests;
  const played = { stage, pull, model };
  await verifyPullRequest(stage, pull, options);
  await runProjectTests(stage, pull, options);
  screen.print(summarise(played, screen, length));
  return played;
}

function readProject() {
  const repositories = join(fixtures, 'repositories');
  return {
    name: projectName,
    fill: { folder: join(repositories, projectName) },
    issue: parseIssue(readFileSync(join(repositories, `${projectName}.issue.md`), 'utf8')),
  };
}

async function walkThePath(stage: Stage, wait: Wait): Promise<PullRequestIssue> {
  const { forge, repository, issue } = stage;
  addLabels(forge, personActor(stage.maintainer), repository, issue, ['plan']);
  const pull = await wait('a draft pull request with a plan to review', () => {
    const [found] = findPullRequests(repository, issue.number);
    return found !== undefined && countLabelings(issue, 'plan: review') === 1 ? found : null;
  });
  const question = askOnALine(stage, pull);
  await wait('the question to be told', () => question);
  const edited = editThatLine(stage, pull);
  await wait('the edited plan as the one to approve', () => checkOn(stage, edited, 'planwright/code'));
  requestChanges(stage, pull);
  const revised = await wait('a revision that answers all three remarks', () => {
    const head = pull.pullRequest.headSha;
    const areAnswered = pull.pullRequest.threads.every((thread) => thread.comments.length > 1);
    return head !== edited && areAnswered && countLabelings(issue, 'plan: review') === 2 ? head : null;
  });
  approve(stage, pull);
  return wait('the implementation, ready for code review', () => {
    const isReady = !pull.pullRequest.draft && issue.labels.includes('plan: done');
    return isReady && pull.pullRequest.headSha !== revised ? pull : null;
  });
}

/** The check of that name once it says on the commit that a person has to act; else `null`. */
function checkOn({ repository }: Stage, commit: string, name: string) {
  const isIt = (check: (typeof repository.checkRuns)[number]) => check.headSha === commit && check.name === name;
  return repository.checkRuns.find((check) => isIt(check) && check.conclusion === 'action_required') ?? null;
}

/** @param length how many requests the app had sent when the work was done */
function summarise({ stage, pull, model }: PlayedDemo, screen: Screen, length: number): string {
  const { requests, violations } = stage.forge;
  const gitRequests = requests.filter(({ kind }) => kind === 'git').length;
  const verifying = requests.slice(length).filter(({ kind }) => kind !== 'git').length;
  return [
    `Done in ${screen.seconds().toFixed(1)} s: #${stage.issue.number} planned, revised, approved, implemented and ready as #${pull.number}.`,
    `${describeCalls(requests.slice(0, length))}; ${verifying} more by verify. ${violations.length} against GitHub's own description. ${gitRequests} git requests.`,
    `${model.requests.length} requests to the scripted model (${formatUsage(model.usage)}).`,
  ].join('\n');
}
