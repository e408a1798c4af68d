/**
 * Every change to the forge's state, one function each, for REST, GraphQL and the pages alike. Each checks what the
 * actor may do, changes state and timeline, and tells the apps; it throws `ForgeError` and then nothing has changed.
 */
export * from './identity.ts';
export * from './operations/check-runs.ts';
export * from './operations/comments.ts';
export * from './operations/issue-moves.ts';
export * from './operations/issues.ts';
export * from './operations/labels.ts';
export * from './operations/merged.ts';
export * from './operations/merges.ts';
export * from './operations/pending-reviews.ts';
export * from './operations/pull-requests.ts';
export * from './operations/pushes.ts';
export * from './operations/repositories.ts';
export * from './operations/review-threads.ts';
export * from './operations/reviews.ts';
export * from './operations/tokens.ts';
