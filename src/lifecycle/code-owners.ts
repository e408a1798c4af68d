/** `approval.code_owners`: every planned path that has owners needs the approval of one of them. */
import { belongsTo } from './eligibility.ts';
import type { Facts, Person, PullRequestFacts } from './facts.ts';
import { certain, type Obstacle, unclear } from './obstacle.ts';
import { nameSome } from './phrases.ts';

/** Those whose approval counts, and those of whom it cannot be told whether it does. */
export interface Approvers {
  readonly counted: readonly Person[];
  readonly undecided: readonly Person[];
}

const instead = 'or set approval.code_owners: false';

export function missingOwners(facts: Facts, pullRequest: PullRequestFacts, approvers: Approvers): readonly Obstacle[] {
  const { codeOwners, planOfRecord } = pullRequest;
  if (codeOwners === 'none') {
    return [certain(`approval.code_owners is set, and the base branch has no CODEOWNERS file: add one, ${instead}.`)];
  }
  // The placeholder names no path: there is nothing that anybody owns.
  const planned = (planOfRecord?.scope ?? []).map(({ path }) => path);
  if (codeOwners === 'unknown' && planOfRecord?.isEmpty === true && planned.length === 0) return [];
  const known = codeOwners === 'unknown' ? [] : codeOwners;
  const unread = planned.filter((path) => !known.some((entry) => entry.path === path));
  if (codeOwners === 'unknown' || unread.length > 0) {
    const whose = codeOwners === 'unknown' ? 'the planned paths' : nameSome(unread);
    return [unclear(`The owners of ${whose} could not be read: look at CODEOWNERS on the base branch, ${instead}.`)];
  }
  return [...pathsByOwners(pullRequest)].flatMap(([, { owners, paths }]) => {
    const obstacle = whyNotApproved(facts, owners, nameSome(paths), approvers);
    return obstacle === null ? [] : [obstacle];
  });
}

/** Paths with the same owners are told in one sentence. */
function pathsByOwners({ codeOwners }: PullRequestFacts) {
  const groups = new Map<string, { readonly owners: readonly string[]; readonly paths: readonly string[] }>();
  for (const { path, owners } of typeof codeOwners === 'string' ? [] : codeOwners) {
    if (owners.length === 0) continue;
    const key = owners.toSorted().join(' ');
    groups.set(key, { owners, paths: [...(groups.get(key)?.paths ?? []), path] });
  }
  return groups;
}

function whyNotApproved(
  facts: Facts,
  owners: readonly string[],
  paths: string,
  { counted, undecided }: Approvers,
): Obstacle | null {
  const named = owners.filter((owner) => owner.startsWith('@'));
  if (named.length === 0) {
    return certain(
      `The owners of ${paths} are named by e-mail alone, which tells of no account: name them by login or team in CODEOWNERS, ${instead}.`,
    );
  }
  const belongs = (person: Person) => named.map((owner) => belongsTo(facts, owner, person));
  if (counted.some((person) => belongs(person).includes('member'))) return null;
  const why = `${paths}: the approval of an owner is missing (${nameSome(named)}).`;
  const unread = counted.find((person) => belongs(person).includes('unknown'));
  if (unread !== undefined) {
    return unclear(`${why} Whether ${unread.login} is a member of their teams could not be read.`);
  }
  const isUndecided = undecided.some((person) => belongs(person).some((each) => each !== 'not_member'));
  return isUndecided ? unclear(why) : certain(why);
}
