import { isLockedError, makeOnce } from './act-stage.ts';
import { goneComment, markedBody } from './comments.ts';
import type { GitHub } from './github.ts';
import { bearsMarker, formatThreadKey, type Marker } from './identifiers.ts';
import type { Held, Session } from './session.ts';

/** @returns `GitHub.tellGone` */
export function createFarewell({ session, self }: { session: Session; self: GitHub['self'] }): GitHub['tellGone'] {
  return (thread, pullRequest) =>
    session.write(thread, 'say that the issue is gone', async (held) => {
      const { owner, name: repo } = held.repository ?? thread.repository;
      const target = { owner, repo, issue_number: pullRequest };
      const marker: Marker = { kind: 'status', thread: formatThreadKey(thread), cause: 'gone' };
      const { id } = await self();
      const find = () => findSaid(held, target, id, marker);
      const say = async () => {
        await held.client.rest.issues.createComment({ ...target, body: markedBody(goneComment, marker) });
        return true as const;
      };
      try {
        if ((await find()) === null) await makeOnce(say, find);
      } catch (error) {
        if (!isLockedError(error)) throw error;
      }
    });
}

async function findSaid(
  { client }: Held,
  target: { readonly owner: string; readonly repo: string; readonly issue_number: number },
  self: number,
  marker: Marker,
): Promise<true | null> {
  const comments = await client.paginate(client.rest.issues.listComments, { ...target, per_page: 100 });
  return comments.some(({ user, body }) => user?.id === self && bearsMarker(body ?? '', marker)) ? true : null;
}
