/**
 * Entry of the process that proves the sandbox at start-up: it sets one up in the folder that it is given, and says what
 * got through.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { createCommandRunner } from './command-runner.ts';

process.on('disconnect', () => process.exit(1));

const folder = realpathSync(process.argv[2] ?? '');
const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
for (const each of [checkout, scratch]) mkdirSync(each);
// A checkout that must not be written is the stricter of the two.
const runner = await createCommandRunner({ checkout, scratch, writable: false, readOnly: [], hosts: [] });
process.send?.({ fault: runner.available ? null : runner.reason });
if (runner.available) await runner.close();
