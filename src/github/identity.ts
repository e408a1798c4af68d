/** Who this app is to GitHub. */
import { z } from 'zod';
import { askGraphql, type Client, type ClientOptions, createTokenClient } from './client.ts';
import { type GitHub, Unreadable } from './github.ts';
import { isServed, type Minting } from './minting.ts';
import type { Tokens } from './tokens.ts';

type Reach = Pick<Minting, 'installations'>;

export interface Identity {
  /** The app's number; asked of GitHub where the environment names the app by its client id. */
  appId(): Promise<number>;
  /** The account it acts as. @throws {Unreadable} where the app is installed nowhere, and so acts as nobody */
  self: GitHub['self'];
  /** Keeps what another answer told of the account. */
  remember(account: Account): void;
}

/** The account as GraphQL's `viewer` shows it to a token of an installation: its login ends in `[bot]`. */
export interface Account {
  readonly databaseId: number;
  readonly login: string;
}

const appAnswer = z.object({ id: z.number() });
const viewerAnswer = z.object({ viewer: z.object({ databaseId: z.number(), login: z.string() }) });

/** Asks GitHub when it is first needed, and keeps the answer. */
export function createIdentity(options: ClientOptions, app: Client, tokens: Tokens, reach: Reach): Identity {
  const { appId } = options.environment;
  let number: number | null = /^\d{1,15}$/.test(appId) ? Number(appId) : null;
  let account: Account | null = null;
  const identity: Identity = {
    appId: async () => {
      number ??= appAnswer.parse((await app.rest.apps.getAuthenticated()).data).id;
      return number;
    },
    self: async () => {
      account ??= await askAccount(options, app, tokens, reach);
      const slug = account.login.replace(/\[bot\]$/, '');
      return { id: account.databaseId, login: `${slug}[bot]`, slug, appId: await identity.appId() };
    },
    remember: (told) => {
      account = told;
    },
  };
  return identity;
}

/** Only a token of an installation acts as the app's account, so one of them is asked who it is. */
async function askAccount(options: ClientOptions, app: Client, tokens: Tokens, reach: Reach): Promise<Account> {
  const installations = await app.paginate(app.rest.apps.listInstallations, { per_page: 100 });
  const installation = installations.find(({ id, suspended_at }) => suspended_at === null && isServed(reach, id));
  if (installation === undefined) {
    const what = 'expected an installation of the app that it works for, got none';
    throw new Unreadable(`${what}; install it, and list it where PLANWRIGHT_INSTALLATIONS is set`);
  }
  const text = 'query Viewer { viewer { databaseId login } }';
  const answer = await tokens.lendToDiscover(installation.id, (token) =>
    askGraphql(createTokenClient(options, token), options.environment.graphqlUrl, {
      text,
      variables: {},
      repeat: true,
    }),
  );
  const parsed = viewerAnswer.safeParse(answer);
  if (!parsed.success) throw new Unreadable("expected the app's account, got none", { cause: parsed.error });
  return parsed.data.viewer;
}
