/** The agent in plan mode: which test shows which requirement (S…, R…) and which reported fault (a number). */
import type { Proof } from './proof.ts';

export const failureCases: Readonly<Record<number, readonly Proof[]>> = {
  1: [
    ['agent/plan-shell.test.ts', 'case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was'],
    ['e2e/hostile.test.ts', 'a run that tries everything ends with its plan, and with nothing else on the repository'],
  ],
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
    ['engine/run-preparation.test.ts', 'no implementation starts while it cannot be told whether its approval stands'],
  ],
  6: [
    ['e2e/hostile.test.ts', 'claims of an approval start nothing'],
    [
      'agent/stop-reasons.test.ts',
      'a plan that was written and never presented by exit_plan_mode is no plan: the run fails after a reminder',
    ],
    ['lifecycle/no-answers.test.ts', '… is never an answer'],
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
  11: [
    ['engine/run-preparation.test.ts', 'case 11: two issues of one repository'],
    ['e2e/bad-input.test.ts', 'titles of any characters become plans, and code, on branches named by number alone'],
  ],
  12: [
    ['agent/plan-surface.test.ts', 'case 12: a plan file that the base already holds is never presented'],
    ['github/observe.test.ts', "where the base has a file at the plan's path, the plan has a name of its own"],
  ],
  13: [['agent/plan-surface.test.ts', 'case 13: the plan is written and edited without a path']],
  14: [['agent/run-limits.test.ts', 'a forbidden call again and again ends the run']],
  15: [['agent/plan-surface.test.ts', 'case 15: no file tool writes in plan mode, to the plan or to other Markdown']],
  16: [
    ['agent/plan-surface.test.ts', 'case …: a review that says "…" yields a new plan and nothing else'],
    ['e2e/revision.test.ts', 'a revision changes only what was remarked on, byte for byte'],
  ],
  18: [
    [
      'agent/plan-run.test.ts',
      '18: a run that is killed goes on from its last stored turn, with the tools of its phase and no others',
    ],
    [
      'engine/run-preparation.test.ts',
      'a run that was cut off goes on from its conversation and its own draft, without a second brief',
    ],
    [
      'engine/run-preparation.test.ts',
      'no implementation starts once its approval is gone, replaced or of another head',
    ],
    ['e2e/killed.test.ts', 'killed in the implementation, it goes on with the same turn'],
  ],
  19: [
    [
      'e2e/path.test.ts',
      'the pull request leaves draft, the plan approval is set aside, and the code waits for its own',
    ],
    ['github/act.test.ts', "the pull request is opened once, as a draft with the issue's title"],
    ['e2e/hostile.test.ts', 'a run that tries everything ends with its plan, and with nothing else on the repository'],
    ['e2e/path.test.ts', 'the branch holds one commit for the plan, one a step, and one that takes the plan out'],
  ],
  124: [
    ['agent/model-faults.test.ts', 'an overloaded service is asked again, three times and more, until it answers'],
    ['agent/model-faults.test.ts', 'a service that stays overloaded fails the run'],
    ['engine/sweep.test.ts', 'the tree of a run that was stopped or failed goes'],
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
  128: [
    ['agent/stop-reasons.test.ts', 'a plan that is cut twice fails, and the plan stays as it was'],
    ['agent/exit-plan-mode.test.ts', 'case 128: a revision whose edit is cut at the output limit'],
  ],
  129: [
    ['agent/stop-reasons.test.ts', 'a call cut at the output limit does not run; the model goes on once'],
    ['agent/stop-reasons.test.ts', 'a plan that is cut twice fails, and the plan stays as it was'],
    [
      'agent/stop-reasons.test.ts',
      'a change cut at the output limit is not made, and cut again it fails the implementation',
    ],
  ],
  131: [
    ['agent/model-faults.test.ts', 'a stream … is asked for again, and nothing of it is kept'],
    ['agent/model-faults.test.ts', 'a stream that breaks every time fails the run after three repetitions'],
  ],
  132: [
    ['agent/model-faults.test.ts', 'a silent stream is given up and asked for again'],
    ['agent/model-faults.test.ts', 'a request that is taken and not answered is given up and made again'],
  ],
  133: [
    ['agent/model-faults.test.ts', 'a stream that pings for a while and then answers is not given up'],
    ['agent/model-faults.test.ts', 'a stream that only pings is given up at its limit'],
  ],
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
    ['agent/stop-reasons.test.ts', '… fails the run and publishes nothing'],
  ],
  139: [
    ['agent/killed-conversation.test.ts', '139: a process that is killed for good'],
    ['agent/killed-conversation.test.ts', 'R40: killed at every point in the middle of a tool'],
    ['e2e/killed.test.ts', 'killed in the middle of a tool, it tells the model so in a valid request'],
  ],
  140: [
    ['agent/read-files.test.ts', '140: a file of one line of five megabytes is read in pieces'],
    ['agent/read-files.test.ts', '140: a long list of files is cut with a notice'],
    ['agent/read-files.test.ts', '140: a million hits are cut'],
    ['agent/read-files.test.ts', '140: a hit in a line of five megabytes leaves room for the others'],
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
    ['agent/prefix.test.ts', 'case 146: over a run of many turns each request begins with the whole of the one before'],
    ['agent/prompts.test.ts', 'hold nothing of a run: no path, date, name or id'],
  ],
};

export const requirements: Readonly<Record<string, readonly Proof[]>> = {
  S24: [
    ['agent/render-brief.test.ts', 'a text cannot close its fence, give itself a label or begin a line of this app'],
    ['agent/prompts.test.ts', 'S24: what people wrote is in no system prompt, and reaches the model as fenced text'],
  ],
  S25: [
    ['engine/run-preparation.test.ts', 'S25, case 158'],
    [
      'config/repository-config.test.ts',
      'S34, S38: which model it is, where it is reached, what watches it, and whatever would run beside it',
    ],
    ['agent/plan-run.test.ts', 'S34: no variable of the environment and no file of the repository'],
  ],
  S26: [['agent/input-limit.test.ts', 'S26: … are refused with a message and what to do']],
  S27: [
    ['github/pull-request-text.test.ts', "S27: a plan's pull request says whose words it was written from"],
    [
      'github/pull-request-text.test.ts',
      "S27: a plan's pull request names the instruction files it goes by and counts what was hidden",
    ],
  ],
  S28: [
    [
      'agent/plan-run.test.ts',
      'no request of a plan run offers a tool that changes anything, whatever the model tries',
    ],
    [
      'agent/permissions.test.ts',
      'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
    ],
  ],
  S29: [
    ['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything'],
    ['agent/helpers.test.ts', 'S29: in an implementation, a helper only looks'],
  ],
  S30: [
    ['agent/plan-shell.test.ts', 'case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was'],
    ['agent/plan-shell.test.ts', 'without plan.shell, or where the sandbox is missing, a plan run has no shell'],
  ],
  S34: [
    [
      'agent/plan-run.test.ts',
      'S34: no variable of the environment and no file of the repository redirects the model or reaches it',
    ],
    [
      'config/repository-config.test.ts',
      'S34, S38: which model it is, where it is reached, what watches it, and whatever would run beside it',
    ],
    ['engine/engine.test.ts', 'a delivery becomes a run, whose child gets its brief and no variable but three'],
  ],
  S35: [
    ['e2e/hostile.test.ts', 'no secret turns up where the model, GitHub or the log could show it'],
    ['engine/run-preparation.test.ts', 'S35: in neither phase is a run handed a token of GitHub'],
    ['engine/engine.test.ts', 'a delivery becomes a run, whose child gets its brief and no variable but three'],
  ],
  S36: [
    ['engine/spending.test.ts', 'a run begins with what its thread and its day have left'],
    ['agent/run-limits.test.ts', 'a run may use its turns and no more, and is told when four fifths are gone'],
    ['agent/run-limits.test.ts', 'a run may use its tokens and no more'],
    ['agent/run-limits.test.ts', 'a run may use its wall time and no more, in the middle of a request too'],
    ['agent/run-limits.test.ts', 'a run parks at the ceiling of the day that its host tells it of'],
    ['agent/budget.test.ts', 'with a ceiling in dollars and no known price, a run does nothing'],
    ['lifecycle/ceiling.test.ts', 'starts nothing, is not lost, and starts its run the day after'],
    ['lifecycle/ceiling.test.ts', 'a plan that a ceiling cut off is never offered for approval'],
  ],
  S37: [
    ['agent/hostile-inputs.test.ts', 'S37: whatever a model calls the tools of a plan run with'],
    ['agent/hostile-inputs.test.ts', 'S37: whatever a model calls the tools of an implementation with'],
    ['e2e/hostile.test.ts', 'a run that tries everything ends with its plan, and with nothing else on the repository'],
  ],
  // There is no detector: a repository that asks for one is told so, and no run starts.
  S38: [
    [
      'config/repository-config.test.ts',
      'S34, S38: which model it is, where it is reached, what watches it, and whatever would run beside it',
    ],
    ['engine/run-preparation.test.ts', 'a configuration with mistakes in it starts no run'],
  ],
  R39: [
    [
      'agent/model-faults.test.ts',
      'a limit is waited for as long as it asks: for minutes, but no longer than the patience of a run',
    ],
    ['agent/model-faults.test.ts', '… fails the run at once, with the reason'],
    ['agent/model-faults.test.ts', 'an overloaded service is asked again, three times and more, until it answers'],
    ['engine/spending.test.ts', 'what a process told before it died is kept, and no later word makes it less'],
    ['agent/budget.test.ts', 'what a run has cost never becomes less, whenever its processes die'],
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
