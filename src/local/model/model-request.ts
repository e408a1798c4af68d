/**
 * What the vendor's Messages API accepts, as strictly as the vendor does.
 * Sources: https://docs.claude.com/en/api/messages and .../agents-and-tools/tool-use/implement-tool-use#handle-tool-use-and-tool-result-content-blocks
 */
import { z } from 'zod';
import { findConversationFault } from './conversation-rules.ts';
import { findFaultOfSummaries } from './summary.ts';

const cacheControl = z.looseObject({ type: z.literal('ephemeral') }).nullish();
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string(), cache_control: cacheControl });
const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});
const toolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});
const compactionBlock = z.strictObject({
  type: z.literal('compaction'),
  content: z.string().min(1),
  encrypted_content: z.string().nullish(),
  signature: z.string(),
  tool_changes: z.array(z.unknown()).nullish(),
  cache_control: cacheControl,
});
const otherTypes = ['image', 'document', 'search_result', 'thinking', 'redacted_thinking'] as const;
const otherBlock = z.looseObject({ type: z.enum(otherTypes), cache_control: cacheControl });
const block = z.discriminatedUnion('type', [textBlock, toolUseBlock, toolResultBlock, compactionBlock, otherBlock]);
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
});
const tool = z.looseObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  cache_control: cacheControl,
});

const conversation = {
  model: z.string().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  cache_control: cacheControl,
  context_management: z.looseObject({}).nullish(),
  compaction: z.strictObject({ type: z.literal('summarize'), instructions: z.string().nullish() }).nullish(),
  mcp_servers: z.array(z.unknown()).optional(),
  output_config: z.looseObject({}).optional(),
  output_format: z.looseObject({}).nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
};

const messageRequest = z.strictObject({
  ...conversation,
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_k: z.int().optional(),
  top_p: z.number().optional(),
  metadata: z.looseObject({}).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  container: z.unknown().optional(),
  inference_geo: z.string().nullish(),
  diagnostics: z.looseObject({}).nullish(),
  fallbacks: z.unknown().optional(),
});
const countRequest = z.strictObject(conversation);

export type ModelRequest = z.infer<typeof messageRequest>;
export type CountRequest = z.infer<typeof countRequest>;
export type Message = z.infer<typeof message>;
export type Block = z.infer<typeof block>;

export type Parsed<T> =
  | { readonly kind: 'accepted'; readonly request: T }
  /** In the vendor's words, e.g. `messages.0.content: Field required`. */
  | { readonly kind: 'refused'; readonly message: string };

/** A body of `POST /v1/messages`, sent under these betas. */
export function parseModelRequest(body: unknown, betas: readonly string[]): Parsed<ModelRequest> {
  const parsed = parse(messageRequest, body);
  const fault = parsed.kind === 'accepted' ? findFaultOfSummaries(parsed.request, betas) : null;
  return fault === null ? parsed : { kind: 'refused', message: fault };
}

/** A body of `POST /v1/messages/count_tokens`. */
export function parseCountRequest(body: unknown): Parsed<CountRequest> {
  return parse(countRequest, body);
}

function parse<T extends CountRequest>(schema: z.ZodType<T>, body: unknown): Parsed<T> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) return { kind: 'refused', message: formatIssue(parsed.error.issues) };
  const fault = findConversationFault(parsed.data);
  return fault === null ? { kind: 'accepted', request: parsed.data } : { kind: 'refused', message: fault };
}

function formatIssue(issues: readonly z.core.$ZodIssue[]): string {
  const [issue] = issues;
  if (issue === undefined) return 'invalid request';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...issue.path, key].join('.')}: Extra inputs are not permitted`).join('; ');
  }
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.endsWith('undefined')) {
    return `${issue.path.join('.')}: Field required`;
  }
  if (issue.code === 'invalid_union') {
    const [deepest] = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length);
    if (deepest !== undefined) return `${[...issue.path, ...deepest.path].join('.')}: ${deepest.message}`;
  }
  return `${issue.path.join('.')}: ${issue.message}`;
}
