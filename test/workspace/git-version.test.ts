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

test('S53: no git, an old git and a git without either of the fixes are told apart', async (t) => {
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
  /** A git that writes a value so, and that says so of the address of a bundle with a blank in it. */
  const behave = (value: string, said: string) =>
    script(
      [
        'case "$*" in *version*) echo "git version 2.39.0";; *hash-object*) echo 1;; *cat-file*) echo 3;;',
        `*--file*) printf '[probe]\\n\\tvalue = ${value}\\n' > "$(echo "$*" | sed "s/.*--file \\([^ ]*\\) .*/\\1/")";;`,
        `*--bundle-uri=*) echo "${said}" >&2; exit 128;; esac`,
      ].join('\n'),
    );
  const [unquoted, quoted] = ['a\\r', '"a\\r"'];
  const refused = "error: bundle-uri: URI is malformed: 'tmp_uri'";
  const asked = "warning: failed to download bundle from URI 'https://127.0.0.1:9/a b'";
  const probed = async (value: string, said: string) => {
    behave(value, said);
    const probe = await probeGit(`${folder}:/usr/bin:/bin`);
    return probe.ok || probe.reason;
  };
  const without = (name: string) =>
    `expected a git with the fixes of July 2025, got one without that for ${name}; update git`;
  assert.equal(await probed(quoted, refused), true);
  assert.equal(await probed(unquoted, refused), without('CVE-2025-48384'));
  assert.equal(await probed(quoted, asked), without('CVE-2025-48385'));
});
