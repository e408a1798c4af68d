import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  archivePath,
  commitStep,
  finish,
  readTree,
  StepRejected,
  stepMessage,
} from '../../src/engine/implementation.ts';
import { readSignedTrailers } from '../../src/github/trailers.ts';
import { secretForms } from '../text/secret-forms.ts';
import { useGitServer } from '../workspace/workspace-fixture.ts';
import { approvedWork, key } from './approved-work.ts';

useGitServer();

test('a step is one commit of what it changed; a step that changed nothing is none', async () => {
  const { work, write, workspaces, repository, forge, token, base, head } = await approvedWork();
  write('src/cache.js', 'new\n');
  const first = await commitStep(work, 'Keep entries');
  const second = await commitStep(work, 'Add a clock');
  assert.deepEqual(
    [first.title, first.files, second],
    ['Keep entries', ['src/cache.js'], { title: 'Add a clock', commit: null, files: [] }],
  );
  assert.ok(first.commit !== null);
  await workspaces.push(repository, { branch: 'planwright/issue-42', commit: first.commit, expected: null }, token);
  const { message, trailers } = readCommit(forge, repository.id, first.commit);
  assert.match(message, /^Keep entries\n\nPlanwright-Phase: implement\n/);
  assert.deepEqual(trailers, {
    phase: 'implement',
    run: 'r1',
    base,
    plan: 'b'.repeat(40),
    reviews: [9],
    approvedBy: [{ login: 'ada', commit: head }],
    receipt: work.run.approval,
  });
});

/** A commit's message, and its trailers where it bears the app's signature. */
function readCommit(gitDir: string, repository: number, commit: string) {
  const show = (format: string) =>
    execFileSync('git', ['-C', gitDir, 'log', '-1', `--format=${format}`, commit], { encoding: 'utf8' }).trimEnd();
  const place = { repository, branch: 'planwright/issue-42', tree: show('%T'), parents: show('%P').split(' ') };
  const message = show('%B');
  return { message, trailers: readSignedTrailers(message, place, key) };
}

test('every commit of an implementation bears the signature and the receipt: steps, the last one and the archived plan', async () => {
  const { work, write, done, workspaces, repository, forge, token, head } = await approvedWork({
    plan: { path: 'plan.md', keep: 'archive', shell: false },
  });
  write('src/cache.js', 'new\n');
  const step = await commitStep(work, 'Keep entries');
  write('src/clock.js', 'tick\n');
  const outcome = await finish(work, [step], done);
  assert.ok(outcome.kind === 'work_ready');
  await workspaces.push(repository, { branch: 'planwright/issue-42', commit: outcome.commit, expected: null }, token);
  const range = ['-C', forge, 'rev-list', '--reverse', `${head}..${outcome.commit}`];
  const commits = execFileSync('git', range, { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(
    commits.map((commit) => {
      const { message, trailers } = readCommit(forge, repository.id, commit);
      return [message.split('\n')[0], trailers?.receipt?.pullRequest];
    }),
    [
      ['Keep entries', 50],
      ['Finish the work on issue 42', 50],
      ['Keep the plan of issue 42', 50],
    ],
  );
});

test('the plan leaves in the last commit, and the report says what was planned and what was done', async () => {
  const { work, write, done, workspaces, repository, base } = await approvedWork();
  write('src/cache.js', 'new\n');
  const step = await commitStep(work, 'Keep entries');
  write('src/clock.js', 'tick\n');
  const outcome = await finish(work, [step], { ...done, deviations: ['The clock ticks in seconds.'] });
  assert.ok(outcome.kind === 'work_ready');
  assert.deepEqual(outcome.report, {
    steps: [
      { title: 'Keep entries', commit: step.commit, files: ['src/cache.js'] },
      { title: 'Add a clock', commit: null, files: [] },
    ],
    files: [
      { path: 'src/cache.js', planned: 'modify', actual: 'modify' },
      { path: 'src/clock.js', planned: 'create', actual: 'create' },
    ],
    verifications: [],
    deviations: ['The clock ticks in seconds.'],
  });
  const changed = await workspaces.changes(repository, base, outcome.commit);
  assert.deepEqual(
    changed.map(({ path, change }) => [path, change]),
    [
      ['src/cache.js', 'modify'],
      ['src/clock.js', 'create'],
    ],
  );
});

test('an implementation that changed nothing is no success', async () => {
  const { work, done } = await approvedWork();
  assert.deepEqual(await finish(work, [], done), {
    kind: 'failed',
    reason: 'no_changes',
    detail: 'The implementation changed no file.',
  });
});

test('a change outside of the scope is not ready, and is named; under scope.mode warn it is reported', async () => {
  const blocked = await approvedWork();
  blocked.write('src/cache.js', 'new\n');
  blocked.write('README.md', 'bye\n');
  assert.deepEqual(await finish(blocked.work, [], blocked.done), {
    kind: 'failed',
    reason: 'out_of_scope',
    detail: "These changes are not in the plan's scope: `README.md` (modify).",
  });
  const warned = await approvedWork({ scope: { mode: 'warn', allow: [] } });
  warned.write('src/cache.js', 'new\n');
  rmSync(join(warned.checkout.path, 'README.md'));
  const outcome = await finish(warned.work, [], warned.done);
  assert.ok(outcome.kind === 'work_ready');
  assert.deepEqual(outcome.report.deviations, [
    "`README.md` is not in the plan's scope (delete).",
    '`src/clock.js` is in the plan (create) and was not changed.',
  ]);
});

test('a change outside of the scope that a later step undoes is in the history, and stops the push', async () => {
  for (const [mode, path] of [
    ['block', 'secret.txt'],
    ['warn', 'CODEOWNERS'],
  ] as const) {
    const { work, write, done, checkout, workspaces, repository } = await approvedWork({ scope: { mode, allow: [] } });
    // As if it had been written after the look and before the commit.
    const slip = async (title: string) => ({
      title,
      commit: await workspaces.commitStep(repository, checkout, {
        run: 'r1',
        message: stepMessage(work, title),
        remove: [],
      }),
      files: [],
    });
    write('src/cache.js', 'new\n');
    write(path, 'x\n');
    const first = await slip('Keep entries');
    rmSync(join(checkout.path, path));
    const second = await slip('Add a clock');
    assert.deepEqual(await finish(work, [first, second], done), {
      kind: 'failed',
      reason: 'out_of_scope',
      detail: `These changes are not in the plan's scope: \`${path}\` (create), \`${path}\` (delete).`,
    });
  }
});

test('a step with changes outside of the scope is not committed, and the look before the end names them as well', async () => {
  for (const [mode, path] of [
    ['block', 'package.json'],
    ['block', '.vscode/settings.json'],
    ['warn', '.github/CODEOWNERS'],
  ] as const) {
    const { work, write, workspaces, repository } = await approvedWork({ scope: { mode, allow: ['**'] } });
    const scope = { ...work.policy.scope, allow: mode === 'block' ? ['*.lock'] : ['**'] };
    const strict = { ...work, policy: { ...work.policy, scope } };
    write('src/cache.js', 'new\n');
    write(path, 'x\n');
    const outside = [`\`${path}\` (create)`];
    await assert.rejects(commitStep(strict, 'Keep entries'), (error) => {
      assert.ok(error instanceof StepRejected);
      assert.deepEqual(error.rejection, { outside, faults: [] });
      return true;
    });
    const { changes, ...against } = await readTree(strict);
    assert.deepEqual(against, { outside, faults: [] });
    assert.deepEqual(changes.map((change) => change.path).toSorted(), [path, 'src/cache.js'].toSorted());
    assert.equal(await workspaces.lastCommit(repository, 'r1'), null);
  }
});

test('the plan file changes through review alone: an implementation that edits it keeps no step and pushes nothing', async () => {
  for (const keep of ['keep', 'remove'] as const) {
    const { work, write, done, workspaces, repository } = await approvedWork({
      plan: { path: 'plan.md', keep, shell: false },
    });
    write('src/cache.js', 'new\n');
    write('plan.md', 'Anything goes.\n');
    await assert.rejects(commitStep(work, 'Keep entries'), StepRejected);
    const outcome = await finish(work, [], done);
    assert.deepEqual(outcome, {
      kind: 'failed',
      reason: 'out_of_scope',
      detail: "These changes are not in the plan's scope: `plan.md` (modify).",
    });
    assert.equal(await workspaces.lastCommit(repository, 'r1'), null);
  }
});

test('what no commit may hold is told with the step, and fails the run where it is still there at the end', async () => {
  const { work, write, done } = await approvedWork();
  write('src/cache.js', '<<<<<<< mine\nnew\n>>>>>>> theirs\n');
  const fault = 'src/cache.js: it holds a conflict marker; settle the conflict';
  await assert.rejects(commitStep(work, 'Keep entries'), { rejection: { outside: [], faults: [fault] } });
  assert.deepEqual(await finish(work, [], done), { kind: 'failed', reason: 'patch_refused', detail: fault });
});

test('S61: a step with a secret is told and not committed, and a run that does not mend it pushes nothing', async () => {
  const { work, write, done, workspaces, repository } = await approvedWork();
  const [[what, secret] = ['', '']] = secretForms;
  write('src/cache.js', `export const key = '${secret}';\n`);
  const fault = `src/cache.js: what looks like a ${what} is new in line 1; take it out and say where it comes from instead`;
  await assert.rejects(commitStep(work, 'Keep entries'), { rejection: { outside: [], faults: [fault] } });
  assert.deepEqual((await readTree(work)).faults, [fault]);
  assert.deepEqual(await finish(work, [], done), { kind: 'failed', reason: 'patch_refused', detail: fault });
  assert.equal(await workspaces.lastCommit(repository, 'r1'), null);
  write('src/cache.js', 'export const key = process.env.KEY;\n');
  const step = await commitStep(work, 'Keep entries');
  assert.equal((await finish(work, [step], done)).kind, 'work_ready');
});

test('the report names earlier rounds with their steps, and that the plan was amended and why, and what was out of reach', async () => {
  const { work, write, done } = await approvedWork();
  const earlier = [{ title: 'Keep entries', commit: 'c'.repeat(40), files: ['src/cache.js'] }];
  write('src/clock.js', 'tick\n');
  const before = { ...work, earlier, amendments: ['A clock is needed.'], refusedHosts: ['elsewhere.example.com'] };
  const step = await commitStep(before, 'Add a clock');
  const outcome = await finish(before, [step], { ...done, deviations: ['It ticks in seconds.'] });
  assert.ok(outcome.kind === 'work_ready');
  assert.deepEqual(outcome.report.steps, [...earlier, step]);
  assert.deepEqual(outcome.report.deviations, [
    'The plan was amended: A clock is needed.',
    'It ticks in seconds.',
    '`sandbox.hosts` lists what `PLANWRIGHT_SANDBOX_HOSTS` of whoever runs this app does not allow; no command could reach `elsewhere.example.com`.',
    '`src/cache.js` is in the plan (modify) and was not changed.',
  ]);
});

test('a planned file may be deleted by one step and made anew by the next', async () => {
  const { work, write, done, checkout } = await approvedWork();
  rmSync(join(checkout.path, 'src/cache.js'));
  const first = await commitStep(work, 'Keep entries');
  write('src/cache.js', 'new\n');
  const second = await commitStep(work, 'Add a clock');
  assert.equal((await finish(work, [first, second], done)).kind, 'work_ready');
});

test('the plan stays with plan.keep: keep, and moves to a place of its own with plan.keep: archive', async () => {
  for (const [keep, expected] of [
    ['keep', ['plan.md', 'src/cache.js']],
    ['archive', [archivePath(42), 'src/cache.js']],
  ] as const) {
    const { work, write, done, workspaces, repository, base } = await approvedWork({
      plan: { path: 'plan.md', keep, shell: false },
    });
    write('src/cache.js', 'new\n');
    const outcome = await finish(work, [], done);
    assert.ok(outcome.kind === 'work_ready');
    const changed = await workspaces.changes(repository, base, outcome.commit);
    assert.deepEqual(changed.map(({ path }) => path).toSorted(), expected);
  }
});

test("a step's title closes nothing, calls nobody and skips no checks as the subject of its commit", async () => {
  const { work } = await approvedWork();
  const github: typeof work.github = {
    commitMessage:
      (_place, { subject }) =>
      () =>
        subject,
  };
  const subject = (title: string) => stepMessage({ ...work, github }, title)({ tree: '', parents: [] });
  assert.equal(subject('fixes GH-12 and a/b#3, @ann\n[skip ci]'), 'fixes GH 12 and a/b# 3, @ ann [ skip ci]');
  assert.equal(subject('Closes https://github.com/a/b/issues/4'), 'Closes https://github.com/a/b/issues/ 4');
  assert.equal(subject(' \u200b\t'), 'Work on the plan');
  assert.equal([...subject('#1 '.repeat(50))].length, 72);
});

test('what a rule denies is in no commit, though the plan names it and a command has changed it', async () => {
  const permissions = { mode: 'auto', allow: [], ask: [], deny: ['Edit(*.md)', 'Edit(src/clock.js)'] } as const;
  const { work, write, done } = await approvedWork({ permissions });
  write('src/cache.js', 'new\n');
  const step = await commitStep(work, 'Keep entries');
  write('src/clock.js', 'tick\n');
  const kept = await approvedWork({ permissions });
  kept.write('src/cache.js', 'new\n');
  assert.equal((await finish(kept.work, [], done)).kind, 'work_ready');
  const told = '`src/clock.js` (create, denied by the rule Edit(src/clock.js))';
  assert.deepEqual((await readTree(work)).outside, [told]);
  await assert.rejects(commitStep(work, 'Add a clock'), StepRejected);
  assert.deepEqual(await finish(work, [step], done), {
    kind: 'failed',
    reason: 'out_of_scope',
    detail: `These changes are not in the plan's scope: ${told}.`,
  });
});
