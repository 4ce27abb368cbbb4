import type { MeterReading } from '../../../../../src-main/core/ports/requests.ts'
import { Mask } from '../../../../../src-main/core/upstream/reply/mask.ts'
import { openReply, type ReplyOptions } from '../../../../../src-main/core/upstream/reply/replyStream.ts'

export const chatStream: ReplyOptions = {
  endpoint: 'chat',
  stream: true,
  status: 200,
  contentType: 'text/event-stream; charset=utf-8',
  mask: new Mask(null),
  stripUsage: false,
  tokensIn: 40,
}

export interface Relayed {
  out: string
  reading: MeterReading
  complete: boolean
}

/** The output as latin1, so that every byte is visible, and the reading at the end. */
export function relay(options: ReplyOptions, bytes: Uint8Array, cuts: readonly number[] = []): Relayed {
  const reply = openReply(options)
  const out = [...piecesOf(bytes, cuts)].flatMap((piece) => reply.push(piece)?.bytes ?? [])
  out.push(reply.end()?.bytes ?? new Uint8Array())
  return { out: Buffer.concat(out).toString('latin1'), reading: reply.reading(), complete: reply.isComplete }
}

/** Each piece is a separate copy, as from a socket, so that a change of one can't appear in another. */
export function* piecesOf(bytes: Uint8Array, cuts: readonly number[]): Generator<Uint8Array> {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const to of [...ends, bytes.length]) {
    yield bytes.slice(from, to)
    from = to
  }
}

const head = { id: 'chatcmpl-7f3a', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'writer-small' }

export const chunk = (rest: Record<string, unknown>): string => JSON.stringify({ ...head, ...rest })

export const delta = (d: Record<string, unknown>, index = 0, finish: string | null = null): string =>
  chunk({ choices: [{ index, delta: d, finish_reason: finish }] })

export const usage = {
  prompt_tokens: 31,
  completion_tokens: 9,
  total_tokens: 40,
  prompt_tokens_details: { cached_tokens: 12 },
}

export const usageChunk = chunk({ choices: [], usage })

export const event = (data: string, end = '\n'): string => `data: ${data}${end}${end}`
