import { once } from 'node:events'
import type { ForwardReply } from '../../upstream/types.ts'
import type { AppReply } from './appReply.ts'
import type { ChatStream } from './chatStream.ts'

/**
 * Passes the reply body to the app as it arrives. An app that reads slowly slows the service down.
 * @param stream of a chat: receives the last bytes that were sent
 * @throws StudioError the failure of the reply, also that of a chat's stream whose bytes ended regularly, but without an end of the stream;
 * DOMException `AbortError` when `gone` aborts while the app reads slowly
 */
export async function pipeReply(
  reply: ForwardReply,
  response: AppReply,
  gone: AbortSignal,
  stream: ChatStream | null = null,
): Promise<void> {
  // A short reply has mostly arrived with its headers: send both in one write.
  const whole = reply.whole()
  if (whole) {
    if (stream && isBroken(reply)) {
      stream.last = whole.bytes
      response.write(whole.bytes)
      throw reply.failure()
    }
    response.end(whole.bytes)
    return
  }
  // Headers are sent in one write with the first bytes if these arrive in the same turn of the event loop. The headers of a stream do not
  // wait for its first event.
  const flush = setImmediate(() => response.flushHeaders())
  try {
    for await (const { bytes } of reply.body) {
      clearImmediate(flush)
      if (bytes.length === 0) continue
      if (stream) stream.last = bytes
      if (!response.write(bytes)) await once(response, 'drain', { signal: gone })
    }
  } finally {
    clearImmediate(flush)
  }
  if (stream && isBroken(reply)) throw reply.failure()
  response.end()
}

/** Whether the stream of a chat, whose bytes have ended, broke off. The service did not end it, and not every choice has finished. */
const isBroken = (reply: ForwardReply): boolean => reply.failure() !== null && !reply.isEnded()
