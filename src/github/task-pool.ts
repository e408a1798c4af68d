import PQueue from 'p-queue';

/** At most this many calls at a time; GitHub allows 100 for all of an app's. */
const concurrency = 8;

/** The results in the order of the items. */
export function mapPool<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  return new PQueue({ concurrency }).addAll(items.map((item) => () => work(item)));
}
