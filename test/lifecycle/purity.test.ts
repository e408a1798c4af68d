import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../../src/lifecycle/', import.meta.url);

test('the lifecycle imports nothing but itself', () => {
  const files = readdirSync(folder);
  assert.ok(files.length > 5, 'the folder was found');
  const foreign = files.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import\(|import)\s*['"]([^'"]+)['"]/g)].map(
      (match) => match[1] ?? '',
    );
    return specifiers
      .filter((specifier) => !/^\.\/[a-z-]+\.ts$/.test(specifier))
      .map((specifier) => `${file}: ${specifier}`);
  });
  assert.deepEqual(foreign, []);
});

test('the lifecycle reads no clock, no environment and no chance', () => {
  const impure = /\bprocess\.|\bDate\.now\b|new Date\(\)|Math\.random|\bfetch\(|\brequire\(|globalThis/;
  const offenders = readdirSync(folder).filter((file) => impure.test(readFileSync(new URL(file, folder), 'utf8')));
  assert.deepEqual(offenders, []);
});
