import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readPriceTable } from '../../src/config/price-table.ts';
import { priceReader } from '../../src/engine/prices.ts';

const folder = mkdtempSync(join(tmpdir(), 'planwright-prices-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'prices.json');
const name = JSON.stringify(file);

function tableOf(text: string) {
  writeFileSync(file, text);
  return readPriceTable(file);
}

test('the price table says what each model costs', () => {
  const text =
    '{ "model-1": { "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75 }, "free": { "input": 0, "output": 0, "cache_read": 0, "cache_write": 0 } }';
  assert.deepEqual(
    tableOf(text),
    new Map([
      ['model-1', { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
      ['free', { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }],
    ]),
  );
});

test('a mistake in the price table is named with file, model and key', () => {
  assert.deepEqual(
    tableOf(
      '{ "m": { "input": "3", "output": -1, "cache_read": 0.3 }, "n": 4, "o": { "input": 1, "output": 1, "cache_read": 1, "cache_write": 1, "in": 2 } }',
    ),
    {
      problems: [
        `${name}: model "m", input: expected a number, got "3"`,
        `${name}: model "m", output: expected a number of at least 0, got -1`,
        `${name}: model "m", cache_write: missing; expected a number`,
        `${name}: model "n": expected "key: value" lines, got 4`,
        `${name}: model "o": expected input, output, cache_read and cache_write alone, got "in"`,
      ],
    },
  );
  assert.deepEqual(tableOf('[]'), { problems: [`${name}: expected "key: value" lines, got a list of 0 entries`] });
  assert.deepEqual(tableOf('{'), { problems: [`expected a file of JSON that can be read, got ${name}`] });
  const missing = join(folder, 'none.json');
  assert.deepEqual(readPriceTable(missing), {
    problems: [`expected a file of JSON that can be read, got ${JSON.stringify(missing)}`],
  });
});

const own = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 };
const opus = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 };

test("the operator's own price of a model goes before the published one", async () => {
  assert.deepEqual(await priceReader(new Map([['claude-opus-5-5', own]]), 'claude-opus-5-5')(), own);
  assert.deepEqual(await priceReader(new Map(), 'claude-opus-5-5')(), opus);
});

test('the price of a similar model is not the price of a model', async () => {
  const priceOf = (model: string) => priceReader(new Map([['claude-sonnet-5', own]]), model)();
  assert.deepEqual(await priceOf('claude-opus-5-5-20260801'), opus);
  for (const unknown of ['claude-sonnet-5-5', 'claude-opus-5-5-next', 'claude-haiku-5-5', 'model-1', '', '__proto__']) {
    assert.equal(await priceOf(unknown), null, unknown);
  }
});
