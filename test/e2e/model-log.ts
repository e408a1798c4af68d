import { blocksOf } from '../../src/local/model/conversation-rules.ts';
import type { ModelRequest } from '../../src/local/model/model-request.ts';

/** All texts of a request that come from people, tools and the app, tool results included. */
export function saidTo(request: ModelRequest | undefined): string {
  const blocks = (request?.messages ?? []).filter(({ role }) => role === 'user').flatMap(blocksOf);
  return blocks.map((block) => (block.type === 'text' ? String(block.text) : resultText(block.content))).join('\n');
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((item: unknown) => (isText(item) ? item.text : '')).join('\n');
}

function isText(item: unknown): item is { readonly text: string } {
  return typeof item === 'object' && item !== null && 'text' in item && typeof item.text === 'string';
}
