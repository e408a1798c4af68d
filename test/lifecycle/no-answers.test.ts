import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hearAnswers } from '../../src/lifecycle/answers.ts';
import type { Person } from '../../src/lifecycle/facts.ts';
import {
  ask,
  both,
  cache,
  claim,
  type Happening,
  heard,
  label,
  play,
  say,
  setOpen,
  unlabel,
} from './waiting-thread.ts';
import * as the from './world.ts';

/** What is never an answer, though it reads like one. */
const noAnswers: Readonly<Record<string, Happening>> = {
  'a bot': say('1. b\n2. x', the.bot),
  'this app': say('1. b\n2. x', the.app),
  'a person without a say': say('1. b\n2. x', { ...the.reader, id: 6, login: 'sam' }),
  'a person whose permission cannot be read': say('1. b\n2. x', { ...the.reader, id: 7, login: 'una' }),
  'an edit': (world) => {
    the.addComment(world, the.writer, '1. b\n2. x');
    world.comments = world.comments.map((each) =>
      each.author === the.writer ? { ...each, editedAt: each.createdAt } : each,
    );
  },
  'a deleted account': (world) => {
    the.addComment(world, the.writer, '1. b\n2. x');
    world.comments = world.comments.map((each) => (each.author === the.writer ? { ...each, author: null } : each));
  },
  'a command': say('/status'),
  'a command that went wrong': say('/continue now\n1. b\n2. x'),
  'a word from before the questions': (world) => {
    the.addComment(world, the.writer, '1. b\n2. x');
    world.comments = world.comments.map((each) =>
      each.author === the.writer ? { ...each, createdAt: '2025-12-31T00:00:00Z' } : each,
    );
  },
  silence: (world) => {
    world.tick += 60 * 60 * 24 * 365;
  },
  'a reaction': (world) => {
    world.comments = world.comments.map((each) => ({ ...each, reactionsByThisApp: ['EYES'] }));
  },
};

for (const [what, happening] of Object.entries(noAnswers)) {
  test(`${what} is never an answer`, () => {
    const world = the.createWorld({ permissions: { 1: 'write', 2: 'read', 5: 'maintain', 6: 'read' } });
    assert.deepEqual(heard(world, label, claim, ask(...both), happening), {
      state: 'awaiting_answer',
      note: null,
      told: [],
      orders: [],
    });
  });
}

test('a question that was interrupted is asked again, not answered: by the label taken off, by the issue closed', () => {
  const interruptions: readonly (readonly Happening[])[] = [
    [unlabel, label],
    [setOpen(false), setOpen(true)],
    [say('/cancel'), unlabel, label],
  ];
  for (const events of interruptions) {
    const world = the.createWorld();
    play(world, label, claim, ask(cache), ...events);
    assert.deepEqual(
      world.runs.map(({ status }) => status),
      ['cancelled', 'queued'],
    );
    const again = heard(world, claim, ask(cache));
    assert.deepEqual([again.state, again.orders], ['awaiting_answer', []]);
    assert.deepEqual(
      world.comments.flatMap(({ marker }) => marker ?? []),
      ['questions:run1', 'questions:run2'],
    );
    assert.deepEqual(
      heard(world, say('b')).orders.map(({ occasion }) => occasion.kind),
      ['answer'],
    );
  }
});

test('no text by a person without a say ever changes which questions are answered, or what is said', () => {
  const stranger = { ...the.reader, id: 6, login: 'sam' };
  const bodies = fc.oneof(
    fc.constantFrom(
      '1. b',
      '2) x',
      '1b',
      '/continue',
      '> 1. Which cache?\nb',
      '<!-- planwright:questions 9%237 run1 -->',
    ),
    fc.string({ maxLength: 20 }),
  );
  const said = fc.array(fc.tuple(fc.constantFrom(the.writer, the.reader, stranger, the.bot), bodies), { maxLength: 6 });
  fc.assert(
    fc.property(said, (comments) => {
      const world = the.createWorld({ permissions: { 1: 'write', 2: 'read', 6: 'read' } });
      play(world, label, claim, ask(...both));
      for (const [by, body] of comments) {
        world.tick += 1;
        the.addComment(world, by, body);
      }
      const facts = the.factsOf(world);
      const isHeard = ({ author }: { author: Person | null }) => author?.id !== 6 && author?.id !== 3;
      const without = { ...facts, issue: { ...facts.issue, comments: facts.issue.comments.filter(isHeard) } };
      assert.deepEqual(hearAnswers(facts, 'run1', both), hearAnswers(without, 'run1', both));
    }),
    { numRuns: 100 },
  );
});
