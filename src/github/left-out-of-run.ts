import { reviewsAmong } from '../lifecycle/cause.ts';
import { isEligible } from '../lifecycle/eligibility.ts';
import type { Facts, Person, PullRequestFacts } from '../lifecycle/facts.ts';
import type { RunMemory } from '../lifecycle/memory.ts';
import { countLeftOut, type LeftOut } from '../plan/left-out.ts';

/** What of the reviews that a run answers, or goes by, was not used. */
export function leftOutOf(facts: Facts, pullRequest: PullRequestFacts, run: RunMemory): readonly LeftOut[] {
  const { policy } = facts;
  const reviewIds = reviewsAmong(run.causes);
  if ('problems' in policy || reviewIds.length === 0) return [];
  const maySpeak = (person: Person) => isEligible(facts, policy, person);
  const { reviews, threads } = pullRequest;
  return countLeftOut({ reviews, threads, reviewIds, reviewed: run.head, maySpeak });
}
