// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { implement } from './implementation.ts';
import { type Answer, blocksOf, type Part, type SentRequest } from './model-server.ts';
import { type DrivenRun, driveHere } from './run-driver.ts';

const canary = 'canary-beside-the-checkout';
const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };

const paths = [
  ...['../secret.txt', '../../secret.txt', 'src/../../secret.txt', '/etc/passwd', '/proc/self/environ', '/dev/zero'],
  ...['out/secret.txt', 'out', 'loop', '.git/config', '.git/hooks/pre-commit', '.GIT/config', 'plan.md', './plan.md'],
  ...['src/cache.js', 'src', '.', '..', '', ' ', '~', '~/.ssh/id_rsa', 'file:///etc/passwd', '..%2fsecret.txt'],
  ...['C:\\Windows', '\\\\host\\share', 'src/cache.js\u0000.txt', 'src/\u202ecache', 'src/\ud800', 'e\u0301', '👩‍👩‍👧'],
  ...[
    '$(touch x)',
    '`touch x`',
    "'; touch x #",
    '| touch x',
    '-rf',
    '--output=x',
    '**/*',
    '{a,b}{c,d}',
    '('.repeat(500),
  ],
  ...['__proto__', 'constructor', 'prototype', 'x'.repeat(100_000), '../'.repeat(2_000), 'a/'.repeat(3_000)],
];
const anything = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...paths) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, -1, 1e308, 2 ** 53, [], [1, 1e9], {}, [[[[]]]]) },
);
const strangeKeys = ['__proto__', 'constructor', 'toString', 'path', 'then', 'length'];
/** A call whose keys are mostly those that the tool must have. */
const call = fc.record({
  tool: fc.nat(),
  values: fc.array(anything, { minLength: 5, maxLength: 5 }),
  isComplete: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  strange: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...strangeKeys) },
  ),
  whole: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anything }),
});
const strangeNames = ['__proto__', 'constructor', 'hasOwnProperty', 'READ', 'read ', 'write\u0000', 'x'.repeat(5_000)];

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** Of the tools of a request those that do not end the turn, nor run commands or helpers. */
function callable({ tools }: SentRequest) {
  const left = ['ask_user_question', 'exit_plan_mode', 'enter_plan_mode', 'propose_amendment', 'bash', 'delegate'];
  return tools.filter(({ name }) => !left.includes(name));
}

function hostileCall(request: SentRequest, { tool, values, isComplete, strange, whole }: Call): Part {
  const tools = callable(request);
  const definition = tools[tool % tools.length];
  const { properties = {}, required = [] } = definition?.input_schema ?? {};
  const keys = isComplete ? Object.keys(properties) : required;
  const input = Object.fromEntries(keys.map((key, index) => [key, values[index % 5]]));
  const json = JSON.stringify(whole === undefined ? input : whole);
  const first = `{${JSON.stringify(strange)}:${JSON.stringify(values[0])}${json === '{}' ? '' : ','}`;
  return { tool: definition?.name ?? '', json: strange === null ? json : json.replace(/^\{/, () => first) };
}

/** Every file, folder and link beneath, with its mode and content. */
function picture(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    entries.map((entry) => {
      const file = path.join(folder, entry);
      const found = lstatSync(file);
      const content = found.isSymbolicLink() ? readlinkSync(file) : found.isFile() ? readFileSync(file, 'base64') : '';
      return [entry, `${found.mode.toString(8)} ${content}`];
    }),
  );
}

/** Ten hostile calls a turn, then names that nobody offers, then an end. */
function adversary(calls: readonly Call[]) {
  return (request: SentRequest, index: number): Answer => {
    const turn = calls.slice(index * 10, index * 10 + 10).map((recipe) => hostileCall(request, recipe));
    if (turn.length > 0) return { say: turn };
    return index * 10 < calls.length + 10 ? { say: strangeNames.map((tool) => ({ tool, input: {} })) } : ask;
  };
}

async function beside(checkout: string): Promise<void> {
  const folder = path.dirname(checkout);
  await writeFile(path.join(folder, 'secret.txt'), canary);
  await mkdir(path.join(folder, 'outside'));
  await writeFile(path.join(folder, 'outside/secret.txt'), canary);
  await symlink(path.join(folder, 'outside'), path.join(checkout, 'out'));
  await symlink('loop', path.join(checkout, 'loop'));
}

function assertHarmless(run: DrivenRun): void {
  assert.ok(run.result?.kind === 'question' || run.result?.kind === 'failed', JSON.stringify(run.result));
  const said = JSON.stringify([run.server.requests.map(({ messages }) => messages), run.messages]);
  assert.doesNotMatch(said, new RegExp(`${canary}|key-canary|root:x:0`));
  const results =
    run.server.requests
      .at(-1)
      ?.messages.flatMap(blocksOf)
      .filter(({ type }) => type === 'tool_result') ?? [];
  for (const { content } of results) assert.ok(typeof content === 'string' && content.length < 70_000);
  assert.deepEqual(Object.keys(Object.prototype), []);
}

test('S37: whatever a model calls the tools of a plan run with, the checkout stays as it is to the byte and nothing gets out', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 40, maxLength: 60 }), async (calls) => {
      let before = {};
      const run = await driveHere({
        script: adversary(calls),
        prepare: async (checkout) => {
          await beside(checkout);
          before = picture(path.dirname(checkout));
        },
        inspect: ({ checkout }) => assert.deepEqual(picture(path.dirname(checkout)), before),
      });
      assertHarmless(run);
      answered += run.server.requests.length - 1;
    }),
    { numRuns: 6 },
  );
  assert.ok(answered >= 12, `expected turns of hostile calls to be answered, got ${answered}`);
});

test('S37: whatever a model calls the tools of an implementation with, only what the plan names changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 40, maxLength: 60 }), async (calls) => {
      let before: Readonly<Record<string, string>> = {};
      const given = implement(
        adversary(calls),
        {},
        {
          prepare: async (checkout) => {
            await beside(checkout);
            before = picture(path.dirname(checkout));
          },
          inspect: ({ checkout }) => {
            const { 'checkout/src/cache.js': _before, ...rest } = before;
            const { 'checkout/src/cache.js': _after, ...now } = picture(path.dirname(checkout));
            assert.deepEqual(now, rest);
          },
        },
      );
      assertHarmless(await driveHere(given));
    }),
    { numRuns: 4 },
  );
});
