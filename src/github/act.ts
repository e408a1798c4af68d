import { setCheck } from './act-checks.ts';
import { askForNumbers, askQuestions, react, refuse, reply, setStatusComment } from './act-comments.ts';
import { tellAmendment, tellLapsed, tellRevision } from './act-conversation.ts';
import { setStatusLabel } from './act-labels.ts';
import { markReady, openPullRequest, requestReviewers, setPullRequestText } from './act-pull-request.ts';
import { answerReviews, holdApprovals } from './act-reviews.ts';
import { createStages, type Stage } from './act-stage.ts';
import type { GitHub, GitHubAction } from './github.ts';

type Performers = {
  readonly [Kind in GitHubAction['kind']]: (
    stage: Stage,
    action: Extract<GitHubAction, { kind: Kind }>,
  ) => Promise<void>;
};

/** How each action is carried out. Each looks before it acts, and finds again what it made. */
const performers = {
  react: (stage, action) => react(stage, action.to, action.reaction),
  setStatusLabel: (stage, action) => setStatusLabel(stage, action.label),
  setStatusComment: (stage, action) => setStatusComment(stage, action.status),
  refuse,
  reply,
  askQuestions: (stage, action) => askQuestions(stage, action.run),
  askForNumbers,
  openPullRequest,
  requestReviewers: (stage, action) => requestReviewers(stage, action.logins),
  setCheck: (stage, action) => setCheck(stage, action.check),
  answerReviews: (stage, action) => answerReviews(stage, action.run, action.answers),
  tellRevision,
  tellLapsed,
  tellAmendment,
  holdApprovals: (stage, action) => holdApprovals(stage, action.reviews),
  setPullRequestText,
  markReady: (stage) => markReady(stage),
} as const satisfies Performers;

/** @returns `GitHub.act` */
export function createAct(options: Parameters<typeof createStages>[0]): GitHub['act'] {
  const stageOf = createStages(options);
  return (action, context) => perform(performers, stageOf(context), action);
}

function perform<Kind extends GitHubAction['kind']>(
  table: Performers,
  stage: Stage,
  action: Extract<GitHubAction, { kind: Kind }>,
): Promise<void> {
  return table[action.kind](stage, action);
}
