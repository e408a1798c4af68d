import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanLine, cleanMarkdown, fenced, fitBody, inlineCode, maxBodyCharacters } from '../../src/text/text-out.ts';

const rules = { ownIssue: 42 };
const clean = (text: string) => cleanMarkdown(text, rules);

test('mentions notify nobody', () => {
  assert.equal(clean('ask @bob and @org/team-x.'), 'ask `@bob` and `@org/team-x`.');
  assert.equal(clean('**@bob** _@eve_ (@ann)'), '**`@bob`** _`@eve`_ (`@ann`)');
  assert.equal(clean('# @bob\n\n- @eve\n\n> @ann'), '# `@bob`\n\n- `@eve`\n\n> `@ann`');
  assert.equal(clean('| a |\n|---|\n| @bob |'), '| a |\n|---|\n| `@bob` |');
});

test("references link and close nothing but the thread's own issue", () => {
  assert.equal(
    clean('Fixes #7, closes other/repo#1, resolves GH-9'),
    'Fixes `#7`, closes `other/repo#1`, resolves `GH-9`',
  );
  assert.equal(clean('see #42'), 'see #42');
  assert.equal(clean('see #421'), 'see `#421`');
  assert.equal(clean('closes https://github.com/o/r/issues/7'), 'closes `https://github.com/o/r/issues/7`');
});

test('escapes, entities and comments do not hide a mention or a reference', () => {
  assert.equal(clean('\\@bob'), '`@bob`');
  assert.equal(clean('&#64;bob fixes &#35;7'), '`@bob` fixes `#7`');
  assert.equal(clean('@<!-- x -->bob'), '`@bob`');
  assert.equal(clean('@\u200bbob @\u2060eve'), '`@bob` `@eve`');
});

test('code stays as it is', () => {
  for (const code of ['`@bob #7 <b>`', '```ts\n@bob(); // #7 <!-- x -->\n```', '    @bob #7'])
    assert.equal(clean(code), code);
});

test('a block that offers lines to be committed is a block of text', () => {
  assert.equal(clean('a\n```suggestion\nx\n```'), 'a\n```text\nx\n```');
  assert.equal(clean('> ~~~ Suggestion\n> @bob\n> ~~~'), '> ~~~ text\n> @bob\n> ~~~');
  assert.equal(clean('```&#115;uggestion\nx\n```'), '```text\nx\n```');
});

test('HTML is shown, not rendered, and HTML comments go', () => {
  assert.equal(clean('a <b>bold</b>'), 'a &lt;b>bold&lt;/b>');
  assert.equal(clean('a <!-- hidden --> b'), 'a  b');
  assert.equal(clean('<!-- never closed\nhidden'), '');
  assert.equal(clean('<script>alert(1)</script>'), '&lt;script>alert(1)&lt;/script>');
  assert.equal(clean('<!-- planwright:status 1%2342 - -->'), '');
});

test('images load nothing and links lead nowhere, but say where they would', () => {
  assert.equal(clean('![pixel](https://evil.test/?d=1)'), '`pixel` (`https://evil.test/?d=1`)');
  assert.equal(clean('[click](https://evil.test/?d=1)'), 'click (`https://evil.test/?d=1`)');
  assert.equal(clean('https://evil.test/?d=1'), '`https://evil.test/?d=1`');
  assert.equal(clean('[click][1]\n\n[1]: https://evil.test'), '[click][1]\n\n`[1]: https://evil.test`');
});

test('controls, direction marks, tags and half characters are removed; emoji and line breaks stay', () => {
  assert.equal(clean('a\u0000b\u0007c\u202ed\u{e0041}e\ud800'), 'abcde\ufffd');
  assert.equal(clean('👩\u200d🔧\tok\r\nnext'), '👩\u200d🔧\tok\nnext');
});

test('cleaning twice changes nothing more, and leaves nothing active outside code', () => {
  const parts = [
    '@bob',
    '#7',
    '#42',
    'GH-3',
    '`',
    '``',
    '```\n',
    '\n',
    ' ',
    '\\',
    '<!--',
    '-->',
    '<b>',
    '&#64;',
    '[',
    '](u)',
    '![',
    '*',
    '|',
    'o/r#1',
    'https://x.test/a?b',
    '> ',
    '1. ',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (chosen) => {
      const once = clean(chosen.join(''));
      assert.equal(clean(once), once);
    }),
    { numRuns: 400 },
  );
});

test('a title is one line of at most 256 characters, never half a character', () => {
  assert.equal(cleanLine('  a\r\n\tb\u0000  c ', 256), 'a b c');
  assert.equal(cleanLine('x'.repeat(256), 256), 'x'.repeat(256));
  assert.equal(cleanLine('x'.repeat(257), 256), `${'x'.repeat(255)}…`);
  assert.equal([...cleanLine('👩'.repeat(300), 256)].length, 256);
});

test('a body of 65,536 characters is posted whole, of more shortened with a notice', () => {
  for (const character of ['x', '€', '👩']) {
    const fits = character.repeat(maxBodyCharacters);
    assert.equal(fitBody(fits, maxBodyCharacters), fits);
    const cut = fitBody(`${fits}x`, maxBodyCharacters);
    assert.equal([...cut].length, maxBodyCharacters);
    assert.ok(cut.endsWith('_This text was cut here because it is too long for GitHub._'));
    assert.ok(cut.isWellFormed());
  }
});

test('a cut leaves room for what follows, and ends at a line', () => {
  const cut = fitBody('line\n'.repeat(200), 300, 40);
  assert.ok([...cut].length <= 260);
  assert.match(cut, /^(line\n)+line\n\n_This text was cut/);
});

test('a code fence that is open at the cut is closed', () => {
  for (const fence of ['```', '~~~~']) {
    const cut = fitBody(`words\n\n${fence}ts\n${'code\n'.repeat(200)}`, 400);
    assert.ok([...cut].length <= 400);
    assert.ok(cut.includes(`code\n${fence}\n\n_This text was cut`), cut);
  }
  const closed = fitBody(`\`\`\`\ncode\n\`\`\`\n${'words\n'.repeat(200)}`, 400);
  assert.ok(closed.includes('words\n\n_This text was cut'));
});

for (const hostile of ['> - ', '1. ', '>', '*a_', 'www.', '**a']) {
  test(`${JSON.stringify(hostile)} without end is code, at once`, () => {
    const begin = performance.now();
    const cleaned = clean(`@bob\n\n${hostile.repeat(60_000 / hostile.length)}`);
    assert.ok(performance.now() - begin < 1000, 'within a second');
    assert.match(cleaned, /^`@bob`\n\n`[^`]+`$/);
  });
}

test('a short text of nothing but headings, quotations or marks is code, at once', () => {
  const begin = performance.now();
  for (const hostile of ['a\n-\n', '=\n', '> a\n\n', '*_', '**a'])
    assert.match(clean(`@bob\n\n${hostile.repeat(7_900 / hostile.length)}`), /^`@bob`\n\n`[^`]+`/);
  assert.ok(performance.now() - begin < 1000, 'within a second');
});

test('nothing gets out of code', () => {
  assert.equal(inlineCode('a`b'), '``a`b``');
  assert.equal(inlineCode('`x`'), '`` `x` ``');
  assert.equal(inlineCode('a\nb'), '`a b`');
  assert.equal(fenced('x\n```\n@bob', 'md'), '````md\nx\n```\n@bob\n````');
});
