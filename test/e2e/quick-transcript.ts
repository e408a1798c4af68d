/** The shortest conversation that goes the whole way: for tests whose subject is what happens around it. */
import { parseTranscript, type Transcript } from '../../src/local/model/transcript.ts';
import { planSections } from '../../src/plan/plan-file.ts';

/** The one file that the quick plan names and the quick implementation makes. */
export const quickFile = 'NOTES.md';
export const quickText = 'Noted.\n';
const firstWords = 'It is written down.';
const revisedWords = 'It is written down in one line.';

export interface QuickOptions {
  /** A regular expression that finds the issue's title. */
  readonly match: string;
  /** Names of places at which the answer waits in its middle. */
  readonly holds?: {
    readonly plan?: string;
    readonly revision?: string;
    readonly code?: string;
    readonly end?: string;
  };
  /** The file that the plan names and the implementation makes; `quickFile` by default. */
  readonly file?: string;
  /** The plan's text in place of the quick one; templates `{{issue}}` and `{{base}}`. */
  readonly plan?: string;
}

export function quickTranscript({ match, holds = {}, file = quickFile, plan }: QuickOptions): Transcript {
  const hold = (name: string | undefined) => (name === undefined ? {} : { hold: name });
  const task = { title: `Write \`${file}\`.`, status: 'done' };
  return parseTranscript(`quick ${match}`, {
    match,
    steps: [
      {
        capture: { issue: 'Issue: #(\\d+)', base: 'Base commit: ([0-9a-f]{40})' },
        respond: [
          { tool: 'write_plan', input: { content: plan ?? quickPlanOf(file) } },
          { tool: 'exit_plan_mode', input: {} },
        ],
        ...hold(holds.plan),
      },
      {
        when: 'A reviewer requested changes to the plan\\.',
        respond: [
          { tool: 'edit_plan', input: { old_string: firstWords, new_string: revisedWords } },
          { tool: 'exit_plan_mode', input: {} },
        ],
        ...hold(holds.revision),
      },
      {
        when: 'The plan was approved by @',
        respond: [
          { tool: 'write', input: { file_path: file, content: quickText } },
          { tool: 'update_tasks', input: { tasks: [task] } },
        ],
        ...hold(holds.code),
      },
      { respond: [{ text: 'Done.' }], ...hold(holds.end) },
    ],
  });
}

/** A plan that leaves the lint nothing to say; templates `{{issue}}` and `{{base}}`. */
export function quickPlanOf(file: string): string {
  const texts: Readonly<Record<(typeof planSections)[number], string>> = {
    Context: 'Nothing is written down yet.',
    Approach: firstWords,
    Steps: `1. Write \`${file}\`.`,
    'Existing code to reuse': 'None.',
    Verification: 'No command verifies this, because it is a note.',
    'Risks and open questions': 'None.',
  };
  return [
    '---',
    'issue: {{issue}}',
    'base: "{{base}}"',
    'files:',
    `  - { path: ${file}, change: create }`,
    'verify: []',
    '---',
    '# Write it down',
    ...planSections.flatMap((section) => ['', `## ${section}`, '', texts[section]]),
    '',
  ].join('\n');
}

/** The quick plan of `quickFile`. */
export const quickPlan = quickPlanOf(quickFile);
