import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Script, startModelServer, startStream, textOf } from '../agent/model-server.ts';
import { createSource, dryRun, git, openFolder, planning, snapshot } from './dry-world.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

async function serve(t: TestContext, script: Script) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  return server;
}

/** As a person starts it, with nothing but the model in its environment. */
function start(folder: string, modelUrl: string, args: readonly string[]): ChildProcess {
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const env = {
    PATH: process.env.PATH,
    TMPDIR: temporary,
    ANTHROPIC_API_KEY: 'key-canary',
    ANTHROPIC_BASE_URL: modelUrl,
  };
  return spawn(process.execPath, [main, 'plan', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outputOf(child: ChildProcess) {
  assert.ok(child.stdout !== null && child.stderr !== null);
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, out, err: err.trimEnd().split('\n') };
}

test('a dry run plans what is committed at HEAD, prints the plan alone, and leaves no byte and no time of the repository other than it was', async (t) => {
  const folder = openFolder(t);
  const source = createSource(join(folder, 'my project'), { 'AGENTS.md': 'Use tabs.\n' });
  const head = git(source, 'rev-parse', 'HEAD');
  writeFileSync(join(source, 'src/cache.js'), 'export const cache = 2;\n');
  writeFileSync(join(source, 'loose.txt'), 'not committed\n');
  const issue = join(folder, 'issue.md');
  writeFileSync(issue, '# Cache it\n\nIt is slow.\n');
  const before = snapshot(source);
  const server = await serve(t, planning);

  const run = await outputOf(start(folder, server.url, ['--repo', source, '--issue', issue]));

  assert.deepEqual(snapshot(source), before);
  assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
  assert.match(run.out, new RegExp(`^---\\nissue: 1\\nbase: "${head}"\\n.*\\nNone\\.\\n$`, 's'));
  assert.deepEqual(
    [run.code, ...run.err.map((line) => line.replace(/^ *[\d.]+ s {2}/, ''))],
    [
      0,
      `Reading ${source} at ${head.slice(0, 10)} (branch trunk).`,
      'Note: 2 changes are not committed; the agent sees what is committed at HEAD and nothing else.',
      `Asking the model claude-sonnet-5-5 at ${server.url}, as ANTHROPIC_BASE_URL says.`,
      'turn 1        read src/cache.js (10 tokens in, 5 out so far)',
      'turn 2        write_plan, exit_plan_mode (20 tokens in, 10 out so far)',
      'The plan lint found nothing.',
      'Used so far: 2 turns, 20 tokens in, 10 tokens out, price not known.',
    ],
  );
  const [first, second] = server.requests;
  assert.match(textOf(first?.messages[0]), /Cache it\n\nIt is slow\.\n.*AGENTS\.md.*Use tabs\./s);
  assert.match(textOf(second?.messages.at(-1)), /export const cache = 1;/);
});

test('a dry run that is interrupted ends every process, leaves no folder behind and prints no plan', async (t) => {
  const folder = openFolder(t);
  const source = createSource(join(folder, 'source'));
  const issue = join(folder, 'issue.md');
  writeFileSync(issue, 'Cache it');
  const asked = Promise.withResolvers<void>();
  const server = await serve(t, () => ({
    raw: (response) => {
      startStream(response);
      asked.resolve();
    },
  }));
  const child = start(folder, server.url, ['--repo', source, '--issue', issue]);
  const output = outputOf(child);
  await asked.promise;
  const agents = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  assert.equal(agents.length, 1);

  child.kill('SIGINT');
  const { code, out, err } = await output;

  assert.deepEqual(
    [code, out, err.at(-1)],
    [130, '', 'Interrupted. There is no plan; nothing is at work any more and nothing was left behind.'],
  );
  assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
  assert.deepEqual(
    agents.filter((pid) => existsSync(`/proc/${pid}`)),
    [],
  );
});

test('a dry run whose agent asks prints numbered questions in place of a plan, and is no success', async (t) => {
  const folder = openFolder(t);
  const questions = [{ question: 'Which cache?', suggestions: ['LRU'] }];
  const server = await serve(t, () => ({ say: [{ tool: 'ask_user_question', input: { questions } }] }));
  const { code, out, err } = await dryRun({ repository: createSource(join(folder, 'source')), modelUrl: server.url });
  assert.deepEqual([code, out], [3, '']);
  assert.deepEqual(err.slice(err.indexOf('There is no plan yet: the agent asks')), [
    'There is no plan yet: the agent asks',
    '1. Which cache?',
    '   - LRU',
    'Write the answers into the issue file, e.g. as "## Answers" with a numbered list, and run the same command again.',
    'Used so far: 1 turn, 10 tokens in, 5 tokens out, price not known.',
  ]);
});

test('a dry run with a revoked key says what the model answered, keeps the key to itself, and is no success', async (t) => {
  const folder = openFolder(t);
  const server = await serve(t, () => ({ status: 401, type: 'authentication_error' }));
  const { code, out, err } = await dryRun({ repository: createSource(join(folder, 'source')), modelUrl: server.url });
  assert.deepEqual([code, out], [1, '']);
  assert.match(err.join('\n'), /401/);
  assert.match(err.join('\n'), /authentication_error/);
  assert.ok(!err.join('\n').includes('key-canary'));
});

test('a dry run names every mistake of the configuration at HEAD, and asks no model', async (t) => {
  const folder = openFolder(t);
  const config = 'plan:\n  path: 7\nbudjet: {}\n';
  const repository = createSource(join(folder, 'source'), { '.github/planwright.yml': config });
  const server = await serve(t, planning);
  const { code, out, err } = await dryRun({ repository, modelUrl: server.url });
  assert.deepEqual([code, out, server.requests.length], [2, '', 0]);
  assert.deepEqual(
    err.slice(2).map((line) => line.replace(/: (?:expected|unknown).*/, '')),
    [
      '.github/planwright.yml at HEAD cannot be used; mend this and commit it:',
      '- line 2, plan.path',
      '- line 3, budjet',
    ],
  );
});

test('a dry run with a ceiling in dollars on a model whose price is not known does not start, and names the key', async (t) => {
  const config = 'budget:\n  max_dollars: 2\n';
  const repository = createSource(join(openFolder(t), 'source'), { '.github/planwright.yml': config });
  const { code, out, err } = await dryRun({ repository, modelUrl: 'http://127.0.0.1:9' });
  assert.deepEqual([code, out], [2, '']);
  assert.match(err.at(-1) ?? '', /^`budget\.max_dollars` is set, and the price of the model is not known/);
});

test('a dry run without a repository, an issue or a key says what is missing, and reads nothing', async () => {
  const modelUrl = 'http://127.0.0.1:9';
  const missing = [
    await dryRun({ repository: null, modelUrl }),
    await dryRun({ repository: '.', issue: null, modelUrl }),
    await dryRun({ repository: '.', issue: ' ', modelUrl }),
    await dryRun({ repository: '.', modelUrl: null }),
  ];
  assert.deepEqual(
    missing.map(({ code, out, err }) => [code, out, ...err]),
    [
      [2, '', 'expected --repo PATH, got none; name a git repository'],
      [2, '', 'expected --issue FILE, got none; name a Markdown file, or - for standard input'],
      [2, '', 'expected a title in the first line of standard input, got none; write what is wanted'],
      [2, '', 'The environment cannot be used:', '  ANTHROPIC_API_KEY: expected a value, got none'],
    ],
  );
});
