/** What becomes of the tests on a machine without the sandbox: here some are left out, and say so; in CI that is a failure. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'planwright-suite-'));
after(() => rmSync(folder, { recursive: true }));

/** A search path with nothing on it but these programs: those of the system, or scripts. */
function searchPath(name: string, programs: Readonly<Record<string, string | null>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [program, script] of Object.entries(programs)) {
    const file = join(path, program);
    if (script === null) symlinkSync(join('/usr/bin', program), file);
    else writeFileSync(file, `#!/bin/sh\n${script}\n`);
    if (script !== null) chmodSync(file, 0o755);
  }
  return path;
}

const present = { bash: null, dirname: null, id: null, env: null, git: 'exit 0', socat: 'exit 0', rg: 'exit 0' };
const stubs = { 'apt-get': 'exit 0', sudo: 'exit 0', npm: 'echo "the tests are run"' };

function runCi(path: string) {
  const { status, stdout, stderr } = spawnSync('/bin/bash', [join(root, '.ci/run')], { env: { PATH: path } });
  return { status, out: stdout.toString(), err: stderr.toString() };
}

test('CI fails where bubblewrap cannot be installed, and where it makes no sandbox', () => {
  assert.deepEqual(runCi(searchPath('without', { ...present, ...stubs })), {
    status: 1,
    out: 'installing bubblewrap\n',
    err: 'expected bwrap, socat, rg and git on the PATH, still missing after the installation: bubblewrap\n',
  });
  assert.deepEqual(runCi(searchPath('broken', { ...present, ...stubs, bwrap: 'echo "no namespaces" >&2; exit 1' })), {
    status: 1,
    out: '',
    err: 'no namespaces\nexpected bubblewrap to make a sandbox, got the error above; allow user namespaces on this host\n',
  });
  assert.deepEqual(runCi(searchPath('whole', { ...present, ...stubs, bwrap: 'exit 0' })), {
    status: 0,
    out: 'the tests are run\nthe tests are run\n',
    err: '',
  });
});

test('npm test without the sandbox says in its last lines which tests it left out, and how to get them', () => {
  const project = join(folder, 'project');
  mkdirSync(join(project, 'test'), { recursive: true });
  for (const part of ['test/run.ts', 'test/one-process.ts', 'package.json'])
    copyFileSync(join(root, part), join(project, part));
  for (const part of ['src', 'node_modules']) symlinkSync(join(root, part), join(project, part));
  const passes = "import { test } from 'node:test';\ntest('it', () => {});\n";
  for (const [name, head] of [
    ['plan/pure', ''],
    ['web/plain', ''],
    ['sandbox/confined', '// Needs bwrap, socat, rg.\n'],
    ['sandbox/searched', '// Needs rg.\n'],
  ] as const) {
    mkdirSync(dirname(join(project, 'test', name)), { recursive: true });
    writeFileSync(join(project, 'test', `${name}.test.ts`), `${head}${passes}`);
  }
  const env = {
    PATH: searchPath('tests', { rg: 'exit 0' }),
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/planwright'),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, 'test/run.ts')], { cwd: project, env });
  assert.equal(status, 0, stdout.toString() + stderr.toString());
  assert.deepEqual(stdout.toString().trimEnd().split('\n').slice(-3), [
    'Left out, as bwrap, socat are not on the PATH:',
    '  test/sandbox/confined.test.ts',
    'To run them too: apt-get install bubblewrap socat',
  ]);
});
