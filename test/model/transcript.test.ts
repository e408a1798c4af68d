import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTranscript, readTranscript, TranscriptError } from '../../src/local/model/transcript.ts';

const mistakes: readonly (readonly [what: string, value: unknown, message: RegExp])[] = [
  ['no steps', { match: '', steps: [] }, /^inline: steps: /],
  ['an unknown key', { match: '', steps: [{ respond: [], wehn: 'x' }] }, /^inline: steps\[0\]: .*wehn/],
  ['a pattern that does not compile', { match: '(', steps: [{ respond: [] }] }, /^inline: match: .*Unterminated group/],
  ['an empty text', { match: '', steps: [{ respond: [{ text: '' }] }] }, /^inline: steps\[0\]\.respond\[0\]\.text: /],
  [
    'a stop reason that the vendor does not have',
    { match: '', steps: [{ respond: [], stop_reason: 'done' }] },
    /^inline: steps\[0\]\.stop_reason: /,
  ],
  [
    'a fault with a status that is none',
    { match: '', steps: [{ respond: [], fault: { status: 200 } }] },
    /^inline: steps\[0\]\.fault\.status: /,
  ],
];

for (const [what, value, message] of mistakes) {
  test(`a transcript with ${what} is refused by file and key`, () => {
    assert.throws(
      () => parseTranscript('inline', value),
      (error) => error instanceof TranscriptError && message.test(error.message),
    );
  });
}

test('a transcript takes in the files it names, and says which one is missing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'transcript-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'script.json');
  const naming = (name: string) => ({
    match: '',
    steps: [{ respond: [{ tool: 'write', input: { content: { $file: name } } }] }],
  });
  await writeFile(join(folder, 'text.md'), '# Title\n');
  await writeFile(file, JSON.stringify(naming('text.md')));
  const { name, steps } = await readTranscript(file);
  assert.equal(name, file);
  assert.deepEqual(steps[0]?.respond, [{ tool: 'write', input: { content: '# Title\n' } }]);

  await writeFile(file, JSON.stringify(naming('gone.md')));
  await assert.rejects(readTranscript(file), {
    name: 'TranscriptError',
    message: `${file}: steps[0].respond[0].input.content: expected a readable file at ${join(folder, 'gone.md')}`,
  });
  await writeFile(file, '{');
  await assert.rejects(readTranscript(file), /script\.json: expected JSON, got /);
});

test('every transcript of the project can be played', async () => {
  const folder = new URL('../../fixtures/transcripts/', import.meta.url).pathname;
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  assert.ok(files.length >= 3);
  for (const name of files) await readTranscript(join(folder, name));
});
