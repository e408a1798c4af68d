import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { readProgramPath } from '../../src/config/environment.ts';
import { editedLine, suggestion } from '../../src/local/demo/people.ts';
import { type PlayedDemo, playScriptedDemo } from '../../src/local/demo/scripted-demo.ts';
import { readTrailers } from '../../src/local/demo/timeline-commits.ts';
import { commitsBetween } from '../../src/local/forge/commit-graph.ts';
import { git, readCommit } from '../../src/local/forge/git-repository.ts';
import { createScreen } from '../../src/screen.ts';
import { saidTo } from '../e2e/model-log.ts';

interface Line {
  readonly topic: string;
  readonly text: string;
}

/** What is different in each run: commits, blobs, signatures, ports. */
function settle(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{7}\b/g, 'abcdef0')
    .replaceAll(/signed [\w+/]{12}…/g, 'signed …')
    .replaceAll(/\breview \d+/g, 'review 1')
    .replaceAll(/[\d.]+k? tokens in, [\d.]+k? out/g, '1k tokens in, 1k out');
}

function readLine(line: string): Line {
  const [, topic = '', text = ''] = /^ *[\d.]+ s {2}(.{13}) (.*)$/.exec(line) ?? [];
  return { topic: topic.trim(), text };
}

const cleanup = new AsyncDisposableStack();
const lines: string[] = [];
let played: PlayedDemo;

before(async () => {
  const screen = createScreen({ write: (text) => lines.push(text.trimEnd()) });
  const options = { screen, programPath: readProgramPath(), signal: new AbortController().signal, timeoutMs: 90_000 };
  played = await playScriptedDemo(options, cleanup);
});
after(() => cleanup.disposeAsync());

/** The lines of a topic, in order. */
const told = (topic: string) =>
  lines.map(readLine).flatMap((line) => (line.topic === topic ? [settle(line.text)] : []));
const planAt = (commit: string) => git(played.stage.repository.gitDir, ['show', `${commit}:plan.md`]).split('\n');

/** The pull request's commits, oldest first: the plan, the person's edit, the revision, the code. */
function commits() {
  const { repository } = played.stage;
  const { headSha } = played.pull.pullRequest;
  return commitsBetween(repository.gitDir, repository.defaultBranch, headSha).map((sha) => ({
    sha,
    trailers: readTrailers(readCommit(repository.gitDir, sha).message),
  }));
}

describe('the demo', () => {
  test('a comment is outdated by an edit of its line, and the edited plan is the one to review', () => {
    assert.deepEqual(told('edit'), ['abcdef0 Update plan.md (plan.md +1 −1) by maintainer; now outdated: plan.md:42']);
    const edited = commits()[1]?.sha ?? '';
    const shown = lines.filter((line) => line.includes(`planwright/plan on ${edited.slice(0, 7)}: action required`));
    assert.equal(shown.length, 1);
    assert.ok(planAt(edited).includes(editedLine));
  });

  test('the reviewer comments on a line, on a range, and suggests a change', () => {
    assert.deepEqual(told('review'), [
      'reviewer comments at abcdef0, 1 line comment',
      'reviewer requests changes at abcdef0, 2 line comments: The cause is right, the cure too broad.',
      'reviewer approves at abcdef0: Go ahead.',
    ]);
    assert.deepEqual(told('remark'), [
      'plan.md:42 reviewer: Our nightly import is no spreadsheet. Does it read quoted fields?',
      'plan.md:22-23 reviewer: This changes every file that our users write, and `test/stringify.test.js` pins…',
      'plan.md:29 reviewer: `parse` ends a row at a lone carriage return. [suggests a change]',
    ]);
  });

  test('line comments reach the model with path, lines, side and the text as the reviewer saw it', () => {
    const said = played.model.requests.map((request) => saidTo(request)).find((text) => text.includes('Remark '));
    assert.ok(said !== undefined);
    const [first = '', edited = ''] = commits().map(({ sha }) => sha);
    const places = [...said.matchAll(/^Remark \S+: (.+)$/gm)].map(([, place]) => place);
    const expected = ['plan.md lines 42-42 (RIGHT)', 'plan.md lines 22-23 (RIGHT)', 'plan.md lines 29-29 (RIGHT)'];
    assert.deepEqual(places, expected);
    assert.equal(said.split('The lines have changed since; this is how they read.').length, 2);
    assert.ok(said.includes(planAt(first)[41] ?? '?'), 'expected the line as it was when it was commented on');
    assert.ok(said.includes(planAt(edited).slice(21, 23).join('\n')), 'expected the quoted range');
    assert.ok(said.includes('The cause is right, the cure too broad.'));
  });

  test('a revision takes a suggestion over to the letter, keeps what a person wrote, and changes nothing else', () => {
    const [, edited, revision] = commits();
    assert.match(told('plan')[1] ?? '', /\(plan\.md \+3 −2\); as suggested, to the letter: plan\.md:29$/);
    const [old, revised] = [planAt(edited?.sha ?? ''), planAt(revision?.sha ?? '')];
    assert.deepEqual(
      old.filter((line) => !revised.includes(line)),
      [old[21], old[28]],
    );
    const fresh = revised.filter((line) => !old.includes(line));
    assert.deepEqual([fresh.length, fresh[2]], [3, suggestion.line]);
    const submitted = played.pull.pullRequest.reviews.filter(({ author }) => author?.login === 'reviewer');
    const ids = submitted.slice(0, 2).map(({ id }) => String(id));
    assert.deepEqual((revision?.trailers.get('Planwright-Review') ?? '').split(', ').toSorted(), ids.toSorted());
  });

  test('each remark is answered in its thread, which is resolved where the plan was changed for it', () => {
    assert.deepEqual(told('answer'), [
      "plan.md:42 planwright[bot]: Kept because: the line says by now, in the maintainer's words, that the nightly…",
      'plan.md:22-23 planwright[bot]: Changed in abcdef0: A field is put between quotes only where it holds a comma, …',
      'plan.md:29 planwright[bot]: Changed in abcdef0: Step 3 reads as suggested.',
    ]);
    assert.deepEqual(told('resolved'), ['plan.md:22-23 by planwright[bot]', 'plan.md:29 by planwright[bot]']);
  });

  test('one comment maps the remarks to the changes, with a comparison of the two versions', () => {
    assert.deepEqual(told('comment'), [
      'planwright[bot]: The plan was revised in abcdef0. What changed: /acme/plain-csv/compare/abcdef0...abcdef0',
      "- `plan.md` line 42: Kept because: the line says by now, in the maintainer's wo…",
      '- `plan.md` lines 22-23: Changed in abcdef0: A field is put between quotes only…',
      '- `plan.md` line 29: Changed in abcdef0: Step 3 reads as suggested.',
    ]);
    const [, edited = '', revision = ''] = commits().map(({ sha }) => sha.slice(0, 7));
    assert.ok(lines.some((line) => line.endsWith(`/compare/${edited}...${revision}`)));
  });

  test('the approval is recorded in a signed receipt and dismissed before code is there', () => {
    assert.deepEqual(told('receipt'), [
      'in the check: plan abcdef0 at abcdef0, approved by reviewer (write), 1 of 1, signed …',
      'plan abcdef0 was approved by reviewer at abcdef0, as every commit says',
    ]);
    assert.equal(told('hold').length, 1);
    assert.match(told('hold')[0] ?? '', /^approved review dismissed by planwright\[bot\]: This approval by `reviewer`/);
    const { requests } = played.stage.forge;
    const dismissed = requests.findIndex(({ path }) => path.endsWith('/dismissals'));
    const pushed = requests.findLastIndex(({ path }) => path.endsWith('.git/git-receive-pack'));
    assert.ok(dismissed > 0 && dismissed < pushed);
    assert.match(
      told('check').at(-1) ?? '',
      /^planwright\/code on abcdef0: action required, The code waits for review$/,
    );
  });

  test('the implementation is set against the plan: steps, changes, verification, deviations', () => {
    assert.deepEqual(told('step'), [
      '1. Create src/quote.js with a function that puts one field between qu… (abcdef0: `src/quote.js`)',
      '2. Use it in src/stringify.js for every field that is written. (abcdef0: `src/stringify.js`)',
      '3. Create test/quote.test.js with a test for the comma, the quote, ea… (abcdef0: `test/quote.test.js`)',
    ]);
    assert.deepEqual(told('change'), [
      '`src/quote.js` planned: create, done: create; as planned',
      '`src/stringify.js` planned: modify, done: modify; as planned',
      '`test/quote.test.js` planned: create, done: create; as planned',
    ]);
    // What the sandbox needs is not on every machine.
    assert.match(told('verification').join('\n'), /^`node --test` (?:passed: exit code 0|did not run: .+)$/);
    assert.deepEqual(told('deviations'), ['None were reported.']);
  });

  test('a process of its own verifies the receipt, and every claim holds', () => {
    const [command, ...claims] = told('verify');
    const end = claims.pop();
    assert.equal(command, 'npm run verify -- acme/plain-csv#2');
    assert.equal(end, `exit code 0: all ${claims.length} hold`);
    assert.deepEqual(
      claims.filter((claim) => !claim.endsWith(': holds')),
      [],
    );
    for (const claim of ['is signed by this app', 'holds the plan that was approved', 'stands after abcdef0']) {
      assert.ok(
        claims.some((each) => each.includes(claim)),
        claim,
      );
    }
  });

  test('the calls are counted and explained, and the model is called scripted wherever it is named', () => {
    assert.match(lines[0] ?? '', /^Planwright demo with a scripted model/);
    const [done = '', calls = '', model = ''] = lines.slice(-3);
    assert.match(done, /^Done in [\d.]+ s: #1 planned, revised, approved, implemented and ready as #2\.$/);
    assert.match(
      calls,
      /^\d+ API calls: \d+ GraphQL \(\d+ reads of threads, \d+ writes\) and \d+ REST \(\d+ for tokens, \d+ look-ups, \d+ writes\); \d+ more by verify\. 0 against GitHub's own description\. \d+ git requests\.$/,
    );
    assert.match(model, /^16 requests to the scripted model \(16 model turns, .+, \$0\.00\)\.$/);
    assert.deepEqual(played.stage.forge.violations, []);
  });

  test('the timeline in the README is that of the demo, shortened', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const shown = /<!-- timeline -->\n```text\n([\s\S]*?)\n```\n<!-- \/timeline -->/.exec(readme)?.[1] ?? '';
    const rows = shown.split('\n').map((row) => `${row.slice(0, 13).trim()}: ${settle(row.slice(14))}`);
    assert.ok(rows.length > 30);
    const all = lines.map(readLine).map(({ topic, text }) => `${topic}: ${settle(text)}`);
    const isTold = (row: string) => all.some((line) => beginsLike(line, row));
    // The README shows a machine that has what the sandbox needs.
    assert.deepEqual(
      rows.filter((row) => !row.startsWith('verification: ') && !isTold(row)),
      [],
    );
  });
});

/** True for a line that is shown whole, or up to an ellipsis. */
function beginsLike(line: string, row: string): boolean {
  return row.endsWith('…') ? line.startsWith(row.slice(0, -1).trimEnd()) : line === row;
}
