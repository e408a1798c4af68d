import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callFilter } from '../../src/sandbox/call-filter.ts';

/** What the filter answers to a call: the program of the kernel's filters, as far as this one uses it. */
function answerOf(filter: Buffer, machine: number, number: number): number {
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, value] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)];
    const jump = (isTrue: boolean) => 8 * filter.readUInt8(at + (isTrue ? 2 : 3));
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = value === 4 ? machine : number;
    if (code === 0x15) at += jump(accumulator === value);
    if (code === 0x35) at += jump(accumulator >= value);
  }
  return assert.fail('expected an answer, got the end of the filter');
}

const allow = 0x7fff0000;
const refuse = 0x00050001;
const kill = 0x80000000;

test('S43: calls that reach across namespaces are refused, others pass, and other sets of numbers do not get by', () => {
  const machines = [
    { name: 'x64', audit: 0xc000003e, keyctl: 250, reboot: 169, read: 0, clone: 56 },
    { name: 'arm64', audit: 0xc00000b7, keyctl: 219, reboot: 142, read: 63, clone: 220 },
  ];
  for (const { name, audit, keyctl, reboot, read, clone } of machines) {
    const filter = callFilter(name);
    assert.ok(filter !== null);
    const answers = [keyctl, reboot, 427, read, clone, 0x40000000 + read].map((number) =>
      answerOf(filter, audit, number),
    );
    assert.deepEqual(answers, [refuse, refuse, refuse, allow, allow, refuse], name);
    assert.equal(answerOf(filter, 0x40000003, read), kill, name);
  }
  assert.equal(callFilter('riscv64'), null);
});
