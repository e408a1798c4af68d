/** From GitHub's answers to who changed an issue's text, and when. No call is made here. */
import type { IssueEdit, Person } from '../lifecycle/facts.ts';
import { compareTimes } from '../lifecycle/time.ts';
import type { ActorAnswer, RepositoryAnswer } from './observe-schema.ts';

type IssueAnswer = RepositoryAnswer['issue'];

/** Edits of body and title, oldest first. @param personOf reads an actor */
export function editsOf(issue: IssueAnswer, personOf: (actor: ActorAnswer) => Person | null): readonly IssueEdit[] {
  const titles = issue.timelineItems.nodes.flatMap((event): readonly IssueEdit[] =>
    event.__typename === 'RenamedTitleEvent' ? [{ what: 'title', by: personOf(event.actor), at: event.createdAt }] : [],
  );
  const bodies = (issue.userContentEdits?.nodes ?? [])
    .filter(({ editedAt }) => !isPosting(issue, editedAt))
    .map(({ editor, editedAt }): IssueEdit => ({ what: 'body', by: personOf(editor), at: editedAt }));
  return [...titles, ...bodies, ...untoldEdit(issue, bodies)].toSorted((a, b) => compareTimes(a.at, b.at));
}

/** The list of an edited text begins with the text as it was posted. */
function isPosting({ includesCreatedEdit, createdAt }: IssueAnswer, editedAt: string): boolean {
  return includesCreatedEdit && compareTimes(editedAt, createdAt) === 0;
}

/** A body that says it was edited later than any edit tells of, was edited by somebody unknown. */
function untoldEdit({ lastEditedAt }: IssueAnswer, told: readonly IssueEdit[]): readonly IssueEdit[] {
  if (lastEditedAt === null || told.some(({ at }) => compareTimes(at, lastEditedAt) >= 0)) return [];
  return [{ what: 'body', by: null, at: lastEditedAt }];
}
