/** A person at the forge's pages: reads them and sends their forms over real HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Forge } from '../../src/local/forge/forge.ts';
import { createPages } from '../../src/local/forge/pages/create-pages.ts';

export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly cookie: string | null;
  readonly text: string;
}

function isAddress(value: AddressInfo | string | null): value is AddressInfo {
  return typeof value === 'object' && value !== null;
}

/** Serves the pages on a port of its own for as long as the test runs. */
export async function openPages(test: TestContext, forge: Forge) {
  const server = createServer(createPages(forge));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => server.close());
  const address = server.address();
  if (!isAddress(address)) throw new Error('expected a port');
  forge.webUrl = `http://127.0.0.1:${address.port}`;
  const origin = forge.webUrl;

  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init });
    const { headers, status } = response;
    const text = await response.text();
    return { status, location: headers.get('location'), cookie: headers.get('set-cookie'), text };
  };
  /** As the person of that login, or as nobody. */
  const as = (login: string | null) => {
    const cookie = login === null ? {} : { cookie: `forge_login=${login}` };
    return {
      get: (path: string): Promise<Answer> => send(path, { headers: cookie }),
      post: (
        path: string,
        fields: Readonly<Record<string, string>>,
        headers: Readonly<Record<string, string>> = { origin },
      ) => send(path, { method: 'POST', headers: { ...cookie, ...headers }, body: new URLSearchParams(fields) }),
    };
  };
  return { as, origin };
}
