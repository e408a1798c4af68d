/** An API that takes everything and remembers what was sent to it, and `act` upon it without a forge. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { createAct } from '../../src/github/act.ts';
import { askGraphql, createTokenClient } from '../../src/github/client.ts';
import type { Session } from '../../src/github/session.ts';
import { createKnownSecrets, type KnownSecret } from '../../src/text/known-secrets.ts';
import { createOutGate } from '../../src/text/out-gate.ts';
import { newPrivateKey } from './keys.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const privateKey = newPrivateKey();

/** To be called once in a test file. @param known what the app holds */
export function recordApi(known: readonly KnownSecret[] = []) {
  const arrived: { readonly call: string; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    arrived.push({ call: `${request.method} ${request.url}`, body });
    const answer = { id: 9, number: 9, node_id: 'PR_9', head: { sha: 'b'.repeat(40) }, data: {} };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const connect = () => {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const environment = { appId: '1', privateKey, apiUrl: url, graphqlUrl: `${url}/graphql` };
    const gate = createOutGate(createKnownSecrets(known));
    const client = createTokenClient({ environment, log: silent, secondMs: 1, gate }, 'a-token');
    const mutate = (text: string, variables: Readonly<Record<string, unknown>>) =>
      askGraphql(client, environment.graphqlUrl, { text, variables, repeat: true });
    return { gate, client, mutate };
  };
  const acting = () => {
    const { gate, client, mutate } = connect();
    const withheld: (readonly string[])[] = [];
    const held = { client, repository: null, query: mutate, mutate };
    const session: Session = {
      read: (_thread, _what, work) => work(held),
      write: (_thread, _what, work) => work(held),
    };
    const act = createAct({
      session,
      log: silent,
      self: async () => ({ id: 4, appId: 1 }),
      sign: () => 'a signature',
      gate,
      onWithheld: (_thread, kinds) => withheld.push(kinds),
    });
    return { act, withheld };
  };
  return { arrived, connect, acting };
}
