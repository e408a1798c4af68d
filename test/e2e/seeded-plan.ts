/** Plans in review that no run has written: as an app whose memory is gone finds them on GitHub. */
import { createAppKey } from '../../src/github/app-key.ts';
import { formatCommitMessage } from '../../src/github/trailers.ts';
import { branchHead, git } from '../../src/local/forge/git-repository.ts';
import { createInstallationToken, identityOf, openPullRequest } from '../../src/local/forge/operations.ts';
import type { Repository } from '../../src/local/forge/state.ts';
import { quickPlanOf } from './quick-transcript.ts';
import { openIssue, setTrigger, type Thread } from './thread.ts';
import type { World } from './world.ts';

/** A labelled issue whose plan, of one file, is in review. Nothing is told of it: hold deliveries back, and drop them. */
export function seedPlan(world: World, repository: Repository, title: string, file: string): Thread {
  const thread = openIssue(world, repository, title);
  setTrigger(thread);
  const branch = `planwright/issue-${thread.issue.number}`;
  commitPlan(world, repository, branch, { issue: thread.issue.number, title, file });
  const { forge, forgeApp: app, installation } = world;
  const actor = {
    kind: 'installation',
    app,
    installation,
    token: createInstallationToken(forge, installation, {}),
  } as const;
  openPullRequest(forge, actor, repository, { title: `Plan: ${title}`, head: branch, base: 'main', draft: true });
  return thread;
}

/** The same, with nothing of it held back from others: the app has no memory of the thread. */
export function seedUntold(world: World, repository: Repository, title: string, file: string): Thread {
  world.forge.webhooks.pause();
  const thread = seedPlan(world, repository, title, file);
  world.forge.webhooks.resume((held) => held.filter(({ repositoryId }) => repositoryId !== repository.id));
  return thread;
}

function commitPlan(
  { environment, forgeApp }: World,
  { id, gitDir }: Repository,
  branch: string,
  { issue, title, file }: { readonly issue: number; readonly title: string; readonly file: string },
): void {
  const base = branchHead(gitDir, 'main');
  if (base === null) throw new Error('expected a repository with a commit, got an empty one');
  const env = identityOf(forgeApp.account);
  const input = quickPlanOf(file).replace('{{issue}}', String(issue)).replace('{{base}}', base);
  const plan = git(gitDir, ['hash-object', '-w', '--stdin'], { input }).trim();
  const listing = `${git(gitDir, ['ls-tree', base])}100644 blob ${plan}\tplan.md\n`;
  const tree = git(gitDir, ['mktree'], { input: listing }).trim();
  const trailers = { phase: 'plan', run: 'seeded', base, plan, reviews: [], approvedBy: [], receipt: null } as const;
  const key = createAppKey(environment.PRIVATE_KEY ?? '');
  const message = formatCommitMessage(
    { subject: `Plan: ${title}`, trailers },
    { repository: id, branch, tree, parents: [base] },
    key,
  );
  const commit = git(gitDir, ['commit-tree', tree, '-p', base, '-F', '-'], { input: message, env }).trim();
  git(gitDir, ['update-ref', `refs/heads/${branch}`, commit]);
}
