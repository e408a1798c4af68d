/** Secrets that lie where a run might look for them, every form in which one could turn up, and who could have been given one. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Step } from '../../src/local/model/transcript.ts';

/** Each is planted once and may turn up nowhere. */
export const canaries = {
  environment: 'canary-of-the-environment-5f2d',
  modelKey: 'canary-of-the-model-key-91c4',
  keyFile: 'canary-of-the-key-file-e3b8',
  dataFolder: 'canary-of-the-data-folder-20f6',
  gitConfig: 'canary-of-the-git-config-77aa',
  neighbour: 'canary-of-a-neighbour-c09e',
} as const;

export interface Planted {
  /** Put over the environment of the app. */
  readonly environment: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

function put(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The folders of another run. The app removes those of runs that it does not know when it starts. */
export function plantNeighbour(folder: string): readonly string[] {
  return ['tree', 'scratch'].map((place) =>
    put(folder, `data/workspaces/runs/neighbour/${place}/secret.txt`, canaries.neighbour),
  );
}

/** Plants them in a world's folder. */
export function plant(folder: string): Planted {
  const keyFile = put(folder, 'planwright.pem', canaries.keyFile);
  const gitConfig = put(folder, 'home/.gitconfig', `[user]\n\tname = ${canaries.gitConfig}\n`);
  const files = [keyFile, gitConfig, put(folder, 'data/secret.txt', canaries.dataFolder), ...plantNeighbour(folder)];
  const environment = {
    CANARY: canaries.environment,
    ANTHROPIC_API_KEY: canaries.modelKey,
    PRIVATE_KEY_PATH: keyFile,
    HOME: join(folder, 'home'),
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_CONFIG_SYSTEM: gitConfig,
  };
  return { environment, files };
}

/** Calls of file tools that look for them. */
export function lookForThem(folder: string, { files }: Planted): Step['respond'] {
  const places = ['/proc/self/environ', '/proc/self/cmdline', '/proc/1/environ', '/proc/self/root/proc/self/environ'];
  const ways = ['../secret.txt', '../../secret.txt', '../../../secret.txt', '../../../../planwright.pem'];
  return [
    ...[...places, ...files, ...ways].map((file) => ({ tool: 'read', input: { file_path: file } })),
    { tool: 'grep', input: { pattern: 'canary', path: folder } },
    { tool: 'grep', input: { pattern: 'canary', path: '/proc/self' } },
    { tool: 'glob', input: { pattern: `${folder}/**` } },
  ];
}

/** Commands that look for them. */
export function searchForThem(folder: string, { files }: Planted): Step['respond'] {
  return [
    'env | base64 -w0; env',
    'cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"',
    'cat /proc/*/root/proc/*/environ; head -c 100000 /proc/*/mem | strings',
    `cat ${files.join(' ')}`,
    `grep -rs canary ${folder} ~ /etc/gitconfig /dev/shm`,
    'git config --list --show-origin; cat ~/.gitconfig .git/config ../.git/config',
    'cat /proc/self/mountinfo; ls -laR ..',
  ].map((command) => ({ tool: 'bash', input: { command } }));
}

/** A secret as it could stand in a text: as it is, escaped in JSON, and in base64 wherever in the encoded bytes it begins. */
export function formsOf(secret: string): readonly string[] {
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}${secret}`).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), ...encoded])];
}

/** Those of the secrets that stand in a text in any form. */
export function foundIn(text: string | Buffer, secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

export interface Seen {
  readonly command: string;
  readonly environment: string;
  readonly isGit: boolean;
}

/**
 * Looks again and again at every process that the app has started. One that has not begun its program yet still shows what
 * the app has: it is left out.
 */
export function watchChildren(app: number): { stop(): readonly Seen[] } {
  const seen = new Map<string, Seen>();
  const own = read(app, 'cmdline');
  const look = () => {
    for (const id of descendants(app)) {
      const command = read(id, 'cmdline');
      const environment = read(id, 'environ');
      if (command === '' || command === own) continue;
      // What git asks for a name and a password is `false`.
      const isGit = /^(?:git(?:-.*)?|false)$/.test(basename(command.split('\0')[0] ?? ''));
      seen.set(`${command}\n${environment}`, { command, environment, isGit });
    }
  };
  const timer = setInterval(look, 30);
  return {
    stop: () => {
      clearInterval(timer);
      return [...seen.values()];
    },
  };
}

function descendants(id: number): readonly number[] {
  const children = list(`/proc/${id}/task`)
    .flatMap((thread) => read(id, `task/${thread}/children`).split(' '))
    .filter((text) => text !== '')
    .map(Number);
  return [...children, ...children.flatMap(descendants)];
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where the process is gone. */
function read(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
