/** How an issue leaves its repository. Its pull requests stay where they are. */
import { type Actor, requireAccess } from '../access.ts';
import { tell, tellAboutIssue } from '../events.ts';
import type { Forge } from '../forge.ts';
import { nodeId } from '../node-id.ts';
import { issueShape } from '../shapes/issue.ts';
import { repositoryShape } from '../shapes/repository.ts';
import type { Issue, Repository } from '../state.ts';
import { nextNumber } from './issues.ts';

const ADMIN = { permissions: ['administration'], access: 'write', role: 'admin' } as const;
const WRITE = { permissions: ['issues'], access: 'write', role: 'write' } as const;

/** REST answers 410 from then on, GraphQL that there is no such issue. */
export function deleteIssue(forge: Forge, actor: Actor, repository: Repository, issue: Issue): void {
  requireAccess(actor, repository, ADMIN);
  takeOut(repository, issue);
  repository.goneIssues.set(issue.number, { kind: 'deleted' });
  tellAboutIssue(forge, actor, repository, issue, 'deleted');
}

/**
 * REST answers the old number by a redirect from then on, GraphQL that there is no such issue. Comments go along; of the
 * labels those that the other repository has.
 * Source: https://docs.github.com/issues/tracking-your-work-with-issues/administering-issues/transferring-an-issue-to-another-repository
 */
export function transferIssue(forge: Forge, actor: Actor, repository: Repository, issue: Issue, to: Repository): Issue {
  requireAccess(actor, repository, WRITE);
  requireAccess(actor, to, WRITE);
  takeOut(repository, issue);
  const id = forge.nextId();
  const known = new Set(to.labels.map(({ name }) => name));
  const labels = issue.labels.filter((name) => known.has(name));
  const moved = { ...issue, id, nodeId: nodeId('issue', id), number: nextNumber(to), labels, timeline: [] };
  to.issues.push(moved);
  repository.goneIssues.set(issue.number, { kind: 'transferred', repositoryId: to.id, number: moved.number });
  const changes = { new_issue: issueShape(forge, to, moved), new_repository: repositoryShape(forge, to) };
  tellAboutIssue(forge, actor, repository, issue, 'transferred', { changes });
  const before = {
    old_issue: issueShape(forge, repository, issue),
    old_repository: repositoryShape(forge, repository),
  };
  tell(forge, actor, to, 'issues', { action: 'opened', issue: issueShape(forge, to, moved), changes: before });
  return moved;
}

function takeOut(repository: Repository, issue: Issue): void {
  repository.issues = repository.issues.filter((each) => each !== issue);
}
