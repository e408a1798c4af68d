import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderInstructions } from '../../src/agent/render-instructions.ts';

function render(files: Parameters<typeof renderInstructions>[0]): readonly string[] {
  return renderInstructions(files).map((part) => part.replace(/untrusted text [0-9a-f]{16}/g, 'untrusted text M'));
}

test('S24: instructions are fenced as untrusted text under their paths, and say where they go on', () => {
  assert.deepEqual(
    render([
      { path: 'AGENTS.md', text: 'Use tabs.', restFrom: 2 },
      { path: 'src/api/CLAUDE.md', text: 'No classes.\u200b' },
      { path: 'docs/AGENTS.md', text: '', restFrom: 1 },
      { path: 'a\u2028b/AGENTS.md', text: '', restFrom: 1 },
    ]),
    [
      '--- begin untrusted text M: the file AGENTS.md of the base commit ---\nUse tabs.\n--- end untrusted text M ---\nAGENTS.md goes on: read it from line 2.',
      '--- begin untrusted text M: the file src/api/CLAUDE.md of the base commit, for what is below src/api/, without 1 passage that nobody sees ---\nNo classes.\n--- end untrusted text M ---',
      'More files of this kind, not given here for their length. Read one before you plan or make changes in its folder or below it:\n- docs/AGENTS.md\n- a b/AGENTS.md',
    ],
  );
  assert.deepEqual(render([]), []);
});

test('a hundred files are named at most', () => {
  const files = Array.from({ length: 103 }, (_, index) => ({ path: `d${index}/AGENTS.md`, text: '', restFrom: 1 }));
  const [list] = render(files);
  assert.deepEqual(list?.split('\n').slice(100), ['- d99/AGENTS.md', '- and 3 more: find them with glob']);
});
