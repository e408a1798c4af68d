/** `approval.require_resolved_threads`: what an eligible person has begun to talk about is to be settled first. */
import { eligibilityOf } from './eligibility.ts';
import type { Facts, Person, PullRequestFacts, ReviewThread } from './facts.ts';
import { certain, type Obstacle, unclear } from './obstacle.ts';
import { nameSome } from './phrases.ts';
import type { Policy } from './policy.ts';

/**
 * Unresolved conversations, one sentence for each person who began some. Who approves has settled their own: what they
 * say there goes into the implementation. A conversation of nobody's, or of a person without a say, is in nobody's way.
 */
export function openConversations(
  facts: Facts,
  policy: Policy,
  pullRequest: PullRequestFacts,
  approvers: readonly Person[],
): readonly Obstacle[] {
  const settled = new Set(approvers.map(({ id }) => id));
  const byAuthor = new Map<number, { readonly author: Person; readonly threads: readonly ReviewThread[] }>();
  for (const thread of pullRequest.threads) {
    const author = thread.comments[0]?.author ?? null;
    if (thread.isResolved || author === null || settled.has(author.id)) continue;
    byAuthor.set(author.id, { author, threads: [...(byAuthor.get(author.id)?.threads ?? []), thread] });
  }
  return [...byAuthor.values()].flatMap(({ author, threads }) => {
    const eligibility = eligibilityOf(facts, policy, pullRequest, author);
    if (eligibility.kind === 'not_eligible') return [];
    const what = `Open conversation of ${author.login} at ${nameSome(threads.map(placeOf))}`;
    const mend = 'resolve it, or set approval.require_resolved_threads: false';
    if (eligibility.kind === 'eligible') return [certain(`${what}: ${mend}.`)];
    return [unclear(`${what}, and ${eligibility.why}: ${mend}.`)];
  });
}

function placeOf({ path, line, originalLine, subject, isOutdated }: ReviewThread): string {
  const at = subject === 'file' ? null : (line ?? originalLine);
  return `${path}${at === null ? '' : `:${at}`}${isOutdated ? ' (outdated)' : ''}`;
}
