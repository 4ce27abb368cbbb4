import { once } from 'node:events'
import type { ForwardReply } from '../../upstream/types.ts'
import type { AppReply } from './appReply.ts'

/**
 * Passes the reply body to the app as it arrives. An app that reads slowly slows the service down.
 * @throws StudioError the failure of the reply; DOMException `AbortError` when `gone` aborts while the app reads slowly
 */
export async function pipeReply(reply: ForwardReply, response: AppReply, gone: AbortSignal): Promise<void> {
  // A short reply has mostly arrived with its headers: send both in one write.
  const whole = reply.whole()
  if (whole) {
    response.end(whole.bytes)
    return
  }
  // Headers are sent in one write with the first bytes if these arrive in the same turn of the event loop. The headers of a stream do not
  // wait for its first event.
  const flush = setImmediate(() => response.flushHeaders())
  try {
    for await (const { bytes } of reply.body) {
      clearImmediate(flush)
      if (bytes.length > 0 && !response.write(bytes)) await once(response, 'drain', { signal: gone })
    }
  } finally {
    clearImmediate(flush)
  }
  response.end()
}
