import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../src/lifecycle/decide.ts';
import { approved, nextRun, planInReview, recheck, verdictOf, withApproval } from './gate-fixture.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** The world with the writer's approval of its plan. */
function planApproved(overrides: Partial<World> = {}): World {
  const world = planInReview(overrides);
  the.addReview(world, the.writer, 'APPROVED');
  return world;
}

const plan = { blob: 'b', text: 'plan', scope: [{ path: 'src/a.ts', change: 'modify' }], isEmpty: false } as const;

test('S65: a pull request that changes more than the plan cannot be approved', () => {
  const world = planInReview();
  the.pushByPerson(world, 'src/evil.ts');
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, [
    'The pull request changes more than the plan (src/evil.ts): take that off its branch.',
  ]);
  assert.equal(nextRun(world), null);
});

test('S65: a file that was moved onto the plan file keeps the gate shut: its old place has changed as well', () => {
  const files = [{ path: 'plan.md', change: 'RENAMED' }];
  assert.deepEqual(verdictOf(planApproved(), { pullRequest: { files } }).missing, [
    'Another file was moved onto the plan file: put both back to where they were.',
  ]);
});

test('S65: of very many files that are too much, the first ten are named', () => {
  const files = Array.from({ length: 300 }, (_, at) => ({ path: `src/${at}.ts`, change: 'ADDED' }));
  const [why] = verdictOf(planApproved(), { pullRequest: { files } }).missing;
  assert.match(why ?? '', /^The pull request changes more than the plan \(src\/0\.ts, .*src\/9\.ts and 290 more\): /);
});

for (const [what, change, why] of [
  [
    'a plan that is not there',
    { planOfRecord: null },
    'There is no plan at plan.md: put it back, or have it written anew with `/replan`.',
  ],
  [
    'a plan whose front matter cannot be read',
    { planOfRecord: { ...plan, scope: null } },
    "The plan's front matter cannot be read: mend it on the branch, or request changes.",
  ],
  [
    'a placeholder',
    { planOfRecord: { ...plan, scope: null, isEmpty: true } },
    'No plan has been written yet: request changes to have one written.',
  ],
  [
    'another base branch',
    { baseBranch: 'release' },
    "The pull request's base is release: point it back at the default branch.",
  ],
  ['a closed pull request', { state: 'closed' }, 'The pull request is not open.'],
  ['a merged pull request', { state: 'merged' }, 'The pull request is not open.'],
] as const) {
  test(`${what} cannot be approved`, () => {
    assert.deepEqual(verdictOf(planApproved(), { pullRequest: change }).missing, [why]);
  });
}

test('case 84: where the default branch gets another name and the pull request goes along, the approval stands; where it does not, it is told', () => {
  const world = planApproved();
  const repository = { ...the.factsOf(world).repository, defaultBranch: { name: 'trunk', head: 'sha-base' } };
  const renamed = (baseBranch: string) => verdictOf(world, { facts: { repository }, pullRequest: { baseBranch } });
  assert.deepEqual(renamed('trunk').missing, []);
  assert.deepEqual(renamed('main').missing, ["The pull request's base is main: point it back at the default branch."]);
});

test('a branch on which no commit of this app is left cannot be approved', () => {
  const world = planApproved();
  const commits = [{ sha: 'sha-run1', headline: 'x', committedAt: '2020-01-01T00:00:00Z', trailers: null }];
  assert.deepEqual(verdictOf(world, { pullRequest: { commits } }).missing, [
    'No commit of this app says what base the plan was written against: `/replan` has it written anew.',
  ]);
});

test('a pull request that holds code already cannot have its plan approved', () => {
  const world = planApproved();
  nextRun(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  const files = [{ path: 'plan.md', change: 'ADDED' }];
  assert.deepEqual(verdictOf(world, { pullRequest: { files } }).missing, ['The pull request already holds code.']);
});

test('approving the placeholder opens the gate with approval.allow_empty_plan alone', () => {
  const world = planApproved({ policy: withApproval({ allowEmptyPlan: true }) });
  const planOfRecord = { ...plan, scope: null, isEmpty: true };
  assert.equal(verdictOf(world, { pullRequest: { planOfRecord } }).isOpen, true);
});

test('changes requested on the placeholder have the plan written', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  const facts = the.factsOf(world);
  const planOfRecord = { ...plan, scope: null, isEmpty: true };
  const pullRequests = facts.pullRequests.map((own) => ({ ...own, planOfRecord }));
  const { actions } = decide({ ...facts, pullRequests }, { runs: world.runs });
  assert.deepEqual(
    actions.flatMap((action) => (action.kind === 'startRun' ? [action.order.phase] : [])),
    ['plan'],
  );
});

test('S76: planned files that changed on the base block, or warn, as configured', () => {
  const what = 'Planned files have changed on the base since the plan was written: src/a.ts.';
  const world = planApproved({ changedOnBase: ['src/a.ts'] });
  const blocked = verdictOf(world);
  assert.deepEqual({ missing: blocked.missing, warnings: blocked.warnings }, { missing: [what], warnings: [] });
  assert.equal(nextRun(world), null);
  world.policy = withApproval({ stale: 'warn' });
  const warned = verdictOf(world);
  assert.deepEqual({ missing: warned.missing, warnings: warned.warnings }, { missing: [], warnings: [what] });
  assert.equal(nextRun(world), 'implement');
});

test('S76: planned files that changed on the base are planned anew where configured, and open no gate', () => {
  const world = planApproved({ policy: withApproval({ stale: 'replan' }) });
  world.changedOnBase = ['src/a.ts'];
  assert.equal(verdictOf(world).isOpen, false);
  assert.equal(nextRun(world), 'plan');
});

test('S76: not to know which planned files have changed is never better than to know', () => {
  for (const stale of ['block', 'replan'] as const) {
    const world = planApproved({ changedOnBase: 'unknown', policy: withApproval({ stale }) });
    assert.deepEqual(verdictOf(world).missing, [
      'It cannot be told which planned files have changed on the base since the plan was written.',
    ]);
    assert.equal(nextRun(world), null);
  }
});

test('S77: a head that another open pull request shares keeps the gate shut, and the reason says what to do', () => {
  const world = planApproved({ sharedWith: [9, 12] });
  assert.deepEqual(verdictOf(world).missing, [
    'Another open pull request (#9, #12) has the same head commit: push a commit to one of them, or close the other.',
  ]);
  assert.equal(nextRun(world), null);
  world.sharedWith = [];
  assert.equal(nextRun(world), 'implement');
});

test('S77: not to know whether the head is shared keeps the gate shut', () => {
  const world = planApproved({ sharedWith: 'unknown' });
  assert.deepEqual(verdictOf(world).missing, [
    'Whether another open pull request has the same head commit could not be read.',
  ]);
  assert.equal(nextRun(world), null);
});

test('S77: the check of a plan under way is no success while another open pull request shares the head', () => {
  for (const sharedWith of [[9], 'unknown'] as const) {
    const world = planApproved();
    assert.equal(nextRun(world), 'implement');
    const head = the.openPullRequest(world)?.head;
    assert.equal(the.openPullRequest(world)?.checks['planwright/plan'], `opened@${head}`);
    world.sharedWith = sharedWith;
    the.reconcile(world);
    assert.notEqual(the.openPullRequest(world)?.checks['planwright/plan'], `opened@${head}`);
  }
});

test('S77: neither check is a success on code whose commit another open pull request shares', () => {
  const world = planApproved();
  nextRun(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  the.reconcile(world);
  const own = the.openPullRequest(world);
  assert.ok(own);
  const shown = { 'planwright/plan': `opened@${own.head}`, 'planwright/code': `approved@${own.head}` };
  assert.deepEqual(own.checks, shown);
  world.sharedWith = [9];
  the.reconcile(world);
  assert.deepEqual(own.checks, { 'planwright/plan': `hidden@${own.head}`, 'planwright/code': `waiting@${own.head}` });
  world.sharedWith = [];
  the.reconcile(world);
  assert.deepEqual(own.checks, shown);
});

test('S77, S68: a head that comes to be shared after the approval stops the run; not knowing it neither stops nor pushes', () => {
  const world = planInReview();
  const held = approved(world);
  assert.deepEqual(recheck(world, held, { pullRequest: { sharedWith: [9] } }), {
    current: false,
    why: 'Another open pull request (#9) has the same head commit: push a commit to one of them, or close the other.',
    isUnclear: false,
  });
  assert.deepEqual(recheck(world, held, { pullRequest: { sharedWith: 'unknown' } }), {
    current: false,
    why: 'Whether another open pull request has the same head commit could not be read.',
    isUnclear: true,
  });
});
