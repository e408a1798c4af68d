import { z } from 'zod';
import type { StatusLabel } from '../lifecycle/state.ts';
import type { Stage } from './act-stage.ts';
import { Unreadable } from './github.ts';
import { statusLabelNames } from './observe-query.ts';
import { isUnclearMutation } from './response-errors.ts';
import type { Held } from './session.ts';

const looks = {
  'plan: queued': { color: 'd4c5f9', description: 'A plan was asked for and waits its turn' },
  'plan: writing': { color: 'bfdadc', description: 'A plan is being written' },
  'plan: question': { color: 'd876e3', description: 'Questions have to be answered before the work goes on' },
  'plan: review': { color: 'fbca04', description: 'A plan waits for review' },
  'plan: building': { color: '1d76db', description: 'An approved plan is being implemented' },
  'plan: done': { color: '0e8a16', description: 'An approved plan is implemented' },
  'plan: failed': { color: 'b60205', description: 'The last run failed; /retry tries again' },
} as const satisfies Record<StatusLabel, { readonly color: string; readonly description: string }>;

/** Shows one status label on the issue, or none. Labels that are not this app's are left alone. */
export async function setStatusLabel(stage: Stage, label: StatusLabel | null): Promise<void> {
  const current = stage.made.labels ?? stage.facts.issue.labels;
  const add = label === null || current.some((name) => isSame(name, label)) ? [] : [label];
  const remove = statusLabelNames.filter((name) => name !== label && current.some((each) => isSame(each, name)));
  if (add.length === 0 && remove.length === 0) return;
  await stage.write('set the status label', async (held) => {
    if (add.length > 0) await ensureLabels(stage, held);
    await swapLabels(stage, held, add, remove);
  });
  stage.made.labels = [...current.filter((name) => !remove.some((each) => isSame(each, name))), ...add];
}

/** GitHub's label names differ by more than their case. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function labelId(stage: Stage, name: string): string | null {
  return stage.made.labelIds.get(name) ?? stage.facts.repository.statusLabels[name]?.nodeId ?? null;
}

/** Adding a label that is there, or removing one that is not, changes nothing: the document may be repeated. */
async function swapLabels(
  stage: Stage,
  held: Held,
  add: readonly StatusLabel[],
  remove: readonly StatusLabel[],
): Promise<void> {
  const toAdd = add.map((name) => labelId(stage, name)).filter((id) => id !== null);
  const toRemove = remove.map((name) => labelId(stage, name)).filter((id) => id !== null);
  if (toAdd.length < add.length || toRemove.length < remove.length) {
    throw new Unreadable('expected the ids of the status labels, got none; look again');
  }
  const fields = [
    { given: toRemove, name: 'remove', mutation: 'removeLabelsFromLabelable' },
    { given: toAdd, name: 'add', mutation: 'addLabelsToLabelable' },
  ].filter(({ given }) => given.length > 0);
  const parameters = fields.map(({ name }) => `, $${name}: [ID!]!`).join('');
  const body = fields.map(
    ({ name, mutation }) => `  ${mutation}(input: { labelableId: $issue, labelIds: $${name} }) { clientMutationId }`,
  );
  const text = `mutation SwapStatusLabel($issue: ID!${parameters}) {\n${body.join('\n')}\n}`;
  const ids = Object.fromEntries(fields.map(({ name, given }) => [name, given]));
  await held.mutate(text, { issue: stage.facts.issue.nodeId, ...ids }, true);
}

/** Makes the repository's missing status labels, all in one document. */
async function ensureLabels(stage: Stage, held: Held): Promise<void> {
  const missing = statusLabelNames.filter((name) => labelId(stage, name) === null);
  if (missing.length === 0) return;
  const keep = (found: ReadonlyMap<string, string>): void => {
    for (const [name, id] of found) stage.made.labelIds.set(name, id);
  };
  try {
    keep(await createLabels(stage, held, missing));
  } catch (error) {
    if (!isUnclearMutation(error)) throw error;
    // They may have been made all the same, or by another thread at the same time.
    keep(await findLabels(stage, held, missing));
    const left = missing.filter((name) => labelId(stage, name) === null);
    if (left.length > 0) keep(await createLabels(stage, held, left));
  }
}

const createdLabel = z.object({ label: z.object({ id: z.string() }) });

async function createLabels(
  stage: Stage,
  held: Held,
  names: readonly StatusLabel[],
): Promise<ReadonlyMap<string, string>> {
  const parameters = names.map((_, index) => `, $label${index}: CreateLabelInput!`).join('');
  const body = names.map((_, index) => `  label${index}: createLabel(input: $label${index}) { label { id } }`);
  const repositoryId = stage.facts.repository.nodeId;
  const inputs = names.map((name, index) => [`label${index}`, { repositoryId, name, ...looks[name] }]);
  const text = `mutation CreateStatusLabels(${parameters.slice(2)}) {\n${body.join('\n')}\n}`;
  const answer = z.record(z.string(), createdLabel).safeParse(await held.mutate(text, Object.fromEntries(inputs)));
  if (!answer.success) throw new Unreadable('expected the labels that were made, got something else');
  return new Map(
    names.flatMap((name, index) => {
      const made = answer.data[`label${index}`];
      return made === undefined ? [] : [[name, made.label.id] as const];
    }),
  );
}

const foundLabels = z.object({ repository: z.record(z.string(), z.object({ id: z.string() }).nullable()) });

async function findLabels(
  stage: Stage,
  held: Held,
  names: readonly StatusLabel[],
): Promise<ReadonlyMap<string, string>> {
  const fields = names.map((name, index) => `    label${index}: label(name: ${JSON.stringify(name)}) { id }`);
  const text = `query StatusLabels($owner: String!, $name: String!) {\n  repository(owner: $owner, name: $name) {\n${fields.join('\n')}\n  }\n}`;
  const { owner, repo } = stage.repository;
  const answer = foundLabels.safeParse(await held.query(text, { owner, name: repo }));
  if (!answer.success) throw new Unreadable('expected the labels of the repository, got something else');
  return new Map(
    names.flatMap((name, index) => {
      const found = answer.data.repository[`label${index}`] ?? null;
      return found === null ? [] : [[name, found.id] as const];
    }),
  );
}
