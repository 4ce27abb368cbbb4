import { imagesOf, type SandboxChatRequest, textOf } from './request.ts'
import type { Tokenizer } from './tokens.ts'

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
