/** What people said to the questions of a run, as text: question by question. */
import { letterOf } from '../lifecycle/answer-marks.ts';
import { nameAll } from '../lifecycle/phrases.ts';
import type { Answer, Quoted, RunBrief } from './brief.ts';
import { fence, fenceQuoted } from './quote-text.ts';
import { boundText, maxResultBytes } from './tools/bounded-text.ts';

type Answered = Extract<RunBrief, { kind: 'answered' }>;

const goneAnswer =
  'There was an answer, but it was changed or deleted before it could be read. Ask again where it matters.';

/** Together they fit into one result, so that none takes the place of the others. */
function boundAll({ answers, remarks = [], ...brief }: Answered): Answered & { readonly remarks: readonly Quoted[] } {
  const count = remarks.length + answers.reduce((sum, each) => sum + each.answers.length, 0);
  const most = Math.floor(maxResultBytes / Math.max(1, count));
  const bound = (said: readonly Quoted[]) =>
    said.map((each) => ({ ...each, text: boundText(each.text, 'ask for the rest where it matters', most) }));
  const told = answers.map((answer) => ({ ...answer, answers: bound(answer.answers) }));
  return { ...brief, answers: told, remarks: bound(remarks) };
}

/** An answer that is missing though nobody waived it was there when the run was begun. */
function renderAnswer({ question, text, suggestions = [], answers }: Answer, isContinued: boolean): string {
  const choices = suggestions.map((suggestion, index) => `${letterOf(index)}) ${suggestion}`);
  const missing = isContinued ? 'Nobody has answered this question.' : goneAnswer;
  return [
    `Question ${question}`,
    fence(`question ${question}, as it was asked`, [text, ...choices].join('\n')),
    ...(answers.length === 0 ? [missing] : answers.map(fenceQuoted)),
  ].join('\n');
}

const assume =
  'Decide for yourself and state each assumption: in the plan under "Risks and open questions", or among the deviations where the plan is being implemented.';

export function renderAnswers(brief: Answered): readonly string[] {
  const { answers, remarks, isContinued } = boundAll(brief);
  const open = answers.filter((answer) => answer.answers.length === 0).map(({ question }) => String(question));
  const waived = `A writer lets the work go on without an answer to ${open.length === 1 ? 'question' : 'questions'} ${nameAll(open)}. ${assume}`;
  const isAnswered = open.length < answers.length || remarks.length > 0;
  return [
    ...(isAnswered ? ['This is what people say to your questions.'] : []),
    ...(answers.length === 0 && remarks.length === 0 ? [goneAnswer] : []),
    ...answers.map((answer) => renderAnswer(answer, isContinued)),
    ...(remarks.length === 0 ? [] : ['Said beside the questions:', ...remarks.map(fenceQuoted)]),
    ...(isContinued && open.length > 0 ? [waived] : []),
  ];
}
