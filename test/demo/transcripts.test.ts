import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readCheckout } from '../../src/agent/checkout-reader.ts';
import { suggestion } from '../../src/local/demo/people.ts';
import { readTranscript, type Transcript } from '../../src/local/model/transcript.ts';
import { lintPlan } from '../../src/plan/lint.ts';
import { parsePlan } from '../../src/plan/plan-file.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const project = join(fixtures, 'repositories', 'plain-csv');
const base = '0123456789abcdef0123456789abcdef01234567';

const transcriptOf = (name: string) => readTranscript(join(fixtures, 'transcripts', `${name}.json`));

/** The calls of one tool in the order of the transcript, their inputs as text. */
function callsOf(transcript: Transcript, tool: string): readonly Readonly<Record<string, string>>[] {
  const parts = transcript.steps.flatMap((step) => step.respond);
  return parts.flatMap((part) =>
    'tool' in part && part.tool === tool
      ? [Object.fromEntries(Object.entries(part.input).map(([key, value]) => [key, String(value)]))]
      : [],
  );
}

function replaceOnce(text: string, edit: Readonly<Record<string, string>>): string {
  const old = edit.old_string ?? '';
  assert.equal(text.split(old).length, 2, `expected once: ${old}`);
  return text.replace(old, () => edit.new_string ?? '');
}

/** The one suggestion of the demo's reviewer. */
function takeSuggestion(text: string): string {
  const rows = text.split('\n');
  return rows.map((row) => (row.startsWith(suggestion.on) ? suggestion.line : row)).join('\n');
}

/** Every version of the plan that the transcript arrives at. */
function plansOf(transcript: Transcript): readonly string[] {
  const written = callsOf(transcript, 'write_plan').at(-1)?.content ?? '';
  const taken = callsOf(transcript, 'take_suggestion').reduce(takeSuggestion, written);
  const revised = callsOf(transcript, 'edit_plan').reduce(replaceOnce, taken);
  return [written, revised].map((text) => text.replaceAll('{{issue}}', '1').replaceAll('{{base}}', base));
}

function copyProject(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'plain-csv-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(project, folder, { recursive: true });
  return folder;
}

/** The names of the project's tests that fail. */
function failures(folder: string): readonly string[] {
  try {
    // Without the environment: a test runner that inherits it takes itself for a part of this one.
    execFileSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd: folder, env: {}, stdio: 'pipe' });
    return [];
  } catch (error) {
    assert.ok(error instanceof Error && 'stdout' in error);
    return [...String(error.stdout).matchAll(/^not ok \d+ - (.+)$/gm)].map(([, name]) => name ?? '');
  }
}

test('the project fails the one test that the issue names', (t) => {
  const issue = readFileSync(join(fixtures, 'repositories', 'plain-csv.issue.md'), 'utf8');
  assert.match(issue, /test\/round-trip\.test\.js/);
  assert.deepEqual(failures(copyProject(t)), ['what is written is read back unchanged']);
});

for (const name of ['full-path', 'short-path']) {
  test(`the plans of ${name} leave the lint nothing to say`, async () => {
    for (const plan of plansOf(await transcriptOf(name))) {
      assert.deepEqual(
        lintPlan(plan, { issue: 1, base, planPath: 'plan.md', ...readCheckout(realpathSync(project)) }),
        [],
      );
    }
  });

  test(`the implementation of ${name} changes what its plan names, step by step, and mends the project`, async (t) => {
    const folder = copyProject(t);
    const transcript = await transcriptOf(name);
    const parsed = parsePlan(plansOf(transcript).at(-1) ?? '');
    assert.ok('plan' in parsed);
    const writes = callsOf(transcript, 'write');
    const edits = callsOf(transcript, 'edit');
    assert.deepEqual(
      [...new Set([...writes, ...edits].map((call) => call.file_path))].toSorted(),
      parsed.plan.files.map((file) => file.path),
    );
    const titles = new Set(
      transcript.steps
        .flatMap((step) => step.respond)
        .flatMap((part) => ('tool' in part && Array.isArray(part.input.tasks) ? part.input.tasks : []))
        .map((task) => (typeof task === 'object' && task !== null && 'title' in task ? task.title : null)),
    );
    assert.deepEqual(
      [...titles],
      parsed.plan.steps.map((step) => step.title),
    );
    for (const call of writes) writeFileSync(join(folder, call.file_path ?? ''), call.content ?? '');
    for (const call of edits) {
      const path = join(folder, call.file_path ?? '');
      writeFileSync(path, replaceOnce(readFileSync(path, 'utf8'), call));
    }
    assert.deepEqual(failures(folder), []);
  });
}
