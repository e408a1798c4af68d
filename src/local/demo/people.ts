/** What the reviewer and the maintainer of the scripted demo do with its plan: the transcript answers exactly this. */
import { join } from 'node:path';
import { git } from '../forge/git-repository.ts';
import type { PullRequestIssue } from '../forge/lookup.ts';
import { afterPush, identityOf, submitReview } from '../forge/operations.ts';
import { personActor } from '../forge/setup.ts';
import type { Review } from '../forge/state.ts';
import type { Stage } from './stage.ts';
import { WaitFailure } from './waiting.ts';

const planPath = 'plan.md';

/** Asked on a line of the first plan, which is changed before anything answers: the comment is outdated then. */
const question = {
  on: 'Spreadsheets read quoted fields like plain ones',
  body: 'Our nightly import is no spreadsheet. Does it read quoted fields?',
} as const;

/** The maintainer's own words in place of that line. */
export const editedLine =
  'Spreadsheets read quoted fields like plain ones, and the nightly import uses `parse`, so nobody has to change how they import.';

const range = {
  from: 'Every field is put between quotes',
  to: 'This is done in one place',
  body: 'This changes every file that our users write, and `test/stringify.test.js` pins unquoted output. Quote only the fields that need it.',
} as const;

/** The line that the reviewer wants instead of the one that it begins like. */
export const suggestion = {
  on: '3. Create `test/quote.test.js`',
  line: '3. Create `test/quote.test.js` with a test for the comma, the quote, each kind of line break, a lone carriage return among them, and a field that stays as it is.',
  words: '`parse` ends a row at a lone carriage return.',
} as const;

/** A review that asks, and gives no verdict. */
export function askOnALine(stage: Stage, pull: PullRequestIssue): Review {
  const line = lineOf(planAt(stage, pull), question.on);
  return submitReview(stage.forge, personActor(stage.reviewer), stage.repository, pull, {
    event: 'COMMENT',
    comments: [{ path: planPath, line, body: question.body }],
  });
}

/** Commits one changed line to the branch, as GitHub's editor does for a person. Returns the commit. */
export function editThatLine({ forge, repository, maintainer, folder }: Stage, pull: PullRequestIssue): string {
  const { gitDir } = repository;
  const { headRef, headSha } = pull.pullRequest;
  const rows = readPlan(gitDir, headSha).split('\n');
  const text = rows.with(lineOf(rows, question.on) - 1, editedLine).join('\n');
  const env = { GIT_INDEX_FILE: join(folder, 'edit-index'), ...identityOf(maintainer) };
  const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: text }).trim();
  git(gitDir, ['read-tree', headSha], { env });
  git(gitDir, ['update-index', '--cacheinfo', `100644,${blob},${planPath}`], { env });
  const tree = git(gitDir, ['write-tree'], { env }).trim();
  const made = ['commit-tree', tree, '-p', headSha, '-m', `Update ${planPath}`];
  const commit = git(gitDir, made, { env }).trim();
  const ref = `refs/heads/${headRef}`;
  git(gitDir, ['update-ref', ref, commit, headSha]);
  afterPush(forge, personActor(maintainer), repository, ref, headSha, commit);
  return commit;
}

/** A verdict with a comment on a range of lines, and one that suggests a line in place of another. */
export function requestChanges(stage: Stage, pull: PullRequestIssue): Review {
  const rows = planAt(stage, pull);
  const { words, line } = suggestion;
  return submitReview(stage.forge, personActor(stage.reviewer), stage.repository, pull, {
    event: 'REQUEST_CHANGES',
    body: 'The cause is right, the cure too broad.',
    comments: [
      { path: planPath, startLine: lineOf(rows, range.from), line: lineOf(rows, range.to), body: range.body },
      {
        path: planPath,
        line: lineOf(rows, suggestion.on),
        body: `${words}\n\n\`\`\`suggestion\n${line}\n\`\`\``,
      },
    ],
  });
}

export function approve(stage: Stage, pull: PullRequestIssue): Review {
  return submitReview(stage.forge, personActor(stage.reviewer), stage.repository, pull, {
    event: 'APPROVE',
    body: 'Go ahead.',
  });
}

function planAt({ repository }: Stage, pull: PullRequestIssue): readonly string[] {
  return readPlan(repository.gitDir, pull.pullRequest.headSha).split('\n');
}

function readPlan(gitDir: string, commit: string): string {
  return git(gitDir, ['show', `${commit}:${planPath}`]);
}

/** Counted from 1. */
function lineOf(rows: readonly string[], start: string): number {
  const index = rows.findIndex((row) => row.startsWith(start));
  if (index < 0) throw new WaitFailure(`expected a line of the plan that begins with "${start}", got none`);
  return index + 1;
}
