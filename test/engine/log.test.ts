import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskSecrets } from '../../src/engine/log.ts';

test('tokens and keys are masked in whatever is logged', () => {
  const secret = 'top "secret" words';
  const lines = [
    ['ghs_abcdefghijklmnopqrstuv1234', '[secret]'],
    ['https://x-access-token:abc123@forge.test/o/r.git', 'https://x-access-token:[secret]@forge.test/o/r.git'],
    ['{"authorization":"bearer abc.def"}', '{"authorization":"bearer [secret]"}'],
    ['sk-ant-api03-abcdef', '[secret]'],
    ['-----BEGIN RSA PRIVATE KEY-----\\nMII\\n-----END RSA PRIVATE KEY-----', '[secret]'],
    [JSON.stringify({ secret }), '{"secret":"[secret]"}'],
    ['nothing to hide', 'nothing to hide'],
  ] as const;
  for (const [line, expected] of lines) {
    assert.equal(maskSecrets(line, [secret]), expected);
  }
});
