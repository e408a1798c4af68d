import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGitName, isLeftOut, pathFault } from '../../src/workspace/path-rules.ts';

test('S56: a name is git’s wherever some file system takes it for .git', () => {
  const names = [
    '.git',
    '.GIT',
    '.Git ',
    '.git.',
    '.git . .',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    'git~1',
    'GIT~2',
    '.g\u{200C}it',
  ];
  for (const name of [...names, '.ｇｉｔ', '\u{FEFF}.git']) assert.ok(isGitName(name), JSON.stringify(name));
  for (const name of ['.gitignore', '.github', 'git', '.git-blame-ignore-revs', 'a.git', 'git~', '.gitt']) {
    assert.ok(!isGitName(name), name);
  }
});

test('S56: a path has a fault where it leaves the tree, deceives or is no text', () => {
  for (const path of [
    '',
    '/a',
    'a//b',
    'a/',
    '..',
    'a/../b',
    './a',
    'a\\b',
    'a\nb',
    'a\u{85}',
    'a\u{2028}b',
    'a\u{202E}b',
    'a\u{E0041}b',
    'a\u{FE01}b',
    'a\u{FFFD}',
  ]) {
    assert.notEqual(pathFault(path), null, JSON.stringify(path));
  }
  for (const path of [
    'a',
    'a b/c',
    'été/日本.md',
    '-x',
    '--help',
    ':(top)a',
    '...',
    'a..b',
    '.github/x',
    'a"b$(c)`d`',
    '👩‍🚀'.replace('\u{200D}', ''),
  ]) {
    assert.equal(pathFault(path), null, JSON.stringify(path));
  }
});

test('key files and installed packages are left out, their templates are not', () => {
  for (const name of [
    '.env',
    '.env.local',
    '.env.production',
    'a.pem',
    'A.PEM',
    'x.p12',
    'x.pfx',
    'id_rsa',
    'id_ed25519',
    'node_modules',
  ]) {
    assert.ok(isLeftOut(name), name);
  }
  for (const name of ['.env.example', '.env.sample', '.envrc', 'env', 'pem', 'id_rsa.pub', 'node_modules.md']) {
    assert.ok(!isLeftOut(name), name);
  }
});
