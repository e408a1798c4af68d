/** A server that speaks as much of the Messages API as a run needs: each answer is written by the test. */
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
  readonly cache_control?: unknown;
}

export interface SentMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

export interface SentRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly Block[];
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly SentMessage[];
  readonly cache_control?: unknown;
  readonly stream: boolean;
}

export type Part =
  | { readonly text: string }
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

function writeBlock(response: ServerResponse, part: Part, index: number): void {
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

function sendAnswer(response: ServerResponse, answer: Answer): void {
  if ('raw' in answer) {
    answer.raw(response);
    return;
  }
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify({ type: 'error', error: { type: answer.type, message: `said ${answer.type}` } }));
    return;
  }
  startStream(response, answer.usage?.input);
  answer.say.forEach((part, index) => {
    writeBlock(response, part, index);
  });
  if (answer.cut === 'socket') response.write(': cut\n\n', () => response.destroy());
  if (answer.cut === 'clean') response.end();
  if (answer.cut !== undefined) return;
  const stop = answer.stop ?? (answer.say.some((part) => 'tool' in part) ? 'tool_use' : 'end_turn');
  const delta = { stop_reason: stop, stop_sequence: null };
  const usage = { output_tokens: answer.usage?.output ?? 5 };
  event(response, Object.assign({ type: 'message_delta' }, { delta, usage }));
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

/** What the vendor refuses with status 400. */
export function findFault({ messages }: SentRequest): string | null {
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
  return messages[0]?.role === 'user' ? null : 'the first message is not of the user';
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
    const fault = findFault(sent);
    const index = requests.push(sent) - 1;
    headers.push(request.headers);
    if (fault !== null && sent.messages.at(-1)?.role !== 'assistant') {
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
