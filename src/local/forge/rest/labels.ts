import { notFound } from '../forge-error.ts';
import { addLabels, createLabel, deleteLabel, editLabel, findLabel, removeLabel, setLabels } from '../operations.ts';
import { issueLabels } from '../shapes/issue.ts';
import { labelShape } from '../shapes/repository.ts';
import { type Answer, type Call, created, type Handler, NO_CONTENT, ok, openRepository, page } from './call.ts';
import { readNullableText, readText } from './fields.ts';
import { openIssue, readLabelNames } from './issues.ts';
import type { OperationId } from './operation-ids.ts';

function openLabels(call: Call) {
  return openRepository(call, 'issues', 'pull_requests');
}

function get(call: Call): Answer {
  const { repository } = openLabels(call);
  const label = findLabel(repository, String(call.params.name));
  if (label === null) throw notFound();
  return ok(labelShape(call.forge, repository, label));
}

function create(call: Call): Answer {
  const { actor, repository } = openLabels(call);
  const label = createLabel(call.forge, actor, repository, {
    name: String(call.body.name),
    color: readText(call.body, 'color'),
    description: readNullableText(call.body, 'description'),
  });
  return created(labelShape(call.forge, repository, label));
}

function update(call: Call): Answer {
  const { actor, repository } = openLabels(call);
  const label = editLabel(call.forge, actor, repository, String(call.params.name), {
    name: readText(call.body, 'new_name'),
    color: readText(call.body, 'color'),
    description: readNullableText(call.body, 'description'),
  });
  return ok(labelShape(call.forge, repository, label));
}

function change(call: Call, how: typeof addLabels): Answer {
  const { actor, repository, issue } = openIssue(call);
  how(call.forge, actor, repository, issue, readLabelNames(call.body) ?? []);
  return ok(issueLabels(call.forge, repository, issue));
}

export const labelHandlers = {
  'issues/list-labels-for-repo': (call) => {
    const { repository } = openLabels(call);
    return page(call, repository.labels, (label) => labelShape(call.forge, repository, label));
  },
  'issues/get-label': get,
  'issues/create-label': create,
  'issues/update-label': update,
  'issues/delete-label': (call) => {
    const { actor, repository } = openLabels(call);
    deleteLabel(call.forge, actor, repository, String(call.params.name));
    return NO_CONTENT;
  },
  'issues/list-labels-on-issue': (call) => {
    const { repository, issue } = openIssue(call);
    return page(call, issueLabels(call.forge, repository, issue), (label) => label);
  },
  'issues/add-labels': (call) => change(call, addLabels),
  'issues/set-labels': (call) => change(call, setLabels),
  'issues/remove-label': (call) => {
    const { actor, repository, issue } = openIssue(call);
    removeLabel(call.forge, actor, repository, issue, String(call.params.name));
    return ok(issueLabels(call.forge, repository, issue));
  },
} as const satisfies Partial<Record<OperationId, Handler>>;
