import { z } from 'zod';
import { currentPullRequest } from '../lifecycle/branch.ts';
import type { Facts, Membership, Person } from '../lifecycle/facts.ts';
import { mayWrite } from '../lifecycle/person.ts';
import { beforeDeadline } from './deadline.ts';
import type { ThreadRef } from './github.ts';
import { reviewersOf } from './observe-permissions.ts';
import { statusOf } from './response-errors.ts';
import type { Held, Session } from './session.ts';
import { mapPool } from './task-pool.ts';

export interface MembershipLook {
  readonly session: Session;
  readonly thread: ThreadRef;
  readonly facts: Omit<Facts, 'memberships'>;
  /** How long the answers may take in all. */
  readonly timeoutMs: number;
}

interface Question {
  readonly person: Person;
  readonly organization: string;
  readonly team: string;
}

/**
 * Who of the writers among the reviewers is in which of the teams that matter. Whatever goes wrong leaves `unknown`; where
 * no team matters nothing is asked, and no token minted that may read members.
 */
export async function observeMemberships(look: MembershipLook): Promise<Facts['memberships']> {
  const { session, thread, facts, timeoutMs } = look;
  const teams = teamsThatMatter(facts);
  const people = teams.length === 0 ? [] : writersAmongReviewers(facts);
  const found = new Map(
    people.map(({ id }) => [id, new Map(teams.map((team): [string, Membership] => [team, 'unknown']))]),
  );
  const questions = people.flatMap((person) => teams.flatMap((team) => questionOf(facts, person, team)));
  if (questions.length > 0) {
    await beforeDeadline(timeoutMs, (signal) =>
      session.read(
        thread,
        'read the members of teams',
        (held) =>
          mapPool(questions, async (question) => {
            const { person, organization, team } = question;
            found.get(person.id)?.set(`${organization}/${team}`, await readMembership(held, question, signal));
          }),
        'teams',
      ),
    ).catch(() => null);
  }
  return Object.fromEntries([...found].map(([id, memberships]) => [id, Object.fromEntries(memberships)]));
}

/** In lower case: those of `approval.teams` and the teams among the owners of planned paths. */
function teamsThatMatter({ policy, pullRequests }: MembershipLook['facts']): readonly string[] {
  if ('problems' in policy) return [];
  const owners = pullRequests.flatMap(({ codeOwners }) => (typeof codeOwners === 'string' ? [] : codeOwners));
  const teams = owners.flatMap((entry) => entry.owners).filter((owner) => /^@.+\/.+/.test(owner));
  return [
    ...new Set(
      [...(policy.approval.teams ?? []), ...teams.map((owner) => owner.slice(1))].map((team) => team.toLowerCase()),
    ),
  ];
}

function writersAmongReviewers(facts: MembershipLook['facts']): readonly Person[] {
  const pullRequest = currentPullRequest({ ...facts, memberships: {} });
  if (pullRequest?.state !== 'open') return [];
  return reviewersOf(pullRequest, facts.policy).filter(({ id }) => mayWrite(facts.permissions[id] ?? 'unknown'));
}

/** The app sees the teams of the organization that it is installed on, and of no other. */
function questionOf({ repository }: MembershipLook['facts'], person: Person, name: string): readonly Question[] {
  const [organization = '', team = ''] = name.split('/');
  return organization === repository.owner.toLowerCase() ? [{ person, organization, team }] : [];
}

const membershipAnswer = z.object({ state: z.enum(['active', 'pending']) });

/** Source: https://docs.github.com/rest/teams/members#get-team-membership-for-a-user */
async function readMembership(held: Held, question: Question, signal: AbortSignal): Promise<Membership> {
  try {
    const { data } = await held.client.rest.teams.getMembershipForUserInOrg({
      org: question.organization,
      team_slug: question.team,
      username: question.person.login,
      request: { signal },
    });
    const parsed = membershipAnswer.safeParse(data);
    if (!parsed.success) return 'unknown';
    return parsed.data.state === 'active' ? 'member' : 'not_member';
  } catch (error) {
    const status = statusOf(error);
    // The token has expired or was revoked: another is minted.
    if (status === 401) throw error;
    return status === 404 ? 'not_member' : 'unknown';
  }
}
