import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { parkedCall } from '../../src/agent/conversation.ts';
import { describeRejection, rejectedResult } from '../../src/agent/rejection.ts';
import type { ChildMessage, HostMessage, Rejection, TreeReport } from '../../src/agent/run-protocol.ts';
import { done, implement, results, setTo, tool } from './implementation.ts';
import { type Answer, blocksOf, inOrder } from './model-server.ts';
import { driveHere, kindsSaid, planText, storedConversation } from './run-driver.ts';

const named = '  - { path: src/cache.js, change: modify }\n';
const moreFiles = { old_string: named, new_string: `${named}  - { path: src/other.js, change: modify }\n` };
const moreSteps = {
  old_string: '1. Keep the answer in `src/cache.js`.',
  new_string: '1. Keep the answer in `src/cache.js`.\n2. Ask for it in `src/other.js`.',
};
const reason = 'The answer is asked for in src/other.js.';
const propose = (...edits: readonly unknown[]): Answer => ({ say: [tool('propose_amendment', { reason, edits })] });

const amended = planText()
  .replace(moreFiles.old_string, moreFiles.new_string)
  .replace(moreSteps.old_string, moreSteps.new_string);

const nothing: Rejection = { outside: [], faults: [] };

function host(say: { step?: () => Rejection; tree?: () => Partial<TreeReport> }) {
  return (message: ChildMessage): HostMessage | undefined => {
    if (message.kind === 'step_done' && say.step !== undefined) {
      return { kind: 'rejected', seq: message.seq, ...say.step() };
    }
    if (message.kind !== 'read_tree') return undefined;
    return { kind: 'tree', seq: message.seq, ...nothing, changes: [], ...say.tree?.() };
  };
}

test('an edit outside of the scope is refused with what is allowed and how to ask; asking parks the run', async () => {
  const outside = { say: [tool('edit', { file_path: 'src/other.js', old_string: '{}', new_string: '{ x }' })] };
  const run = await driveHere(implement(inOrder(outside, propose(moreFiles, moreSteps))));
  assert.deepEqual(results(run.server.requests[1]), [
    "! Error: expected a change within the plan's scope, got src/other.js (modify); the scope is: src/cache.js (modify); " +
      'where the work needs more, call propose_amendment',
  ]);
  assert.deepEqual(run.result, { kind: 'amendment', plan: amended, reason, findings: [] });
  assert.equal(parkedCall(storedConversation(run))?.name, 'propose_amendment');
});

test('edits of an amendment apply all or not at all, each to one place, and must leave a plan that can be read', async () => {
  const nowhere = { old_string: 'No such line.', new_string: 'x' };
  const twice = { old_string: 'src/cache.js', new_string: 'x' };
  const broken = { old_string: 'issue: 7', new_string: 'issue: [' };
  const run = await driveHere(
    implement(
      inOrder(
        propose(moreFiles, nowhere),
        propose(twice),
        propose({ old_string: 'issue: 7', new_string: 'issue: 7' }),
        propose(broken),
        propose({ old_string: 'It is slow.', new_string: 'y'.repeat(70_000) }),
        done,
      ),
    ),
  );
  const told = [1, 2, 3, 4, 5].map((index) => results(run.server.requests[index])[0] ?? '');
  assert.match(told[0] ?? '', /^! Error: expected old_string to occur once in the plan, got 0 times/);
  assert.match(told[1] ?? '', /^! Error: expected old_string to occur once in the plan, got 2 times/);
  assert.match(told[2] ?? '', /^! Error: expected edits that change the plan/);
  assert.match(told[3] ?? '', /^! Error: expected a plan that can be read, got: line \d+/);
  assert.match(told[4] ?? '', /^! Error: expected a plan of at most 65000 characters/);
  assert.equal(run.result?.kind, 'work_done');
});

test('the plan lint sends an amendment back twice, and then its findings go to the reviewers', async () => {
  const run = await driveHere(implement(inOrder(propose(moreFiles), propose(moreFiles), propose(moreFiles))));
  for (const request of [1, 2]) {
    assert.match(
      results(run.server.requests[request])[0] ?? '',
      /^! Error: the amended plan is not ready; .*src\/other\.js/s,
    );
  }
  assert.ok(run.result?.kind === 'amendment');
  assert.equal(run.result.findings.length, 1);
  assert.match(run.result.findings[0] ?? '', /src\/other\.js/);
});

test('an amendment is held against the base, not against what the run has made or deleted since', async () => {
  const tree = (): Partial<TreeReport> => ({
    changes: [
      { path: 'src/new.js', change: 'create', from: null },
      { path: 'src/cache.js', change: 'delete', from: null },
    ],
  });
  const create = { old_string: named, new_string: `${named}  - { path: src/new.js, change: create }\n` };
  const step = { old_string: moreSteps.old_string, new_string: `${moreSteps.old_string}\n2. Make \`src/new.js\`.` };
  const prepare = async (checkout: string) => {
    await writeFile(path.join(checkout, 'src/new.js'), 'x\n');
    await rm(path.join(checkout, 'src/cache.js'));
  };
  const run = await driveHere(implement(inOrder(propose(create, step)), {}, { prepare, answer: host({ tree }) }));
  assert.deepEqual(run.result?.kind === 'amendment' && run.result.findings, []);
});

test('beside code a plan cannot be amended: the call is answered with the one that can', async () => {
  const run = await driveHere(implement(inOrder(propose(moreFiles, moreSteps), done), { holdsCode: true }));
  assert.deepEqual(results(run.server.requests[1]), [
    '! Error: the pull request holds code already, and a plan cannot be approved beside code; call enter_plan_mode instead',
  ]);
});

test('an amendment whose host did not hear of it is told again, and the model is asked nothing', async () => {
  const first = await driveHere(implement(inOrder(propose(moreFiles, moreSteps))));
  const again = await driveHere(
    implement(inOrder(), {
      brief: null,
      conversation: [{ role: 'user', content: 'go' }, ...storedConversation(first)],
    }),
  );
  assert.deepEqual(again.result, first.result);
  assert.equal(again.server.requests.length, 0);
});

test('a step that holds changes outside of the scope is not kept, the run is told, and keeps it once they are undone', async () => {
  const finish = { say: [tool('update_tasks', { tasks: [{ title: 'Edit', status: 'done' }] })] };
  let looks = 0;
  const step = () => {
    looks += 1;
    return looks === 1 ? { outside: ['`src/other.js` (modify)'], faults: [] } : nothing;
  };
  const run = await driveHere(implement(inOrder(finish, finish, done), {}, { answer: host({ step }) }));
  assert.deepEqual(results(run.server.requests[1]), [
    '! Error: the step "Edit" is not kept. These changes are not in the plan\'s scope: `src/other.js` (modify). ' +
      'Undo them, or call propose_amendment to have the plan changed.',
  ]);
  assert.deepEqual(results(run.server.requests[2]), ['1 of 1 done']);
  assert.equal(run.result?.kind, 'work_done');
});

test('a step that holds changes outside of the scope three times in a row fails the run', async () => {
  const finish = (title: string) => ({ say: [tool('update_tasks', { tasks: [{ title, status: 'done' }] })] });
  const step = () => ({ outside: ['`src/other.js` (modify)'], faults: [] });
  const run = await driveHere(
    implement(inOrder(finish('a'), finish('b'), finish('c')), {}, { answer: host({ step }) }),
  );
  assert.deepEqual(run.result, {
    kind: 'failed',
    reason: 'out_of_scope',
    detail: "These changes are not in the plan's scope: `src/other.js` (modify).",
  });
});

test('a run that says it is done is told twice of changes outside of the scope, before and after its checks', async () => {
  let looks = 0;
  const tree = () => {
    looks += 1;
    return looks === 2 || looks === 4 ? { outside: ['`out.log` (create)'], faults: [] } : {};
  };
  const run = await driveHere(implement(inOrder(done, done, done), { checks: ['true'] }, { answer: host({ tree }) }));
  const told = [1, 2].map((index) => blocksOf(run.server.requests[index]?.messages.at(-1))[0]?.text ?? '');
  const text =
    "These changes are not in the plan's scope: `out.log` (create). Undo them, or call propose_amendment to have the plan changed.";
  assert.deepEqual(told, [text, text]);
  assert.equal(run.result?.kind, 'work_done');
  const always = await driveHere(
    implement(inOrder(done, done, done), {}, { answer: host({ tree: () => ({ faults: ['a: it is a link'] }) }) }),
  );
  assert.equal(always.server.requests.length, 3);
  assert.equal(always.result?.kind, 'work_done');
});

test('the approval of an amendment is the result of the call that asked, and finished steps are not kept again', async () => {
  const input = { tasks: [{ title: 'Edit', status: 'done' }], deviations: ['It is two.'] };
  const ask = { type: 'tool_use', id: 'b', name: 'propose_amendment', input: { reason, edits: [moreFiles] } } as const;
  const run = await driveHere(
    implement(inOrder({ say: [tool('update_tasks', { tasks: input.tasks })] }, setTo(1, 2), done), {
      plan: amended,
      brief: {
        kind: 'approved',
        plan: amended,
        commit: 'd'.repeat(40),
        approvers: ['bob'],
        feedback: { bodies: [], remarks: [] },
        issue: { number: 7, title: 'Cache it', body: { author: 'ada', trust: 'issue author', text: 'It is slow.' } },
        resumed: { work: 'kept', tasks: [{ title: 'Edit', status: 'done' }] },
      },
      conversation: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'update_tasks', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1 of 1 done' }] },
        { role: 'assistant', content: [ask] },
      ],
    }),
  );
  const [answer] = results(run.server.requests[0]);
  assert.match(answer ?? '', /The amended plan was approved by @bob at commit d{40}\.\n\nYour work is there as it was/);
  assert.ok(answer?.includes('2. Ask for it in `src/other.js`.'));
  assert.deepEqual(
    kindsSaid(run).filter((kind) => kind !== 'audit'),
    ['reply', 'tasks', 'turn', 'reply', 'turn', 'turn', 'read_tree', 'ended'],
  );
  assert.deepEqual(run.result, { kind: 'work_done', deviations: ['It is two.'], verifications: [] });
});

test('of a tree with any number of faults a run and people are told the first forty, and how many more there are', () => {
  const faults = Array.from({ length: 50_000 }, (_, index) => `l${index}: it is a link`);
  const shown = [...faults.slice(0, 40), 'and 49960 more'];
  assert.equal(
    describeRejection({ outside: [], faults }, { holdsCode: false }),
    `This cannot be committed; mend it:\n- ${shown.join('\n- ')}`,
  );
  assert.equal(rejectedResult({ outside: [], faults }).detail, shown.join('\n'));
});
