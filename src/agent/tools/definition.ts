import type { BetaTool } from '@anthropic-ai/sdk/resources/beta.js';
import { z } from 'zod';

export interface ToolCall {
  /** Id of the `tool_use` block. */
  readonly id: string;
  readonly signal: AbortSignal;
}

/** A tool is one value: what the model is told of it, and what a call does. */
export interface ToolDefinition {
  readonly name: string;
  /** One of `toolKinds`; anything else counts as `resource`. */
  readonly kind: string;
  readonly description: string;
  readonly inputSchema: BetaTool['input_schema'];
  /** Whether it runs alone in its turn, though it only looks. */
  readonly isAlone?: true;
  /** Never runs with an input that does not fit. Rejects with one line that says what is allowed instead. */
  readonly execute: (input: unknown, call: ToolCall) => Promise<string>;
}

/** A call that was not carried out; the message goes to the model as an error result. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
}

/** A call that waits for a writer. `park` ends the turn with it, once the other calls of the turn are through. */
export class CallWaits extends Error {
  override readonly name = 'CallWaits';
  /** @throws CallRefused where another call has ended the turn */
  readonly park: () => Promise<void>;
  constructor(park: () => Promise<void>) {
    super('the call waits for a writer');
    this.park = park;
  }
}

const MAX_PROBLEMS = 5;

function explain(name: string, error: z.ZodError): string {
  const problems = error.issues
    .slice(0, MAX_PROBLEMS)
    .map((issue) => `${issue.path.length === 0 ? 'input' : issue.path.join('.')}: ${issue.message}`);
  return `expected an input that fits the schema of ${name}, got: ${problems.join('; ').slice(0, 1000)}`;
}

/** Makes a tool from a schema and a function that gets only inputs that fit it. */
export function defineTool<Shape extends z.ZodRawShape>(tool: {
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly input: z.ZodObject<Shape>;
  readonly run: (input: z.infer<z.ZodObject<Shape>>, call: ToolCall) => Promise<string>;
}): ToolDefinition {
  const strict = tool.input.strict();
  const { $schema, ...schema } = z.toJSONSchema(strict, {
    io: 'input',
    // What says nothing to a model is not in every request. An input is held against all of the schema all the same.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  });
  return {
    name: tool.name,
    kind: tool.kind,
    description: tool.description,
    inputSchema: { ...schema, type: 'object' },
    execute: async (input, call) => {
      const parsed = strict.safeParse(input);
      if (!parsed.success) throw new CallRefused(explain(tool.name, parsed.error));
      return tool.run(parsed.data, call);
    },
  };
}
