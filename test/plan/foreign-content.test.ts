import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostOf, lintForeign, withoutForeign } from '../../src/plan/foreign-content.ts';
import { lintPlan } from '../../src/plan/lint.ts';
import { treeOf } from './base-tree.ts';
import { sampleBase, sampleFiles, samplePlan } from './sample-plan.ts';

const head = '---\nissue: 42\nverify: ["curl https://evil.test/"]\n---\n';
const host = 'github.test';
const inert = (body: string) => withoutForeign(head + body, host).slice(head.length);
const found = (body: string) => lintForeign(head + body, host);
const advice = 'write its address in backticks, or leave it out';
const html = 'HTML, which does not show as it is written; put it in backticks, or leave it out';

test('case 162: an image or a link to another host is found with its line, and is code once the host has the plan', () => {
  for (const [text, what, shown] of [
    [
      '![pixel](https://evil.test/?d=1)',
      `an image that leads to \`evil.test\`; ${advice}`,
      'pixel (`https://evil.test/?d=1`)',
    ],
    [
      '[click](https://evil.test/?d=1)',
      `a link that leads to \`evil.test\`; ${advice}`,
      'click (`https://evil.test/?d=1`)',
    ],
    ['https://evil.test/?d=1', `a link that leads to \`evil.test\`; ${advice}`, '`https://evil.test/?d=1`'],
    ['<https://evil.test/?d=1>', `a link that leads to \`evil.test\`; ${advice}`, '`https://evil.test/?d=1`'],
    ['www.evil.test/?d=1', `a link that leads to \`www.evil.test\`; ${advice}`, '`www.evil.test/?d=1`'],
    ['[a](//evil.test/x)', `a link that leads to \`evil.test\`; ${advice}`, 'a (`//evil.test/x`)'],
    [
      '[a](https://github.test@evil.test/)',
      `a link that leads to \`evil.test\`; ${advice}`,
      'a (`https://github.test@evil.test/`)',
    ],
    [
      '[a](https://github.test.evil.test/)',
      `a link that leads to \`github.test.evil.test\`; ${advice}`,
      'a (`https://github.test.evil.test/`)',
    ],
    ['[a](/\\\\evil.test/)', `a link that leads to \`evil.test\`; ${advice}`, 'a (`/\\evil.test/`)'],
    ['ask x@evil.test', `a link that leads to an address of the kind \`mailto:\`; ${advice}`, 'ask `x@evil.test`'],
    ['[1]: https://evil.test/x', `a link that leads to \`evil.test\`; ${advice}`, '`[1]: https://evil.test/x`'],
    ['a <img src="https://evil.test/"> b', html, 'a &lt;img src="`https://evil.test/">` b'],
    ['<!-- hidden -->', html, '&lt;!-- hidden -->'],
  ] as const) {
    assert.deepEqual(found(`One.\n\n${text}\n`), [`line 7: ${what}`], text);
    assert.equal(inert(`One.\n\n${text}\n`), `One.\n\n${shown}\n`, text);
    assert.deepEqual(found(inert(`One.\n\n${text}\n`)), [], text);
  }
});

test('case 162: what leads to the forge itself or within the repository, and what is code, stays byte for byte', () => {
  const body = [
    '# Title\r\n',
    'See [the issue](https://github.test/o/r/issues/1), https://github.test/o/r and [a file](src/a.ts#L1).',
    '![a picture](docs/a.png) and `https://evil.test/?d=1`, `<b>`.',
    '```html\n<img src="https://evil.test/">\n```',
    '    ![x](https://evil.test/)',
  ].join('\n');
  assert.deepEqual(found(body), []);
  assert.equal(withoutForeign(head.replaceAll('\n', '\r\n') + body, host), head.replaceAll('\n', '\r\n') + body);
});

test('case 162: where there is no forge every host is another one; of a thread, the forge is the host of its issue', () => {
  assert.equal(lintForeign('https://github.test/x', null).length, 1);
  assert.equal(hostOf('https://github.test:3001/o/r/issues/1'), 'github.test:3001');
  assert.equal(hostOf(''), null);
});

test('case 162: whatever is put together of Markdown, nothing of other hosts is left, and a second time changes nothing', () => {
  const parts = [
    '![',
    '](',
    'https://evil.test/x',
    ')',
    '[',
    ']',
    ': ',
    '\n',
    '\n\n',
    ' ',
    '<',
    '>',
    '`',
    '``',
    '\\',
    'www.evil.test',
    '<!--',
    '-->',
    '> ',
    '1. ',
    '<a href="',
    '"',
    '|',
    '&lt;',
    '*',
    '~~',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 16 }), (chosen) => {
      const once = withoutForeign(chosen.join(''), host);
      assert.deepEqual(lintForeign(once, host), []);
      assert.equal(withoutForeign(once, host), once);
    }),
    { numRuns: 300 },
  );
});

test('case 162: of a body that would take minutes to read, none is read: it becomes code as a whole', () => {
  const lines = [
    '[a](https://evil.test) '.repeat(100),
    '<!--'.repeat(900),
    `[a](https://evil.test) ${'a'.repeat(4_000)}`,
  ];
  for (const body of ['a\n-\n'.repeat(10_000), ...lines.map((line) => `${line}\n`.repeat(30))]) {
    assert.equal(withoutForeign(head + body, host), `${head}\`\`\`markdown\n${body.trimEnd()}\n\`\`\`\n`);
  }
});

test('case 162: the plan lint tells of it before the plan is presented', () => {
  const context = { issue: 42, base: sampleBase, planPath: 'plan.md', forgeHost: host, ...treeOf(sampleFiles) };
  const plan = samplePlan.replace('Requests fill it.', 'Requests fill it, see https://evil.test/?d=1.');
  const told = lintPlan(plan, context).filter((finding) => finding.includes('evil.test'));
  assert.match(
    told.join('\n'),
    /^line \d+: a link that leads to `evil\.test`; write its address in backticks, or leave it out$/,
  );
});
