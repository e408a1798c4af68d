/** Accounts as GraphQL shows them. */
import { accountNodeId, accountShape } from '../shapes/account.ts';
import type { Account } from '../state.ts';
import type { Source } from './source.ts';
import { addresses, isViewer, type View } from './view.ts';

function plainLogin(account: Account): string {
  return account.login.replace(/\[bot\]$/, '');
}

function commonFields(view: View, account: Account): Source {
  const { html_url, avatar_url } = accountShape(view.forge, account);
  return {
    id: accountNodeId(account),
    databaseId: account.id,
    avatarUrl: avatar_url,
    ...addresses(view, html_url),
  };
}

/**
 * The account as an `Actor`. An app's account is a `Bot` whose login is the app's slug, without the `[bot]` that REST
 * puts behind it. Source: https://docs.github.com/graphql/reference/objects#bot
 */
export function actorSource(view: View, account: Account): Source {
  if (account.type === 'User') return userSource(view, account);
  const fields = { ...commonFields(view, account), login: plainLogin(account) };
  if (account.type === 'Bot') return { __typename: 'Bot', ...fields };
  return { __typename: 'Organization', ...fields, name: null };
}

/** `null` for a deleted account. */
export function nullableActorSource(view: View, account: Account | null): Source | null {
  return account === null ? null : actorSource(view, account);
}

/**
 * The account where the schema allows nothing but a `User`: a commit's author, who resolved a thread, the viewer.
 * GitHub shows an app's account there as a `User` whose login ends in `[bot]`.
 */
export function userSource(view: View, account: Account): Source {
  return {
    __typename: 'User',
    ...commonFields(view, account),
    login: account.type === 'Bot' ? `${plainLogin(account)}[bot]` : account.login,
    name: null,
    email: '',
    isViewer: isViewer(view, account),
    isSiteAdmin: false,
  };
}
