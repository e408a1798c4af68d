import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Where Node keeps what it has compiled of this program, so that the next process starts in half the time. It is inside the
 * installation, where nobody writes who could not change the program itself.
 * Source: https://nodejs.org/api/module.html#module-compile-cache
 */
export const compileCacheFolder: string = fileURLToPath(new URL('../node_modules/.cache/planwright', import.meta.url));

/** For this process, from here on. Where the folder cannot be written, nothing is kept. */
export function keepCompiled(): void {
  enableCompileCache(compileCacheFolder);
}
