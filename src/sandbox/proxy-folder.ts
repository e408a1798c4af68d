/**
 * Where the sockets of the sandbox's proxy lie: a folder of their own, as commands are shown it. It is made where temporary
 * files of this process go, which whoever started the process removes once it has ended, in whatever way.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface ProxyFolder {
  readonly path: string;
  /** Has the runtime make its sockets there. */
  use(start: () => Promise<void>): Promise<void>;
  remove(): void;
}

export function makeProxyFolder(): ProxyFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'planwright-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path: folder,
    use: async (start) => {
      const usual = process.env.TMPDIR;
      process.env.TMPDIR = folder;
      try {
        await start();
      } finally {
        if (usual === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = usual;
      }
    },
    remove,
  };
}
