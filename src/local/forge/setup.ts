/** Fills a new forge: accounts, apps, installations and repositories from folders. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Actor, Role } from './access.ts';
import { type Forge, now } from './forge.ts';
import { GIT_HOOKS } from './git-hooks.ts';
import { git } from './git-repository.ts';
import { fullName } from './lookup.ts';
import { nodeId } from './node-id.ts';
import { identityOf, tellApp } from './operations.ts';
import { installedRepositoryShape } from './shapes/app.ts';
import type { Account, ForgeApp, Installation, Repository, Team } from './state.ts';

/** The labels of every new GitHub repository, as far as anybody here looks at them. */
const DEFAULT_LABELS = [
  { name: 'bug', color: 'd73a4a', description: "Something isn't working" },
  { name: 'enhancement', color: 'a2eeef', description: 'New feature or request' },
] as const;

export function createAccount(forge: Forge, login: string, type: 'User' | 'Organization' = 'User'): Account {
  return addAccount(forge, login, type, null);
}

function addAccount(forge: Forge, login: string, type: Account['type'], appId: number | null): Account {
  const account: Account = { id: forge.nextId(), login, type, appId };
  forge.state.accounts.push(account);
  return account;
}

/** A team of an organization, with its members' logins; who is `invited` has not accepted. */
export function createTeam(
  forge: Forge,
  organization: Account,
  slug: string,
  people: { readonly members: readonly string[]; readonly invited?: readonly string[] },
): Team {
  const members = new Map([
    ...people.members.map((login) => [login, 'active'] as const),
    ...(people.invited ?? []).map((login) => [login, 'pending'] as const),
  ]);
  const team: Team = { id: forge.nextId(), organization, slug, members };
  forge.state.teams.push(team);
  return team;
}

/** The actor of a person, e.g. behind a page or in a test. */
export function personActor(account: Account): Actor {
  return { kind: 'person', account };
}

export interface AppText {
  readonly slug: string;
  readonly name: string;
  /** PEM, SPKI. */
  readonly publicKey: string;
  readonly webhookUrl: string | null;
  readonly webhookSecret: string;
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  readonly events: readonly string[];
}

/** Its account is `SLUG[bot]`. */
export function createApp(forge: Forge, text: AppText): ForgeApp {
  const id = forge.nextId();
  const account = addAccount(forge, `${text.slug}[bot]`, 'Bot', id);
  const app: ForgeApp = { ...text, permissions: { ...text.permissions, metadata: 'read' }, id, account };
  forge.state.apps.push(app);
  return app;
}

/** Permissions that only an organization can grant. */
const ORGANIZATION_PERMISSIONS: ReadonlySet<string> = new Set(['members']);

/** Installs the app on repositories of one account, with all that the app asks for and the account can grant. */
export function install(
  forge: Forge,
  app: ForgeApp,
  account: Account,
  repositories: readonly Repository[],
): Installation {
  const installation: Installation = {
    id: forge.nextId(),
    appId: app.id,
    account,
    repositoryIds: repositories.map((repository) => repository.id),
    permissions: Object.fromEntries(
      Object.entries(app.permissions).filter(
        ([name]) => account.type === 'Organization' || !ORGANIZATION_PERMISSIONS.has(name),
      ),
    ),
    suspendedAt: null,
    createdAt: now(forge),
  };
  forge.state.installations.push(installation);
  tellApp(forge, personActor(account), installation, 'installation', 'created', {
    repositories: repositories.map(installedRepositoryShape),
  });
  return installation;
}

export interface RepositoryText {
  readonly owner: Account;
  readonly name: string;
  /** Becomes the first commit; without it the repository is empty. */
  readonly fromFolder?: string;
  /** Default `main`. */
  readonly defaultBranch?: string;
  readonly private?: boolean;
  /** Default true. */
  readonly draftsSupported?: boolean;
  readonly collaborators?: Readonly<Record<string, Role>>;
}

export function createRepository(forge: Forge, text: RepositoryText): Repository {
  const id = forge.nextId();
  const defaultBranch = text.defaultBranch ?? 'main';
  const gitDir = path.join(forge.gitRoot, `${id}.git`);
  const at = now(forge);
  const repository: Repository = {
    id,
    nodeId: nodeId('repository', id),
    owner: text.owner,
    name: text.name,
    formerNames: [],
    private: text.private ?? false,
    archived: false,
    defaultBranch,
    draftsSupported: text.draftsSupported ?? true,
    labels: [],
    issues: [],
    goneIssues: new Map(),
    checkRuns: [],
    collaborators: new Map(Object.entries(text.collaborators ?? {})),
    gitDir,
    createdAt: at,
    pushedAt: at,
  };
  for (const label of DEFAULT_LABELS) {
    const labelId = forge.nextId();
    repository.labels.push({ ...label, id: labelId, nodeId: nodeId('label', labelId), updatedAt: at });
  }
  forge.state.repositories.push(repository);
  initialise(gitDir, defaultBranch);
  if (text.fromFolder !== undefined) importFolder(repository, text.fromFolder);
  return repository;
}

const SERVED = `[http]
	receivepack = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	denyDeleteCurrent = refuse
[gc]
	auto = 0
`;

function initialise(gitDir: string, defaultBranch: string): void {
  mkdirSync(gitDir, { recursive: true });
  git(gitDir, ['init', '--quiet', '--bare', '--template=', `--initial-branch=${defaultBranch}`, gitDir]);
  appendFileSync(path.join(gitDir, 'config'), SERVED);
  mkdirSync(path.join(gitDir, 'hooks'), { recursive: true });
  for (const [name, script] of Object.entries(GIT_HOOKS)) {
    writeFileSync(path.join(gitDir, 'hooks', name), script, { mode: 0o755 });
  }
}

/** One commit on the default branch with the folder's files, those that git would ignore included. */
function importFolder(repository: Repository, folder: string): void {
  const { gitDir, defaultBranch, owner } = repository;
  const scratch = mkdtempSync(path.join(gitDir, 'import-'));
  const env = { GIT_INDEX_FILE: path.join(scratch, 'index'), ...identityOf(owner) };
  try {
    git(gitDir, ['--work-tree', folder, 'add', '--all', '--force', '--', folder], { env });
    const tree = git(gitDir, ['write-tree'], { env }).trim();
    const message = `Import ${fullName(repository)}\n`;
    const commit = git(gitDir, ['commit-tree', tree, '-F', '-'], { input: message, env }).trim();
    git(gitDir, ['update-ref', `refs/heads/${defaultBranch}`, commit]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
