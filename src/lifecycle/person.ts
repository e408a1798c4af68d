import type { Facts, Permission, Person } from './facts.ts';

/** The person's permission as it was read; `unknown` where it was not. */
export function permissionOf(facts: Facts, person: Person): Permission {
  return facts.permissions[person.id] ?? 'unknown';
}

/** The person's login; GitHub calls an account that is gone `ghost`. */
export function loginOf(person: Person | null): string {
  return person?.login ?? 'ghost';
}

/** The words of the design: a writer is a person, not a bot and not this app, whose live permission is write or more. */
export function isWriter(facts: Facts, person: Person | null): boolean {
  if (person === null || person.kind !== 'user' || person.isThisApp) return false;
  return mayWrite(permissionOf(facts, person));
}

/** Whether a permission on the repository, as the facts or a receipt name it, makes a person a writer. */
export function mayWrite(permission: string): boolean {
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
}

/** A person of whom it is not known whether they may write: nothing is granted, and nothing is refused for good. */
export function isUnknown(facts: Facts, person: Person | null): boolean {
  return person !== null && person.kind === 'user' && !person.isThisApp && permissionOf(facts, person) === 'unknown';
}
