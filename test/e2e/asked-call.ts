/** An implementation that waits with a call, which a writer alone allows. */
import assert from 'node:assert/strict';
import { git } from '../../src/local/forge/git-repository.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';
import { pushFile } from './person-push.ts';
import { quickFile, quickText } from './quick-transcript.ts';
import { seedUntold } from './seeded-plan.ts';
import {
  comment,
  isImplementation,
  lookedAt,
  markersOf,
  pullOf,
  requestsOf,
  review,
  type Thread,
  waitForCode,
  waitIn,
} from './thread.ts';
import type { World } from './world.ts';

const title = 'Ask before writing';
const write = { tool: 'write', input: { file_path: quickFile, content: quickText } };
export const askingTranscript = parseTranscript('permission', {
  match: title,
  steps: [
    { when: 'The plan was approved by @', respond: [write, { tool: 'glob', input: { pattern: '*' } }] },
    {
      when: 'A writer allowed this call',
      respond: [{ tool: 'update_tasks', input: { tasks: [{ title: `Write \`${quickFile}\`.`, status: 'done' }] } }],
    },
    { respond: [{ text: 'Done.' }] },
  ],
});

async function waitForCall(thread: Thread): Promise<string> {
  return waitIn(thread, 'a call that waits', () => {
    const told = thread.issue.comments.find(({ body }) => body.includes('The agent asks to make one call'));
    return thread.issue.labels.includes('plan: question') ? (told?.body ?? null) : null;
  });
}

/** An approved plan in a repository that leaves each writing to people. */
export async function playAskedCall(world: World): Promise<void> {
  const repository = world.addRepository('asking');
  const by = world.people.maintainer;
  pushFile({ world, repository, branch: 'main', by }, '.github/planwright.yml', 'permissions:\n  ask: [Write]\n');
  const thread = seedUntold(world, repository, title, quickFile);
  const { maintainer, reader, reviewer } = world.people;
  const pull = pullOf(thread);
  review(thread, reviewer, { event: 'APPROVE' });
  const asked = await waitForCall(thread);
  assert.match(asked, /wants to use `write` with:\n\n`NOTES\.md`\n\nThis is left to people by the rule `Write`\./);
  comment(thread, pull, reader, '/allow');
  await lookedAt(thread);
  assert.equal(requestsOf(thread).filter(isImplementation).length, 1);
  comment(thread, thread.issue, maintainer, '/allow');
  await waitForCode(thread);
  const { gitDir } = thread.repository;
  assert.equal(git(gitDir, ['show', `${pull.pullRequest.headSha}:${quickFile}`]), quickText);
  assert.equal(markersOf(thread).filter((marker) => marker.startsWith('questions ')).length, 1);
}
