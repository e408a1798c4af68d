/** A server that speaks as much of the Messages API as a run needs: each answer is written by the test. */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
  readonly signature?: string | null;
  readonly cache_control?: unknown;
}

export interface SentMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface InputSchema {
  readonly properties?: object;
  readonly required?: readonly string[];
}

export interface SentRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly Block[];
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly input_schema?: InputSchema;
  }[];
  readonly messages: readonly SentMessage[];
  readonly cache_control?: unknown;
  readonly compaction?: { readonly type: string };
  readonly context_management?: unknown;
  readonly stream: boolean;
}

export type Part =
  | { readonly text: string }
  /** `null` where no summary could be written. */
  | { readonly summary: string | null }
  | { readonly tool: string; readonly input: unknown; readonly id?: string }
  /** A call whose input is cut off: raw JSON text. */
  | { readonly tool: string; readonly json: string };

export type Answer =
  | {
      readonly say: readonly Part[];
      readonly stop?: string;
      readonly usage?: { readonly input: number; readonly output: number };
      /** Leaves the connection open after the last event. */
      readonly hold?: boolean;
      /** Ends the stream before the last events: `socket` breaks the connection, `clean` closes it. */
      readonly cut?: 'socket' | 'clean';
    }
  | { readonly status: number; readonly type: string; readonly headers?: Readonly<Record<string, string>> }
  /** Writes the answer itself. */
  | { readonly raw: (response: ServerResponse) => void };

export type Script = (request: SentRequest, index: number) => Answer | Promise<Answer>;

let nextCall = 0;

function event(response: ServerResponse, data: { readonly type: string }): void {
  response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}

function signatureOf(summary: unknown): string {
  return createHash('sha256').update(String(summary)).digest('hex');
}

/** A summary as the vendor gives it, and takes it back. */
export function summaryBlock(content: string) {
  return { type: 'compaction', content, encrypted_content: null, signature: signatureOf(content) } as const;
}

/** The summary comes in one delta; its signature stands in the block's beginning. */
function writeSummary(response: ServerResponse, content: string | null): void {
  const signature = content === null ? null : signatureOf(content);
  const block = { type: 'compaction', content: null, encrypted_content: null, signature };
  event(response, Object.assign({ type: 'content_block_start' }, { index: 0, content_block: block }));
  const delta = { type: 'compaction_delta', content, encrypted_content: null };
  event(response, Object.assign({ type: 'content_block_delta' }, { index: 0, delta }));
  event(response, Object.assign({ type: 'content_block_stop' }, { index: 0 }));
}

function writeBlock(response: ServerResponse, part: Part, index: number): void {
  if ('summary' in part) {
    writeSummary(response, part.summary);
    return;
  }
  nextCall += 1;
  const isText = 'text' in part;
  const id = 'id' in part && part.id !== undefined ? part.id : `toolu_${nextCall}`;
  const block = isText ? { type: 'text', text: '' } : { type: 'tool_use', id, name: part.tool, input: {} };
  event(response, Object.assign({ type: 'content_block_start' }, { index, content_block: block }));
  const json = isText ? '' : 'json' in part ? part.json : JSON.stringify(part.input);
  const delta = isText ? { type: 'text_delta', text: part.text } : { type: 'input_json_delta', partial_json: json };
  event(response, Object.assign({ type: 'content_block_delta' }, { index, delta }));
  event(response, Object.assign({ type: 'content_block_stop' }, { index }));
}

export function startStream(response: ServerResponse, input = 10): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const usage = { input_tokens: input, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
  event(response, Object.assign({ type: 'message_start' }, { message }));
}

/** What a summary has used stands in its iteration alone. */
function endUsage(usage: { readonly input: number; readonly output: number } | undefined, isSummary: boolean) {
  const output_tokens = usage?.output ?? 5;
  if (!isSummary) return { output_tokens };
  const spent = { input_tokens: usage?.input ?? 10, output_tokens };
  const cached = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, cache_creation: null };
  return { output_tokens: 0, iterations: [{ type: 'compaction', ...spent, ...cached }] };
}

function sendAnswer(response: ServerResponse, answer: Answer): void {
  if ('raw' in answer) {
    answer.raw(response);
    return;
  }
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    const error_code = /compaction_\w+/.exec(answer.type)?.[0];
    const error = { type: answer.type, message: `said ${answer.type}`, details: { error_code } };
    response.end(JSON.stringify({ type: 'error', error }));
    return;
  }
  startStream(response, answer.say.some((part) => 'summary' in part) ? 0 : answer.usage?.input);
  answer.say.forEach((part, index) => {
    writeBlock(response, part, index);
  });
  if (answer.cut === 'socket') response.write(': cut\n\n', () => response.destroy());
  if (answer.cut === 'clean') response.end();
  if (answer.cut !== undefined) return;
  const isSummary = answer.say.some((part) => 'summary' in part);
  const calls = answer.say.some((part) => 'tool' in part);
  const stop = answer.stop ?? (isSummary ? 'compaction' : calls ? 'tool_use' : 'end_turn');
  const delta = { stop_reason: stop, stop_sequence: null };
  event(response, Object.assign({ type: 'message_delta' }, { delta, usage: endUsage(answer.usage, isSummary) }));
  event(response, { type: 'message_stop' });
  if (!answer.hold) response.end();
}

export function blocksOf(message: SentMessage | undefined): readonly Block[] {
  const content = message?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** All that the user side said in a message, results included. */
export function textOf(message: SentMessage | undefined): string {
  return blocksOf(message)
    .map((block) => (typeof block.content === 'string' ? block.content : (block.text ?? '')))
    .join('\n');
}

const summaries = 'compact-2026-09-04';

/** What the vendor refuses of a request that asks for a summary, or sends one. */
function findSummaryFault(request: SentRequest, betas: string): string | null {
  const { compaction, messages } = request;
  const blocks = messages.flatMap(blocksOf);
  const places = blocks.flatMap(({ type }, index) => (type === 'compaction' ? [index] : []));
  if (compaction === undefined && places.length === 0) return null;
  if (!betas.split(',').includes(summaries)) return `anthropic-beta: expected ${summaries}`;
  if (request.context_management !== undefined) return 'compaction and context_management';
  if (places.length > 1) return 'compaction_block_ambiguous';
  if ((places[0] ?? 0) > 0 || (places.length > 0 && messages[0]?.role !== 'assistant')) {
    return 'compaction_block_misplaced';
  }
  const [block] = blocks;
  if (places.length > 0 && !block?.content) return 'compaction: empty content';
  if (places.length > 0 && block?.signature !== signatureOf(block?.content)) return 'compaction_signature_invalid';
  if (compaction === undefined) return null;
  if (compaction.type !== 'summarize') return 'compaction: type';
  if (blocksOf(messages.at(-1)).some(({ type }) => type === 'tool_use')) return 'compaction_incomplete_turn';
  return blocks.length > places.length ? null : 'compaction_nothing_to_summarize';
}

/** What the vendor refuses with status 400. */
export function findFault(request: SentRequest, betas = ''): string | null {
  const { messages } = request;
  const ofSummary = findSummaryFault(request, betas);
  if (ofSummary !== null) return ofSummary;
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls = before?.role === 'assistant' ? blocksOf(before).filter((block) => block.type === 'tool_use') : [];
    const results = blocksOf(message).filter((block) => block.type === 'tool_result');
    const ids = results.map((block) => block.tool_use_id);
    if (calls.some((call) => !ids.includes(call.id)) || results.length !== calls.length) return `pairing at ${index}`;
    if (blocksOf(message).length === 0) return `empty message at ${index}`;
    if (blocksOf(message).some((block) => block.type === 'text' && block.text?.trim() === '')) {
      return `blank at ${index}`;
    }
    if (
      blocksOf(message)
        .slice(results.length)
        .some((block) => block.type === 'tool_result')
    )
      return `late at ${index}`;
    if (before?.role === message.role) return `two of one role at ${index}`;
    if (calls.some(({ input }) => typeof input !== 'object' || input === null || Array.isArray(input))) return 'input';
  }
  const isBegun = messages[0]?.role === 'user' || blocksOf(messages[0])[0]?.type === 'compaction';
  return isBegun ? null : 'the first message is not of the user';
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly SentRequest[];
  readonly headers: readonly Readonly<Record<string, string | string[] | undefined>>[];
  close(): Promise<void>;
}

export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: SentRequest[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent: SentRequest = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const fault = findFault(sent, String(request.headers['anthropic-beta'] ?? ''));
    const index = requests.push(sent) - 1;
    headers.push(request.headers);
    const isResumed = sent.messages.at(-1)?.role === 'assistant' && sent.compaction === undefined;
    if (fault !== null && !isResumed) {
      sendAnswer(response, { status: 400, type: `invalid_request_error: ${fault}` });
      return;
    }
    sendAnswer(response, await script(sent, index));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port, got none');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Answers in order; a request beyond the last one is refused. */
export function inOrder(...answers: readonly Answer[]): Script {
  return (_request, index) => answers[index] ?? { status: 400, type: `no answer ${index}` };
}
