/** Which deliveries never got through. GitHub lists each attempt by itself, newest first; all of a delivery share its GUID. */

/** One attempt at a delivery. */
export interface DeliveryAttempt {
  /** GitHub's number for the attempt, in digits: it goes past what a number holds. */
  readonly id: string;
  readonly guid: string;
  /** Milliseconds since the epoch. */
  readonly deliveredAt: number;
  /** The answer to it was 2xx. */
  readonly isOk: boolean;
  /** `false` while no answer has come, which may be because none will. */
  readonly isAnswered: boolean;
  /** `null` where it is about none. */
  readonly installation: number | null;
}

/** A delivery without an attempt that got through. */
export interface MissedDelivery {
  readonly guid: string;
  /** Its newest attempt, which GitHub keeps longest. */
  readonly id: string;
  readonly deliveredAt: number;
  /** When it may be asked for again, at the earliest. */
  readonly dueAt: number;
}

export interface SortedAttempts {
  /** Those that got through after all, whatever else became of them. */
  readonly arrived: readonly string[];
  readonly missed: readonly MissedDelivery[];
}

/** GitHub gives an answer ten seconds; only after this is an attempt without one known to be lost. */
const underWayMs = 30_000;

/**
 * What a page tells.
 * @param arrived what is known, by newer pages, to have got through
 */
export function sortAttempts(
  page: readonly DeliveryAttempt[],
  arrived: ReadonlySet<string>,
  isServed: (installation: number | null) => boolean,
): SortedAttempts {
  const arrivedHere = new Set(page.filter(({ isOk }) => isOk).map(({ guid }) => guid));
  const missed = new Map<string, MissedDelivery>();
  for (const { id, guid, deliveredAt, isAnswered, installation } of page) {
    if (arrived.has(guid) || arrivedHere.has(guid) || missed.has(guid) || !isServed(installation)) continue;
    missed.set(guid, { guid, id, deliveredAt, dueAt: isAnswered ? deliveredAt : deliveredAt + underWayMs });
  }
  return { arrived: [...arrivedHere], missed: [...missed.values()] };
}

/** How often a delivery is asked for again: five times within a day. */
export const maxAsks = 5;
const firstDistanceMs = 5 * 60 * 1000;
const growth = 6;

/**
 * How long to wait after having asked for the `asks`th time: 5 minutes, half an hour, 3 hours, 18 hours; after the last time
 * the 5 minutes in which what was asked for comes.
 */
export function distanceAfter(asks: number): number {
  return asks < maxAsks ? firstDistanceMs * growth ** (asks - 1) : firstDistanceMs;
}
