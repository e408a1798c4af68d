/** From a repository on this machine to what the run's child is told. */
import type { IssueText } from '../agent/brief.ts';
import type { RunSpec } from '../agent/run-protocol.ts';
import type { Environment } from '../config/environment.ts';
import { parseRepositoryConfig, repositoryConfigPath, toPolicy } from '../config/repository-config.ts';
import { readInstructions } from '../engine/instructions.ts';
import type { ReadPrice } from '../engine/prices.ts';
import { ownPlanPath } from '../github/observe-attempts.ts';
import { noCost } from '../lifecycle/budget.ts';
import { whyNothingStarts } from '../lifecycle/ceiling.ts';
import type { Policy } from '../lifecycle/policy.ts';
import type { RepositoryRef, Workspaces } from '../workspace/workspace.ts';

/** Nothing can start under this configuration; the message names each mistake, or what stands in the way. */
export class UnfitConfiguration extends Error {
  override readonly name = 'UnfitConfiguration';
}

const dryRun = 'dry-run';

/** What a plan is written from. The commit has been fetched. */
export interface DrySource {
  readonly workspaces: Workspaces;
  readonly repository: RepositoryRef;
  readonly base: string;
  readonly issue: IssueText;
  readonly model: Environment['model'];
  readonly readPrice: ReadPrice;
}

/** @throws {UnfitConfiguration} @throws {WorkspaceError} */
export async function writeDrySpec(source: DrySource): Promise<RunSpec> {
  const { workspaces, repository, base, issue, model, readPrice } = source;
  const policy = await readPolicy(source);
  const price = await readPrice();
  const obstacle = whyNothingStarts({ runs: [], isPriceUnknown: price === null }, policy);
  if (obstacle !== null) throw new UnfitConfiguration(obstacle);
  const checkout = await workspaces.readOnlyCheckout(repository, base, dryRun);
  return {
    run: dryRun,
    phase: 'plan',
    checkout: checkout.path,
    scratch: await workspaces.scratch(dryRun),
    planPath: policy.plan.path,
    plan: null,
    issue: issue.number,
    base,
    brief: { kind: 'request', issue, note: null, instructions: await readInstructions(workspaces, repository, base) },
    conversation: [],
    model: { ...model, price },
    budget: policy.budget,
    permissions: policy.permissions,
    planShell: policy.plan.shell,
    spent: noCost,
    checks: [],
    scopeAllow: policy.scope.allow,
    scopeMode: policy.scope.mode,
    holdsCode: false,
  };
}

async function readPolicy({ workspaces, repository, base, issue }: DrySource): Promise<Policy> {
  const parsed = parseRepositoryConfig(await workspaces.readFile(repository, base, repositoryConfigPath));
  if ('problems' in parsed) {
    const problems = parsed.problems.map((problem) => `- ${problem}`).join('\n');
    throw new UnfitConfiguration(
      `${repositoryConfigPath} at HEAD cannot be used; mend this and commit it:\n${problems}`,
    );
  }
  const { path } = parsed.config.plan;
  const isTaken = (await workspaces.readFile(repository, base, path)) !== null;
  return toPolicy(parsed.config, isTaken ? ownPlanPath(path, issue.number) : path);
}
