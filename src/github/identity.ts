/** Who this app is to GitHub. */
import { z } from 'zod';
import { askGraphql, type Client, type ClientOptions, createTokenClient } from './client.ts';
import { type GitHub, Unreadable } from './github.ts';
import type { Tokens } from './tokens.ts';

export interface Identity {
  /** The app; asked once. */
  app(): Promise<{ readonly appId: number; readonly slug: string }>;
  /** The account it acts as. @throws {Unreadable} where the app is installed nowhere, and so acts as nobody */
  self: GitHub['self'];
  /** Keeps the account's id that another answer told. */
  remember(account: number): void;
}

const appAnswer = z.object({ id: z.number(), slug: z.string().min(1) });
const viewerAnswer = z.object({ viewer: z.object({ databaseId: z.number() }) });

export function createIdentity(options: ClientOptions, app: Client, tokens: Tokens): Identity {
  let asked: Promise<{ readonly appId: number; readonly slug: string }> | null = null;
  let account: number | null = null;
  const askApp = (): NonNullable<typeof asked> => {
    const asking = app.rest.apps.getAuthenticated().then(({ data }) => {
      const { id, slug } = appAnswer.parse(data);
      return { appId: id, slug };
    });
    asked = asking;
    asking.catch(() => {
      if (asked === asking) asked = null;
    });
    return asking;
  };
  const identity: Identity = {
    app: () => asked ?? askApp(),
    self: async () => {
      const { appId, slug } = await identity.app();
      account ??= await askAccount(options, app, tokens);
      return { id: account, login: `${slug}[bot]`, slug, appId };
    },
    remember: (id) => {
      account = id;
    },
  };
  return identity;
}

/** Only a token of an installation acts as the app's account, so one of them is asked who it is. */
async function askAccount(options: ClientOptions, app: Client, tokens: Tokens): Promise<number> {
  const { data } = await app.rest.apps.listInstallations({ per_page: 100 });
  const installation = data.find(({ suspended_at }) => suspended_at === null);
  if (installation === undefined)
    throw new Unreadable('expected an installation of the app, got none; install it first');
  const client = createTokenClient(options, await tokens.discover(installation.id));
  const text = 'query Viewer { viewer { databaseId } }';
  const answer = await askGraphql(client, options.environment.graphqlUrl, { text, variables: {}, repeat: true });
  const parsed = viewerAnswer.safeParse(answer);
  if (!parsed.success) throw new Unreadable("expected the app's account, got none", { cause: parsed.error });
  return parsed.data.viewer.databaseId;
}
