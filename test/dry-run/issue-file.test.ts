import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIssueFile } from '../../src/dry-run/issue-file.ts';

function parse(text: string) {
  const parsed = parseIssueFile(Buffer.from(text), 'issue.md');
  return 'problem' in parsed ? parsed.problem : [parsed.issue.title, parsed.issue.body.text];
}

test('the first line of an issue file, heading or not, is the title, and the rest is the body', () => {
  assert.deepEqual(parse('# Cache it\n\nIt is slow.\n\n## Answers\n1. Yes.\n'), [
    'Cache it',
    'It is slow.\n\n## Answers\n\n1. Yes.',
  ]);
  assert.deepEqual(parse('\n\nCache it\nIt is slow.'), ['Cache it', 'It is slow.']);
  assert.deepEqual(parse('\uFEFF## Cache it ##\r\n\r\nIt is\r\nslow.\r\n'), ['Cache it', 'It is\nslow.']);
  assert.deepEqual(parse('Cache it\n========\nIt is slow.'), ['Cache it', 'It is slow.']);
  assert.deepEqual(parse('#1 is slow'), ['#1 is slow', '']);
});

test('the words of an issue file are told to the model as those of who asks, and not as rules', () => {
  assert.deepEqual(parseIssueFile(Buffer.from('Cache it'), 'issue.md'), {
    issue: { number: 1, title: 'Cache it', body: { author: 'you', trust: 'requester', text: '' } },
  });
});

test('of an issue file the model gets what a reader of the issue would see, as on GitHub', () => {
  const parsed = parseIssueFile(Buffer.from('Cache it\n\nIt is <!-- not --> slow. [Why](u "canary")'), 'issue.md');
  const body = { author: 'you', trust: 'requester', text: 'It is  slow. Why (u)', hidden: 2 };
  assert.deepEqual(parsed, { issue: { number: 1, title: 'Cache it', body } });
  assert.equal(
    parse(`Cache it\n\n${'- '.repeat(30)}`),
    'issue.md cannot be read as GitHub would show it: it holds lists or quotations in each other, more than 20 deep on a line',
  );
});

test('an issue file without a title, of other bytes than text, or longer than GitHub takes is named with what to do', () => {
  assert.equal(parse(' \n\n'), 'expected a title in the first line of issue.md, got none; write what is wanted');
  assert.equal(
    parse('#\nIt is slow.'),
    'expected a title in the first line of issue.md, got none; write what is wanted',
  );
  assert.equal(
    parse('x'.repeat(65_537)),
    'expected at most 65536 characters in issue.md, as GitHub takes, got 65537; shorten it',
  );
  const expected = { problem: 'expected Markdown in UTF-8 in issue.md, got other bytes' };
  assert.deepEqual(parseIssueFile(Buffer.from([0xff, 0xfe, 0x41, 0]), 'issue.md'), expected);
  assert.deepEqual(parseIssueFile(Buffer.from('a\0b'), 'issue.md'), expected);
});
