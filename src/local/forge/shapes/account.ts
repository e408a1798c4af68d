import type { Forge } from '../forge.ts';
import { nodeId } from '../node-id.ts';
import type { Account } from '../state.ts';

/** GitHub's `simple-user`. */
export function accountShape(forge: Forge, account: Account) {
  const url = `${forge.webUrl}/api/v3/users/${encodeURIComponent(account.login)}`;
  const page = account.type === 'Bot' ? `/apps/${account.login.replace(/\[bot\]$/, '')}` : `/${account.login}`;
  return {
    login: account.login,
    id: account.id,
    node_id: accountNodeId(account),
    avatar_url: `${forge.webUrl}/avatars/${account.id}`,
    gravatar_id: '',
    url,
    html_url: `${forge.webUrl}${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    site_admin: false,
  };
}

export function accountNodeId(account: Account): string {
  const kinds = { User: 'user', Bot: 'bot', Organization: 'organization' } as const;
  return nodeId(kinds[account.type], account.id);
}

/** For places where a deleted account leaves nobody. */
export function nullableAccountShape(forge: Forge, account: Account | null) {
  return account === null ? null : accountShape(forge, account);
}
