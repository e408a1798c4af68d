/**
 * Compaction on demand: a request with `compaction` is answered with a signed summary and nothing else, and later requests
 * send that first, in place of the messages it summarizes.
 * Source: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand
 */
import { createHash } from 'node:crypto';
import { blocksOf } from './conversation-rules.ts';
import type { Block, CountRequest, Message, ModelRequest } from './model-request.ts';

const summaryBeta = 'compact-2026-09-04';

export interface SummaryBlock {
  readonly type: 'compaction';
  readonly content: string;
  readonly encrypted_content: null;
  readonly signature: string;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sign(content: unknown): string {
  return digest(`scripted model: ${String(content)}`);
}

function summariesIn(messages: readonly Message[]): readonly Block[] {
  return messages.flatMap(blocksOf).filter(({ type }) => type === 'compaction');
}

/** The first rule about summaries that is broken; `null` where none is. */
export function findFaultOfSummaries(request: ModelRequest, betas: readonly string[]): string | null {
  const blocks = summariesIn(request.messages);
  const isAsked = (request.compaction ?? null) !== null;
  if (!isAsked && blocks.length === 0) return null;
  if (!betas.includes(summaryBeta)) {
    return isAsked ? 'compaction: Extra inputs are not permitted' : `messages: compaction blocks need ${summaryBeta}`;
  }
  if ((request.context_management ?? null) !== null) return 'compaction: cannot be combined with context_management';
  return findFaultOfBlocks(request.messages, blocks) ?? (isAsked ? findFaultOfAsking(request, blocks.length) : null);
}

function findFaultOfBlocks([first]: readonly Message[], blocks: readonly Block[]): string | null {
  const [block] = blocks;
  if (block === undefined) return null;
  if (blocks.length > 1) return 'messages: more than one compaction block with content';
  if (first?.role !== 'assistant' || blocksOf(first)[0] !== block) {
    return 'messages: the compaction block must be the first block of the conversation';
  }
  return block.signature === sign(block.content) ? null : 'messages.0.content.0: the signature does not verify';
}

function findFaultOfAsking({ messages, stop_sequences, tool_choice }: ModelRequest, summaries: number): string | null {
  if (stop_sequences !== undefined) return 'stop_sequences: cannot be combined with compaction';
  if (tool_choice?.type === 'any' || tool_choice?.type === 'tool')
    return 'tool_choice: cannot be combined with compaction';
  const last = messages.at(-1);
  if (last?.role === 'assistant' && blocksOf(last).some(({ type }) => type === 'tool_use')) {
    return 'compaction: the conversation ends on an assistant turn that is not finished';
  }
  return messages.flatMap(blocksOf).length > summaries ? null : 'compaction: nothing to summarize';
}

/** What a scripted model remembers of the messages that it has summarized, by signature. */
export type Summarized = Map<string, readonly Message[]>;

/** A summary of all the messages, which are remembered. */
export function summarize({ messages }: CountRequest, summarized: Summarized): SummaryBlock {
  const content = `Summary of ${messages.length} messages (${digest(JSON.stringify(messages)).slice(0, 16)}).`;
  const signature = sign(content);
  summarized.set(signature, expandSummary(messages, summarized));
  return { type: 'compaction', content, encrypted_content: null, signature };
}

/** The conversation with the summarized messages in their place: a transcript goes on where it was. */
export function expandSummary(messages: readonly Message[], summarized: Summarized): readonly Message[] {
  const [first, ...rest] = messages;
  const [block, ...said] = first === undefined ? [] : blocksOf(first);
  const before = block?.type === 'compaction' ? summarized.get(String(block.signature)) : undefined;
  if (first === undefined || before === undefined) return messages;
  return [...before, ...(said.length === 0 ? [] : [{ ...first, content: said }]), ...rest];
}
