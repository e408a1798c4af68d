/** Title and body of a thread's pull request. Pure. */
import type { Facts } from '../lifecycle/facts.ts';
import type { ConformanceReport, Verification } from '../lifecycle/memory.ts';
import { loginOf } from '../lifecycle/person.ts';
import { count, nameSome } from '../lifecycle/phrases.ts';
import type { Request } from '../lifecycle/request.ts';
import { describeLeftOut, readDiscussion } from '../lifecycle/request-text.ts';
import { countHiddenRuns } from '../text/hidden-characters.ts';
import { renderText } from '../text/rendered-text.ts';
import { cleanInline, inertLine, inlineCode, maxTitleCharacters, type OutRules } from '../text/text-out.ts';

/** Marks a pull request that cannot be a draft as one that holds no more than a plan. */
export const planPrefix = '[Plan] ';

/** The issue's title on one line and within GitHub's limit; it closes nothing and calls nobody when it is squashed. */
export function pullRequestTitle(issue: { readonly title: string; readonly number: number }, isDraft: boolean): string {
  const prefix = isDraft ? '' : planPrefix;
  const title = inertLine(issue.title, maxTitleCharacters - prefix.length);
  return `${prefix}${title === '' ? `Issue ${issue.number}` : title}`;
}

/** What a plan that is published came of. */
interface PlanSources {
  /** Files of the base that its run goes by. */
  readonly instructions?: readonly string[];
  /** Why its run had no shell, where the configuration gives it one. */
  readonly missingShell?: string | null;
}

/** What an opened pull request says while it holds a plan. It closes nothing: only the finished work does. */
export function planBody(
  facts: Facts,
  previousPullRequest: number | null,
  request: Request | null,
  { instructions = [], missingShell = null }: PlanSources = {},
): string {
  const path = 'problems' in facts.policy ? 'the plan file' : inlineCode(facts.policy.plan.path);
  return [
    `This pull request holds a plan for #${facts.issue.number}, and nothing else: ${path}.`,
    sourcesOf(facts, request, instructions),
    ...(missingShell === null ? [] : [withoutShell(missingShell, { ownIssue: facts.issue.number })]),
    [
      '- **Comment on its lines** and request changes: the plan is revised, and each comment gets an answer.',
      '- **Approve** to have it implemented here. The approval is for exactly this plan; a changed plan needs a new one.',
      '- **Close** this pull request to give the plan up.',
    ].join('\n'),
    'Approving the plan does not approve code. The check `planwright/code` stands until a writer has approved a commit that holds code.',
    ...(previousPullRequest === null ? [] : [`The attempt before this one is #${previousPullRequest}.`]),
  ].join('\n\n');
}

/** What happened, what it means, what to do. */
function withoutShell(reason: string, rules: OutRules): string {
  return [
    `\`plan.shell\` is on, but no command was run for this plan, as the sandbox of the host cannot be relied on: ${cleanInline(reason, rules, 300)}.`,
    'Nothing that it says of how the code behaves was tried out.',
    'Whoever runs this app finds the same at `/readyz`; once it is mended, `/replan` writes the plan anew with a shell.',
  ].join(' ');
}

const mostInstructions = 20;

/** Whose words and which files the plan came of, and how much was left out. */
function sourcesOf(facts: Facts, request: Request | null, instructions: readonly string[]): string {
  const { used, leftOut } = readDiscussion(facts, request);
  const { issue } = facts;
  const authors = [...new Set(used.map(({ author }) => loginOf(author)))].map(inlineCode);
  const said = used.length === 0 ? '' : ` and ${count(used.length, 'comment')} by ${authors.join(', ')}`;
  const files = nameSome(instructions.map(inlineCode), mostInstructions);
  const left = describeLeftOut(leftOut);
  const hidden = [issue.body, ...used.map(({ body }) => body)]
    .map(countHidden)
    .reduce((sum, each) => sum + each, countHiddenRuns(issue.title));
  return [
    `It was written from the text of the issue by ${inlineCode(loginOf(issue.author))}${said}.`,
    ...(instructions.length === 0 ? [] : [`Instructions of the repository that it goes by: ${files}.`]),
    ...(left.length === 0 ? [] : [`Not used: ${left.join('; ')}.`]),
    ...(hidden === 0 ? [] : [`Taken out: ${count(hidden, 'passage')} that nobody sees.`]),
  ].join(' ');
}

/** Of a text that cannot be read as people see it there is no plan. */
function countHidden(markdown: string): number {
  const rendered = renderText(markdown);
  return 'refused' in rendered ? 0 : rendered.hidden;
}

/** What the pull request says once the plan is implemented: what was planned against what was done. */
export function implementedBody(facts: Facts, report: ConformanceReport, rules: OutRules): string {
  return [
    `Closes #${facts.issue.number}`,
    'The approved plan is implemented. The approval was for the plan: the code needs a review of its own.',
    `## Steps\n\n${stepList(report.steps, rules)}`,
    `## Planned and actual changes\n\n${fileTable(report.files)}`,
    `## Verification\n\n${verificationList(report.verifications, rules)}`,
    `## Deviations\n\n${deviationList(report.deviations, rules)}`,
  ].join('\n\n');
}

function stepList(steps: ConformanceReport['steps'], rules: OutRules): string {
  if (steps.length === 0) return 'The plan names no steps.';
  return steps
    .map(({ title, commit, files }, index) => {
      const where = commit === null ? 'no change' : `${commit}${files.length === 0 ? '' : `: ${listFiles(files)}`}`;
      return `${index + 1}. ${cleanInline(title, rules)} (${where})`;
    })
    .join('\n');
}

const maxListed = 20;

function listFiles(files: readonly string[]): string {
  return nameSome(files.map(inlineCode), maxListed);
}

const maxRows = 300;

function fileTable(files: ConformanceReport['files']): string {
  if (files.length === 0) return 'No file was planned and none was changed.';
  const rows = files
    .slice(0, maxRows)
    .map(
      ({ path, planned, actual }) =>
        `| ${cell(path)} | ${changeCell(planned)} | ${changeCell(actual)} | ${rating(planned, actual)} |`,
    );
  const rest = files.length > maxRows ? [`\n${files.length - maxRows} more files are not listed here.`] : [];
  return ['| file | planned | actual | |', '|---|---|---|---|', ...rows, ...rest].join('\n');
}

function cell(path: string): string {
  return inlineCode(path).replaceAll('|', '\\|');
}

/** A kind of change is a word of this app; a move names a path beside it. */
function changeCell(change: string | null): string {
  if (change === null) return '–';
  return /^[a-z, ]+$/.test(change) ? change : cell(change);
}

function rating(planned: string | null, actual: string | null): string {
  if (planned === actual) return 'as planned';
  if (planned === null) return 'not in the plan';
  return actual === null ? 'not changed' : 'differs';
}

const results = { passed: 'passed', failed: '**failed**', not_run: '**did not run**' } as const satisfies Record<
  Verification['result'],
  string
>;

const notRunText =
  'Commands run in a sandbox or not at all. What did not run shows nothing: run it yourself before you approve the code, ' +
  'or have whoever runs this app mend the sandbox, whose state is at `/readyz`, and request changes.';

function verificationList(verifications: readonly Verification[], rules: OutRules): string {
  if (verifications.length === 0) return 'Neither the plan nor the configuration names a command.';
  const lines = verifications.map(({ command, result, detail }) => {
    const more = detail === '' ? '' : `: ${cleanInline(detail, rules)}`;
    return `- ${inlineCode(command)} ${results[result]}${more}`;
  });
  const areMissing = verifications.some(({ result }) => result === 'not_run');
  return [lines.join('\n'), ...(areMissing ? [notRunText] : [])].join('\n\n');
}

function deviationList(deviations: readonly string[], rules: OutRules): string {
  if (deviations.length === 0) return 'None were reported.';
  return deviations.map((deviation) => `- ${cleanInline(deviation, rules)}`).join('\n');
}
