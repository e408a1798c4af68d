import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunBrief } from '../../src/agent/brief.ts';
import { renderBrief } from '../../src/agent/render-brief.ts';

const context = { base: 'c'.repeat(40), issue: 42, planPath: 'plan.md' };
const issue = { number: 42, title: 'Cache it', body: { author: 'ada', trust: 'issue author' as const, text: 'Slow.' } };
const changed =
  'The text of the issue was edited by somebody without write access after the plan was asked for, so it is not given here. Go by the plan and by the conversation.';

/** The paragraphs of the text, with every random delimiter replaced. */
function render(brief: RunBrief, request?: typeof issue | null): readonly string[] {
  return renderBrief(brief, request === undefined ? context : { ...context, request })
    .replace(/untrusted text [0-9a-f]{16}/g, 'untrusted text M')
    .split('\n\n');
}

function fenced(label: string, text: string): string {
  return `--- begin untrusted text M: ${label} ---\n${text}\n--- end untrusted text M ---`;
}

test('what was said before a request follows the issue, each comment with its author and trust, and what was left out', () => {
  const discussion = {
    comments: [
      { author: 'ada', trust: 'issue author' as const, text: 'On Tuesdays.' },
      { author: 'wes', trust: 'writer' as const, text: 'Keep it small.' },
    ],
    leftOut: ['3 comments by people without write access', '1 comment that changed after the plan was asked for'],
  };
  assert.deepEqual(render({ kind: 'request', issue, discussion, note: null, instructions: [] }).slice(4), [
    'Said on the issue before the plan was asked for:',
    fenced('by @ada (issue author)', 'On Tuesdays.'),
    fenced('by @wes (writer)', 'Keep it small.'),
    'Not given here: 3 comments by people without write access; 1 comment that changed after the plan was asked for.',
  ]);
});

test('where the issue was changed by others the run is told to go by the plan and the conversation', () => {
  const feedback = { bodies: [], remarks: [] };
  const approved = { kind: 'approved', plan: 'P', commit: 'd'.repeat(40), approvers: ['wes'], feedback } as const;
  assert.equal(render({ ...approved, issue: null })[2], changed);
  assert.equal(render({ kind: 'replan', note: null, plan: 'P' }, null)[1], changed);
});

test('an answer that is gone is said to be gone', () => {
  assert.deepEqual(render({ kind: 'answered', answers: [], isContinued: false }).slice(1), [
    'There was an answer, but it was changed or deleted before it could be read. Ask again where it matters.',
  ]);
});
