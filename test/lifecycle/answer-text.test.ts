import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAnswerText } from '../../src/lifecycle/answer-text.ts';
import type { Question } from '../../src/lifecycle/memory.ts';

const cache: Question = { text: 'Which cache?', suggestions: ['LRU', 'TTL'] };
const place: Question = { text: 'Where, *exactly*?', suggestions: [] };
const size: Question = { text: 'How many entries?', suggestions: ['3', '50'] };
const three = [cache, place, size];

function read(body: string, questions: readonly Question[] = three) {
  const { answers, remark } = readAnswerText(body, questions);
  return { ...Object.fromEntries(answers), ...(remark === '' ? {} : { remark }) };
}

/** A comment, and what it says to which of three questions. */
const forms: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['2. in src', { 2: 'in src' }],
  ['2) in src', { 2: 'in src' }],
  ['2: in src', { 2: 'in src' }],
  ['(2) in src', { 2: 'in src' }],
  ['#2 in src', { 2: 'in src' }],
  ['Q2 in src', { 2: 'in src' }],
  ['q2: in src', { 2: 'in src' }],
  ['Question 2: in src', { 2: 'in src' }],
  ['**2.** in src', { 2: 'in src' }],
  ['**2**: in src', { 2: 'in src' }],
  ['**Q2:** in src', { 2: 'in src' }],
  ['**2. in src**', { 2: '**in src**' }],
  ['- 2. in src', { 2: 'in src' }],
  ['### 2.\nin src', { 2: 'in src' }],
  ['2.\tin src\r\nor in lib\r\n\r\nas you like', { 2: 'in src\nor in lib\n\nas you like' }],
  ['1. the first\n3. none\n2. in src', { 1: 'the first', 2: 'in src', 3: 'none' }],
  ['2. in src\n1. the first\n2. and in lib', { 1: 'the first', 2: 'in src\nand in lib' }],
  ['2. two places:\n   1. src\n   2. lib', { 2: 'two places:\n   1. src\n   2. lib' }],
  ['2. so:\n```\n1. not this\n```\nand so on', { 2: 'so:\n```\n1. not this\n```\nand so on' }],
  ['> 2. Where, exactly?\n\nin src', { 2: 'in src' }],
  ['> Where, exactly?\n\nin src\n\n> Which cache?\n\nb', { 1: 'TTL', 2: 'in src' }],
  ['2. as was said:\n> use src\n\nI agree', { 2: 'as was said:\n> use src\n\nI agree' }],
  ['> 1. Which cache?\n> 2. Where, exactly?\n\nno idea', { remark: 'no idea' }],
  ['> 1. Which cache?\n> 2. Where, exactly?\n\n1. b', { 1: 'TTL' }],
  ['Thanks!\n2. in src', { 2: 'in src', remark: 'Thanks!' }],
  ['Just do it', { remark: 'Just do it' }],
  ['2.5 seconds are enough', { remark: '2.5 seconds are enough' }],
  ['2:30 is too late', { remark: '2:30 is too late' }],
  ['2 of them', { remark: '2 of them' }],
  ['#212 is like it', { remark: '#212 is like it' }],
  ['4. in src\n0. in lib', { remark: '4. in src\n\n0. in lib' }],
  ['1.\n2. …\n3. -', {}],
  ['', {}],
  ['2. 👍', { 2: '👍' }],
];

for (const [body, expected] of forms) {
  test(`of three questions ${JSON.stringify(body)} answers what it numbers or quotes`, () => {
    assert.deepEqual(read(body), expected);
  });
}

test('the letter or the number of a suggestion stands for its text, where it is all of the answer', () => {
  for (const body of ['1. b', '1. B)', '1) **b**', '1: (b).', '1. 2', '1b', '1 b', 'Q1: b', '> 1. Which cache?\nb']) {
    assert.deepEqual(read(body), { 1: 'TTL' }, body);
  }
  assert.deepEqual(read('1a, 3b'), { 1: 'LRU', 3: '50' });
  assert.deepEqual(read('1. a\n1. b'), { 1: 'LRU\nTTL' });
  assert.deepEqual(read('1. a cache'), { 1: 'a cache' });
  assert.deepEqual(read('1. c\n2. a'), { 1: 'c', 2: 'a' });
});

test('a number is the number itself where suggestions hold numbers', () => {
  assert.deepEqual(read('3. 2'), { 3: '2' });
  assert.deepEqual(read('3. b'), { 3: '50' });
});

test('one question alone is answered by whatever is said, with or without its number', () => {
  const one = (body: string) => read(body, [cache]);
  assert.deepEqual(one('b'), { 1: 'TTL' });
  assert.deepEqual(one('1. b'), { 1: 'TTL' });
  assert.deepEqual(one('The fast one.\nPlease.'), { 1: 'The fast one.\nPlease.' });
  assert.deepEqual(one('1. be quick\n2. be small'), { 1: '1. be quick\n2. be small' });
  assert.deepEqual(one('…'), {});
});

/** Text that looks like answers, and any other. */
const text = fc.array(
  fc.oneof(
    fc.constantFrom(
      '1. ',
      '2) ',
      '**3.** ',
      '#1',
      'Q2',
      '> ',
      '```',
      '~~~~',
      '\n',
      '\r',
      ' ',
      '\t',
      '*',
      '__',
      '(',
      'b',
      ':',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  ),
  { maxLength: 60 },
);

test('no text makes reading it fail, and none answers a question that was not asked', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 5 }), (parts, count) => {
      const questions = Array.from({ length: count }, (_, index) => three[index % 3] ?? cache);
      const { answers } = readAnswerText(parts.join(''), questions);
      for (const [number, answer] of answers) {
        assert.ok(Number.isInteger(number) && number >= 1 && number <= count);
        assert.match(answer, /[\p{L}\p{N}\p{Extended_Pictographic}]/u);
      }
    }),
    { numRuns: 300 },
  );
});

test('the longest comment that GitHub takes is read at once, whatever it is made of', () => {
  for (const unit of [
    '1',
    ' ',
    '\n',
    '> ',
    '>\n',
    '1b ',
    '#',
    '# ',
    '*',
    '- ',
    '1.',
    '1. x\n',
    '.',
    '```\n~~~\n',
    '> 1. a\n\n',
    '(1',
    'q ',
  ]) {
    const body = `${unit.repeat(Math.ceil(65_536 / unit.length))}!`;
    const started = performance.now();
    readAnswerText(body, three);
    assert.ok(performance.now() - started < 1000, JSON.stringify(unit));
  }
});
