import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScreen } from '../../src/screen.ts';

function record(isTTY: boolean) {
  const written: string[] = [];
  const times = [0, 1500, 2000, 2500];
  const out = { write: (text: string) => written.push(text), isTTY, columns: 30 };
  return { written, screen: createScreen(out, () => times.shift() ?? 3000) };
}

test('without a terminal there are lines and nothing else', () => {
  const { written, screen } = record(false);
  screen.print('first\nsecond');
  screen.event('label', 'plan');
  screen.progress('waiting');
  screen.settle();
  assert.deepEqual(written, ['first\n', 'second\n', '   1.5 s  label         plan\n']);
});

test('on a terminal the live line is replaced, and gives way to an event', () => {
  const { written, screen } = record(true);
  screen.progress('waiting for something that is long');
  screen.progress('short');
  screen.event('label', 'plan');
  screen.settle();
  assert.deepEqual(written, [
    '\r\u001b[2K   1.5 s  ⠙ waiting for somet',
    '\r\u001b[2K   2.0 s  ⠸ short',
    '\r\u001b[2K',
    '   2.5 s  label         plan\n',
  ]);
});

test('what people write on the forge cannot steer the terminal', () => {
  const { written, screen } = record(false);
  screen.print('a\u001b]0;title\u0007b');
  assert.deepEqual(written, ['a�]0;title�b\n']);
});
