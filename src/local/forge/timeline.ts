/** An issue's history, as its timeline shows it. */
import { type Actor, actingAccount } from './access.ts';
import { type Forge, now } from './forge.ts';
import { nodeId } from './node-id.ts';
import type { Issue, TimelineEvent } from './state.ts';

type Bare<Event> = Event extends TimelineEvent ? Omit<Event, 'id' | 'nodeId' | 'actor' | 'createdAt'> : never;

/** What an event is about, without its id, actor and time. */
export type Happening = Bare<TimelineEvent>;

/** Appends the event and moves the issue's `updatedAt`. */
export function record(forge: Forge, actor: Actor, issue: Issue, happening: Happening): void {
  const id = forge.nextId();
  const at = now(forge);
  issue.timeline.push({ id, nodeId: nodeId('event', id), actor: actingAccount(actor), createdAt: at, ...happening });
  issue.updatedAt = at;
}
