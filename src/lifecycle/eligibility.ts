/** Whose verdicts can count: writers, and where the policy names people, only those. */
import { currentPullRequest } from './branch.ts';
import type { Facts, Membership, Person, PullRequestFacts } from './facts.ts';
import { isUnknown, isWriter, permissionOf } from './person.ts';
import type { Policy } from './policy.ts';

export type Eligibility =
  | { readonly kind: 'eligible' }
  | { readonly kind: 'not_eligible'; readonly why: string }
  /** Whatever would tell could not be read: no approval of theirs counts, and an objection stands. */
  | { readonly kind: 'unclear'; readonly why: string };

const eligible: Eligibility = { kind: 'eligible' };

/** Whether a person's verdicts on the thread's own pull request can count: what decides if their feedback is worked on. */
export function isEligible(facts: Facts, policy: Policy, person: Person | null): boolean {
  return person !== null && eligibilityOf(facts, policy, currentPullRequest(facts), person).kind === 'eligible';
}

/** Only what GitHub says of permission, login and membership is asked; how a person is associated with it says nothing. */
export function eligibilityOf(
  facts: Facts,
  policy: Policy,
  pullRequest: PullRequestFacts | null,
  person: Person,
): Eligibility {
  if (person.isThisApp) return { kind: 'not_eligible', why: 'this app does not review its own plans' };
  if (person.kind !== 'user') return { kind: 'not_eligible', why: 'not a person' };
  if (isUnknown(facts, person)) return { kind: 'unclear', why: 'their permission could not be read' };
  if (!isWriter(facts, person)) {
    return { kind: 'not_eligible', why: `permission is ${permissionOf(facts, person)}; write is needed` };
  }
  return namedBy(facts, policy, pullRequest, person);
}

/** Users, teams and, where they are asked for, the owners of the planned paths: whoever is among any of them. */
function namedBy(facts: Facts, policy: Policy, pullRequest: PullRequestFacts | null, person: Person): Eligibility {
  const { users, teams, codeOwners } = policy.approval;
  if (users === null && teams === null) return eligible;
  const listed = codeOwners && pullRequest !== null ? pullRequest.codeOwners : 'none';
  const owners = typeof listed === 'string' ? [] : listed.flatMap((entry) => entry.owners);
  const names = [...(users ?? []).map((login) => `@${login}`), ...(teams ?? []).map((team) => `@${team}`), ...owners];
  const belongs = names.map((name) => belongsTo(facts, name, person));
  if (belongs.includes('member')) return eligible;
  const unread = names.find((_, at) => belongs[at] === 'unknown');
  if (unread !== undefined) return { kind: 'unclear', why: `their membership of ${unread.slice(1)} could not be read` };
  if (listed === 'unknown') return { kind: 'unclear', why: 'the owners of the planned paths could not be read' };
  const places = [
    ...(users === null ? [] : ['approval.users']),
    ...(teams === null ? [] : ['approval.teams']),
    ...(codeOwners ? ['the owners of the planned paths'] : []),
  ];
  return { kind: 'not_eligible', why: `not among ${places.join(', ')}` };
}

/** Whether a name as CODEOWNERS writes it, `@login` or `@organization/team`, means the person; an e-mail address never does. */
export function belongsTo(facts: Facts, name: string, person: Person): Membership {
  if (!name.startsWith('@')) return 'not_member';
  const bare = name.slice(1).toLowerCase();
  if (!bare.includes('/')) return bare === person.login.toLowerCase() ? 'member' : 'not_member';
  return facts.memberships[person.id]?.[bare] ?? 'unknown';
}
