import type { Problem } from './problem.ts'

/** What an error says about the context of a model, in tokens. Null where the error names no number. */
export interface ContextError {
  limit: number | null
  requested: number | null
}

const count = '([\\d][\\d,_.\\u202f]*)'

/** Phrases with the limit as their first number. Services copy one another's errors, so one phrase covers many. */
const limits: readonly RegExp[] = [
  // OpenAI, vLLM, OpenRouter, DeepSeek, SGLang, xAI
  `maximum (?:context|prompt|model|input|sequence) (?:length|size) (?:is|of) ${count}`,
  `context (?:length|window|size) (?:is|of)(?: only)? ${count}`,
  `(?:model['’]s|available) (?:maximum )?context (?:length|size|window) \\(${count} tokens`,
  `configured limit of ${count} tokens`,
  // Anthropic
  `\\d+ tokens > ${count} maximum`,
  `exceed(?:s)? context limit: [\\d,]+ \\+ [\\d,]+ > ${count}`,
  // Gemini
  `exceeds the maximum number of (?:input )?tokens allowed \\(${count}\\)`,
  // Mistral
  `too large for model with ${count} maximum context length`,
  // Text Generation Inference
  `\`?inputs\`? tokens \\+ \`?max_new_tokens\`? must be <= ?${count}`,
  // Cohere
  `tokens in the prompt cannot exceed ${count}`,
].map((pattern) => new RegExp(pattern, 'i'))

const requests: readonly RegExp[] = [
  `(?:requested|resulted in|contains|request contains)(?: about)? ${count} tokens`,
  `too long: ${count} tokens`,
  `input token count \\(?${count}`,
  `\\(length ${count}\\)`,
  `input \\(${count} tokens`,
  `Given: ${count} `,
  `received ${count}`,
  `first ${count} tokens`,
].map((pattern) => new RegExp(pattern, 'i'))

/** Phrases of a full context without a number. */
const full =
  /context_length_exceeded|exceed_context_size|context (?:length|window|size)[^.]{0,40}(?:exceeded|too small|overflow)|exceeds?[^.]{0,40}context (?:length|window|size|limit)|(?:prompt|input|request|conversation) is too long|reduce the length of (?:the|your) (?:messages|prompt|input)|too many (?:input )?tokens: total number/i

/** Statuses of a refusal because of the content (400, 413, 422), and of an error within a stream (200). */
const statuses: ReadonlySet<number> = new Set([200, 400, 413, 422])

const fewest = 128
const most = 1_000_000_000

/**
 * Reads an error of the service that says that a request is longer than the context of its model. Null for every other problem. The
 * specification gives no context length, so errors are the only place where a service states it.
 */
export function readContextError({ status, said = '', code, type }: Problem): ContextError | null {
  if (status === undefined || !statuses.has(status)) return null
  // Errors are the service's text: only its beginning is read, so that a hostile one costs nothing.
  const text = `${said.slice(0, 2_000)} ${code ?? ''} ${type ?? ''}`
  const limit = firstOf(limits, text)
  if (limit === null && !full.test(text)) return null
  return { limit, requested: firstOf(requests, text) }
}

function firstOf(patterns: readonly RegExp[], text: string): number | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]
    if (found === undefined) continue
    const value = Number(found.replace(/[^\d]/g, ''))
    if (value >= fewest && value <= most) return value
  }
  return null
}
