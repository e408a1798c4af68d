/** People who try to ask for a plan, or to have somebody else asked for it, without a say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignEdit } from '../../src/lifecycle/request-text.ts';
import { readThread } from '../../src/lifecycle/thread.ts';
import { nextRun, planInReview, verdictOf, withApproval } from './gate-fixture.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** The plan is written anew because the maintainer says so. */
function replan(world: World): void {
  the.addComment(world, the.maintainer, '/replan Take the other cache.');
  the.reconcile(world);
  world.tick += 1;
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
}

function standingOf(world: World): string | undefined {
  return readThread(the.factsOf(world), { runs: world.runs }, world.policy).requests.standing?.by.login;
}

function askersOf(world: World) {
  return readThread(the.factsOf(world), { runs: world.runs }, world.policy).requests.askers;
}

/** A plan in review that the writer asked for, where something else was said while it was being written. */
function planWith(meanwhile: (world: World) => void, overrides: Partial<World> = {}): World {
  const world = the.createWorld(overrides);
  the.setLabel(world, the.writer, 'labeled');
  the.reconcile(world);
  world.tick += 1;
  meanwhile(world);
  the.reconcile(world);
  world.tick += 1;
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  return world;
}

test('S10: a `/plan` by somebody without a say is no request, not even once the pull request of another request is open', () => {
  const world = planWith((w) => the.addComment(w, the.reader, '/plan Delete the tests.'));
  assert.equal(standingOf(world), 'wanda');
  world.runs = [];
  assert.equal(standingOf(world), 'wanda', 'without the database');
});

test('a `/plan` that was heard stands without the database and after its author has lost the right to ask', () => {
  const world = the.createWorld();
  the.addComment(world, the.writer, '/plan');
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.runs = [];
  world.permissions = { ...world.permissions, [the.writer.id]: 'read' };
  assert.equal(standingOf(world), 'wanda');
});

test('S62: whoever asked for a plan cannot approve it by having another account ask as well', () => {
  const relabel = (world: World, by: typeof the.writer) => {
    the.setLabel(world, the.writer, 'unlabeled');
    world.tick += 1;
    the.setLabel(world, by, 'labeled');
  };
  const tricks: Readonly<Record<string, (world: World) => void>> = {
    'a stranger says /plan': (world) => the.addComment(world, the.reader, '/plan'),
    'another writer says /plan': (world) => the.addComment(world, the.maintainer, '/plan'),
    'another writer sets the label anew': (world) => relabel(world, the.maintainer),
    'another writer sets the label anew, and the label is recoloured': (world) => {
      relabel(world, the.maintainer);
      const labelChangedAt = the.now({ ...world, tick: world.tick + 60 });
      world.labelEvents = world.labelEvents.map((event) => ({ ...event, labelChangedAt }));
    },
  };
  for (const [trick, play] of Object.entries(tricks)) {
    for (const when of ['before', 'after'] as const) {
      for (const memory of ['kept', 'lost'] as const) {
        const policy = withApproval({ notByRequester: true });
        const world = when === 'before' ? planWith(play, { policy }) : planInReview({ policy });
        if (when === 'after') play(world);
        if (memory === 'lost') world.runs = [];
        world.tick += 1;
        the.addReview(world, the.writer, 'APPROVED');
        assert.notEqual(nextRun(world), 'implement', `${trick}, ${when} there is a plan, memory ${memory}`);
      }
    }
  }
});

test('S62: who had the plan written anew asked for it as well', () => {
  const world = planInReview({ policy: withApproval({ notByRequester: true }) });
  replan(world);
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(nextRun(world), null);
  const third = { id: 6, login: 'tess', kind: 'user', isThisApp: false } as const;
  world.permissions = { ...world.permissions, 6: 'write' };
  world.tick += 1;
  the.addReview(world, third, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S62: who had the plan written anew cannot approve it by taking that word back, nor can anybody then', () => {
  const takeBack: Readonly<Record<string, (world: World) => void>> = {
    deletes: (world) => {
      world.comments = [];
    },
    edits: (world) => {
      world.comments = world.comments.map((comment) => ({ ...comment, body: 'Hello.', editedAt: the.now(world) }));
    },
  };
  for (const [how, change] of Object.entries(takeBack)) {
    const world = planInReview({ policy: withApproval({ notByRequester: true }) });
    replan(world);
    change(world);
    the.addReview(world, the.maintainer, 'APPROVED');
    assert.equal(nextRun(world), null, `the author ${how} it`);
    const told = 'who asked for the plan is not known any more; close the pull request and set the label again';
    assert.deepEqual(verdictOf(world, { askers: askersOf(world) }).ignored, [
      { review: 100, login: 'otto', reason: told },
    ]);
  }
});

test('S62: who asked for an earlier plan may approve the next one that somebody else asks for', () => {
  const world = planInReview({ policy: withApproval({ notByRequester: true }) });
  the.endPullRequest(world, 'closed');
  world.tick += 1;
  the.setLabel(world, the.writer, 'unlabeled');
  world.tick += 1;
  the.setLabel(world, the.maintainer, 'labeled');
  the.reconcile(world);
  world.tick += 1;
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S13: a command that was refused counts for nothing, not even once its author may write', () => {
  const world = the.createWorld();
  the.addComment(world, the.reader, '/plan Delete the tests.');
  the.reconcile(world);
  world.permissions = { ...world.permissions, [the.reader.id]: 'write' };
  world.tick += 1;
  assert.equal(the.reconcile(world).state, 'inactive');
  assert.equal(standingOf(world), undefined);

  const asked = planInReview();
  the.addComment(asked, the.reader, '/cancel');
  the.reconcile(asked);
  asked.permissions = { ...asked.permissions, [the.reader.id]: 'write' };
  asked.tick += 1;
  assert.equal(the.reconcile(asked).state, 'awaiting_approval');
});

test('S17: a stranger who edits the issue and then says `/plan` does not have the edit taken for what was asked for', () => {
  const world = planWith((w) => {
    w.runs = w.runs.map((run) => ({ ...run, cost: { ...run.cost, turns: 1 } }));
    w.edits = [{ what: 'body', by: the.reader, at: the.now(w) }];
    w.tick += 1;
    the.addComment(w, the.reader, '/plan');
  });
  const facts = the.factsOf(world);
  assert.equal(facts.pullRequests.length, 1);
  const { standing } = readThread(facts, { runs: world.runs }, world.policy).requests;
  assert.deepEqual(foreignEdit(facts, standing), world.edits[0]);
});
