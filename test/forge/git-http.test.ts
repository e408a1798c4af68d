import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseGitPath } from '../../src/local/forge/git-http.ts';
import { branchHead, GIT_ENVIRONMENT, listRefs } from '../../src/local/forge/git-repository.ts';
import { createInstallationToken, createPersonToken, renameRepository } from '../../src/local/forge/operations.ts';
import { at, createWorld, personClient, receiveWebhooks, temporaryFolder, type World } from './world.ts';

const run = promisify(execFile);

/** Runs the real git over HTTP with the token. */
async function gitAs(token: string, cwd: string, ...args: readonly string[]): Promise<string> {
  const header = `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const env = {
    ...GIT_ENVIRONMENT,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: header,
  };
  const { stdout } = await run('git', args, { cwd, env });
  return stdout;
}

function tokenOf(world: World, permissions: Readonly<Record<string, 'read' | 'write'>>): string {
  return createInstallationToken(world.forge, world.installation, { permissions }).token;
}

async function cloneWith(world: World, token: string, folder: string): Promise<string> {
  await gitAs(token, folder, 'clone', '--quiet', `${world.forge.webUrl}/acme/shop.git`, 'clone');
  return path.join(folder, 'clone');
}

async function commit(token: string, clone: string, file: string): Promise<void> {
  mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
  writeFileSync(path.join(clone, file), 'new\n');
  await gitAs(token, clone, 'add', '--all');
  await gitAs(token, clone, 'commit', '--quiet', '-m', `Add ${file}`);
}

test('a token that reads contents clones, and cannot push', async (context) => {
  const world = await createWorld(context);
  const token = tokenOf(world, { contents: 'read' });
  const clone = await cloneWith(world, token, temporaryFolder(context));
  await commit(token, clone, 'a.txt');
  await assert.rejects(gitAs(token, clone, 'push', 'origin', 'HEAD:refs/heads/work'), /403/);
  assert.deepEqual([...listRefs(world.repository.gitDir).keys()], ['refs/heads/main']);
});

test('a token without contents does not clone', async (context) => {
  const world = await createWorld(context);
  await assert.rejects(cloneWith(world, tokenOf(world, { issues: 'write' }), temporaryFolder(context)), /403/);
  await assert.rejects(cloneWith(world, 'ghs_unknown', temporaryFolder(context)), /could not read Username/);
});

test('a push moves the branch, its pull request and tells the app', async (context) => {
  const world = await createWorld(context);
  const received = await receiveWebhooks(context, world);
  const token = tokenOf(world, { contents: 'write' });
  const clone = await cloneWith(world, token, temporaryFolder(context));
  await commit(token, clone, 'a.txt');
  await gitAs(token, clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/work');
  const writer = personClient(world, world.people.writer);
  const { data } = await writer.pulls.create({ ...at, title: 'P', head: 'work', base: 'main' });
  await commit(token, clone, 'b.txt');
  await gitAs(token, clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/work');
  const head = (await gitAs(token, clone, 'rev-parse', 'HEAD')).trim();
  const { data: pull } = await writer.pulls.get({ ...at, pull_number: data.number });
  assert.deepEqual([pull.head.sha, pull.changed_files], [head, 2]);
  await world.forge.webhooks.idle();
  const events = received.map(({ headers }) => String(headers['x-github-event'])).toSorted();
  assert.deepEqual(events, ['pull_request', 'pull_request', 'push', 'push']);
  const pushes = received.map(({ body }) => JSON.parse(body)).filter(({ pusher }) => pusher !== undefined);
  assert.deepEqual(new Set(pushes.map(({ sender }) => sender.login)), new Set(['planwright[bot]']));
});

test('a push that is not a fast-forward is refused and tells nobody', async (context) => {
  const world = await createWorld(context);
  const token = tokenOf(world, { contents: 'write' });
  const [one, two] = [temporaryFolder(context), temporaryFolder(context)];
  const first = await cloneWith(world, token, one);
  const second = await cloneWith(world, token, two);
  await commit(token, first, 'a.txt');
  await gitAs(token, first, 'push', '--quiet', 'origin', 'HEAD:main');
  const head = branchHead(world.repository.gitDir, 'main');
  await commit(token, second, 'b.txt');
  await assert.rejects(gitAs(token, second, 'push', '--quiet', 'origin', 'HEAD:main'), /rejected/);
  assert.equal(branchHead(world.repository.gitDir, 'main'), head);
});

test('an app without the permission cannot push a workflow; a person can', async (context) => {
  const world = await createWorld(context);
  const token = tokenOf(world, { contents: 'write' });
  const clone = await cloneWith(world, token, temporaryFolder(context));
  await commit(token, clone, '.github/workflows/ci.yml');
  await assert.rejects(
    gitAs(token, clone, 'push', 'origin', 'HEAD:refs/heads/work'),
    /refusing to allow a GitHub App to create or update workflow `\.github\/workflows\/ci\.yml` without `workflows` permission/,
  );
  assert.equal(branchHead(world.repository.gitDir, 'work'), null);
  const { token: own } = createPersonToken(world.forge, world.people.writer);
  await gitAs(own, clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/work');
  assert.notEqual(branchHead(world.repository.gitDir, 'work'), null);
});

test('people push by their role', async (context) => {
  const world = await createWorld(context);
  const { token } = createPersonToken(world.forge, world.people.reader);
  const clone = await cloneWith(world, token, temporaryFolder(context));
  await commit(token, clone, 'a.txt');
  await assert.rejects(gitAs(token, clone, 'push', 'origin', 'HEAD:main'), /403/);
});

test('a renamed repository is cloned by its old name', async (context) => {
  const world = await createWorld(context);
  renameRepository(world.forge, world.actors.owner, world.repository, 'store');
  const clone = await cloneWith(world, tokenOf(world, { contents: 'read' }), temporaryFolder(context));
  assert.match(await gitAs('', clone, 'log', '--format=%s'), /Import acme\/shop/);
});

test('a path that is an option, or leaves the repositories, is no path of git', () => {
  for (const address of [
    '/--upload-pack=touch/shop.git/info/refs',
    '/acme/--exec.git/info/refs',
    '/acme/../info/refs',
    '/../acme/shop.git/info/refs',
    '/acme/shop.git/objects/info/packs',
    '/acme/shop.git/HEAD',
  ]) {
    assert.equal(parseGitPath(address), null, address);
  }
  assert.deepEqual(parseGitPath('/acme/shop.git/info/refs'), { owner: 'acme', name: 'shop', action: 'info/refs' });
});
