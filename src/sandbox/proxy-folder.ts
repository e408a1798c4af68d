/**
 * Where the sockets of the sandbox's proxy lie: a folder of their own, as commands are shown it. It is made where temporary
 * files of this process go, which whoever started the process removes once it has ended, in whatever way.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withTemporaryFolder } from '../config/environment.ts';

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
    use: (start) => withTemporaryFolder(folder, start),
    remove,
  };
}
