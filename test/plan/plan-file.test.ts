import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyPlan, formatPlan, isEmptyPlan, maxPlanCharacters, parsePlan } from '../../src/plan/plan-file.ts';
import { sampleBase, samplePlan } from './sample-plan.ts';

function planOf(text: string) {
  const parsed = parsePlan(text);
  assert.ok('plan' in parsed, JSON.stringify(parsed));
  return parsed.plan;
}

test('a plan is read with its front matter, sections, steps and the lines they stand on', () => {
  const plan = planOf(samplePlan);
  assert.deepEqual(
    { issue: plan.issue, base: plan.base, files: plan.files, verify: plan.verify, title: plan.title, lead: plan.lead },
    {
      issue: 42,
      base: sampleBase,
      files: [
        { path: 'src/cache.ts', change: 'modify' },
        { path: 'test/cache.test.ts', change: 'create' },
      ],
      verify: ['npm test'],
      title: 'Keep the cache bounded',
      lead: '',
    },
  );
  assert.deepEqual(
    plan.sections.map(({ heading, line }) => ({ heading, line })),
    [
      { heading: 'Context', line: 12 },
      { heading: 'Approach', line: 17 },
      { heading: 'Steps', line: 21 },
      { heading: 'Existing code to reuse', line: 27 },
      { heading: 'Verification', line: 31 },
      { heading: 'Risks and open questions', line: 35 },
    ],
  );
  assert.deepEqual(plan.sections[0], {
    heading: 'Context',
    text: 'The cache in `src/cache.ts` never forgets.\nRequests fill it.',
    line: 12,
    citations: [
      {
        path: 'src/cache.ts',
        line: 14,
        lines: null,
        symbol: null,
        sentence: 'The cache in `src/cache.ts` never forgets.',
        isBeside: false,
      },
    ],
    introduced: [],
  });
  assert.deepEqual(plan.steps, [
    {
      title: 'Bound the map in src/cache.ts:12.',
      text: 'Bound the map in `src/cache.ts:12`.\n   Keep its interface.',
      line: 23,
      paths: ['src/cache.ts'],
    },
    {
      title: 'Cover the bound in cache.test.ts.',
      text: '**Cover** the bound in `cache.test.ts`.',
      line: 25,
      paths: ['cache.test.ts'],
    },
  ]);
});

test('a plan in its own format comes back byte for byte', () => {
  assert.equal(formatPlan(planOf(samplePlan)), samplePlan);
});

test('whatever a plan says, formatting and reading it gives the same plan', () => {
  const line = fc.stringMatching(/^[A-Za-z`"'#:&*!|>%@{}[\]-][A-Za-z0-9 `"'#:&*!|>%@{},.[\]()-]{0,40}$/);
  const prose = fc.array(fc.stringMatching(/^[A-Za-z][A-Za-z0-9 `"',.()/]{0,40}[a-z.]$/), { maxLength: 4 });
  const path = fc.stringMatching(/^[a-z#&!%@"' :{}-]{1,12}\/[A-Za-z0-9 ,'"#[\]{}-]{1,12}\.ts$/);
  const content = fc.record({
    issue: fc.integer({ min: 1, max: 1_000_000 }),
    base: fc.stringMatching(/^[0-9a-f]{40}$/),
    files: fc.uniqueArray(
      fc.record({ path, change: fc.constantFrom('create', 'modify', 'delete', 'move') }, { noNullPrototype: true }),
      {
        selector: (entry) => entry.path,
        maxLength: 5,
      },
    ),
    verify: fc.array(line, { maxLength: 3 }),
    title: fc.option(fc.stringMatching(/^[A-Z][a-z`]{0,9}( [a-z`]{1,9}){0,3}$/)),
    lead: prose.map((lines) => lines.join('\n')),
    sections: fc.array(
      fc.record(
        {
          heading: fc.constantFrom('Context', 'Steps', 'Other things'),
          text: prose.map((lines) => lines.map((text, index) => `${index + 1}. ${text}`).join('\n')),
        },
        { noNullPrototype: true },
      ),
      { maxLength: 4 },
    ),
  });
  fc.assert(
    fc.property(content, (written) => {
      const text = formatPlan(written);
      const plan = planOf(text);
      assert.equal(formatPlan(plan), text);
      assert.deepEqual(
        { ...plan, sections: plan.sections.map(({ heading, text: body }) => ({ heading, text: body })) },
        { ...written, steps: plan.steps },
      );
    }),
    { numRuns: 200 },
  );
});

test('a base that looks like a number is written so that it stays text', () => {
  const base = '1234567890123456789012345678901234567e12';
  assert.equal(planOf(formatPlan({ ...planOf(samplePlan), base })).base, base);
});

test('text that stands before the first section belongs to no section', () => {
  const plan = planOf(samplePlan.replace('## Context', 'Read this first.\n\n- a\n- b\n\n## Context'));
  assert.equal(plan.lead, 'Read this first.\n\n- a\n- b');
  assert.equal(plan.sections[0]?.heading, 'Context');
});

test('a heading inside a code block starts no section', () => {
  const plan = planOf(samplePlan.replace('Requests fill it.', '```\n## Steps\n1. `src/evil.ts`\n```'));
  assert.equal(plan.sections.length, 6);
  assert.equal(plan.steps.length, 2);
});

test('steps that other text interrupts are still all steps, and task marks are not part of a title', () => {
  const plan = planOf(samplePlan.replace('2. **Cover**', '\n> A word between.\n\n2. [ ] **Cover**'));
  assert.deepEqual(
    plan.steps.map((step) => step.title),
    ['Bound the map in src/cache.ts:12.', 'Cover the bound in cache.test.ts.'],
  );
});

test('Windows line ends and a byte order mark change nothing', () => {
  assert.deepEqual(planOf(`\uFEFF${samplePlan.replaceAll('\n', '\r\n')}`), planOf(samplePlan));
});

test('every problem of the front matter names line and key', () => {
  const broken = samplePlan
    .replace('issue: 42', 'issue: forty-two')
    .replace('change: modify', 'chnage: modify')
    .replace('test/cache.test.ts', '../outside.ts')
    .replace('  - npm test', '  - ""\nextra: 1');
  assert.deepEqual(parsePlan(broken), {
    problems: [
      'line 2, issue: expected a number, got "forty-two"',
      'line 5, files.0.change: missing; expected one of create, modify, delete, move',
      'line 5, files.0.chnage: unknown key; did you mean files[].change?',
      'line 6, files.1.path: expected the path of one file from the root of the repository, e.g. src/cache.ts (no leading /, no ./ or .. parts, no pattern), got "../outside.ts"',
      'line 8, verify.0: expected a command in one line, got ""',
      'line 9, extra: unknown key; remove it',
    ],
  });
});

test('a path or a command with characters that nobody sees is a problem, though YAML writes them in letters', () => {
  for (const hidden of ['\\0', '\\e', '\\u202e', '\\u200b', '\\L', '\\ud800']) {
    const path = parsePlan(samplePlan.replace('path: src/cache.ts', `path: "src/${hidden}cache.ts"`));
    assert.match(
      JSON.stringify(path),
      /line 5, files\.0\.path: expected (?:a path whose characters can all be seen|the path of)/,
      hidden,
    );
    const command = parsePlan(samplePlan.replace('  - npm test', `  - "npm test${hidden} x"`));
    assert.match(
      JSON.stringify(command),
      /line 8, verify\.0: expected a command whose characters can all be seen/,
      hidden,
    );
  }
});

test('a path named twice is a problem', () => {
  assert.deepEqual(parsePlan(samplePlan.replace('test/cache.test.ts', 'src/cache.ts')), {
    problems: ['line 4, files: expected each path once, got a list of 2 entries'],
  });
});

for (const [what, text] of [
  ['a plan without front matter', '# Plan\n'],
  ['a plan whose front matter is never closed', '---\nissue: 42\n# Plan\n'],
] as const) {
  test(`${what} is told so`, () => {
    assert.deepEqual(parsePlan(text), {
      problems: ['line 1: expected front matter between two "---" lines, got none; begin the file with it'],
    });
  });
}

test('broken YAML is told with its line', () => {
  assert.deepEqual(parsePlan(samplePlan.replace('issue: 42', 'issue: 42\nissue: 43')), {
    problems: ['line 3, issue: the key is there twice; keep one'],
  });
});

test('a plan of exactly the greatest size is read, one more character is not', () => {
  const filler = (length: number) =>
    samplePlan + `${' '.repeat(99)}\n`.repeat(700).slice(0, length - samplePlan.length);
  assert.ok('plan' in parsePlan(filler(maxPlanCharacters)));
  assert.deepEqual(parsePlan(filler(maxPlanCharacters + 1)), {
    problems: ['line 1: expected at most 65000 characters in the file, got 65001; shorten the plan'],
  });
});

test('a line that is no sentence any more is refused instead of being read for minutes', () => {
  assert.deepEqual(parsePlan(samplePlan + '>'.repeat(40_000)), {
    problems: ['line 38: expected at most 4000 characters in a line, got 40000; write one sentence a line'],
  });
});

test('a front matter nested without end is a problem and no crash', () => {
  const parsed = parsePlan(samplePlan.replace('issue: 42', `issue:\n${'[\n'.repeat(20_000)}`));
  assert.deepEqual(parsed, { problems: ['line 2: nested too deep; write it flat'] });
});

for (const [what, hostile] of [
  ['front matter', samplePlan.replace('issue: 42', `issue: 42\n${'? '.repeat(1900)}`)],
  ['front matter of lists', samplePlan.replace('issue: 42', `issue: 42\n${'- '.repeat(1900)}`)],
  ['front matter of values', samplePlan.replace('issue: 42', `issue: 42\n${': '.repeat(1900)}`)],
  ['front matter indented', samplePlan.replace('issue: 42', `issue: 42\n${indented(300)}`)],
  ['quotation', samplePlan.replace('None.', `${'>'.repeat(3900)}\n`.repeat(10))],
  ['list', samplePlan.replace('None.', `${'1. '.repeat(1300)}a\n`.repeat(10))],
] as const) {
  test(`a ${what} nested thousands deep is a problem, told at once`, () => {
    const begin = performance.now();
    const parsed = parsePlan(hostile);
    assert.ok(performance.now() - begin < 1000, 'within a second');
    assert.ok('problems' in parsed);
    assert.match(parsed.problems.join(), /^line \d+: nested too deep; write it flat$/);
  });
}

test('a plan of far more lines than anybody reads is a problem, told at once: reading them takes the square of their number', () => {
  const lines = {
    problems: ['line 10: expected at most 3000 lines below the front matter, got more; shorten the plan'],
  };
  const begin = performance.now();
  for (const atom of ['a\n-\n', '=\n', `${'=\r'.repeat(1000)}\n`, '> \n']) {
    assert.deepEqual(parsePlan(samplePlan.replace('None.', atom.repeat(40_000 / atom.length))), lines, atom);
  }
  const open = parsePlan(samplePlan.replace('None.', `${'<!--'.repeat(900)}\n`.repeat(10)));
  assert.ok('problems' in open);
  assert.match(open.problems.join(), /^line 10: expected at most 50 "<!" below the front matter, got 9000;/);
  assert.ok(performance.now() - begin < 1000, 'within a second');
});

test('a plan of nothing but open brackets is a problem, told at once', () => {
  const begin = performance.now();
  for (const atom of ['[a](', '[a][']) {
    const parsed = parsePlan(samplePlan.replace('None.', `${atom.repeat(900)}\n`.repeat(10)));
    assert.ok('problems' in parsed);
    assert.match(parsed.problems.join(), /^line 10: expected at most 2000 "\[" below the front matter, got \d+/);
  }
  assert.ok(performance.now() - begin < 1000, 'within a second');
});

test('the placeholder begins with the words that say that there is no plan, and is a plan file', () => {
  const text = emptyPlan(42, sampleBase);
  assert.equal(
    text,
    `---
issue: 42
base: ${sampleBase}
files: []
verify: []
---
No plan written yet. Request changes to have one written, or close this pull request.
`,
  );
  assert.deepEqual(planOf(text).files, []);
  assert.equal(isEmptyPlan(text), true);
});

for (const text of [
  '',
  ' \n\n',
  '---\nissue: 1\n---\n',
  'No plan written yet',
  '---\n: [\n---\n\n  No plan written yet, sorry',
]) {
  test(`${JSON.stringify(text)} is no plan`, () => {
    assert.equal(isEmptyPlan(text), true);
  });
}

test('a plan that only mentions the placeholder is a plan', () => {
  assert.equal(isEmptyPlan(samplePlan.replace('None.', 'No plan written yet was the first answer.')), false);
});

/** Mappings within each other, each a column further in. */
function indented(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
}
