/**
 * Runs the test files that are named, in this process, one after the other. Each is a suite of its own, so that what it
 * sets up before its tests stands only while they run.
 */
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) {
  describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}
