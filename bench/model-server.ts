/** A scripted model that speaks the Messages API in a process of its own. It answers at once and keeps what it was sent. */
import { createServer, type ServerResponse } from 'node:http';
import { type AnswerMessage, streamEvents } from '../src/local/model/answer.ts';
import { measureRequests, type RequestFigures } from './request-figures.ts';
import type { Part, Script } from './script.ts';

export type ModelOrder =
  /** What requests below `/<label>/` are answered with. */
  | { readonly kind: 'play'; readonly label: string; readonly script: Script }
  /** Answered with what was sent there, and forgotten. */
  | { readonly kind: 'report'; readonly label: string };

export interface ModelReport {
  /** Where it listens. */
  readonly url: string;
  readonly figures: RequestFigures | null;
}

interface Play {
  readonly script: Script;
  readonly bodies: Buffer[];
}

const plays = new Map<string, Play>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const play = plays.get(/^\/([\w-]+)\/v1\/messages(?:\?|$)/.exec(request.url ?? '')?.[1] ?? '');
  const body = Buffer.concat(chunks);
  const parts = play?.script[play.bodies.push(body) - 1];
  if (parts === undefined) response.writeHead(404).end();
  else answer(response, parts, body.length);
}).listen(0, '127.0.0.1');

let count = 0;

function answer(response: ServerResponse, parts: readonly Part[], bytes: number): void {
  count += 1;
  const message: AnswerMessage = {
    id: `msg_${count}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: parts.map((part, index) =>
      'text' in part
        ? { type: 'text', text: part.text, citations: null }
        : { type: 'tool_use', id: `toolu_${count}_${index}`, name: part.tool, input: part.input },
    ),
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
    usage: {
      input_tokens: Math.ceil(bytes / 4),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 50,
    },
  };
  const events = streamEvents(message).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
}

process.on('message', (order: ModelOrder) => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port, got none');
  const url = `http://127.0.0.1:${address.port}/${order.label}`;
  const figures = order.kind === 'play' ? null : measureRequests(plays.get(order.label)?.bodies ?? []);
  if (order.kind === 'play') plays.set(order.label, { script: order.script, bodies: [] });
  else plays.delete(order.label);
  process.send?.({ url, figures } satisfies ModelReport);
});
process.on('disconnect', () => process.exit(0));
