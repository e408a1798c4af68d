import { z } from 'zod';
import { hiddenCharacters } from '../../text/hidden-characters.ts';
import type { RunResult } from '../run-protocol.ts';
import type { RunState } from '../run-state.ts';
import { defineTool, type ToolDefinition } from './definition.ts';
import { endTurn, type TurnOrder } from './turn-order.ts';

/**
 * A text that people see as it is: who chooses a suggestion by its letter is told to have said it. A comment of HTML is not
 * shown, nor is what no reader sees.
 */
const shown = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxCharacters)
    .refine((text) => !text.includes('<!--') && hiddenCharacters(text).length === 0, {
      error: 'expected a text of which people see everything',
    });

export const askUserQuestionInput = z.object({
  questions: z
    .array(
      z.object({
        question: shown(2000),
        suggestions: z.array(shown(500)).max(6).optional().describe('Answers to choose from'),
      }),
    )
    .min(1)
    .max(5),
});

/** What a run that asked ends with. */
export function askedQuestions({ questions }: z.infer<typeof askUserQuestionInput>): RunResult {
  return {
    kind: 'question',
    questions: questions.map(({ question, suggestions }) => ({ text: question, suggestions: suggestions ?? [] })),
  };
}

/** Ends the turn: the run is parked, and the answer arrives as the result of the call. */
export function askUserQuestionTool(state: RunState, order: TurnOrder): ToolDefinition {
  return defineTool({
    name: 'ask_user_question',
    kind: 'interactive',
    description:
      'Ask the people of the issue up to five questions and end the turn; the answers arrive as the result. ' +
      'Ask only what the repository cannot tell you and what changes what is to be built.',
    input: askUserQuestionInput,
    run: async (input, { id }) => {
      await endTurn(order, id);
      state.parked = { call: id, result: askedQuestions(input) };
      return '';
    },
  });
}
