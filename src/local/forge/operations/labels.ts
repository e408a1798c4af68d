import { type Actor, type Need, requireAccess } from '../access.ts';
import { tell, tellAboutIssue } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { isPullRequest } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { labelShape } from '../shapes/repository.ts';
import type { Issue, Label, Repository } from '../state.ts';
import { record } from '../timeline.ts';

const DEFAULT_COLOR = 'ededed';
const MAX_NAME_LENGTH = 50;

export interface LabelText {
  readonly name: string;
  /** Six hex digits without `#`. */
  readonly color?: string | undefined;
  readonly description?: string | null | undefined;
}

/** Labels, comments and states of a pull request may be changed by whoever may write issues or pull requests. */
export function needFor(issue: Issue, role: Need['role'], access: Need['access'] = 'write'): Need {
  return { permissions: isPullRequest(issue) ? ['issues', 'pull_requests'] : ['issues'], access, role };
}

export function findLabel(repository: Repository, name: string): Label | null {
  return repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase()) ?? null;
}

/** @throws {ForgeError} 422 where the repository has one of that name */
export function createLabel(forge: Forge, actor: Actor, repository: Repository, text: LabelText): Label {
  requireAccess(actor, repository, { permissions: ['issues', 'pull_requests'], access: 'write', role: 'write' });
  if (findLabel(repository, text.name) !== null) {
    throw new ForgeError(422, 'Validation Failed', {
      errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
    });
  }
  return addToRepository(forge, actor, repository, text);
}

function addToRepository(forge: Forge, actor: Actor, repository: Repository, text: LabelText): Label {
  const name = text.name.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    throw new ForgeError(422, 'Validation Failed', { errors: [{ resource: 'Label', code: 'invalid', field: 'name' }] });
  }
  const id = forge.nextId();
  const label: Label = {
    id,
    nodeId: nodeId('label', id),
    name,
    color: text.color ?? DEFAULT_COLOR,
    description: text.description ?? null,
    updatedAt: now(forge),
  };
  repository.labels.push(label);
  tell(forge, actor, repository, 'label', { action: 'created', label: labelShape(forge, repository, label) });
  return label;
}

export interface LabelChange {
  readonly name?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | null | undefined;
}

/**
 * A new name goes with the label onto every issue, without a `labeled` event there, and into what timelines tell of it.
 * @throws {ForgeError} 404
 */
export function editLabel(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  name: string,
  change: LabelChange,
): Label {
  requireAccess(actor, repository, { permissions: ['issues', 'pull_requests'], access: 'write', role: 'write' });
  const label = findLabel(repository, name);
  if (label === null) throw notFound();
  const before = label.name;
  if (change.name !== undefined && change.name !== before) {
    label.name = change.name;
    for (const issue of repository.issues) {
      issue.labels = issue.labels.map((each) => (each === before ? label.name : each));
      renameInTimeline(issue, label);
    }
  }
  label.color = change.color ?? label.color;
  if (change.description !== undefined) label.description = change.description;
  label.updatedAt = now(forge);
  tell(forge, actor, repository, 'label', {
    action: 'edited',
    label: labelShape(forge, repository, label),
    changes: label.name === before ? {} : { name: { from: before } },
  });
  return label;
}

function renameInTimeline(issue: Issue, label: Label): void {
  for (const event of issue.timeline) {
    if ((event.kind === 'labeled' || event.kind === 'unlabeled') && event.labelId === label.id)
      event.label = label.name;
  }
}

/** Takes the label from the repository and from every issue. @throws {ForgeError} 404 */
export function deleteLabel(forge: Forge, actor: Actor, repository: Repository, name: string): void {
  requireAccess(actor, repository, { permissions: ['issues', 'pull_requests'], access: 'write', role: 'write' });
  const label = findLabel(repository, name);
  if (label === null) throw notFound();
  for (const issue of repository.issues) {
    if (issue.labels.includes(label.name)) takeLabel(forge, actor, repository, issue, label);
  }
  repository.labels = repository.labels.filter((each) => each !== label);
  tell(forge, actor, repository, 'label', { action: 'deleted', label: labelShape(forge, repository, label) });
}

/** Labels that the repository lacks are created. A label that the issue has already is no change and no event. */
export function addLabels(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  names: readonly string[],
): void {
  requireAccess(actor, repository, needFor(issue, 'triage'));
  for (const name of names) {
    const label = ensureLabel(forge, actor, repository, name);
    if (attachLabel(forge, actor, issue, label)) tellLabeled(forge, actor, repository, issue, label);
  }
}

/** The repository's label of that name, made where it lacks one. */
export function ensureLabel(forge: Forge, actor: Actor, repository: Repository, name: string): Label {
  return findLabel(repository, name) ?? addToRepository(forge, actor, repository, { name });
}

/** False where the issue has it already. */
export function attachLabel(forge: Forge, actor: Actor, issue: Issue, label: Label): boolean {
  if (issue.labels.includes(label.name)) return false;
  issue.labels.push(label.name);
  record(forge, actor, issue, { kind: 'labeled', labelId: label.id, label: label.name });
  return true;
}

export function tellLabeled(forge: Forge, actor: Actor, repository: Repository, issue: Issue, label: Label): void {
  tellAboutIssue(forge, actor, repository, issue, 'labeled', { label: labelShape(forge, repository, label) });
}

/** @throws {ForgeError} 404 where the issue does not have it */
export function removeLabel(forge: Forge, actor: Actor, repository: Repository, issue: Issue, name: string): void {
  requireAccess(actor, repository, needFor(issue, 'triage'));
  const label = findLabel(repository, name);
  if (label === null || !issue.labels.includes(label.name)) throw new ForgeError(404, 'Label does not exist');
  takeLabel(forge, actor, repository, issue, label);
}

/** Makes the issue's labels exactly these. */
export function setLabels(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  names: readonly string[],
): void {
  requireAccess(actor, repository, needFor(issue, 'triage'));
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  for (const name of [...issue.labels]) {
    if (!wanted.has(name.toLowerCase())) removeLabel(forge, actor, repository, issue, name);
  }
  addLabels(forge, actor, repository, issue, names);
}

function takeLabel(forge: Forge, actor: Actor, repository: Repository, issue: Issue, label: Label): void {
  issue.labels = issue.labels.filter((each) => each !== label.name);
  record(forge, actor, issue, { kind: 'unlabeled', labelId: label.id, label: label.name });
  tellAboutIssue(forge, actor, repository, issue, 'unlabeled', { label: labelShape(forge, repository, label) });
}
