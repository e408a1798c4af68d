import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAttempts } from './attempts.ts';

const attempt = {
  id: 'read-above',
  class: 'files',
  harms: 'whoever runs the app: its key',
  calls: [{ read: { file_path: '{outside}/secret' } }, { bash: 'cat $HOME/{port}' }],
  never: ['read', 'exists {outside}/new'],
};
const given = new Map([
  ['outside', '/away'],
  ['port', '80'],
]);

test('an attempt is data: its calls, what must never be after it, and places that are filled in', () => {
  assert.deepEqual(parseAttempts([attempt], given), [
    {
      ...attempt,
      calls: [
        { tool: 'read', input: { file_path: '/away/secret' } },
        { tool: 'bash', input: { command: 'cat $HOME/80' } },
      ],
      never: ['read', 'exists /away/new'],
    },
  ]);
});

test('an attempt of another form, a second one of its name and an unknown placeholder are refused by name', () => {
  const refused = (entries: readonly unknown[]) => assert.throws(() => parseAttempts(entries, given), /read-above/);
  refused([{ ...attempt, class: 'other' }]);
  refused([{ ...attempt, never: [] }]);
  refused([{ ...attempt, never: ['exists '] }]);
  refused([{ ...attempt, never: ['nothing'] }]);
  refused([{ ...attempt, calls: [{ read: {}, write: {} }] }]);
  refused([{ ...attempt, calls: [{ bash: 'cat {outsied}/secret' }] }]);
  refused([{ ...attempt, note: 'x' }]);
  refused([attempt, attempt]);
  assert.throws(() => parseAttempts([{}], given), /number 1/);
});
