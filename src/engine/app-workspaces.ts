import type { GitHub } from '../github/github.ts';
import type { Workspaces } from '../workspace/workspace.ts';

export interface Author {
  readonly name: string;
  readonly email: string;
}

/**
 * Workspaces whose commits are the app's own. Who the app is, GitHub tells only once it is installed somewhere, which
 * may be long after the start: they are made when they are first needed, and every call fails until they can be.
 */
export function createAppWorkspaces(
  self: GitHub['self'],
  webUrl: string,
  create: (author: Author) => Workspaces,
): Workspaces {
  let made: Promise<Workspaces> | null = null;
  const get = () => {
    made ??= self().then((account) => create(authorOf(account, webUrl)));
    made.catch(() => {
      made = null;
    });
    return made;
  };
  return {
    fetch: async (...args) => (await get()).fetch(...args),
    readOnlyCheckout: async (...args) => (await get()).readOnlyCheckout(...args),
    writableCheckout: async (...args) => (await get()).writableCheckout(...args),
    scratch: async (...args) => (await get()).scratch(...args),
    readFile: async (...args) => (await get()).readFile(...args),
    filesNamed: async (...args) => (await get()).filesNamed(...args),
    history: async (...args) => (await get()).history(...args),
    commitPlan: async (...args) => (await get()).commitPlan(...args),
    snapshot: async (...args) => (await get()).snapshot(...args),
    commitStep: async (...args) => (await get()).commitStep(...args),
    inspect: async (...args) => (await get()).inspect(...args),
    carryOver: async (...args) => (await get()).carryOver(...args),
    lastCommit: async (...args) => (await get()).lastCommit(...args),
    changes: async (...args) => (await get()).changes(...args),
    push: async (...args) => (await get()).push(...args),
    remove: async (...args) => (await get()).remove(...args),
    sweep: async (...args) => (await get()).sweep(...args),
  };
}

/**
 * The address by which GitHub attributes a commit to a bot's account: `ID+LOGIN@users.noreply.HOST`.
 * Source: https://docs.github.com/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
 */
function authorOf(account: { readonly id: number; readonly login: string }, webUrl: string): Author {
  const host = new URL(webUrl).hostname;
  return { name: account.login, email: `${account.id}+${account.login}@users.noreply.${host}` };
}
