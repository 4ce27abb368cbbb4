import type { Message } from '../../../src-preload/contract/chat.ts'
import { sumSc } from '../../shared/money/sc.ts'

type Timed = Pick<Message, 'usage' | 'finishedAt' | 'firstTokenMs' | 'createdAt'>

/**
 * Completion tokens per second between the first token and the end, of one request or of several together. The time between requests, such
 * as for tool calls, is not counted. Null when the service reported too little.
 */
export function tokensPerSecond(...requests: readonly Timed[]): number | null {
  let tokens = 0
  let ms = 0
  for (const { usage, finishedAt, firstTokenMs, createdAt } of requests) {
    if (!usage?.completionTokens || finishedAt === null || firstTokenMs === null) continue
    tokens += usage.completionTokens
    ms += Date.parse(finishedAt) - Date.parse(createdAt) - firstTokenMs
  }
  return tokens > 0 && ms > 0 ? tokens / (ms / 1_000) : null
}

/** Average characters per token in languages with spaces. */
const charsPerToken = 4

/** Estimated tokens per second of a running reply. Null in the first second of output. */
export function runningSpeed(reply: Message, now: number): number | null {
  if (reply.firstTokenMs === null) return null
  const ms = now - Date.parse(reply.createdAt) - reply.firstTokenMs
  const chars = reply.text.length + reply.reasoning.length + reply.refusal.length
  return ms < 1_000 ? null : Math.round(chars / charsPerToken / (ms / 1_000))
}

/** A reason why a complete reply needs an explanation. */
export type Remark = 'emptyLength' | 'emptyReply' | 'cutLength' | 'contentFilter'

export function remarkOn(reply: Message): Remark | null {
  if (reply.status !== 'complete') return null
  const empty = reply.text === '' && reply.refusal === '' && reply.toolCalls.length === 0
  if (reply.finishReason === 'length') return empty ? 'emptyLength' : 'cutLength'
  if (reply.finishReason === 'content_filter') return 'contentFilter'
  return empty ? 'emptyReply' : null
}

/** Reported prompt and completion tokens of all replies in the path. Null when none are reported. */
export function tokensOf(messages: readonly Message[]): number | null {
  let sum: number | null = null
  for (const { usage } of messages) {
    const total = usage?.totalTokens
    if (typeof total === 'number') sum = (sum ?? 0) + total
  }
  return sum
}

/**
 * The cost of the replies in the path, each request counted once. Null when nothing is known. `estimated`: at least one amount is estimated
 * or unknown.
 */
export function spentOf(messages: readonly Message[]): { amount: string; estimated: boolean } | null {
  const amounts = new Map<number | string, string>()
  let estimated = false
  for (const { role, model, id, requestRow, cost, costIs } of messages) {
    if (role !== 'assistant' || model === null) continue
    if (cost === null || costIs !== 'measured') estimated = true
    if (cost !== null) amounts.set(requestRow ?? id, cost)
  }
  return amounts.size === 0 ? null : { amount: sumSc([...amounts.values()]), estimated }
}
