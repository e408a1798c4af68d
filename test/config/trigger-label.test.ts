import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRepositoryConfig } from '../../src/config/repository-config.ts';

const table = {
  'a mistake under another key does not hide it': ['trigger:\n  label: ai\nscope: 3\n', 'ai'],
  'an unknown key beside it does not hide it': ['trigger:\n  label: ai\nx: 1\n', 'ai'],
  'a mistake in it hides it': ['trigger:\n  label: "plan: done"\n', undefined],
  'a mistake under its own key hides it': ['trigger:\n  label: ai\n  labels: x\n', undefined],
  'it is not told where it is the default one': ['scope: 3\n', undefined],
  'it cannot be told of a text that is no YAML': ['trigger: { label: ai\n', undefined],
} as const;

for (const [what, [text, label]] of Object.entries(table)) {
  test(`the trigger label of a broken configuration: ${what}`, () => {
    const parsed = parseRepositoryConfig(text);
    assert.ok('problems' in parsed);
    assert.ok(parsed.problems.length > 0);
    assert.equal(parsed.triggerLabel, label);
  });
}
