/** The whole path with a scripted model: a maintainer and a reviewer play their parts, everything else is real. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GIT_ENVIRONMENT, git } from '../forge/git-repository.ts';
import type { PullRequestIssue } from '../forge/lookup.ts';
import { addLabels, submitReview } from '../forge/operations.ts';
import { personActor } from '../forge/setup.ts';
import { type ScriptedModel, startScriptedModel } from '../model/server.ts';
import { countLabelings, createFailureWatch, createNarrator, formatUsage } from './narrator.ts';
import type { Screen } from './screen.ts';
import { explainByLog, openStage, parseIssue, type Stage } from './stage.ts';
import { findPullRequests } from './timeline.ts';
import { createWait, type Wait, WaitFailure } from './waiting.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
const projectName = 'plain-csv';
const transcriptName = 'full-path';
const planPath = 'plan.md';
const testTimeoutMs = 30_000;

/** What the reviewer says, and the beginning of the line of the first plan that it is said on. */
const remarks = [
  {
    on: 'Every field is put between quotes',
    body: 'This changes every file that our users write, and `test/stringify.test.js` pins unquoted output. Quote only the fields that need it.',
  },
  {
    on: '3. Create `test/quote.test.js`',
    body: 'Please test a lone carriage return too: `parse` ends a row at it.',
  },
] as const;

export interface ScriptedDemoOptions {
  readonly screen: Screen;
  readonly programPath: string;
  readonly signal: AbortSignal;
  /** For each thing that is waited for, in milliseconds. */
  readonly timeoutMs: number;
}

/** @throws {WaitFailure} {AppFailure} where the path does not come to its end. */
export async function playScriptedDemo(options: ScriptedDemoOptions, cleanup: AsyncDisposableStack): Promise<void> {
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
      model: { apiKey: 'scripted', baseUrl: model.url },
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
  await runProjectTests(stage, pull, options);
  screen.event('tests', `node --test passes on a clone of ${pull.pullRequest.headRef}`);
  screen.print(summarise(stage, pull, model, screen));
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
  const reviewer = personActor(stage.reviewer);
  addLabels(forge, personActor(stage.maintainer), repository, issue, ['plan']);
  const pull = await wait('a draft pull request with a plan to review', () => {
    const [found] = findPullRequests(repository, issue.number);
    return found !== undefined && countLabelings(issue, 'plan: review') === 1 ? found : null;
  });
  const first = pull.pullRequest.headSha;
  submitReview(forge, reviewer, repository, pull, {
    event: 'REQUEST_CHANGES',
    body: 'The cause is right, the cure too broad.',
    comments: locateRemarks(git(repository.gitDir, ['show', `${first}:${planPath}`])),
  });
  const revised = await wait('a revision that answers both remarks', () => {
    const head = pull.pullRequest.headSha;
    const areAnswered = pull.pullRequest.threads.every((thread) => thread.comments.length > 1);
    return head !== first && areAnswered && countLabelings(issue, 'plan: review') === 2 ? head : null;
  });
  submitReview(forge, reviewer, repository, pull, { event: 'APPROVE', commit: revised, body: 'Go ahead.' });
  return wait('the implementation, ready for code review', () => {
    const isReady = !pull.pullRequest.draft && issue.labels.includes('plan: done');
    return isReady && pull.pullRequest.headSha !== revised ? pull : null;
  });
}

function locateRemarks(plan: string) {
  const lines = plan.split('\n');
  return remarks.map(({ on, body }) => {
    const index = lines.findIndex((line) => line.startsWith(on));
    if (index < 0) throw new WaitFailure(`expected a line of the plan that begins with "${on}", got none`);
    return { path: planPath, line: index + 1, body };
  });
}

/** As anybody would: a clone of the branch, and the project's own tests on it. */
async function runProjectTests(stage: Stage, pull: PullRequestIssue, options: ScriptedDemoOptions): Promise<void> {
  options.screen.progress('running the tests on the pushed branch');
  const clone = join(stage.folder, 'clone');
  const { gitDir } = stage.repository;
  const run = promisify(execFile);
  const limits = { signal: options.signal, timeout: testTimeoutMs };
  await run('git', ['clone', '--quiet', '--branch', pull.pullRequest.headRef, gitDir, clone], {
    ...limits,
    env: { ...GIT_ENVIRONMENT },
  });
  try {
    // Without the environment: a test runner that inherits one of another runner reports to that one.
    await run(process.execPath, ['--test'], { ...limits, cwd: clone, env: {} });
  } catch (error) {
    options.signal.throwIfAborted();
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new WaitFailure(`expected the project's tests to pass on the pushed branch, got:\n${output}`);
  }
}

function summarise(stage: Stage, pull: PullRequestIssue, model: ScriptedModel, screen: Screen): string {
  const count = (kind: string) => stage.forge.requests.filter((request) => request.kind === kind).length;
  const calls = `${count('rest') + count('graphql')} API calls (${count('rest')} REST, ${count('graphql')} GraphQL)`;
  const violations = stage.forge.violations.length;
  const seconds = screen.seconds().toFixed(1);
  return (
    `Done in ${seconds} s: #${stage.issue.number} planned, revised, approved, implemented and ready as #${pull.number}. ` +
    `${calls}, ${violations} against GitHub's own description, ${count('git')} git requests, ` +
    `${model.requests.length} requests to the scripted model (${formatUsage(model.usage)}).`
  );
}
