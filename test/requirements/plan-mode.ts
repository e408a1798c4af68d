/** The agent in plan mode: which test shows which requirement (S…, R…) and which reported fault (a number). */
import type { Proof } from './proof.ts';

export const failureCases: Readonly<Record<number, readonly Proof[]>> = {
  1: [['agent/plan-shell.test.ts', 'case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was']],
  3: [['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything']],
  4: [
    [
      'agent/permissions.test.ts',
      'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
    ],
  ],
  5: [
    [
      'lifecycle/recheck.test.ts',
      'S68: where … cannot be read nothing starts, nothing is stopped and nothing is pushed',
    ],
    ['e2e/ways.test.ts', 'a permission that GitHub does not tell starts nothing, and once it does the approval counts'],
  ],
  6: [
    ['e2e/hostile.test.ts', 'claims of an approval start nothing'],
    [
      'agent/stop-reasons.test.ts',
      'a plan that was written and never presented by exit_plan_mode is no plan: the run fails after a reminder',
    ],
  ],
  7: [
    ['agent/render-brief.test.ts', 'no brief but an approval says that the plan was approved'],
    ['agent/decisions.test.ts', 'none claims a yes'],
    ['agent/implement-run.test.ts', 'an implementation begins with the approval, its plan and the end of plan mode'],
  ],
  9: [
    ['agent/compaction-runs.test.ts', '9: past the limit before the plan is written'],
    ['agent/compaction-runs.test.ts', '9: past the limit between approval and implementation'],
  ],
  10: [['agent/plan-surface.test.ts', 'case …: a review that says "…" yields a new plan and nothing else']],
  11: [['engine/run-preparation.test.ts', 'case 11: two issues of one repository']],
  12: [['agent/plan-surface.test.ts', 'case 12: a plan file that the base already holds is never presented']],
  13: [['agent/plan-surface.test.ts', 'case 13: the plan is written and edited without a path']],
  14: [['agent/run-limits.test.ts', 'a forbidden call again and again ends the run']],
  15: [['agent/plan-surface.test.ts', 'case 15: no file tool writes in plan mode, to the plan or to other Markdown']],
  16: [['agent/plan-surface.test.ts', 'case …: a review that says "…" yields a new plan and nothing else']],
  18: [
    [
      'agent/plan-run.test.ts',
      '18: a run that is killed goes on from its last stored turn, with the tools of its phase and no others',
    ],
  ],
  19: [
    [
      'e2e/path.test.ts',
      'the pull request leaves draft, the plan approval is set aside, and the code waits for its own',
    ],
  ],
  124: [
    ['agent/model-faults.test.ts', 'an overloaded service is asked again, three times and more, until it answers'],
    ['agent/model-faults.test.ts', 'a service that stays overloaded fails the run'],
  ],
  126: [
    [
      'agent/model-faults.test.ts',
      'a limit is waited for as long as it asks: for minutes, but no longer than the patience of a run',
    ],
    ['agent/model-faults.test.ts', '… fails the run at once, with the reason'],
  ],
  127: [
    ['lifecycle/ceiling.test.ts', 'a plan that a ceiling cut off is never offered for approval'],
    ['agent/run-limits.test.ts', 'a run may use its turns and no more, and is told when four fifths are gone'],
  ],
  128: [['agent/stop-reasons.test.ts', 'a plan that is cut twice fails, and the plan stays as it was']],
  129: [['agent/stop-reasons.test.ts', 'a call cut at the output limit does not run; the model goes on once']],
  131: [['agent/model-faults.test.ts', 'a stream … is asked for again, and nothing of it is kept']],
  132: [['agent/model-faults.test.ts', 'a silent stream is given up and asked for again']],
  133: [['agent/model-faults.test.ts', 'a stream that pings for a while and then answers is not given up']],
  134: [['agent/model-faults.test.ts', 'a complete message ends the turn although the connection stays open']],
  135: [
    ['agent/stop-reasons.test.ts', '… fails the run and publishes nothing'],
    ['agent/implement-run.test.ts', 'a refusal in the middle of an implementation fails it'],
  ],
  137: [
    ['agent/stop-reasons.test.ts', 'a paused turn is sent back as it is'],
    ['agent/compaction-runs.test.ts', '137: a reply that has filled the context is not kept'],
    ['agent/stop-reasons.test.ts', '… fails the run and publishes nothing'],
  ],
  138: [
    [
      'agent/stop-reasons.test.ts',
      'a written plan and an empty turn: one reminder to present it, and presented it is reviewed',
    ],
  ],
  139: [['agent/killed-conversation.test.ts', '139: a process that is killed for good']],
  140: [
    ['agent/read-files.test.ts', '140: a file of one line of five megabytes is read in pieces'],
    ['agent/read-files.test.ts', '140: a long list of files is cut with a notice'],
    ['agent/read-files.test.ts', '140: a million hits are cut'],
  ],
  141: [
    ['agent/compaction-runs.test.ts', '141: a prompt that is too long is made smaller and asked for once more'],
    ['agent/compaction-runs.test.ts', '141: a prompt that stays too long fails'],
  ],
  142: [
    [
      'agent/stop-reasons.test.ts',
      'a picture that is none, in the repository or behind a link of the issue, is text or an error and no picture',
    ],
  ],
  143: [
    ['agent/stop-reasons.test.ts', 'of a turn with a good, an unknown and a good call, both good ones work'],
    ['agent/stop-reasons.test.ts', 'of ten calls in a turn one fails: ten results in their order'],
  ],
  144: [['agent/stop-reasons.test.ts', 'an input that is no object, or is junk, gets a short error']],
  145: [
    [
      'agent/run-limits.test.ts',
      'the same call, three hundred times, ends the run at its sixth, as failed and with its cost',
    ],
    [
      'agent/run-limits.test.ts',
      'calls that differ in a counter alone end at the turns that a run may use, and their cost is told',
    ],
  ],
  146: [
    ['agent/prefix.test.ts', 'case 146: system prompt and tools of a plan run are the same bytes in every repository'],
  ],
};

export const requirements: Readonly<Record<string, readonly Proof[]>> = {
  S24: [
    ['agent/render-brief.test.ts', 'a text cannot close its fence, give itself a label or begin a line of this app'],
  ],
  S25: [['engine/run-preparation.test.ts', 'S25, case 158']],
  S26: [['agent/input-limit.test.ts', 'S26: … are refused with a message and what to do']],
  S27: [['github/pull-request-text.test.ts', "S27: a plan's pull request says whose words it was written from"]],
  S28: [
    [
      'agent/plan-run.test.ts',
      'no request of a plan run offers a tool that changes anything, whatever the model tries',
    ],
  ],
  S29: [['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything']],
  S30: [
    ['agent/plan-shell.test.ts', 'case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was'],
  ],
  S34: [['agent/plan-run.test.ts', 'no environment variable redirects the model or reaches it']],
  S35: [
    ['e2e/hostile.test.ts', 'no secret turns up in a model request, a request to the forge, the repository or the log'],
  ],
  S36: [['engine/spending.test.ts', 'a run begins with what its thread and its day have left']],
  S37: [
    ['agent/hostile-inputs.test.ts', 'S37: whatever a model calls the tools of a plan run with'],
    ['agent/hostile-inputs.test.ts', 'S37: whatever a model calls the tools of an implementation with'],
    ['e2e/hostile.test.ts', 'a run that tries everything ends with its plan, and with nothing else on the repository'],
  ],
  S38: [['config/repository-config.test.ts', 'refused: …']],
  R39: [
    [
      'agent/model-faults.test.ts',
      'a limit is waited for as long as it asks: for minutes, but no longer than the patience of a run',
    ],
  ],
  R40: [
    [
      'agent/killed-conversation.test.ts',
      'R40: a conversation of 200 turns that is killed at every turn boundary goes on',
    ],
    [
      'agent/killed-conversation.test.ts',
      'R40: killed at every point in the middle of a tool, turn after turn, it goes on',
    ],
    ['agent/model-faults.test.ts', 'a stream … is asked for again, and nothing of it is kept'],
  ],
  R41: [
    ['agent/stop-reasons.test.ts', '… fails the run and publishes nothing'],
    ['agent/stop-reasons.test.ts', 'R41: … is no plan: the run fails, and says why'],
  ],
};
