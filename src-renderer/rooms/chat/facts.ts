import type { Message } from '../../../src-preload/contract/chat.ts'

/** Completion tokens a second between the first token and the end; null where the service reported too little. */
export function tokensPerSecond(reply: Message): number | null {
  const tokens = reply.usage?.completionTokens
  if (!tokens || reply.finishedAt === null || reply.firstTokenMs === null) return null
  const ms = Date.parse(reply.finishedAt) - Date.parse(reply.createdAt) - reply.firstTokenMs
  return ms > 0 ? tokens / (ms / 1_000) : null
}

/** Characters that a token has on average, in texts of languages written with spaces. */
const charsPerToken = 4

/** About how many tokens a second are coming, from what has come so far; null before the first second of output. */
export function runningSpeed(reply: Message, now: number): number | null {
  if (reply.firstTokenMs === null) return null
  const ms = now - Date.parse(reply.createdAt) - reply.firstTokenMs
  const chars = reply.text.length + reply.reasoning.length + reply.refusal.length
  return ms < 1_000 ? null : Math.round(chars / charsPerToken / (ms / 1_000))
}

/** Why a reply that ended as the service meant it still needs an explanation. */
export type Remark = 'emptyLength' | 'emptyReply' | 'cutLength' | 'contentFilter'

export function remarkOn(reply: Message): Remark | null {
  if (reply.status !== 'complete') return null
  const empty = reply.text === '' && reply.refusal === '' && reply.toolCalls.length === 0
  if (reply.finishReason === 'length') return empty ? 'emptyLength' : 'cutLength'
  if (reply.finishReason === 'content_filter') return 'contentFilter'
  return empty ? 'emptyReply' : null
}

/** Tool arguments laid out for reading; `valid` is false for text that is not JSON, which is shown as it came. */
export function readArguments(text: string): { valid: boolean; shown: string } {
  if (text.trim() === '') return { valid: true, shown: '{}' }
  try {
    return { valid: true, shown: JSON.stringify(JSON.parse(text), null, 2) }
  } catch {
    return { valid: false, shown: text }
  }
}

/** Prompt and completion tokens of all replies in the path, where reported. */
export function tokensOf(messages: readonly Message[]): number | null {
  let sum: number | null = null
  for (const { usage } of messages) {
    const total = usage?.totalTokens
    if (typeof total === 'number') sum = (sum ?? 0) + total
  }
  return sum
}
