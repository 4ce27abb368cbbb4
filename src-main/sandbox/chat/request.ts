import { z } from 'zod'
import type { Tokenizer } from './tokens.ts'

/** Request body of POST /v1/chat/completions. Loose objects accept and retain additional, provider-specific parameters. */

const contentPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  // Nested required fields apply only if their parent is present.
  image_url: z.looseObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }).optional(),
})

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z
    .union([z.string(), z.null(), z.array(contentPart)], 'must be text, null, or an array of parts with a type')
    .optional(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(toolCall).optional(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
})

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string(),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().optional(),
  }),
})

/** The sandbox's own parameters, in the body under `sandbox` (or as headers, see pace.ts). */
const sandbox = z.looseObject({
  /** 0 sends as fast as the socket accepts. */
  tokens_per_second: z.number().min(0).max(1_000_000).optional(),
  /** Length of the answer of each choice, tokens. */
  tokens: z.int().min(0).max(200_000).optional(),
  /** Length of the reasoning, tokens. */
  reasoning_tokens: z.int().min(0).max(200_000).optional(),
  /** Delay of the first token, ms. */
  first_token_ms: z.int().min(0).max(600_000).optional(),
  /** Varies the text of equal requests. */
  seed: z.union([z.string(), z.number()]).optional(),
  /** The same as the header X-Sandbox-Fault. */
  fault: z.string().optional(),
})

export const chatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1, 'must have at least one message'),
  stream: z.boolean().optional(),
  max_tokens: z.int().min(1).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
  stop: z.array(z.string(), 'must be an array of strings; a plain string is not accepted').optional(),
  n: z.int().min(1).max(16).optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  tools: z.array(tool).optional(),
  tool_choice: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  response_format: z.record(z.string(), z.unknown()).optional(),
  seed: z.unknown().optional(),
  sandbox: sandbox.optional(),
})

export type SandboxChatRequest = z.infer<typeof chatRequest>
export type SandboxChatMessage = z.infer<typeof message>
export type RequestedTool = z.infer<typeof tool>

/** The text of a message, with its parts joined. */
export function textOf(content: SandboxChatMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => part.text ?? '').join('\n')
}

/** URLs of the images in a message, in order. */
export function imagesOf(content: SandboxChatMessage['content']): string[] {
  return Array.isArray(content) ? content.flatMap((part) => (part.image_url ? [part.image_url.url] : [])) : []
}

export function lastUserText(request: SandboxChatRequest): string {
  return textOf(request.messages.findLast((entry) => entry.role === 'user')?.content)
}

/** Tokens for role, separators and the beginning of the answer. */
const PER_MESSAGE = 4
const PER_PROMPT = 3
const PER_IMAGE = 258

/** Tokens of the prompt: `each` per message, `total` with tools and framing. */
export function promptTokens(request: SandboxChatRequest, tokenizer: Tokenizer): { each: number[]; total: number } {
  const each = request.messages.map((message) => {
    const extra = [message.name ?? '', message.reasoning_content ?? '', message.reasoning ?? '']
    const calls = (message.tool_calls ?? []).map((call) => call.function.name + call.function.arguments)
    const texts = [textOf(message.content), ...extra, ...calls]
    const words = texts.reduce((sum, text) => sum + tokenizer.count(text), 0)
    return PER_MESSAGE + words + PER_IMAGE * imagesOf(message.content).length
  })
  const tools = request.tools ? tokenizer.count(JSON.stringify(request.tools)) : 0
  return { each, total: each.reduce((sum, tokens) => sum + tokens, PER_PROMPT + tools) }
}
