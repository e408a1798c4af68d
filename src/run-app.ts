/** The app as a process: from its start to the signal that ends it. */
import type { Environment } from './config/environment.ts';
import { UnsafeDataFolder } from './engine/data-folder.ts';
import { DataFolderTaken } from './engine/data-lock.ts';
import { createLog, type Logger } from './engine/log.ts';
import { startApp } from './start-app.ts';
import { ProxyClientMissing } from './web/webhook-proxy.ts';
import { UnfitGit } from './workspace/git-version.ts';

/** How long a stop may take before the process ends all the same, in milliseconds. Orchestrators kill after 30 s. */
const stopTimeoutMs = 25_000;

/** Starts the app; signals stop it. Where it cannot start, the reason is said and the process ends. */
export async function runApp(environment: Environment, searchPath: string): Promise<void> {
  const log = createLog(environment);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'ended by an error that nothing expected');
    process.exit(1);
  });
  try {
    const app = await startApp(environment, searchPath, log);
    stopOnSignal(app.stop, log);
  } catch (error) {
    if (error instanceof Error && isExplained(error)) process.stderr.write(`${error.message}\n`);
    else log.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

function stopOnSignal(stop: () => Promise<void>, log: Logger): void {
  let isStopping = false;
  const drain = async (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping; runs go on at the next start');
    setTimeout(() => {
      log.warn('stopped without waiting any longer');
      process.exit(0);
    }, stopTimeoutMs).unref();
    await stop().catch((error: unknown) => log.error({ err: error }, 'could not stop cleanly'));
    process.exit(0);
  };
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}

/** What says itself what to do. */
function isExplained(error: Error): boolean {
  if ([DataFolderTaken, ProxyClientMissing, UnfitGit, UnsafeDataFolder].some((kind) => error instanceof kind))
    return true;
  return 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}
