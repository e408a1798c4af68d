import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { probeGit } from '../../src/workspace/git-version.ts';

test('this machine’s git will do', async () => {
  const probe = await probeGit();
  assert.ok(probe.ok, JSON.stringify(probe));
  assert.match(probe.version, /^2\.\d+/);
});

test('no git, an old git and a git without the fixes are told apart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'old-git-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const none = await probeGit(folder);
  assert.deepEqual(none, {
    ok: false,
    reason: 'expected git to start, got: Error: spawn git ENOENT; install git 2.39 or later',
  });
  const script = (text: string): void => {
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, 'git'), 0o755);
  };
  script('echo "git version 2.38.1"');
  assert.deepEqual(await probeGit(folder), {
    ok: false,
    reason: 'expected git 2.39 or later, got "git version 2.38.1"; update git',
  });
  script('echo "something else"');
  assert.deepEqual(await probeGit(folder), {
    ok: false,
    reason: 'expected git 2.39 or later, got "something else"; update git',
  });
  script(
    [
      'for last; do :; done',
      'case "$*" in *version*) echo "git version 2.39.0";; *hash-object*) echo 1;; *cat-file*) echo 3;;',
      '*--file*) printf "[probe]\\n\\tvalue = a\\r\\n" > "$(echo "$*" | sed "s/.*--file \\([^ ]*\\) .*/\\1/")";; esac',
    ].join('\n'),
  );
  assert.deepEqual(await probeGit(`${folder}:/usr/bin:/bin`), {
    ok: false,
    reason: 'expected a git with the fixes of July 2025 (CVE-2025-48384, CVE-2025-48385), got one without; update git',
  });
});
