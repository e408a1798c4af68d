import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from '../../src/engine/audit-log.ts';
import { openDatabase } from '../../src/engine/database.ts';
import { type AuditOrder, printAudit } from '../../src/engine/print-audit.ts';
import { silent, temporaryFolder } from './engine-fixture.ts';
import { copyDatabase } from './made-database.ts';

async function printed(dataDir: string, thread: string, more: Partial<AuditOrder> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const order = { thread, asJson: false, dataDir, print: (line: string) => void out.push(line), ...more };
  const code = await printAudit({ ...order, complain: (line) => void err.push(line) });
  return { code, out: out.map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')), err };
}

test('S84: the audit log of a thread is printed by its issue or its pull request, and by nothing else', async () => {
  await using folder = await temporaryFolder();
  await copyDatabase(folder.path);
  const database = await openDatabase(folder.path);
  const ports = { db: database.db, log: silent };
  const thread = { installation: 7, repository: 100, owner: 'octo', name: 'Shop', pull_request: null };
  const both = [
    { ...thread, key: '100#42', issue: 42, pull_request: 43 },
    { ...thread, key: '100#7', issue: 7 },
  ];
  await database.db.insertInto('thread').values(both).execute();
  await audit(ports, { thread: '100#42', run: null, event: 'delivery', detail: 'issues.labeled by ada (5)' });
  await audit(ports, { thread: '100#7', run: null, event: 'delivery', detail: 'of another thread' });
  await audit(ports, { thread: '100#42', run: 'r1', event: 'pushed', detail: 'a\u001b[2Kb\nc' });
  assert.deepEqual(await printed(folder.path, 'octo/shop#42'), {
    code: 1,
    out: [],
    err: [
      'expected the data folder to be free, got one that a running app has; stop the app, or read its log, which holds the same lines: jq \'select(.msg == "audit" and .thread == "REPOSITORY_ID#ISSUE")\'',
    ],
  });
  await database.close();
  const out = ['TIME delivery issues.labeled by ada (5)', 'TIME pushed [run r1] a[2Kb c'];
  assert.deepEqual(await printed(folder.path, 'OCTO/shop#43'), { code: 0, out, err: [] });
  assert.deepEqual(await printed(folder.path, 'octo/shop#42', { asJson: true }), {
    code: 0,
    out: [
      '{"at":"TIME","thread":"100#42","run":null,"event":"delivery","detail":"issues.labeled by ada (5)"}',
      '{"at":"TIME","thread":"100#42","run":"r1","event":"pushed","detail":"a\\u001b[2Kb\\nc"}',
    ],
    err: [],
  });
  const unknown = 'expected a thread that the app knows, got octo/shop#1; its repository may have another name by now';
  assert.deepEqual(await printed(folder.path, 'octo/shop#1'), { code: 1, out: [], err: [unknown] });
});

test('what is no thread, and a folder without a database, are said', async () => {
  await using folder = await temporaryFolder();
  assert.deepEqual(await printed(folder.path, 'octo/shop'), {
    code: 1,
    out: [],
    err: ['expected OWNER/REPO#NUMBER, got "octo/shop"; name the issue or the pull request'],
  });
  assert.deepEqual(await printed(folder.path, 'octo/shop#42'), {
    code: 1,
    out: [],
    err: [`expected the app's data folder, got ${folder.path}, which holds no database; set DATA_DIR`],
  });
});
