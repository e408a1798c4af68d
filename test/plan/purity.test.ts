import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../../src/plan/', import.meta.url);
const allowed = ['yaml', 'zod', 'picomatch', 'mdast-util-from-markdown'];

test('the plan file is read and judged without Node, without the network and without the rest of the app but its pure lifecycle', () => {
  const imports = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      return [...text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)';/gm)].map((found) => found[1] ?? '');
    });
  assert.ok(imports.length > 10);
  assert.deepEqual(
    // The lifecycle imports nothing but itself: a test of its own holds that.
    imports.filter((target) => !/^(?:\.|\.\.\/lifecycle|\.\.\/text)\//.test(target) && !allowed.includes(target)),
    [],
  );
});
