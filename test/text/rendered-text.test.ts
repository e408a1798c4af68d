import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { renderText } from '../../src/text/rendered-text.ts';
import { hiddenChannels } from './hidden-channels.ts';

function render(markdown: string): { readonly text: string; readonly hidden: number } {
  const rendered = renderText(markdown);
  assert.ok('text' in rendered, `expected a text, got ${JSON.stringify(rendered)}`);
  return rendered;
}

test(`what nobody sees of a rendered text is taken out and counted, or shown with a mark, in ${hiddenChannels.length} channels (S19, S20, S21, case 156, case 157)`, () => {
  const found = hiddenChannels.map(([name, markdown]) => [name, render(`Before.\n\n${markdown}\n\nAfter.`)] as const);
  const expected = hiddenChannels.map(([name, , text, hidden = text === '' ? 1 : 0]) => {
    const shown = ['Before.', ...(text === '' ? [] : [text]), ...(name.endsWith('open to the end') ? [] : ['After.'])];
    return [name, { text: shown.join('\n\n'), hidden }];
  });
  assert.deepEqual(found, expected);
  assert.ok(hiddenChannels.length >= 24);
});

const legitimate = [
  '# Title\n\n## Part\n\nA paragraph\nof two lines, 2 * 3 < 7 and a < b && c > d; snake_case, __init__, *so* and **so**, _so_, ~~so~~.',
  'See https://example.com/a_b_c/_d_?x=1&y=2#z, mail ada@example.com, ask @ada about #4 and a1b2c3d; `code <b> &amp; <!-- x -->`.',
  '- a\n  - b\n- [ ] open\n- [x] done\n\n1. one\n2. two\n\n> quoted\n> twice\n\n---\n\n10. ten\n11. eleven',
  '```ts\nconst a: Vec<T> = "<!-- kept -->"; // &amp; `x`\n\n\tindented\n```\n\n````\n```\n````',
  '| a | b |\n| --- | --- |\n| 1 | `x \\| y` |',
  'Text[^1] and more[^note].\n\n[^1]: A footnote.\n\n[^note]: Another.\n\n    With a second part.',
  '👨‍👩‍👧‍👦 ❤️ ☺︎ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 1️⃣ 👍🏽 שָׁלוֹם עולם, مرحبا بالعالم می‌خواهم, ภาษาไทย, 中文, ﷺ',
  '> [!NOTE]\n> An alert.\n\nArray[0][1] is C:\\dir\\file, $x^2$ and 5 > 3.',
  'Line one\nLine two',
];

test('what people write for each other reaches the model byte for byte (S19, S21)', () => {
  assert.deepEqual(
    legitimate.map(render),
    legitimate.map((text) => ({ text, hidden: 0 })),
  );
});

test('what looks different when it is rendered reads as a person sees it', () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ['Setext\n===\n\n* star\n+ plus', '# Setext\n\n- star\n\n- plus', 0],
    ['    indented code <b>', '```\nindented code <b>\n```', 0],
    ['[docs](./docs/a_b.md) and <https://example.com>', 'docs (`./docs/a_b.md`) and https://example.com', 0],
    ['[ref][r]\n\n[r]: https://example.com', 'ref (https://example.com)', 1],
    ['Vec<T> and List<Item>', 'Vec and List', 2],
    ['H<sub>2</sub>O <kbd>Ctrl</kbd><br>next', 'H2O Ctrl\nnext', 0],
    ['<div align="center">\n\n# Hello\n\n</div>', '# Hello', 0],
    ['<details open><summary>More</summary>\n\ntext\n\n</details>', 'More\n\ntext', 0],
    ['<table><tr><th>a</th></tr><tr><td>b</td><td>c|d</td></tr></table>', '| a |  |\n| --- | --- |\n| b | c\\|d |', 0],
    ['&lt;!-- shown --&gt; &copy;', '\\<!-- shown --> ©', 0],
    ['one\r\ntwo', 'one\ntwo', 0],
    ['', '', 0],
  ];
  assert.deepEqual(
    cases.map(([markdown]) => render(markdown)),
    cases.map(([, text, hidden]) => ({ text, hidden })),
  );
});

const pieces = [
  ...[
    '<!--',
    '-->',
    '--!>',
    '<?',
    '?>',
    '<!X ',
    '<![CDATA[',
    ']]>',
    '<b>',
    '</b>',
    '<T>',
    '<x a="',
    '"',
    "'",
    '>',
    '<',
  ],
  ...[
    '&lt;',
    '&amp;',
    '&#60;',
    '!--',
    '&#x200b;',
    '\u200b',
    '\u{e0041}',
    '[a]',
    '[a]: b',
    '(b "t")',
    '![',
    '](',
    '[',
    ']',
  ],
  ...[
    '[^1]',
    '[^1]: ',
    '`',
    '```',
    '~~~',
    '*',
    '_',
    '\\',
    '\n',
    '\n\n',
    '\n    ',
    '\n- ',
    '\n1. ',
    '\n> ',
    '\n# ',
    '|',
  ],
  ...['\n| a | b |\n|---|---|\n', '\n---\n', '\n===\n', ' ', 'a', 'script', '<script>', '<details>', '<table><tr><td>'],
  ...['<img alt="q" src="u">', '<a href="u">', '</a>', '<template>', '<p hidden>', '<br>', '<pre>', '</pre>', '<code>'],
];

test('whatever is rendered, nothing more is taken out of the result: no tag and no comment comes together late (S22)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const { text } = render(parts.join(''));
      const { hidden, text: again } = render(text);
      const letters = (each: string) => each.replace(/[^\p{L}]/gu, '');
      assert.deepEqual([hidden, letters(again)], [0, letters(text)]);
    }),
    { numRuns: 300 },
  );
});

test('a text whose rendering would keep the process busy is refused with a reason, and never given unread (S26)', () => {
  const deep = Array.from({ length: 120 }, (_, level) => `${' '.repeat(level * 2)}- a`).join('\n');
  const hostile = {
    'lists on a line': '- '.repeat(30),
    'lists in lists': deep,
    tags: '<b></b>'.repeat(6_000),
    'open tags': '<b id=1><i id=2>\n\na\n\n'.repeat(1_000),
    'elements in elements': '<span>a'.repeat(1_000),
  };
  const refused = Object.entries(hostile).map(([name, text]) => [name, renderText(text)]);
  assert.deepEqual(refused, [
    ['lists on a line', { refused: 'it holds lists or quotations in each other, more than 20 deep on a line' }],
    ['lists in lists', { refused: 'it holds lists or quotations too deep in each other' }],
    ['tags', { refused: 'it holds 12000 HTML tags, and at most 10000 are read' }],
    ['open tags', { refused: 'it holds HTML tags that are opened again and again and never closed' }],
    ['elements in elements', { refused: 'it holds HTML elements in each other, more than 400 deep' }],
  ]);
});

test('the longest text that GitHub takes is read, whatever it repeats, without growing slower than its length (S26)', () => {
  const parts = ['![', '<!--', '[a\n', 'a\n=\n'];
  const slowest = Math.max(
    ...parts.map((part) => {
      const text = part.repeat(65_536 / part.length);
      const start = process.cpuUsage();
      assert.ok('text' in renderText(text));
      return process.cpuUsage(start).user / 1_000_000;
    }),
  );
  assert.ok(slowest < 5, `expected less than 5 CPU seconds, got ${slowest}`);
});
