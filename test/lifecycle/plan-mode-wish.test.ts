import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approve, claim, deliver, type Happening, heard, label, object, park, play, say } from './waiting-thread.ts';
import * as the from './world.ts';

const wish: Happening = park({ kind: 'plan_mode_asked', reason: 'It is gone.' });

test('the wish to plan again is granted by /replan alone and declined by /continue alone, each by a writer', () => {
  const into = [label, claim, deliver, approve, claim, wish];
  const word = (...events: readonly Happening[]) => heard(the.createWorld(), ...into, ...events);
  const [accepted] = word(say('/replan keep it small')).orders;
  assert.deepEqual(accepted?.occasion, { kind: 'replan', text: 'keep it small' });
  const [declined] = word(say('/continue')).orders;
  assert.deepEqual(declined?.occasion, { kind: 'declined' });
  for (const nothing of [say('/replan', the.reader), say('/continue', the.reader), say('yes, do'), say('/allow')]) {
    const { state, orders } = word(nothing);
    assert.deepEqual([state, orders], ['awaiting_answer', []]);
  }
});

test('with code on the pull request, the wish to plan again is granted where that takes out no commit of a person', () => {
  const into = [label, claim, deliver, approve, claim, deliver, object, claim, wish];
  const world = the.createWorld();
  const [order] = heard(world, ...into, say('/replan')).orders;
  assert.deepEqual(order?.occasion, { kind: 'replan', text: null });
  assert.deepEqual([world.runs.at(-1)?.phase, world.runs.at(-1)?.approval], ['plan', null]);
  const mixed = the.createWorld();
  play(mixed, label, claim, deliver, approve, claim, deliver);
  const own = the.openPullRequest(mixed);
  assert.ok(own !== undefined);
  const { planBlob } = own;
  the.pushByPerson(mixed, 'src/a.ts');
  Object.assign(own, { planBlob });
  play(mixed, object, claim, wish);
  const { state, orders } = heard(mixed, say('/replan'));
  assert.deepEqual([state, orders], ['awaiting_answer', []]);
  assert.ok(mixed.marks.includes(`refused:comment:${mixed.comments.at(-1)?.id}`));
});
