/** A server that speaks the vendor's Messages API on loopback and plays transcripts. It knows nothing of its client. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type AnswerMessage,
  composeAnswer,
  composeError,
  composeSummary,
  countTokens,
  scriptedModelId,
} from './answer.ts';
import { createHolds, type Holds } from './holds.ts';
import { type ModelRequest, type Parsed, parseCountRequest, parseModelRequest } from './model-request.ts';
import { type Cue, playScript } from './play-script.ts';
import { sendAnswer } from './send-answer.ts';
import { expandSummary, type Summarized } from './summary.ts';
import { type Fault, readTranscript, type Transcript } from './transcript.ts';

const maxBodyBytes = 32 * 1024 * 1024;

export interface ScriptedModelOptions {
  /** Paths of transcript files, or parsed transcripts. The first whose `match` fits a conversation plays it. */
  readonly transcripts: readonly (string | Transcript)[];
  /** Default 0: any free port. */
  readonly port?: number;
}

export interface ScriptedModel extends Pick<Holds, 'held' | 'release'> {
  /** For `ANTHROPIC_BASE_URL`, without a trailing slash. */
  readonly url: string;
  /** Every well-formed body of `POST /v1/messages` in order, those that met a fault included. */
  readonly requests: readonly ModelRequest[];
  /** What was refused and why, e.g. `400 messages: ...`; a transcript's own faults are not in it. */
  readonly refusals: readonly string[];
  /** What the answers so far add up to; tokens read from the cache are input tokens too. */
  readonly usage: ModelUsage;
  /** Tries these before those that it has. */
  add(transcripts: readonly Transcript[]): void;
  /** Breaks what is open and frees the port. */
  stop(): Promise<void>;
}

export interface ModelUsage {
  readonly answers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A refusal in the vendor's form. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What a scripted model has been asked and has answered so far. */
interface Session {
  transcripts: readonly Transcript[];
  readonly requests: ModelRequest[];
  readonly refusals: string[];
  readonly holds: Holds;
  readonly summarized: Summarized;
  /** By transcript and step: how many requests its fault has befallen. */
  readonly faultsMet: Map<string, number>;
  /** Lets every held answer go. */
  readonly stopping: AbortController;
  usage: ModelUsage;
}

/**
 * Starts a scripted model on 127.0.0.1.
 * @throws {TranscriptError} for a transcript that cannot be played.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const session: Session = {
    transcripts: await Promise.all(
      options.transcripts.map((item) => (typeof item === 'string' ? readTranscript(item) : item)),
    ),
    requests: [],
    refusals: [],
    holds: createHolds(),
    summarized: new Map(),
    faultsMet: new Map(),
    stopping: new AbortController(),
    usage: { answers: 0, inputTokens: 0, outputTokens: 0 },
  };
  const server = createServer(answerRequests(session));
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address, got none');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: session.requests,
    refusals: session.refusals,
    get usage() {
      return session.usage;
    },
    add: (transcripts) => {
      session.transcripts = [...transcripts, ...session.transcripts];
    },
    held: session.holds.held,
    release: session.holds.release,
    async stop() {
      session.stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerRequests(session: Session): (request: IncomingMessage, response: ServerResponse) => void {
  let count = 0;
  return (request, response) => {
    count += 1;
    const id = `req_scripted_${count}`;
    response.setHeader('request-id', id);
    route(session, request, response, id).catch((error: unknown) => {
      const status = error instanceof Refusal ? error.status : 500;
      const message = error instanceof Error ? error.message : String(error);
      session.refusals.push(`${status} ${message}`);
      if (response.headersSent) response.destroy();
      else sendJson(response, status, composeError(status, message, id));
    });
  };
}

async function route(session: Session, request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
  authenticate(request);
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const operation = `${request.method} ${pathname}`;
  if (operation === 'POST /v1/messages') return answerMessages(session, request, response, id);
  if (operation === 'POST /v1/messages/count_tokens') {
    const counted = accepted(parseCountRequest(await readBody(request)));
    return sendJson(response, 200, { input_tokens: countTokens(counted), context_management: null });
  }
  if (operation === 'GET /v1/models') {
    const page = { first_id: scriptedModelId, last_id: scriptedModelId, has_more: false };
    return sendJson(response, 200, { data: [describeModel(scriptedModelId)], ...page });
  }
  const model = /^GET \/v1\/models\/([^/]+)$/.exec(operation)?.[1];
  if (model !== undefined) return sendJson(response, 200, describeModel(decodeURIComponent(model)));
  throw new Refusal(404, 'Not found');
}

async function answerMessages(
  session: Session,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<void> {
  const asked = accepted(parseModelRequest(await readBody(request), betasOf(request)));
  session.requests.push(asked);
  const send = async (message: AnswerMessage, fault: Fault | null, hold?: string) => {
    if (fault === null) session.usage = addUsage(session.usage, message.usage);
    const pause = async (signal: AbortSignal) => {
      if (hold !== undefined) await session.holds.wait(hold, AbortSignal.any([signal, session.stopping.signal]));
    };
    await sendAnswer(response, { message, isStreamed: asked.stream === true, fault, pause, requestId: id });
  };
  if (asked.compaction) return send(composeSummary(asked, session.summarized), null);
  const heard = { ...asked, messages: [...expandSummary(asked.messages, session.summarized)] };
  const played = playScript(session.transcripts, heard);
  if (played.kind === 'astray') throw new Refusal(400, played.message);
  const { cue } = played;
  await send(composeAnswer(cue, asked), takeFault(session, cue), cue.step.hold);
}

function betasOf({ headers }: IncomingMessage): readonly string[] {
  return [headers['anthropic-beta'] ?? []].flat().flatMap((line) => line.split(/, */));
}

function accepted<T>(parsed: Parsed<T>): T {
  if (parsed.kind === 'refused') throw new Refusal(400, parsed.message);
  return parsed.request;
}

/** The step's fault for as long as it has not befallen its number of requests. */
function takeFault({ transcripts, faultsMet }: Session, { transcript, index, step }: Cue): Fault | null {
  const key = `${transcripts.indexOf(transcript)}:${index}`;
  const met = faultsMet.get(key) ?? 0;
  if (step.fault === undefined || met >= step.fault.times) return null;
  faultsMet.set(key, met + 1);
  return step.fault;
}

function addUsage(sum: ModelUsage, added: AnswerMessage['usage']): ModelUsage {
  const parts = [added, ...(added.iterations ?? [])];
  const input = parts.map(
    (part) => part.input_tokens + part.cache_creation_input_tokens + part.cache_read_input_tokens,
  );
  return {
    answers: sum.answers + 1,
    inputTokens: input.reduce((total, tokens) => total + tokens, sum.inputTokens),
    outputTokens: parts.reduce((total, part) => total + part.output_tokens, sum.outputTokens),
  };
}

/**
 * The key comes in `x-api-key`, or as a bearer token, which is how the vendor's own client sends it since 1.0.
 * Source: https://docs.claude.com/en/api/overview#authentication
 */
function authenticate(request: IncomingMessage): void {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (!request.headers['x-api-key'] && bearer === undefined) throw new Refusal(401, 'x-api-key header is required');
  if (!request.headers['anthropic-version']) throw new Refusal(400, 'anthropic-version: header is required');
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Refusal(413, 'Request exceeds the maximum size');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON');
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function describeModel(id: string) {
  return {
    type: 'model',
    id,
    display_name: 'Scripted model',
    created_at: '2026-01-01T00:00:00Z',
    lifecycle: 'active',
    line: null,
    capabilities: null,
    allowed_fallback_models: null,
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: 200_000,
    max_tokens: 64_000,
  };
}
