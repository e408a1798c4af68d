import { randomUUID } from 'node:crypto';
import { createInbox } from '../../src/engine/inbox.ts';
import { createLookBoard } from '../../src/engine/look-board.ts';
import type { WakeJob } from '../../src/engine/queue.ts';
import { type ReconcilePorts, reconcile } from '../../src/engine/reconcile.ts';
import { createRuns } from '../../src/engine/runs.ts';
import { readThreadRecord } from '../../src/engine/threads.ts';
import type { GitHub } from '../../src/github/github.ts';
import { formatThreadKey } from '../../src/github/identifiers.ts';
import type { Action } from '../../src/lifecycle/actions.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import type { Workspaces } from '../../src/workspace/workspace.ts';
import { fakeGitHub, fakeWorkspaces, newThread, noPrice, silent, type TemporaryDatabase } from './engine-fixture.ts';

export interface World {
  readonly state?: ThreadState;
  readonly actions?: readonly Action[];
  readonly github?: Partial<GitHub>;
  readonly workspaces?: Partial<Workspaces>;
}

/** A thread that one delivery has woken, and everything a look at it needs. */
export async function wokenThread(database: TemporaryDatabase, world: World = {}) {
  const thread = newThread();
  const key = formatThreadKey(thread);
  const { db, boss } = database;
  const deliver = () =>
    createInbox(db, boss, silent, null).store({
      guid: randomUUID(),
      event: 'issues',
      payload: {},
      destination: { kind: 'issue', ...thread },
    });
  await deliver();
  const github = fakeGitHub(world.github);
  const ports: ReconcilePorts = {
    db,
    boss,
    github,
    workspaces: fakeWorkspaces(world.workspaces),
    runs: createRuns(db, boss, silent),
    decide: () => ({ state: world.state ?? 'planning', actions: world.actions ?? [] }),
    readPrice: noPrice,
    sandboxFault: async () => null,
    log: silent,
    board: createLookBoard(),
    onLook: () => undefined,
  };
  const look = (job: Partial<WakeJob> = {}, by = ports) => reconcile(by, { thread: key, wake: 1, attempt: 0, ...job });
  const record = () => readThreadRecord(db, key);
  return { thread, key, github, ports, look, record, deliver };
}
