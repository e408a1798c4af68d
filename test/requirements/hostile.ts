/**
 * What holds against a turned model, a hostile repository and hostile people: which test shows which requirement (S…) and
 * which reported fault (a number).
 */
import type { Proof } from './proof.ts';

const canaries: readonly Proof[] = [
  [
    'e2e/hostile.test.ts',
    'S32, S33, S59, S79, cases 149, 152, 153, 155: no secret turns up where the model, GitHub or the log could show it',
  ],
  ['e2e/hostile.test.ts', 'S32, S33, S59, cases 152, 155: no program that the app starts is given a secret'],
];
const mutated: Proof = [
  'engine/mutated-webhooks.test.ts',
  'S1, S3, cases 34 and 36: of 2,000 deliveries that something is wrong with none is taken',
];
const tampering: Proof = ['workspace/tamper.test.ts', 'no kind of git tampering reaches the host'];
const titles: Proof = ['e2e/bad-input.test.ts', 'on a default branch named … titles of any characters become plans'];
const channels: Proof = [
  'text/rendered-text.test.ts',
  'what nobody sees of a rendered text is taken out and counted, or shown with a mark',
];
const explained: Proof = ['workspace/push.test.ts', 'cases 75, 99, 100: what a remote says when it refuses is told'];
const hostileAgent: readonly Proof[] = [
  ['hostile/plan-phase.test.ts', 'nothing that a hostile agent tries in the plan phase gets out'],
  ['hostile/implement-phase.test.ts', 'nothing that a hostile agent tries in the implement phase gets o'],
];
const keptWork: Proof = ['engine/plan-place.test.ts', 'cases 75, 99: an implementation whose push is refused'];
const ownPlanName: Proof = [
  'github/observe.test.ts',
  "where the base has a file at the plan's path, the plan has a name of its own",
];

export const failureCases: Readonly<Record<number, readonly Proof[]>> = {
  34: [
    mutated,
    ['config/environment.test.ts', 'an empty environment is told everything that is missing, at once'],
    ['config/environment.test.ts', 'a webhook secret of 15 characters is too short'],
  ],
  36: [mutated, ['config/environment.test.ts', 'the webhook secret … is too well known to start with']],
  75: [explained, keptWork, ['workspace/push.test.ts', 'case 75: a base whose workflows have changed is merged']],
  76: [
    ['engine/reconcile.test.ts', 'case 76: what GitHub refuses is said once, with who has to do what'],
    ['github/tokens.test.ts', 'case 76: a token with less than was asked for is lent to no work'],
    ['github/reach.test.ts', 'case 76: where a permission was not accepted, nothing is half done'],
  ],
  77: [
    ['workspace/push.test.ts', 'a branch that moved, appeared or went away is left as it is'],
    ['workspace/push.test.ts', 'commits of others are never dropped'],
    ['engine/engine-actions.test.ts', 'a branch that moved during the push is looked at again'],
    ['e2e/deliveries.test.ts', 'what a person pushed is left as it is'],
  ],
  79: [
    ['workspace/fetch.test.ts', 'case 79: branch names of any legal form, also one that looks like an option'],
    ['workspace/checkout.test.ts', 'revisions and run ids that are no plain names are refused before git sees them'],
  ],
  81: [titles],
  82: [titles, ['github/identifiers.test.ts', 'a branch name reads back to its issue and attempt']],
  83: [titles],
  84: [['lifecycle/plan-fitness.test.ts', 'case 84: where the default branch gets another name'], titles],
  85: [
    ['e2e/refusals.test.ts', 'an empty repository is told of on the issue, and nothing else happens'],
    ['workspace/fetch.test.ts', 'an empty repository and a commit that is gone are told apart'],
  ],
  86: [
    ['workspace/fetch.test.ts', 'case 86: a fetch that was cut does not spoil the next'],
    ['workspace/crash.test.ts', 'case 86: a process killed in the middle of a fetch'],
    ['workspace/fetch.test.ts', 'cases 86, 92: half a mirror and the locks of a dead process are cleared away'],
  ],
  87: [ownPlanName, ['engine/engine-actions.test.ts', 'a revision that changes no byte needs no commit']],
  88: [['github/act.test.ts', 'where there are no drafts an ordinary pull request says [Plan] in its title']],
  89: [
    ['workspace/push.test.ts', 'a branch that moved, appeared or went away is left as it is'],
    ['github/foreign-pull-requests.test.ts', 'is passed by: a request gets a branch and a pull request of its own'],
  ],
  90: [['workspace/push.test.ts', 'case 90: a base that is 200 commits further on is merged']],
  91: [
    ['workspace/push.test.ts', 'case 91: histories that share no commit are not joined'],
    [
      'github/observe-decisions.test.ts',
      'a comparison that is cut, of a rewritten base or of another form tells nothing',
    ],
  ],
  92: [
    ['workspace/crash.test.ts', 'case 92: a process killed in the middle of a commit'],
    ['workspace/fetch.test.ts', 'cases 86, 92: half a mirror and the locks of a dead process are cleared away'],
  ],
  93: [
    ['workspace/crash.test.ts', 'case 93: a disk that is full fails the work with its reason'],
    ['engine/sweep.test.ts', 'a sweep keeps the trees of active runs and of outcomes that are not yet on GitHub'],
    ['workspace/checkout.test.ts', 'sweep removes the trees and commits of every run but those to keep'],
  ],
  94: [['workspace/checkout.test.ts', 'case 94: a submodule that cannot be reached, by https or ssh']],
  95: [
    ['workspace/checkout.test.ts', 'case 95: the pointer to an LFS object is what is checked out'],
    ['agent/file-bytes.test.ts', 'case 95: a pointer to a large file is text like any other'],
  ],
  96: [
    ['agent/file-bytes.test.ts', 'an edit of a file with Windows line ends changes its line and no other byte'],
    ['agent/file-bytes.test.ts', 'in a file of mixed line ends each line keeps its own'],
    ['agent/file-bytes.test.ts', 'a file without a last line end gets none'],
    ['agent/file-bytes.test.ts', 'a byte order mark stays'],
    ['agent/file-bytes.test.ts', 'bytes that are no UTF-8 stay as they are'],
    ['agent/file-bytes.test.ts', 'case 96: a file that is written anew keeps its line ends'],
    ['workspace/commit.test.ts', 'line endings, byte order marks and missing last newlines come through byte for byte'],
  ],
  98: [
    ['workspace/commit.test.ts', 'case 98: what the base ignores, key files and installed packages stay out'],
    ['workspace/diff-scan.test.ts', 'S61, S79, case 98: what the app itself holds is let into no commit'],
  ],
  99: [['workspace/patch-check.test.ts', 'no file above the size limit is committed'], explained, keptWork],
  100: [
    explained,
    ['engine/engine-actions.test.ts', "a push that the remote refuses for good fails the run with the remote's reason"],
  ],
  102: [tampering],
  103: [
    ['sandbox/path-guard.test.ts', "case 103, 7: git's own folder is out of reach in every spelling"],
    ['agent/implement-changes.test.ts', 'nothing outside, no git and no plan can be written'],
  ],
  147: [
    ['sandbox/path-guard.test.ts', 'S31, case 147, 1: a link that leads out is refused'],
    ['sandbox/path-guard.test.ts', 'case 147, 1: a link that stays inside is followed'],
    ['agent/read-files.test.ts', 'cases 147, 150: searches do not follow links out'],
    ['agent/implement-changes.test.ts', 'a link does not widen the scope'],
  ],
  149: [['sandbox/path-guard.test.ts', 'S31, case 149, 4: what processes keep in /proc and /sys'], ...canaries],
  150: [
    ['sandbox/path-guard.test.ts', 'S31, case 150, 5: a named pipe is refused without being opened'],
    ['sandbox/path-guard.test.ts', 'S31, case 150, 6: a socket and a link to a device'],
    ['agent/read-files.test.ts', 'cases 147, 150: searches do not follow links out'],
    ['sandbox/guarded-files.test.ts', 'case 150: a pipe, a folder or a file with a second name'],
  ],
  151: [['workspace/commit.test.ts', 'case 151: a plan takes the place of nothing but a plan'], ownPlanName],
  152: [['workspace/token.test.ts', 'the token is in no command line while git runs, in no file'], ...canaries],
  153: [['workspace/token.test.ts', 'no error holds the token, whatever the server says or does'], ...canaries],
  155: canaries,
  156: [channels],
  157: [channels, ['text/text-out.test.ts', 'controls, direction marks, tags and half characters are removed']],
  158: [['engine/run-preparation.test.ts', 'S25, case 158']],
  160: [
    ['text/out-gate.test.ts', 'S79, case 160: a notice stands in the place of each secret'],
    ['github/withheld.test.ts', 'S79, case 160: a comment goes out without the secret'],
    ['github/withheld.test.ts', 'S79, case 160: the title of a pull request and the summary of a check'],
    ['workspace/commit.test.ts', 'S79, case 160: a commit whose message holds a secret is not made'],
  ],
  162: [
    ['plan/foreign-content.test.ts', 'case 162: an image or a link to another host is found with its line'],
    ['text/text-out.test.ts', 'images load nothing and links lead nowhere, but say where they would'],
  ],
  163: [
    ['github/outgoing-text.test.ts', 'S78, case 163: …: one line that mentions nobody and closes nothing'],
    ['text/text-out.test.ts', 'mentions notify nobody'],
    ['text/text-out.test.ts', "references link and close nothing but the thread's own issue"],
    ['engine/implementation.test.ts', "a step's title closes nothing, calls nobody and skips no checks"],
  ],
};

export const requirements: Readonly<Record<string, readonly Proof[]>> = {
  S1: [mutated, ['engine/mutated-webhooks.test.ts', "S1: GitHub's published test vector holds"]],
  S2: [
    ['config/environment.test.ts', 'the webhook secret … is too well known to start with'],
    ['config/environment.test.ts', 'a webhook secret of 15 characters is too short'],
  ],
  S3: [
    mutated,
    ['engine/webhooks.test.ts', 'S3, S5: what is signed and makes no sense is kept'],
    ['engine/webhooks.test.ts', 'a body above 25 MB is refused with 413'],
  ],
  S4: [['engine/inbox.test.ts', 'one delivery sent ten times, one after the other and at once, wakes its thread once']],
  S5: [
    ['engine/webhooks.test.ts', 'S3, S5: what is signed and makes no sense is kept'],
    ['engine/webhooks.test.ts', 'unknown events and actions are stored and ignored'],
  ],
  S6: [
    ['config/environment.test.ts', 'S6: installations are listed by number'],
    ['engine/inbox.test.ts', 'S6: what comes from an installation that is not listed'],
    ['github/reach.test.ts', 'S6: a repository outside of the installation that a payload names'],
    ['github/tokens.test.ts', 'S6: no token is minted for an installation that is not listed'],
  ],
  S7: [['config/environment.test.ts', 'S7: nothing starts where certificates are not checked']],
  S8: [
    ['engine/app.test.ts', 'what a bot does wakes nothing, this app included'],
    ['lifecycle/request.test.ts', 'S10: no bot and not this app itself can ask'],
  ],
  S9: [
    ['engine/app.test.ts', 'a pull request from a fork, a deleted fork or another branch wakes nothing'],
    ['github/foreign-pull-requests.test.ts', "is none of this app's and approves nothing"],
  ],
  S19: [channels, ['text/rendered-text.test.ts', 'what people write for each other reaches the model byte for byte']],
  S20: [channels],
  S21: [channels, ['text/rendered-text.test.ts', 'what people write for each other reaches the model byte for byte']],
  S22: [['text/rendered-text.test.ts', 'whatever is rendered, nothing more is taken out of the result']],
  S23: [['agent/stop-reasons.test.ts', 'a picture that is none, in the repository or behind a link of the issue']],
  S31: [
    ['sandbox/path-guard.test.ts', 'S31, case 147, 1: a link that leads out is refused'],
    ['sandbox/path-guard.test.ts', '2: a path with ".." is refused even where it would stay inside'],
    ['sandbox/path-guard.test.ts', '3: an absolute path and a home folder are refused'],
    ['sandbox/path-guard.test.ts', 'S31, 8: a file with a second hard link is refused'],
    ['sandbox/guarded-files.test.ts', 'S31: a link that takes the place of a file after the look'],
    ['sandbox/guarded-files.test.ts', 'S31: a link further up, by which the same names lead elsewhere'],
  ],
  S32: [
    ...canaries,
    ['config/environment.test.ts', 'S32, S33: once they are read, the secrets are no part of what a program'],
  ],
  S33: canaries,
  S39: [
    ['sandbox/command-runner.test.ts', 'a command cannot reach anyone …'],
    ['engine/run-preparation.test.ts', 'S39: an implementation reaches the hosts that both'],
    ...hostileAgent,
  ],
  S41: [['sandbox/command-runner.test.ts', 'a command cannot reach anyone …'], ...hostileAgent],
  S40: [
    ['config/sandbox-hosts.test.ts', 'only one spelling of a name of a host on the internet is taken (S40)'],
    ['config/sandbox-hosts.test.ts', 'a host that cannot be listed is named with line and key (S40)'],
    ...hostileAgent,
  ],
  S42: [
    ['sandbox/limits.test.ts', 'what is held is neither written, made, moved nor removed though it was not there'],
    [
      'agent/held-places.test.ts',
      'no command of an implementation touches what is protected, there or not, at any depth',
    ],
    ['sandbox/command-runner.test.ts', 'a command cannot read …'],
    ['sandbox/command-runner.test.ts', 'a command cannot write: …'],
  ],
  S43: [
    ['sandbox/call-filter.test.ts', 'S43: calls that reach across namespaces are refused'],
    [
      'sandbox/command-runner.test.ts',
      'a command has no capability, no new privileges, and sees its own processes only',
    ],
  ],
  S44: [
    ['sandbox/command-runner.test.ts', 'a command that takes too long ends with all that it started'],
    ['sandbox/command-runner.test.ts', 'a process left in the background ends with its command'],
    ['agent/run-processes.test.ts', 'takes the command that is running with it, and all that it started'],
  ],
  S45: [
    ['sandbox/limits.test.ts', 'a command that takes too much of the host ends, and says which limit'],
    ['sandbox/limits.test.ts', 'a single file that grows too large is cut off where it is written'],
    ['sandbox/command-runner.test.ts', 'core dumps, file size, memory and open files of a command are bounded'],
    ['sandbox/command-runner.test.ts', 'output beyond 256 KB keeps its beginning and its end'],
  ],
  S46: [
    ['sandbox/start-up-proof.test.ts', 'S46: the sandbox of this host proves itself once'],
    ['sandbox/start-up-proof.test.ts', 'S46: a missing program, and a proof that hangs, dies'],
    ['agent/held-places.test.ts', 'where the start of the app has found the sandbox wanting'],
    ['engine/engine.test.ts', 'S46: what is ready says that no command runs, and why'],
  ],
  S47: [['workspace/checkout.test.ts', 'S47: each run has a tree and temporary files of its own']],
  S48: hostileAgent,
  S49: [
    [
      'workspace/nothing-executed.test.ts',
      'S49: of what a run leaves behind, the host records all and executes nothing',
    ],
    ['workspace/nothing-executed.test.ts', 'S49: only git, the process of a run and the sandbox are ever started'],
  ],
  S50: [tampering, ['workspace/tamper.test.ts', 'S50: a .git that is a link to a hostile repository is not read']],
  S51: [
    tampering,
    ['workspace/tamper.test.ts', 'S51: the same kinds reach whoever calls git in a tree that it trusts'],
  ],
  S52: [tampering],
  S53: [['workspace/git-version.test.ts', 'S53: no git, an old git and a git without either of the fixes']],
  S54: [
    ['workspace/fetch.test.ts', 'S54: only https is spoken where the forge is https'],
    ['workspace/fetch.test.ts', 'S54: a malformed object is refused, every time'],
    ['workspace/fetch.test.ts', 'S54: a redirection is not followed'],
    ['workspace/checkout.test.ts', 'case 94: a submodule that cannot be reached'],
    ['workspace/checkout.test.ts', 'case 95: the pointer to an LFS object'],
  ],
  S55: [['workspace/checkout.test.ts', 'S55: a read-only checkout holds the files without a write bit']],
  S56: [
    ['workspace/commit.test.ts', 'S56: new and changed links are refused, links that stand stay'],
    ['workspace/commit.test.ts', 'S56: a nested repository is refused'],
    ['workspace/commit.test.ts', 'S56: names that stand for a git directory somewhere, or deceive, are refused'],
    ['workspace/path-rules.test.ts', 'S56: a path has a fault where it leaves the tree'],
  ],
  S59: [['workspace/token.test.ts', 'the token is in no command line while git runs, in no file'], ...canaries],
  S78: [
    ['text/text-out.test.ts', 'mentions notify nobody'],
    ['text/text-out.test.ts', 'HTML is shown, not rendered, and HTML comments go'],
    ['text/text-out.test.ts', 'images load nothing and links lead nowhere'],
    ['text/out-gate.test.ts', 'S78: taking a secret out makes nothing active'],
  ],
  S79: [
    ['text/known-secrets.test.ts', 'S79: of four kinds of secrets in eight forms, 32 of 32 are found'],
    ['text/out-gate.test.ts', 'S79, case 160: a notice stands in the place of each secret'],
    ['github/withheld.test.ts', 'S79: a request that holds a secret in any of its strings is not sent'],
  ],
  S80: [
    ['github/bounded-posts.test.ts', 'S80: a run opens one pull request at the most'],
    ['github/bounded-posts.test.ts', 'S80: however much a run asks, it is one comment, within the limit'],
  ],
  S81: [
    ['github/tokens.test.ts', 'S81, S82: a token to … reaches one repository, has the least permissions'],
    ['github/tokens.test.ts', 'S81, S82: a token to search an installation reads issues and nothing else'],
  ],
  S82: [
    ['e2e/hostile.test.ts', 'S82: when the app has stopped, GitHub accepts none of its tokens'],
    ['github/tokens.test.ts', 'S82: a token is revoked although its work failed'],
  ],
  S83: [['github/reach.test.ts', 'S83: a new private key is all that a change of keys takes'], ...canaries],
  S84: [
    ['engine/audit-log.test.ts', 'S84: each line is in the log of the process as well'],
    ['engine/inbox.test.ts', 'S84: a delivery that wakes a thread is in its audit log, with who sent it'],
    ['github/trailers.test.ts', 'S84: trailers are written one a line'],
    ['lifecycle/recorded-approval.test.ts', 'S84: without the database, code with a receipt goes on'],
  ],
  S85: [['config/project-files.test.ts', 'S85: the app cannot change workflows, and the README says what CI']],
  S86: [['agent/verification.test.ts', 'S86: of what a check writes nothing is reported but how it ended']],
};
