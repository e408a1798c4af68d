/** A process that is killed in the middle of its work: `crash-child.ts <json of Order>`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspaces } from '../../src/workspace/create-workspaces.ts';
import type { RepositoryRef } from '../../src/workspace/workspace.ts';
import { step } from './workspace-step.ts';

export interface Order {
  readonly root: string;
  readonly url: string;
  readonly token: string;
  readonly searchPath: string;
  readonly repository: RepositoryRef;
  readonly base: string;
}

const order: Order = JSON.parse(process.argv[2] ?? '');
const workspaces = createWorkspaces({
  root: order.root,
  gitUrl: () => order.url,
  author: { name: 'planwright[bot]', email: 'planwright@example.com' },
  allowedProtocols: 'http-and-https',
  searchPath: order.searchPath,
});
await workspaces.fetch(order.repository, [order.base], (operation) => operation(order.token));
const checkout = await workspaces.writableCheckout(order.repository, order.base, step.run);
writeFileSync(join(checkout.path, 'a.txt'), 'changed\n');
await workspaces.commitStep(order.repository, checkout, step);
