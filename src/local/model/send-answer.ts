/** Puts an answer on the wire, whole or as server-sent events, with the fault that its step asks for. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AnswerMessage, composeError, type StreamEvent, streamEvents } from './answer.ts';
import type { Fault } from './transcript.ts';

export interface Delivery {
  readonly message: AnswerMessage;
  readonly isStreamed: boolean;
  readonly fault: Fault | null;
  /** Called in the middle of the answer; returns when it may go on. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
  readonly requestId: string;
}

/** Resolves once the answer is sent, or its fault has ended it, or the client is gone. */
export async function sendAnswer(response: ServerResponse, delivery: Delivery): Promise<void> {
  const { fault, requestId } = delivery;
  if (fault !== null && 'status' in fault) {
    if (fault.retryAfter !== undefined) response.setHeader('retry-after', String(fault.retryAfter));
    const body = composeError(fault.status, 'The transcript asks for this fault.', requestId);
    response.writeHead(fault.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (fault !== null && 'silent' in fault) {
    if (delivery.isStreamed) response.writeHead(200, streamHeaders).flushHeaders();
    if (!response.closed) await once(response, 'close');
    return;
  }
  if (delivery.isStreamed) return stream(response, delivery, gone.signal);
  await delivery.pause(gone.signal);
  if (gone.signal.aborted) return;
  if (fault !== null) {
    response.destroy();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(delivery.message));
}

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** The pause comes after the first delta, so that the client holds an unfinished block by then. */
async function stream(response: ServerResponse, delivery: Delivery, gone: AbortSignal): Promise<void> {
  response.writeHead(200, streamHeaders);
  let deltas = 0;
  for (const event of streamEvents(delivery.message)) {
    const isDelta = event.type === 'content_block_delta';
    if (breaksAt(delivery.fault, event, deltas)) {
      if (!response.closed) await flush(response);
      response.destroy();
      return;
    }
    await write(response, event);
    if (!isDelta) continue;
    deltas += 1;
    if (deltas > 1) continue;
    await delivery.pause(gone);
    if (gone.aborted) return;
    if (await derail(response, delivery)) return;
  }
  response.end();
}

/** An answer that has fewer deltas is cut before its end. */
function breaksAt(fault: Fault | null, event: StreamEvent, deltas: number): boolean {
  if (fault === null || !('cutAfterDeltas' in fault)) return false;
  return event.type === 'message_delta' || (event.type === 'content_block_delta' && deltas >= fault.cutAfterDeltas);
}

/** Writes the fault that stands in the middle of a stream, if any. True when the stream is over. */
async function derail(response: ServerResponse, { fault, requestId }: Delivery): Promise<boolean> {
  if (fault === null || !('errorEvent' in fault || 'malformed' in fault)) return false;
  if ('errorEvent' in fault) {
    const error = { type: fault.errorEvent, message: 'The transcript asks for this fault.' };
    await write(response, { type: 'error', error, request_id: requestId });
  } else {
    response.write('event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n');
  }
  response.end();
  return true;
}

async function write(response: ServerResponse, event: StreamEvent): Promise<void> {
  if (response.closed) return;
  if (!response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)) {
    await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}

/** A destroyed socket drops what it has not sent: the deltas before a cut have to arrive. */
function flush(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.write(': cut\n\n', () => resolve());
  });
}
