/** A repository of somebody's, and the dry run on it. */
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { InvalidEnvironment } from '../../src/config/environment.ts';
import { runDryRun } from '../../src/dry-run/dry-run.ts';
import { GIT_ENVIRONMENT } from '../../src/local/forge/git-repository.ts';
import type { Script } from '../agent/model-server.ts';
import { planText } from '../agent/run-driver.ts';

export function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'dry world '));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, env: { ...GIT_ENVIRONMENT }, encoding: 'utf8' }).trim();
}

/** A repository with one commit, at `folder`. */
export function createSource(folder: string, files: Readonly<Record<string, string>> = {}): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=trunk');
  const all = { 'src/cache.js': 'export const cache = 1;\n', 'README.md': 'A library.\n', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'First');
  return folder;
}

/** Everything there is below a folder: bytes, bits and times. */
export function snapshot(folder: string): readonly (readonly unknown[])[] {
  return ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()].map((name) => {
    const path = join(folder, name);
    const { mode, mtimeNs, ctimeNs, ino } = lstatSync(path, { bigint: true });
    const kind = lstatSync(path);
    const content = kind.isFile() ? readFileSync(path, 'base64') : kind.isSymbolicLink() ? readlinkSync(path) : '';
    return [name, mode, mtimeNs, ctimeNs, ino, content];
  });
}

/** Reads a file, writes a plan that fits the commit it was told, and presents it. */
export const planning: Script = (request) => {
  const base = /Base commit: (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? '';
  const content = planText().replace('issue: 7', 'issue: 1').replace('b'.repeat(40), base);
  if (request.messages.length === 1) return { say: [{ tool: 'read', input: { file_path: 'src/cache.js' } }] };
  return {
    say: [
      { tool: 'write_plan', input: { content } },
      { tool: 'exit_plan_mode', input: {} },
    ],
  };
};

function collect() {
  let text = '';
  const write = (more: string) => {
    text += more;
    return true;
  };
  return { write, text: () => text };
}

/** The command without a process of its own; its agent has one. */
export async function dryRun(order: {
  readonly repository: string | null;
  /** What stands in the file; `null` where none is named. */
  readonly issue?: string | null;
  /** `null` where the environment names no key. */
  readonly modelUrl: string | null;
}) {
  const [out, err] = [collect(), collect()];
  const code = await runDryRun({
    repository: order.repository,
    issue: order.issue === null ? null : '-',
    readModel: () => {
      if (order.modelUrl === null) throw new InvalidEnvironment(['ANTHROPIC_API_KEY: expected a value, got none']);
      return {
        model: { apiKey: 'key-canary', baseUrl: order.modelUrl, id: 'claude-sonnet-5-5', maxOutputTokens: 16_000 },
        prices: new Map(),
      };
    },
    programPath: '/usr/local/bin:/usr/bin:/bin',
    input: Readable.from([order.issue ?? '# Cache it\n\nIt is slow.\n']),
    out,
    err,
  });
  return { code, out: out.text(), err: err.text().trimEnd().split('\n') };
}
