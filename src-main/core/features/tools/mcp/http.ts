import { AsyncLocalStorage } from 'node:async_hooks'
import type { FetchLike } from '@modelcontextprotocol/client'
import * as z from 'zod'
import { StudioError } from '../../../errors.ts'

const sentMessage = z.object({
  method: z.string(),
  id: z.union([z.number(), z.string()]).optional(),
  params: z.object({ requestId: z.union([z.number(), z.string()]).optional() }).optional(),
})

/**
 * Caller that waits for the reply to a tool call. Calls `lost` if the reply stream ends without a reply, because the library would keep
 * waiting.
 */
export const callWatch = new AsyncLocalStorage<{ lost: (why: StudioError) => void }>()
/** Time to process events that arrived before the end of a stream, ms. */
const lastEventMs = 1000

/**
 * `fetch` for one server. Limits a whole reply, or one event of a stream, to `messageBytes`. Aborts the reply to a
 * cancelled call, whatever the server does.
 */
export function boundedFetch(inner: typeof fetch, messageBytes: number): FetchLike {
  const calls = new Map<string | number, AbortController>()

  return async (url, init) => {
    const message = readMessage(init?.body)
    const id = message?.method === 'tools/call' ? message.id : undefined
    const controller = new AbortController()
    const signal = init?.signal ? AbortSignal.any([init.signal, controller.signal]) : controller.signal
    if (id !== undefined) calls.set(id, controller)
    const watch = callWatch.getStore()
    const done = (why: StudioError | null): void => {
      if (id !== undefined) calls.delete(id)
      if (why) setTimeout(() => watch?.lost(why), lastEventMs).unref()
    }
    try {
      const response = await inner(url, { ...init, signal })
      return bounded(response, messageBytes, done)
    } catch (thrown) {
      done(null)
      throw thrown
    } finally {
      const cancelled = message?.method === 'notifications/cancelled' ? message.params?.requestId : undefined
      if (cancelled !== undefined) calls.get(cancelled)?.abort()
    }
  }
}

function readMessage(body: unknown): z.infer<typeof sentMessage> | null {
  if (typeof body !== 'string') return null
  const parsed = sentMessage.safeParse(JSON.parse(body))
  return parsed.success ? parsed.data : null
}

function bounded(response: Response, most: number, done: (why: StudioError | null) => void): Response {
  if (!response.body) {
    done(null)
    return response
  }
  const stream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  let size = 0
  let tail = ''
  /** Whether events have ids. The library then requests missing events again by itself. */
  let resumable = false
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length
      if (stream) {
        // An event ends at an empty line, which may be split between two chunks. Three earlier characters are enough to
        // find it.
        const text = tail + Buffer.from(chunk).toString('latin1')
        const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\r'), text.lastIndexOf('\r\n\r\n'))
        if (end >= 0) size = text.length - end
        tail = text.slice(-3)
        resumable ||= /(^|[\r\n])id:/.test(text)
      }
      if (size > most) {
        const why = new StudioError('malformed_reply', `It sent a message of more than ${most} bytes.`)
        done(why)
        throw why
      }
      controller.enqueue(chunk)
    },
  })
  const broken = new StudioError('connection_lost', 'The connection ended before it answered.')
  const over = (): void => done(stream && !resumable ? broken : null)
  response.body.pipeTo(counted.writable).then(over, over)
  const { status, statusText, headers } = response
  return new Response(counted.readable, { status, statusText, headers })
}
