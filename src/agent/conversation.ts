/** A thread's conversation: what is kept of it, and what of it is sent. */
import type {
  BetaContentBlockParam,
  BetaMessage,
  BetaMessageParam,
  BetaToolResultBlockParam,
  BetaToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/beta.js';

type Messages = readonly BetaMessageParam[];

/** A message of one of the two sides, as blocks. */
interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: BetaContentBlockParam[];
}

const parkingTools: readonly string[] = ['exit_plan_mode', 'ask_user_question', 'enter_plan_mode', 'propose_amendment'];
const MAX_KEPT_INPUT = 200_000;
const interrupted =
  'The run was interrupted before this call was answered; it may or may not have had an effect. Look before you repeat it.';

/** The vendor refuses text without a visible character. */
function isBlank(block: BetaContentBlockParam): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

function read(message: BetaMessageParam): Said | null {
  if (message.role === 'system') return null;
  const { role, content } = message;
  const blocks: readonly BetaContentBlockParam[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const visible = blocks.filter((block) => !isBlank(block));
  return visible.length === 0 ? null : { role, content: visible };
}

function callsOf(message: Said | undefined): readonly BetaToolUseBlockParam[] {
  if (message?.role !== 'assistant') return [];
  return message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
}

function mergeNeighbours(messages: Messages): Said[] {
  const merged: Said[] = [];
  for (const message of messages) {
    const said = read(message);
    const last = merged.at(-1);
    if (said === null) continue;
    if (last?.role === said.role) last.content.push(...said.content);
    else merged.push({ role: said.role, content: [...said.content] });
  }
  return merged;
}

function resultsOf(message: Said | undefined): readonly BetaToolResultBlockParam[] {
  return message?.content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])) ?? [];
}

/** Results first, one for each call, in the order of the calls; then everything else. */
function pairResults(calls: readonly BetaToolUseBlockParam[], answer: Said | undefined): Said {
  const given = resultsOf(answer);
  const results = calls.map(
    ({ id }) => given.find((block) => block.tool_use_id === id) ?? failedResult(id, interrupted),
  );
  const rest = answer?.content.filter((block) => block.type !== 'tool_result') ?? [];
  return { role: 'user', content: [...results, ...rest] };
}

/** The error result of a call: one line that says what is allowed instead. */
export function failedResult(call: string, text: string): BetaToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: call, content: text, is_error: true };
}

function isSummary({ role, content }: BetaMessageParam): boolean {
  return role === 'assistant' && Array.isArray(content) && content[0]?.type === 'compaction';
}

/** The last exchange: the model's newest reply and what stands behind it. */
function lastExchange(messages: Messages): Messages {
  const reply = messages.findLastIndex((message) => message.role === 'assistant' && !isSummary(message));
  return reply < 0 ? [] : messages.slice(reply);
}

/**
 * What is still sent: the newest summary, first, as the vendor wants it; the exchange that was the last one when it was
 * made, word for word; and what came after.
 */
function sinceSummary(messages: Messages): Messages {
  const at = messages.findLastIndex(isSummary);
  if (at < 0) return messages;
  return [
    ...messages.slice(at, at + 1),
    ...lastExchange(mergeNeighbours(messages.slice(0, at))),
    ...messages.slice(at + 1),
  ];
}

/**
 * What is to be summarized: all that is sent but the last exchange, which the model has not gone on from. `null` where
 * no reply is among it: a summary would save nothing. It ends with what was said to the model, so no call is open.
 * Source: https://platform.claude.com/docs/en/build-with-claude/compaction-keep-recent-turns
 */
export function toSummarize(messages: Messages): BetaMessageParam[] | null {
  const sent = toRequest(messages);
  const reply = sent.findLastIndex(({ role }) => role === 'assistant');
  const before = sent.slice(0, Math.max(0, reply));
  return before.some(({ role }) => role === 'assistant') ? before : null;
}

/**
 * The conversation as the vendor takes it, whatever was kept: neighbours of one role are one message, every call has
 * exactly one result right after it, no result is without its call, nothing is blank, a person or a summary speaks first. Of a
 * conversation that is valid already it changes nothing but neighbours, so what was sent before stays as it was.
 * Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#handle-tool-use-and-tool-result-content-blocks
 */
export function toRequest(messages: Messages): BetaMessageParam[] {
  const valid: Said[] = [];
  for (const message of mergeNeighbours(sinceSummary(messages))) {
    const open = callsOf(valid.at(-1));
    if (message.role === 'user') {
      const paired = pairResults(open, message);
      if (paired.content.length > 0) valid.push(paired);
    } else if (valid.length > 0 || isSummary(message)) {
      if (open.length > 0) valid.push(pairResults(open, undefined));
      valid.push(message);
    }
  }
  const open = callsOf(valid.at(-1));
  return mergeNeighbours(open.length > 0 ? [...valid, pairResults(open, undefined)] : valid);
}

/** The calls of the model's last reply that have no result yet. */
function openCalls(messages: Messages): readonly BetaToolUseBlockParam[] {
  const merged = mergeNeighbours(messages);
  const reply = merged.findLastIndex((message) => message.role === 'assistant');
  const results = merged.slice(reply + 1).flatMap(resultsOf);
  const answered = new Set(results.map((result) => result.tool_use_id));
  return callsOf(merged[reply]).filter((call) => !answered.has(call.id));
}

/** The call that the conversation waits for a person with: the one call of the model's last reply that has no result. */
export function parkedCall(messages: Messages): BetaToolUseBlockParam | null {
  const [open, ...others] = openCalls(messages);
  return open !== undefined && others.length === 0 && parkingTools.includes(open.name) ? open : null;
}

/**
 * The call that a writer was asked about: the one without a result in a turn that was run, before anything more was said. A
 * call that has been allowed and begun is none, as that is said behind it.
 */
export function heldCall(messages: Messages): BetaToolUseBlockParam | null {
  const after = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const hasSaidMore = after.some(({ content }) => typeof content === 'string' || content?.some(isNoResult));
  const [open, ...others] = after.length === 0 || hasSaidMore ? [] : openCalls(messages);
  return open !== undefined && others.length === 0 && !parkingTools.includes(open.name) ? open : null;
}

function isNoResult({ type }: BetaContentBlockParam): boolean {
  return type !== 'tool_result';
}

/**
 * What the calls are answered that a process had begun to run and died: they are not run again. `null` where nothing was
 * interrupted. Where the calls of a reply were run, something stands behind it, be it an empty message.
 */
export function answerInterrupted(messages: Messages): BetaMessageParam | null {
  if (messages.at(-1)?.role !== 'assistant' || parkedCall(messages) !== null) return null;
  const results = openCalls(messages).map(({ id }) => failedResult(id, interrupted));
  return results.length === 0 ? null : { role: 'user', content: results };
}

/** What a person says next: the result of the call that waits for it, or a message where none does. */
export function deliver(messages: Messages, text: string): BetaMessageParam {
  const parked = parkedCall(messages);
  if (parked === null) return { role: 'user', content: [{ type: 'text', text }] };
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: parked.id, content: text }] };
}

/** An input that is no object, or far too big, would be refused or paid for with every later request. */
function keepInput(input: unknown): unknown {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject && JSON.stringify(input).length <= MAX_KEPT_INPUT ? input : {};
}

/** A reply of the model as it is kept; `null` where it says nothing. */
export function keepReply(reply: Pick<BetaMessage, 'content'>): BetaMessageParam | null {
  const content = reply.content
    .map(
      (block): BetaContentBlockParam =>
        block.type === 'tool_use' ? { ...block, input: keepInput(block.input) } : block,
    )
    .filter((block) => !isBlank(block));
  return content.length === 0 ? null : { role: 'assistant', content: structuredClone(content) };
}

function textOf({ content }: BetaToolResultBlockParam): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** A tool's calls, in their order, each with what it was answered; `null` where it was not, or with an error. */
export function answeredCalls(
  messages: Messages,
  name: string,
): readonly { readonly input: unknown; readonly result: string | null }[] {
  const merged = mergeNeighbours(messages);
  const good = merged.flatMap(resultsOf).filter((result) => result.is_error !== true);
  const texts = new Map(good.map((result) => [result.tool_use_id, textOf(result)]));
  const calls = merged.flatMap(callsOf).filter((call) => call.name === name);
  return calls.map(({ id, input }) => ({ input, result: texts.get(id) ?? null }));
}

/** The inputs of a tool's calls that were answered without an error, in their order. */
export function inputsOf(messages: Messages, name: string): readonly unknown[] {
  return answeredCalls(messages, name).flatMap(({ input, result }) => (result === null ? [] : [input]));
}
