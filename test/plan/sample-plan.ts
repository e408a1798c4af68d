/** A plan without a finding, and the base it was written against. */
export const sampleBase = '1f0c9e4b7a3d5566778899aabbccddeeff001122';

export const sampleFiles = {
  'src/cache.ts': `${'// a line\n'.repeat(10)}export class Cache {\n  evict(): void {}\n}\n`,
  'src/main.ts': 'export function createClock() {}\n',
  'package.json': '{ "scripts": { "test": "node --test", "check:all": "true" }, "devDependencies": { "jest": "1" } }\n',
  Makefile: 'test:\n',
} as const;

export const samplePlan = `---
issue: 42
base: ${sampleBase}
files:
  - { path: src/cache.ts, change: modify }
  - { path: test/cache.test.ts, change: create }
verify:
  - npm test
---
# Keep the cache bounded

## Context

The cache in \`src/cache.ts\` never forgets.
Requests fill it.

## Approach

Evict the entry that was used longest ago.

## Steps

1. Bound the map in \`src/cache.ts:12\`.
   Keep its interface.
2. **Cover** the bound in \`cache.test.ts\`.

## Existing code to reuse

\`createClock\` of \`src/main.ts\`.

## Verification

\`npm test\` runs the new test.

## Risks and open questions

None.
`;
