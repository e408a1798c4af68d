/** Whom an agent could reach on the host: every way to connect, each counting who came. */
import { createSocket } from 'node:dgram';
import { createServer, type ListenOptions } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface Listeners {
  readonly port: number;
  readonly udpPort: number;
  /** How often anybody came, by any of them. */
  reached(): number;
  close(): Promise<void>;
}

/** @param sockets paths of local sockets @param abstract the name of one without a path */
export async function openListeners(sockets: readonly string[], abstract: string): Promise<Listeners> {
  let count = 0;
  const closers: (() => Promise<void>)[] = [];
  const listen = async (options: ListenOptions): Promise<number> => {
    const server = createServer((socket) => {
      count += 1;
      socket.on('error', () => undefined).destroy();
    });
    closers.push(() => new Promise((done) => server.close(() => done())));
    await new Promise<void>((done, fail) => server.once('error', fail).listen(options, done));
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ family }) => family === 'IPv6'));
  const host = hasIpv6 ? '::' : '0.0.0.0';
  const udp = createSocket(hasIpv6 ? 'udp6' : 'udp4').on('message', () => {
    count += 1;
  });
  closers.push(() => new Promise((done) => udp.close(() => done())));
  await new Promise<void>((done) => udp.bind(0, host, done));
  const port = await listen({ port: 0, host });
  for (const path of [...sockets, `\0${abstract}`]) await listen({ path });
  return {
    port,
    udpPort: udp.address().port,
    reached: () => count,
    close: async () => {
      await Promise.all(closers.map((each) => each()));
    },
  };
}

/** An address of this host that is not its own loop. */
export function addressOfHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
