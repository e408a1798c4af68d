import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskSecrets } from '../../src/engine/log.ts';
import { backoffSeconds } from '../../src/engine/queue.ts';
import { parseChildMessage } from '../../src/engine/run-messages.ts';

const spent = { turns: 1, inputTokens: 2, outputTokens: 3, dollars: null };

test('a message of a run passes unchanged; content of the model is not touched', () => {
  const message = {
    kind: 'turn',
    seq: 1,
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: { path: '\u0000' } }] },
    ],
    plan: null,
    spent,
  };
  assert.deepEqual(parseChildMessage(message), message);
});

test('a child cannot say that work is ready, nor anything that is not in the protocol', () => {
  const report = { steps: [], files: [], verifications: [], deviations: [] };
  const refused = [
    { kind: 'ended', seq: 1, spent, result: { kind: 'work_ready', commit: 'c', report } },
    { kind: 'ended', seq: 1, spent, result: { kind: 'failed', reason: 'bored', detail: '' } },
    { kind: 'turn', seq: 1, messages: [{ role: 'system', content: '' }], plan: null, spent },
    { kind: 'approve' },
    null,
    'ended',
  ];
  for (const message of refused) {
    assert.throws(() => parseChildMessage(message), JSON.stringify(message));
  }
});

test('a wait doubles up to a minute and never shrinks below its base', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 20].map((attempt) => backoffSeconds(attempt, () => 0)),
    [2, 4, 8, 16, 32, 60, 60],
  );
  assert.deepEqual(
    [1, 6].map((attempt) => backoffSeconds(attempt, () => 1)),
    [3, 75],
  );
});

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
