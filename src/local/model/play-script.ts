/** Which answer a transcript has for a request. A function of the request alone: a conversation taken up again goes on. */
import { blocksOf } from './conversation-rules.ts';
import type { Block, CountRequest, Message } from './model-request.ts';
import type { Json, Part, Step, Transcript } from './transcript.ts';

export interface Cue {
  readonly transcript: Transcript;
  readonly index: number;
  readonly step: Step;
  readonly parts: readonly Part[];
}

export type Played =
  | { readonly kind: 'cue'; readonly cue: Cue }
  | { readonly kind: 'astray'; readonly message: string };

/** The step that answers the request, its templates filled; `astray` says why no step does. */
export function playScript(transcripts: readonly Transcript[], request: CountRequest): Played {
  const heard = textOf(request);
  const transcript = transcripts.find((candidate) => candidate.match.test(heard));
  if (transcript === undefined) {
    const tried = transcripts.map(({ name, match }) => `${name} (${match.source})`).join(', ');
    return astray(`expected a conversation that a transcript matches, got none of ${tried || 'no transcripts'}`);
  }
  const turns = splitTurns(request.messages);
  const index = stepOf(transcript.steps, turns);
  const step = transcript.steps[index];
  const last = turns.at(-1) ?? '';
  if (step === undefined || (step.when !== undefined && !step.when.test(last))) {
    return astray(
      `${transcript.name}: expected a step for answer ${turns.length} of the conversation, got none: steps[${index}] ` +
        `${step === undefined ? 'does not exist' : `waits for ${step.when?.source}`}; the last message is ${clip(last)}`,
    );
  }
  const unmet = findUnmet(step, request, last);
  if (unmet !== null) return astray(`${transcript.name}: steps[${index}].expect: ${unmet}`);
  return fillParts({ transcript, index, step }, heard);
}

function astray(message: string): Played {
  return { kind: 'astray', message: `scripted model: ${message}` };
}

/** What was said to the model before each of its answers, the one that is asked for included. */
function splitTurns(messages: readonly Message[]): readonly string[] {
  const turns: string[][] = [[]];
  for (const message of messages) {
    if (message.role === 'assistant') turns.push([]);
    else turns.at(-1)?.push(...blocksOf(message).map(blockText));
  }
  return turns.map((texts) => texts.join('\n'));
}

/** Each turn goes to the first step whose `when` matches it, else to the one after the last. */
function stepOf(steps: readonly Step[], turns: readonly string[]): number {
  let index = -1;
  for (const turn of turns) {
    const scene = steps.findIndex((step) => step.when?.test(turn));
    index = scene >= 0 ? scene : index + 1;
  }
  return index;
}

function findUnmet({ expect }: Step, request: CountRequest, last: string): string | null {
  if (expect === undefined) return null;
  const offered = (request.tools ?? []).map((tool) => tool.name);
  const missing = expect.tools.filter((name) => !offered.includes(name));
  if (missing.length > 0) return `expected the tools ${missing.join(', ')}, got ${offered.join(', ') || 'none'}`;
  const excess = expect.absentTools.filter((name) => offered.includes(name));
  if (excess.length > 0) return `expected none of ${excess.join(', ')}, got ${offered.join(', ')}`;
  if (expect.lastMessage === undefined || expect.lastMessage.test(last)) return null;
  return `expected a last message like ${expect.lastMessage.source}, got ${clip(last)}`;
}

function fillParts(at: Omit<Cue, 'parts'>, heard: string): Played {
  const patterns = new Map(at.transcript.steps.slice(0, at.index + 1).flatMap((step) => Object.entries(step.capture)));
  const unknown = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
      const found = lastMatch(patterns.get(name), heard);
      if (found === null) unknown.add(name);
      return found ?? whole;
    });
  const parts = at.step.respond.map((part) =>
    'text' in part ? { text: fill(part.text) } : { tool: part.tool, input: fillObject(part.input, fill) },
  );
  if (unknown.size === 0) return { kind: 'cue', cue: { ...at, parts } };
  const names = [...unknown].map((name) => `{{${name}}}`).join(', ');
  return astray(`${at.transcript.name}: steps[${at.index}].respond: expected a capture that finds ${names}, got none`);
}

function fillObject(value: Readonly<Record<string, Json>>, fill: (text: string) => string): Record<string, Json> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, fill)]));
}

function fillJson(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, fill));
  return typeof value === 'object' && value !== null ? fillObject(value, fill) : value;
}

function lastMatch(pattern: RegExp | undefined, text: string): string | null {
  if (pattern === undefined) return null;
  const match = [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].at(-1);
  return match === undefined ? null : (match[1] ?? match[0]);
}

/** All that was said to the model, in order: system prompt, people, tool results. Its own words are not in it. */
function textOf({ system, messages }: CountRequest): string {
  const prompt = typeof system === 'string' ? [system] : (system ?? []).map((block) => block.text);
  const said = messages
    .filter((message) => message.role !== 'assistant')
    .flatMap(blocksOf)
    .map(blockText);
  return [...prompt, ...said].join('\n');
}

function blockText(block: Block): string {
  if (block.type === 'text') return String(block.text);
  if (block.type !== 'tool_result') return '';
  if (!Array.isArray(block.content)) return typeof block.content === 'string' ? block.content : '';
  return block.content.map((item) => (typeof item.text === 'string' ? item.text : '')).join('\n');
}

function clip(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
}
