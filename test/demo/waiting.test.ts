import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWait, WaitFailure } from '../../src/local/demo/waiting.ts';

const never = new AbortController().signal;

test('what comes is returned, with a look around before each try', async () => {
  const looks: string[] = [];
  const wait = createWait({ watch: (what) => looks.push(what), signal: never, timeoutMs: 5000 });
  assert.equal(await wait('the third', () => (looks.length === 3 ? 'here' : null)), 'here');
  assert.deepEqual(looks, ['the third', 'the third', 'the third']);
});

test('what does not come is named', async () => {
  const wait = createWait({ watch: () => undefined, signal: never, timeoutMs: 0 });
  await assert.rejects(
    wait('a pull request', () => null),
    new WaitFailure('expected a pull request within 0 s, got nothing'),
  );
});

test('a wait ends with what is seen on the way, and with the signal', async () => {
  const bad = new Error('the app ended');
  const watch = () => {
    throw bad;
  };
  await assert.rejects(
    createWait({ watch, signal: never, timeoutMs: null })('it', () => 'here'),
    bad,
  );
  const stop = new AbortController();
  const wait = createWait({ watch: () => stop.abort(), signal: stop.signal, timeoutMs: null });
  await assert.rejects(
    wait('it', () => null),
    { name: 'AbortError' },
  );
});
