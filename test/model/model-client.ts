import Anthropic from '@anthropic-ai/sdk';
import type { ScriptedModel } from '../../src/local/model/server.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';

/** The vendor's own client against the scripted model, without retries of its own unless asked for. */
export function connect(model: ScriptedModel, maxRetries = 0): Anthropic {
  return new Anthropic({ apiKey: 'test-key', baseURL: model.url, maxRetries, logLevel: 'off' });
}

/** A transcript that plays every conversation. */
export function transcriptOf(...steps: readonly object[]) {
  return parseTranscript('inline', { match: '', steps });
}

export const readTool: Anthropic.Beta.Messages.BetaTool = {
  name: 'read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
};

export const hello: Anthropic.Beta.Messages.MessageCreateParamsNonStreaming = {
  model: 'any-model',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [readTool],
};
