// Needs rg.
/** After a run, its tree is data: what other tools would load or run by themselves is recorded, and runs nothing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readTools } from '../../src/agent/tools/read-files.ts';
import { step, useGitServer, worldWithTree } from './workspace-fixture.ts';

useGitServer();

/** Programs by the names that are looked for, and files by which tools find a program. `$RUN` leaves the marker. */
const programs = [
  'git',
  'rg',
  'node',
  'sh',
  'bin/git',
  'node_modules/.bin/git',
  'node_modules/.bin/rg',
  '.husky/pre-push',
];
const settings: Readonly<Record<string, string>> = {
  'package.json': '{"scripts":{"prepare":"$RUN","preinstall":"$RUN","test":"$RUN","lint":"$RUN"}}',
  '.npmrc': 'script-shell=$RUN\nnode-options=--require ./evil.js\n',
  'evil.js': 'require("node:child_process").execFileSync("$RUN")\n',
  'eslint.config.js': 'require("node:child_process").execFileSync("$RUN")\n',
  'vite.config.js': 'import("node:child_process").then((it) => it.execFileSync("$RUN"))\n',
  Makefile: '$(shell $RUN)\nall:\n\t$RUN\n',
  '.envrc': '$RUN\n',
  '.bashrc': '$RUN\n',
  '.profile': '$RUN\n',
  '.ripgreprc': '--pre=$RUN\n',
  '.pre-commit-config.yaml': 'repos: [{repo: local, hooks: [{id: x, entry: $RUN, language: system}]}]\n',
  '.claude/settings.json': '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"$RUN"}]}]}}',
  '.mcp.json': '{"mcpServers":{"x":{"command":"$RUN"}}}',
  'conftest.py': 'import os; os.system("$RUN")\n',
};

test('S49: of what a run leaves behind, the host records all and executes nothing', async () => {
  const tree = await worldWithTree({ 'a.txt': 'a\n' });
  const marker = join(tree.root, 'marker');
  const script = join(tree.root, 'script');
  writeFileSync(script, `#!/bin/sh\n: > '${marker}'\nexit 1\n`);
  const put = (path: string, text: string): void => {
    const place = join(tree.checkout.path, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text.replaceAll('$RUN', script));
    chmodSync(place, 0o755);
  };
  chmodSync(script, 0o755);
  for (const path of programs) put(path, '#!/bin/sh\nexec $RUN\n');
  for (const [path, text] of Object.entries(settings)) put(path, text);
  const { workspaces, repository, checkout, token } = tree;
  await workspaces.snapshot(repository, checkout, 'r1');
  const commit = await workspaces.commitStep(repository, checkout, step);
  assert.ok(commit !== null);
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit, expected: null }, token);
  const call = { id: 'c', signal: new AbortController().signal };
  const tools = readTools(checkout, async () => '');
  const inputs: Readonly<Record<string, unknown>> = {
    read: { file_path: 'package.json' },
    glob: { pattern: '**/*' },
    grep: { pattern: 'node_modules|RUN' },
  };
  for (const tool of tools) if (tool.name in inputs) await tool.execute(inputs[tool.name], call);
  assert.equal(existsSync(marker), false);
  const recorded = (await workspaces.changes(repository, tree.base, commit)).map(({ path }) => path);
  const expected = [...programs, ...Object.keys(settings)].filter((path) => !path.startsWith('node_modules/'));
  assert.deepEqual(recorded.toSorted(), expected.toSorted());
  assert.throws(() => execFileSync(join(checkout.path, 'git')));
  assert.equal(existsSync(marker), true, 'the trap works');
});

test('S49: only git, the process of a run and the sandbox are ever started, each in one room', () => {
  const root = join(import.meta.dirname, '../../src');
  const starts = /from '(?:node:)?(?:child_process|worker_threads|vm|cluster|simple-git|execa|cross-spawn)'/;
  const rooms = globSync('**/*.ts', { cwd: root })
    .filter((file) => !file.startsWith('local/') && starts.test(readFileSync(join(root, file), 'utf8')))
    .map((file) => (file.startsWith('sandbox/') ? 'sandbox' : file));
  assert.deepEqual([...new Set(rooms)].toSorted(), ['engine/run-host.ts', 'sandbox', 'workspace/git.ts']);
});
