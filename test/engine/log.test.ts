import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, maskSecrets } from '../../src/engine/log.ts';
import { newPrivateKey } from '../github/keys.ts';
import { secretForms } from '../text/secret-forms.ts';
import { furtherForms, requiredForms } from '../text/written-forms.ts';

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

test('S79: the long form of a token is masked whole', () => {
  const long = secretForms.find(([, form]) => form.includes('.eyJ'))?.[1] ?? assert.fail();
  assert.ok(long.length > 450);
  assert.equal(maskSecrets(`got x${long} back`, []), 'got x[secret] back');
});

test('S79: what the app holds is in no line of the log, in whatever form, down to the last level', () => {
  const held = {
    privateKey: newPrivateKey(),
    webhookSecret: 'f4c1d2a90b7e6358cc01947ab2de58f3',
    model: { apiKey: 'k3Yab9Zq17LmP0xWv5Tn8RsE2uHg4CdJ' },
  };
  const lines: string[] = [];
  const log = createLog({ ...held, logLevel: 'trace' }, { write: (line) => void lines.push(line) });
  const hidden = [held.privateKey.slice(600), held.webhookSecret, held.model.apiKey];
  for (const secret of hidden) {
    for (const [form, write] of Object.entries({ ...requiredForms, ...furtherForms })) {
      log.trace({ form, payload: { deep: [`before ${write(secret)} behind`] } }, write(secret));
      const line = lines.pop() ?? '';
      assert.ok(line.includes('[secret]'), form);
      assert.ok(!line.includes(write(secret)) && !line.includes(JSON.stringify(write(secret)).slice(1, -1)), form);
      assert.equal(JSON.parse(line).form, form);
    }
  }
});

test('S79: what is masked of a text leaves the line whole, and of a header nothing is left', () => {
  const held = { privateKey: '', webhookSecret: 'g4c1d2a90b7e6358cc01947ab2de58f3', model: { apiKey: '' } };
  const lines: string[] = [];
  const log = createLog({ ...held, logLevel: 'trace' }, { write: (line) => void lines.push(line) });
  // The name of the field ends as the secret begins.
  log.info({ headers: { authorization: 'bearer abc' } }, held.webhookSecret.slice(1));
  const { msg, headers } = JSON.parse(lines[0] ?? '');
  assert.deepEqual({ msg, headers }, { msg: '[secret]', headers: { authorization: '[secret]' } });
});
