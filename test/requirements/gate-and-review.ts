/**
 * The approval gate and the review conversation: which test shows which requirement (S…, R…) and which reported fault (a
 * number). A proof is a file beneath `test/` and words of the name of a test in it; `…` stands for what a template fills in.
 */
import type { Proof } from './proof.ts';

export const failureCases: Readonly<Record<number, readonly Proof[]>> = {
  37: [['github/review-forms.test.ts', 'a review without a body brings all of its fifteen comments']],
  39: [['github/review-forms.test.ts', 'a comment on several lines keeps its whole range']],
  40: [['github/review-forms.test.ts', 'a comment on a removed line quotes what was removed, also after a revision']],
  41: [['github/review-forms.test.ts', 'a comment on the file has no line, and breaks nothing']],
  42: [['github/review-forms.test.ts', 'an outdated comment has the lines and the text that it was written on']],
  43: [
    ['github/review-forms.test.ts', 'an approval without a body and a comment whose account is gone are read'],
    ['lifecycle/approval-gate.test.ts', '43: an approval whose author was deleted starts nothing'],
    ['github/observe-changes.test.ts', 'an edit by an account that is gone is told, with nobody as its author'],
  ],
  44: [
    ['lifecycle/standing-verdict.test.ts', '44, S67: a dismissal takes what its reviewer said before along'],
    ['lifecycle/standing-verdict.test.ts', '44: a change request that is dismissed asks for no revision'],
    ['lifecycle/recheck.test.ts', 'S66, S68: an approval does not survive that'],
  ],
  46: [
    ['lifecycle/approval-gate.test.ts', 'S63, 46: an approval of an older commit starts nothing'],
    ['lifecycle/review-conversation.test.ts', 'one comment asks for a review of the head'],
  ],
  48: [['lifecycle/approval-gate.test.ts', '48']],
  49: [['lifecycle/standing-verdict.test.ts', '49: who approves and then requests changes before the run starts']],
  50: [['lifecycle/standing-verdict.test.ts', '50: a COMMENTED review after an approval leaves it standing']],
  51: [['lifecycle/approval-gate.test.ts', 'S67, 51: an approval next to an open change request']],
  52: [
    ['lifecycle/standing-verdict.test.ts', '52: who requested changes and approves the revised plan'],
    ['lifecycle/standing-verdict.test.ts', '52: a change request of an older commit blocks'],
  ],
  53: [
    ['lifecycle/standing-verdict.test.ts', '53: a COMMENTED review is no approval, whatever it says'],
    ['lifecycle/request.test.ts', 'S75, case 53: words, reactions, other labels'],
  ],
  54: [
    ['lifecycle/commands.test.ts', 'case 54: a command … has no effect'],
    ['lifecycle/commands.test.ts', 'case 54: a command that was edited into an old comment'],
    ['lifecycle/commands.test.ts', 'case 54: a command in a review or in a comment on a line'],
    ['lifecycle/commands.test.ts', 'case 54: no command by a reader, a bot or a stranger'],
  ],
  55: [
    ['lifecycle/review-conversation.test.ts', 'is honoured exactly once'],
    ['lifecycle/review-conversation.test.ts', 'is asked for again and never lost silently'],
  ],
  56: [
    ['github/act-reviews.test.ts', 'no call of all these creates a review'],
    ['e2e/revision.test.ts', 'the app has reviewed, merged, approved and begun nothing'],
  ],
  57: [
    ['lifecycle/approval-gate.test.ts', '57: association MEMBER with permission read is refused'],
    ['github/observe-people.test.ts', 'case 57: an approval counts by the permission'],
  ],
  58: [
    ['lifecycle/approval-gate.test.ts', '58: association NONE with permission write'],
    ['github/observe-people.test.ts', 'case 58: an approval by a person'],
    ['engine/audit-log.test.ts', 'case 58: every request, command and approval that was followed or refused'],
  ],
  59: [
    [
      'lifecycle/review-conversation.test.ts',
      'editing or deleting an old review, a comment or the issue starts no run',
    ],
    ['lifecycle/request.test.ts', 'case 59: editing or deleting what once triggered something'],
    ['engine/app.test.ts', 'an edited or deleted comment or review wakes nothing'],
  ],
  61: [['lifecycle/review-conversation.test.ts', 'a bot that requests changes on every revision starts no round']],
  62: [
    ['engine/app.test.ts', 'case 62: nothing that this app does itself'],
    ['e2e/deliveries.test.ts', 'redeliveries of everything'],
  ],
  63: [['e2e/refusals.test.ts', 'case 63: a permission that the installation lacks']],
  64: [
    ['lifecycle/request.test.ts', 'case 64: a label that was renamed or changed after it was set starts nothing'],
    ['lifecycle/request.test.ts', 'case 64: deleting the trigger label, or renaming it, starts nothing'],
    ['github/observe-changes.test.ts', 'a label renamed to the trigger says that it changed after it was set'],
    ['e2e/refusals.test.ts', 'case 64'],
  ],
  65: [['github/foreign-pull-requests.test.ts', 'cases 65, 66: a pull request …, with']],
  66: [
    ['github/foreign-pull-requests.test.ts', 'cases 65, 66: a pull request …, with'],
    ['engine/app.test.ts', 'a pull request from a fork, a deleted fork'],
  ],
  67: [
    ['lifecycle/request-text.test.ts', 'S15, case 67'],
    ['plan/line-feedback.test.ts', 'a stranger opens a thread and a writer replies'],
    ['e2e/revision.test.ts', 'no word of a stranger does'],
    ['e2e/refusals.test.ts', 'cases 67, 68'],
  ],
  68: [
    ['lifecycle/request-text.test.ts', 'case 68: an issue that a reader edited after the label starts no run'],
    ['lifecycle/request-text.test.ts', 'S17, case 68: a comment counts as it stood before the request'],
    ['e2e/refusals.test.ts', 'cases 67, 68'],
  ],
  70: [['e2e/stale.test.ts', 'in twelve ways, before the start and before the push']],
  71: [
    ['e2e/ways.test.ts', 'a pull request that is closed stops its implementation'],
    ['agent/run-processes.test.ts', 'takes the command that is running with it'],
  ],
  72: [
    ['e2e/stop.test.ts', 'a pull request that is closed stops its revision; the label again starts on another branch'],
    ['e2e/ways.test.ts', 'a pull request that is closed stops its implementation'],
  ],
  74: [
    ['lifecycle/request.test.ts', 'case 74: after a close, labelling twice gives one new pull request'],
    ['lifecycle/ways.test.ts', 'after a close, labels that come and go make one new pull request'],
  ],
  105: [['lifecycle/amendment.test.ts', 'a base that changed a planned file is told on the issue before approval']],
  106: [
    ['workspace/patch-check.test.ts', 'no file with conflict markers is committed'],
    ['workspace/carry-over.test.ts', 'that meets other changes of the same lines, is not carried over'],
  ],
  107: [
    ['e2e/amendment.test.ts', 'moves the one branch forward'],
    ['workspace/push.test.ts', 'a push makes or moves exactly its own branch'],
  ],
  108: [['e2e/stale.test.ts', 'in twelve ways, before the start and before the push']],
  110: [['engine/merged-meanwhile.test.ts', 'reverts none of its lines']],
};

export const requirements: Readonly<Record<string, readonly Proof[]>> = {
  S10: [
    ['lifecycle/request.test.ts', 'S10, S11, S12: only a live permission of write or more makes a label a request'],
    ['lifecycle/request.test.ts', 'S10: no bot and not this app itself can ask'],
  ],
  S11: [
    ['lifecycle/request.test.ts', 'S10, S11, S12: only a live permission of write or more makes a label a request'],
    ['github/observe-teams.test.ts', 'memberships and permissions that take too long are unknown'],
    [
      'github/observe-teams.test.ts',
      'a membership that GitHub answers with 404 is none; with 403, 500 or 502 it is unknown',
    ],
  ],
  S12: [
    ['lifecycle/eligibility.test.ts', 'S12: an association with the repository is never asked for and never read'],
    ['github/observe-people.test.ts', 'S12, case 57: no query and no answer'],
  ],
  S13: [
    ['lifecycle/recheck.test.ts', 'S66, S68: an approval does not survive that'],
    ['e2e/stale.test.ts', 'in twelve ways, before the start and before the push'],
  ],
  S14: [
    ['lifecycle/request.test.ts', 'S14: a person is who the id says'],
    ['lifecycle/approval-gate.test.ts', 'S74: two logins of one id, before and after a change of name, are one person'],
  ],
  S15: [
    ['lifecycle/request-text.test.ts', 'S15, case 67'],
    ['engine/quote-request.test.ts', 'S15, case 67'],
  ],
  S16: [
    ['github/trailers.test.ts', 'S16: a signed message counts on its own tree'],
    ['github/trailers.test.ts', 'S16: trailers without a signature'],
    ['github/observe.test.ts', 'S16: a commit under this app'],
  ],
  S17: [
    ['lifecycle/request-text.test.ts', 'S17: title and body edited by'],
    ['lifecycle/request-text.test.ts', 'S17, case 68: a comment counts as it stood before the request'],
    ['engine/quote-request.test.ts', 'S17'],
    ['github/observe-changes.test.ts', 'every edit of title and body is told with its author'],
  ],
  S18: [
    ['lifecycle/request.test.ts', 'S18: a label without an event'],
    ['lifecycle/request-text.test.ts', 'S18: where the instant of the request is not known'],
  ],
  S57: [
    ['plan/scope.test.ts', 'a dependency manifest and a top-level dot folder change only where'],
    ['engine/implementation.test.ts', 'a step with changes outside of the scope is not committed'],
  ],
  S58: [
    ['workspace/patch-check.test.ts', 'a patch of more than 100 files is refused'],
    ['workspace/patch-check.test.ts', 'a patch of more than 4,096 KiB is refused'],
  ],
  S60: [
    ['workspace/push.test.ts', 'commits of others are never dropped'],
    ['workspace/push.test.ts', 'a push makes or moves exactly its own branch'],
  ],
  S61: [
    ['workspace/push.test.ts', 'only a branch with the app'],
    ['workspace/diff-scan.test.ts', 'S61'],
  ],
  S62: [
    ['lifecycle/approval-gate.test.ts', 'S62: whoever writes, maintains or administers may approve; nobody else'],
    ['lifecycle/approval-gate.test.ts', 'S62: an approval by … starts nothing'],
    ['lifecycle/approval-gate.test.ts', 'S62: with approval.not_by_requester the person who asked cannot approve'],
  ],
  S63: [
    ['lifecycle/approval-gate.test.ts', 'S63, 46: an approval of an older commit starts nothing'],
    ['lifecycle/approval-gate.test.ts', 'S63: an approval of a commit that is gone starts nothing'],
  ],
  S64: [
    ['lifecycle/approval-gate.test.ts', 'S62, S64'],
    [
      'lifecycle/recorded-approval.test.ts',
      'S64: a receipt counts only while pull request, plan and reviews bear it out',
    ],
    ['verify/claims.test.ts', 'each thing that GitHub does not bear out is told'],
  ],
  S65: [['lifecycle/plan-fitness.test.ts', 'S65: a pull request that changes more than the plan cannot be approved']],
  S66: [
    ['lifecycle/approval-gate.test.ts', 'S66: a push after an approval voids it'],
    ['lifecycle/recheck.test.ts', 'S66, S68: an approval does not survive that'],
    ['e2e/stale.test.ts', 'in twelve ways, before the start and before the push'],
  ],
  S67: [
    ['lifecycle/standing-verdict.test.ts', 'S67: the latest verdict is the latest by time'],
    ['lifecycle/standing-verdict.test.ts', 'S67: a pending review is nothing'],
    ['lifecycle/gate-oracle.test.ts', 'oracle'],
  ],
  S68: [
    ['lifecycle/recheck.test.ts', 'S68: where … cannot be read nothing starts'],
    ['e2e/ways.test.ts', 'a permission that GitHub does not tell starts nothing, and once it does the approval counts'],
  ],
  S69: [['lifecycle/open-conversations.test.ts', 'S69']],
  S70: [
    ['lifecycle/approval-gate.test.ts', 'S70: a hundred and forty reviews are all read'],
    ['github/observe-changes.test.ts', 'more than 100 edits are read to their end'],
    ['github/review-forms.test.ts', 'a review of a hundred and forty comments is read to its end'],
  ],
  S71: [
    ['lifecycle/recheck.test.ts', 'S71'],
    ['e2e/ways.test.ts', 'before code is pushed the check holds it and the approval of the plan is …'],
  ],
  S72: [
    [
      'e2e/ways.test.ts',
      'on no path has the app approved, merged, closed or deleted anything, or dismissed a change request',
    ],
    ['github/act-reviews.test.ts', 'a thread in which no answer can stand is not resolved'],
  ],
  S73: [
    ['github/review-forms.test.ts', 'what is changed after a review was submitted is not heard'],
    ['plan/line-feedback.test.ts', 'a text that was changed after its review was submitted is not heard'],
  ],
  S74: [
    ['lifecycle/approval-gate.test.ts', 'S74: two required approvals are two people'],
    ['lifecycle/eligibility.test.ts', 'S74: an excluded login counts for nothing'],
  ],
  S75: [['lifecycle/approval-gate.test.ts', 'S75, 53: comments, reactions, labels, edited text']],
  S76: [['lifecycle/plan-fitness.test.ts', 'S76: planned files that changed on the base block, or warn']],
  S77: [
    ['lifecycle/plan-fitness.test.ts', 'S77: the check of a plan under way is no success while another'],
    ['github/check-texts.test.ts', 'S77'],
    ['github/observe-changes.test.ts', 'other open pull requests with the same head are told'],
  ],
};
