/**
 * The kinds of git tampering, as `fixtures/hostile/git-tampering.json` has them. In their texts `$RUN` is a program that
 * leaves a marker named after the kind, `$DIR` the planted git directory and `$FORGE` a bare repository. What shares a
 * `tree` is planted together; `springs` are the calls of git that a host could make and that the kind bites.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const tampering = z.strictObject({
  kind: z.string(),
  tree: z.enum(['plain', 'git file', 'worktree', 'within']).default('plain'),
  /** Where the git directory lies in the tree. */
  folder: z.string().default('.git'),
  config: z.array(z.string()).default([]),
  /** Files of the git directory. */
  files: z.record(z.string(), z.string()).default({}),
  attributes: z.string().optional(),
  /** Files of the tree. */
  work: z.record(z.string(), z.string()).default({}),
  springs: z.array(z.array(z.string())).min(1),
});
export type Tampering = z.infer<typeof tampering>;

const place = new URL('../../fixtures/hostile/git-tampering.json', import.meta.url);
export const tamperings: readonly Tampering[] = z.array(tampering).parse(JSON.parse(readFileSync(place, 'utf8')));

export interface Trap {
  /** Plants one kind in a tree. */
  plant(tree: string, one: Tampering): void;
  /** What git is called with. */
  calls(tree: string, one: Tampering): readonly (readonly string[])[];
  /** The kinds that have run something. */
  sprung(): readonly string[];
}

/** @param root a folder outside of every tree */
export function setTrap(root: string, forge: string): Trap {
  const markers = join(root, 'markers');
  const scripts = join(root, 'scripts');
  for (const folder of [markers, scripts]) mkdirSync(folder, { recursive: true });
  const fill = (text: string, tree: string, { kind, folder }: Tampering): string =>
    text
      .replaceAll('$RUN', join(scripts, slug(kind)))
      .replaceAll('$DIR', join(tree, folder))
      .replaceAll('$FORGE', forge);
  return {
    plant: (tree, one) => {
      program(join(scripts, slug(one.kind)), `#!/bin/sh\n: > "${markers}/${slug(one.kind)}"\n`);
      const gitDir = gitDirOf(tree, one.folder);
      appendFileSync(join(gitDir, 'config'), `${one.config.map((line) => fill(line, tree, one)).join('\n')}\n`);
      for (const [path, text] of Object.entries(one.files)) program(join(gitDir, path), fill(text, tree, one));
      for (const [path, text] of Object.entries(one.work)) writeFileSync(join(tree, path), text);
      if (one.attributes !== undefined) appendFileSync(join(tree, '.gitattributes'), `${one.attributes}\n`);
    },
    calls: (tree, one) => one.springs.map((call) => call.map((word) => fill(word, tree, one))),
    sprung: () => {
      const names = readdirSync(markers);
      return tamperings.map(({ kind }) => kind).filter((kind) => names.includes(slug(kind)));
    },
  };
}

function slug(kind: string): string {
  return kind.replace(/[^A-Za-z]+/g, '-');
}

function program(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** A git directory as git itself would make it, or the one that is there; a file in its place is followed. */
function gitDirOf(tree: string, folder: string): string {
  const gitDir = join(tree, folder);
  if (existsSync(join(gitDir, 'HEAD'))) return gitDir;
  for (const part of ['objects', 'refs']) mkdirSync(join(gitDir, part), { recursive: true });
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(gitDir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
  return gitDir;
}

/** Calls git in a tree as somebody does who trusts it. */
export function trustingGit(tree: string, args: readonly string[]): void {
  const env = {
    PATH: process.env.PATH,
    HOME: dirname(tree),
    GIT_AUTHOR_NAME: 'x',
    GIT_AUTHOR_EMAIL: 'x@y',
    GIT_COMMITTER_NAME: 'x',
    GIT_COMMITTER_EMAIL: 'x@y',
    GIT_TERMINAL_PROMPT: '0',
  };
  spawnSync('git', args, { cwd: tree, env, timeout: 10_000, input: 'protocol=https\nhost=x\n\n' });
}
