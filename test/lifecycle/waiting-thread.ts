/** Threads that wait for people: what happens in them, and what the app makes of it. */
import type { Person } from '../../src/lifecycle/facts.ts';
import type { Question } from '../../src/lifecycle/memory.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

export type Happening = (world: World) => void;

export const label: Happening = (world) => the.setLabel(world, the.writer, 'labeled');
export const unlabel: Happening = (world) => the.setLabel(world, the.writer, 'unlabeled');
export const claim: Happening = (world) => the.work(world, 'claim');
export const deliver: Happening = (world) => the.work(world, 'finish');
export const approve: Happening = (world) => void the.addReview(world, the.writer, 'APPROVED');
export const object: Happening = (world) => void the.addReview(world, the.writer, 'CHANGES_REQUESTED');
export const say =
  (body: string, by: Person = the.writer): Happening =>
  (world) =>
    the.addComment(world, by, body);

export const setOpen =
  (isIssueOpen: boolean): Happening =>
  (world) => {
    world.isIssueOpen = isIssueOpen;
  };

export const cache: Question = { text: 'Which cache?', suggestions: ['LRU', 'TTL'] };
export const place: Question = { text: 'Where?', suggestions: [] };
export const both = [cache, place];

/** The run at work parks with these questions, or whatever it ends with else. */
export const park =
  (outcome: the.World['runs'][number]['outcome']): Happening =>
  (world) => {
    world.runs = world.runs.map((run, index) =>
      index === world.runs.length - 1 ? { ...run, status: 'parked', outcome } : run,
    );
  };
export const ask = (...questions: readonly Question[]): Happening => park({ kind: 'question', questions });

/** Each happening is followed by the app until it rests. */
export function play(world: World, ...events: readonly Happening[]): the.Pass {
  let pass = the.reconcile(world);
  for (const happen of events) {
    world.tick += 1;
    happen(world);
    pass = the.reconcile(world);
  }
  return pass;
}

/** What the app says of questions, and whether the run goes on: by what, and without which answers. */
export function heard(world: World, ...events: readonly Happening[]) {
  const { state, effects } = play(world, ...events);
  const order = effects.flatMap((effect) => (effect.kind === 'startRun' ? [effect.order] : []));
  const note: unknown = JSON.parse(world.sticky ?? '{}').note ?? null;
  const told = world.marks.filter((mark) => mark.startsWith('numbers:'));
  return { state, note, told, orders: order.map(({ causes, occasion }) => ({ causes, occasion })) };
}
