/** A forge with one project, its people and an app, for looking at it from outside. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Actor } from '../../src/local/forge/access.ts';
import { createForge } from '../../src/local/forge/forge.ts';
import { branchHead, git, NO_COMMIT } from '../../src/local/forge/git-repository.ts';
import { afterPush, createInstallationToken } from '../../src/local/forge/operations.ts';
import { createAccount, createApp, createRepository, install, personActor } from '../../src/local/forge/setup.ts';
import type { Account, Repository } from '../../src/local/forge/state.ts';

export type World = ReturnType<typeof createWorld>;

const START = Date.parse('2026-12-01T09:00:00Z');

const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Shop\n',
  '.github/planwright.yml': 'trigger:\n  label: plan\n',
  'src/cache.ts': 'export const cache = new Map();\n',
};

/** `ann` owns it, `wes` writes, `rea` reads; the app may write issues, pull requests, checks and contents. */
export function createWorld(test: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'planwright-forge-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  let time = START;
  const clock = (): number => {
    time += 1000;
    return time;
  };
  const forge = createForge({ gitRoot: path.join(folder, 'git'), clock });
  const [ann, wes, rea] = [createAccount(forge, 'ann'), createAccount(forge, 'wes'), createAccount(forge, 'rea')];
  const fromFolder = path.join(folder, 'files');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(fromFolder, name)), { recursive: true });
    writeFileSync(path.join(fromFolder, name), text);
  }
  const repository = createRepository(forge, {
    owner: ann,
    name: 'shop',
    fromFolder,
    collaborators: { wes: 'write', rea: 'read' },
  });
  const app = createApp(forge, {
    slug: 'planwright',
    name: 'Planwright',
    publicKey: '',
    webhookUrl: null,
    webhookSecret: 'a-secret-of-the-tests',
    permissions: { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' },
    events: ['issues'],
  });
  const installation = install(forge, app, ann, [repository]);
  const appActor = (permissions?: Readonly<Record<string, 'read' | 'write'>>): Actor => {
    const token = createInstallationToken(forge, installation, permissions === undefined ? {} : { permissions });
    return { kind: 'installation', app, installation, token };
  };
  const bot = appActor();
  const commit = (actor: Actor, branch: string, files: Readonly<Record<string, string>>, message: string): string =>
    commitFiles(forge, actor, repository, branch, files, message);
  return {
    forge,
    repository,
    app,
    installation,
    appActor,
    commit,
    bot,
    ann: personActor(ann),
    wes: personActor(wes),
    rea: personActor(rea),
  };
}

/** Commits on top of the branch, or of the default branch where it is new, as a push by the actor. */
function commitFiles(
  forge: ReturnType<typeof createForge>,
  actor: Actor,
  repository: Repository,
  branch: string,
  files: Readonly<Record<string, string>>,
  message: string,
): string {
  const { gitDir, defaultBranch } = repository;
  const before = branchHead(gitDir, branch);
  const parent = before ?? branchHead(gitDir, defaultBranch) ?? NO_COMMIT;
  const env = { GIT_INDEX_FILE: path.join(gitDir, 'test-index'), ...identity(actor) };
  git(gitDir, ['read-tree', parent], { env });
  for (const [name, text] of Object.entries(files)) {
    const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: text }).trim();
    git(gitDir, ['update-index', '--add', '--cacheinfo', `100644,${blob},${name}`], { env });
  }
  const tree = git(gitDir, ['write-tree'], { env }).trim();
  const commit = git(gitDir, ['commit-tree', tree, '-p', parent, '-F', '-'], { input: message, env }).trim();
  git(gitDir, ['update-ref', `refs/heads/${branch}`, commit]);
  afterPush(forge, actor, repository, `refs/heads/${branch}`, before ?? NO_COMMIT, commit);
  return commit;
}

function identity(actor: Actor): Readonly<Record<string, string>> {
  const account: Account = actor.kind === 'person' ? actor.account : actor.app.account;
  const email = `${account.id}+${account.login}@users.noreply.github.com`;
  return {
    GIT_AUTHOR_NAME: account.login,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: '2026-12-01T10:00:00+02:00',
    GIT_COMMITTER_NAME: account.login,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: '2026-12-01T10:00:00+02:00',
  };
}
