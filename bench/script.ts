/** What the scripted model answers: reads of a few KB each, then the plan, then the end of plan mode. Zero latency. */

export type Part =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, string>> };

/** One answer a turn. */
export type Script = readonly (readonly Part[])[];

const folders = ['cache', 'store', 'http', 'jobs', 'text'] as const;

/** The path of the generated repository's file with this number. */
export function fileName(index: number): string {
  return `src/${folders[index % folders.length]}/module-${index}.js`;
}

/** @param turns at least 3: one read, the plan, the end */
export function planScript(turns: number, base: string): Script {
  const reads = Array.from({ length: turns - 2 }, (_, index): readonly Part[] => [
    { text: `I look at module ${index}, which the one before calls.` },
    { tool: 'read', input: { file_path: fileName(index) } },
  ]);
  return [
    ...reads,
    [{ text: 'I have seen enough.' }, { tool: 'write_plan', input: { content: planText(base) } }],
    [{ tool: 'exit_plan_mode', input: {} }],
  ];
}

function planText(base: string): string {
  const path = fileName(0);
  return `---
issue: 1
base: "${base}"
files:
  - { path: ${path}, change: modify }
verify: []
---

# Keep what was computed

## Context

Each call computes everything anew.

## Approach

Keep the last results by their arguments.

## Steps

1. Keep the results in \`${path}\`.

## Existing code to reuse

Nothing is there to reuse.

## Verification

No command verifies this, because the repository has no tests.

## Risks and open questions

None.
`;
}

export const issue = {
  title: 'Keep what was computed',
  body: 'Each call computes everything anew, which is slow on long lists. Keep the last results, and forget them when the list changes.',
} as const;
