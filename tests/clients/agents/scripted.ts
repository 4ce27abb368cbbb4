import { randomUUID } from 'node:crypto'
import type { ChatBody } from './wire.ts'

/** A call of a tool as the model makes it. */
export type ScriptedCall = readonly [tool: string, args: Record<string, unknown>]

/** What the model answers in one turn: calls, also chosen by the names of the tools that it may call, or the text that ends the task. */
export type ScriptedReply = readonly ScriptedCall[] | ((offered: readonly string[]) => readonly ScriptedCall[]) | string

/** Kinds of requests by which the script tells them apart. `side`: titles and the like, which have no tools. */
export type RequestKind = 'turn' | 'summary' | 'side'

export interface Script {
  /** Replies in order, one for each turn. The last one is repeated. */
  replies: readonly ScriptedReply[]
  /** Text of a summary of the conversation, by which later requests are recognised. */
  summary: string
  /** Tokens that the prompt of turn `index` (from 0) counts, instead of an estimate by its length. `isShortened`: a summary was asked. */
  promptTokens?(index: number, isShortened: boolean): number | undefined
}

/** Begins every prompt and every summary of the trials. */
export const marker = 'Please do the task of the harbour.'

/** Words by which coding agents ask for a summary of a conversation that has become too long. */
const summaryWords = /summar|compact|checkpoint|hand-?off|snapshot/i

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n')
      : ''

/** What a request is for. A summary is asked in the last message, and never in a result of a tool. */
export function kindOf(body: ChatBody): RequestKind {
  const last = body.messages?.findLast(({ role }) => role !== 'system' && role !== 'developer')
  const asked = last?.role === 'tool' ? '' : textOf(last?.content)
  const hasTools = (body.tools?.length ?? 0) > 0
  if (summaryWords.test(asked) && !(hasTools && asked.includes(marker))) return 'summary'
  if (hasTools) return 'turn'
  const system = textOf(body.messages?.find(({ role }) => role === 'system')?.content)
  return summaryWords.test(system) && !/title/i.test(system) ? 'summary' : 'side'
}

/** A model that follows a script. It keeps its place by itself, so a shortened conversation does not confuse it. */
export function scriptedModel(script: Script) {
  let next = 0
  let isShortened = false
  return (body: ChatBody): string => {
    const kind = kindOf(body)
    if (kind === 'side') return completion(body, 'A title', null)
    if (kind === 'summary') {
      isShortened = true
      return completion(body, script.summary, null)
    }
    const index = Math.min(next, script.replies.length - 1)
    next += 1
    const reply = script.replies[index] ?? ''
    const offered = (body.tools ?? []).flatMap(({ function: tool }) => tool?.name ?? [])
    const chosen = typeof reply === 'function' ? reply(offered) : reply
    return completion(body, chosen, script.promptTokens?.(index, isShortened) ?? null)
  }
}

/** The reply as the service sends it: an event stream, or JSON. `promptTokens`: null for an estimate by the length of the request. */
function completion(body: ChatBody, reply: readonly ScriptedCall[] | string, promptTokens: number | null): string {
  const prompt = promptTokens ?? Math.ceil(JSON.stringify(body).length / 4)
  const usage = { prompt_tokens: prompt, completion_tokens: 20, total_tokens: prompt + 20 }
  const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: body.model }
  const calls =
    typeof reply === 'string'
      ? null
      : reply.map(([name, args], index) => ({
          index,
          id: `call_${randomUUID()}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }))
  const message = { role: 'assistant', content: calls ? null : reply, ...(calls && { tool_calls: calls }) }
  const finish = calls ? 'tool_calls' : 'stop'
  if (body.stream !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }]
    return JSON.stringify({ ...head, object: 'chat.completion', choices, usage })
  }
  const chunk = (choices: unknown[], more = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  const text = chunk([{ index: 0, delta: message, finish_reason: null }])
  const end = chunk([{ index: 0, delta: {}, finish_reason: finish }])
  return `${text}${end}${chunk([], { usage })}data: [DONE]\n\n`
}
