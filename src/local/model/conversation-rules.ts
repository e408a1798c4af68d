/** The vendor's rules about a conversation that its schema cannot say, with the vendor's messages. */
import type { Block, CountRequest, Message } from './model-request.ts';

const maxCacheBreakpoints = 4;

/** The first rule that is broken, in the vendor's words; `null` where none is. */
export function findConversationFault(request: CountRequest): string | null {
  return (
    findFaultOfOrder(request) ??
    findFaultOfContent(request) ??
    findFaultOfPairing(request.messages) ??
    findFaultOfTools(request) ??
    findFaultOfCaching(request)
  );
}

/** A message's content as blocks: a string is one text block. */
export function blocksOf(message: Message): readonly Block[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

/** A summary may come first, and what is to be summarized may end with a reply. */
function findFaultOfOrder({ messages, compaction }: CountRequest): string | null {
  const [first] = messages;
  const isSummary = first !== undefined && blocksOf(first)[0]?.type === 'compaction';
  if (first?.role !== 'user' && !isSummary) return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role === 'assistant' && (compaction ?? null) === null) {
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  }
  return null;
}

function findFaultOfContent({ messages, system }: CountRequest): string | null {
  for (const [index, message] of messages.entries()) {
    if (message.content.length === 0) return `messages.${index}: all messages must have non-empty content`;
    const blank = blocksOf(message).findIndex((block) => block.type === 'text' && String(block.text).trim() === '');
    if (blank >= 0) return `messages.${index}: text content blocks must contain non-whitespace text`;
  }
  const isBlankSystem = Array.isArray(system) && system.some((block) => block.text === '');
  return isBlankSystem ? 'system: text content blocks must be non-empty' : null;
}

function findFaultOfPairing(messages: readonly Message[]): string | null {
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    const open = previous?.role === 'assistant' ? calls(previous) : [];
    const fault = findFaultOfResults(message, index, open);
    if (fault !== null) return fault;
    for (const id of calls(message)) {
      if (message.role !== 'assistant') {
        return `messages.${index}: \`tool_use\` blocks can only be in assistant messages`;
      }
      if (seen.has(id)) return `messages.${index}: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
  }
  return null;
}

function findFaultOfResults(message: Message, index: number, open: readonly string[]): string | null {
  const blocks = blocksOf(message);
  const answered: string[] = [];
  for (const [position, block] of blocks.entries()) {
    if (block.type !== 'tool_result') continue;
    const id = String(block.tool_use_id);
    if (!open.includes(id) || message.role !== 'user') {
      return `messages.${index}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (answered.includes(id)) {
      return `messages.${index}.content.${position}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    }
    answered.push(id);
  }
  const missing = open.filter((id) => !answered.includes(id));
  const firstOther = blocks.findIndex((block) => block.type !== 'tool_result');
  const isResultLate = firstOther >= 0 && blocks.slice(firstOther).some((block) => block.type === 'tool_result');
  if (missing.length === 0 && !isResultLate) return null;
  const named = missing.length > 0 ? missing : answered;
  return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${named.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function calls(message: Message): readonly string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [String(block.id)] : []));
}

function findFaultOfTools({ tools = [], tool_choice: choice }: CountRequest): string | null {
  const names = tools.map((tool) => tool.name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  if (choice !== undefined && choice.type !== 'none' && names.length === 0) {
    return 'tool_choice: may only be specified while providing tools';
  }
  return null;
}

function findFaultOfCaching(request: CountRequest): string | null {
  const system = Array.isArray(request.system) ? request.system : [];
  const marked = [request, ...system, ...(request.tools ?? []), ...request.messages.flatMap(blocksOf)].filter(
    (holder) => holder.cache_control !== undefined && holder.cache_control !== null,
  );
  if (marked.length <= maxCacheBreakpoints) return null;
  return `A maximum of ${maxCacheBreakpoints} blocks with cache_control may be provided. Found ${marked.length}.`;
}
