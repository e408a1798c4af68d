import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

test('the environment is read in one place', () => {
  const readers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /\bprocess\.env\b|\bimport\s*\{[^}]*\benv\b[^}]*\}\s*from 'node:process'/.test(
        readFileSync(join(source, file), 'utf8').replaceAll(/`process\.env`/g, ''),
      ),
    );
  assert.deepEqual(readers, [join('config', 'environment.ts')]);
});
