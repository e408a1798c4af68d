import type { Account } from './state.ts';

/** Git's variables for a commit that GitHub attributes to the account. */
export function identityOf(account: Account): Readonly<Record<string, string>> {
  const email = `${account.id}+${account.login}@users.noreply.github.com`;
  return {
    GIT_AUTHOR_NAME: account.login,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: 'GitHub',
    GIT_COMMITTER_EMAIL: 'noreply@github.com',
  };
}
