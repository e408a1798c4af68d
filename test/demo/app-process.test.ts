import assert from 'node:assert/strict';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type AppFailure, findFreePort, startApp } from '../../src/local/demo/app-process.ts';
import { createFolder, removeFolder } from '../../src/local/demo/folders.ts';

/** A program in place of the app. */
async function writeProgram(t: TestContext, source: string): Promise<string> {
  const folder = await createFolder();
  t.after(() => removeFolder(folder));
  const file = join(folder, 'program.mjs');
  await writeFile(file, source);
  return file;
}

const healthy = `
import { createServer } from 'node:http';
console.log(JSON.stringify([process.argv[2], Object.keys(process.env).toSorted()]));
createServer((request, response) => response.end('ok')).listen(Number(process.env.PORT), '127.0.0.1');
`;

test('the app gets the environment it is given and no other, and stops when asked to', async (t) => {
  const program = await writeProgram(t, healthy);
  const port = await findFreePort();
  const environment = { PORT: String(port), HOST: '127.0.0.1' };
  const app = await startApp({ port, environment, program, signal: new AbortController().signal });
  assert.equal(app.ended(), null);
  await app.stop();
  assert.equal(app.ended(), 'by SIGTERM');
  assert.deepEqual(app.log, ['["start",["HOST","PORT"]]']);
});

test('an app that ends before it is healthy is told with its last lines', async (t) => {
  const program = await writeProgram(
    t,
    "for (let n = 0; n < 50; n += 1) console.error('line', n);\nprocess.exitCode = 3;\n",
  );
  const settings = { port: await findFreePort(), environment: {}, program, signal: new AbortController().signal };
  await assert.rejects(startApp(settings), (error: AppFailure) => {
    assert.equal(error.message, 'expected the app to start, but it ended with exit code 3');
    assert.deepEqual([error.log.length, error.log[0], error.log.at(-1)], [40, 'line 10', 'line 49']);
    return true;
  });
});

test('an interruption stops an app that is still starting', async (t) => {
  const program = await writeProgram(t, 'setInterval(() => undefined, 1000);\n');
  const stop = new AbortController();
  const starting = startApp({ port: await findFreePort(), environment: {}, program, signal: stop.signal });
  stop.abort();
  await assert.rejects(starting, { name: 'AbortError' });
});

test('a folder goes with what nobody may write in it', async () => {
  const folder = await createFolder();
  await mkdir(join(folder, 'checkout'));
  await writeFile(join(folder, 'checkout', 'file'), '');
  await mkdir(join(folder, 'checkout', 'src'), { mode: 0o500 });
  await removeFolder(folder);
  await assert.rejects(access(folder), { code: 'ENOENT' });
});
