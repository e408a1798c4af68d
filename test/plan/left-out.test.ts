import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person, Review, ReviewComment, ReviewThread } from '../../src/lifecycle/facts.ts';
import { countLeftOut } from '../../src/plan/left-out.ts';

const ada: Person = { id: 1, login: 'ada', kind: 'user', isThisApp: false };
const mallory: Person = { id: 2, login: 'mallory', kind: 'user', isThisApp: false };
const app: Person = { id: 3, login: 'planwright[bot]', kind: 'bot', isThisApp: true };
const submittedAt = '2026-01-01T00:00:05Z';
const later = '2026-01-01T00:00:09Z';

function review(id: number, author: Person | null, rest: Partial<Review> = {}): Review {
  const state = 'CHANGES_REQUESTED';
  const nodeId = `R${id}`;
  return {
    id,
    nodeId,
    author,
    state,
    commit: 'c1',
    body: '',
    submittedAt,
    editedAt: null,
    isHeldByThisApp: false,
    ...rest,
  };
}

function comment(reviewId: number, author: Person | null, editedAt: string | null = null): ReviewComment {
  const createdAt = submittedAt;
  return { id: 1, nodeId: 'C', author, reviewId, body: 'x', createdAt, editedAt, originalCommit: 'c1', diffHunk: '' };
}

function thread(...comments: readonly ReviewComment[]): ReviewThread {
  const place = { line: 1, startLine: null, originalLine: 1, originalStartLine: null } as const;
  const kept = { nodeId: 'T', path: 'plan.md', subject: 'line', side: 'RIGHT', isOutdated: false } as const;
  return { ...kept, ...place, isResolved: false, comments };
}

test('what is left out is counted by person and reason: in the answered threads, and in their own reviews of that commit', () => {
  const reviews = [
    review(10, ada, { body: 'kept' }),
    review(11, ada, { body: 'changed', editedAt: later }),
    review(12, mallory, { body: 'mine' }),
    review(13, mallory, { body: 'of an older plan', commit: 'c0' }),
    review(15, app),
    review(14, ada, { body: 'not asked for', editedAt: later }),
  ];
  const threads = [
    thread(comment(10, ada), comment(99, mallory), comment(99, null), comment(99, app)),
    thread(comment(10, ada, later)),
    thread(comment(12, mallory)),
    thread(comment(13, mallory)),
    thread(comment(13, mallory), comment(15, app)),
  ];
  const maySpeak = (person: Person) => person.id === ada.id;
  assert.deepEqual(countLeftOut({ reviews, threads, reviewIds: [10, 11], reviewed: 'c1', maySpeak }), [
    { login: 'ada', why: 'changed_later', count: 2 },
    { login: 'mallory', why: 'may_not_review', count: 3 },
    { login: 'ghost', why: 'may_not_review', count: 1 },
  ]);
});
