import assert from 'node:assert/strict';
import { test } from 'node:test';
import published from '../../src/plan/front-matter.schema.json' with { type: 'json' };
import { frontMatterJsonSchema } from '../../src/plan/front-matter.ts';

test('the published schema of the front matter is the one that is applied', () => {
  assert.deepEqual(published, frontMatterJsonSchema());
});
