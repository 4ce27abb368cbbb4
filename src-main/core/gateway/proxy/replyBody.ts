import { StudioError } from '../../errors.ts'
import type { ForwardReply } from '../../upstream/types.ts'
import type { AppReply } from './appReply.ts'

/**
 * Passes the reply body to the app as it arrives. An app that reads slowly slows the service down.
 * @throws StudioError the failure of the reply, or `cancelled`
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
  if (reply.flow) {
    await pipeFlow(reply.flow, response, gone, flush)
    return
  }
  for await (const { bytes } of reply.body) {
    clearImmediate(flush)
    if (bytes.length > 0 && !response.write(bytes)) await drained(response, gone)
  }
  clearImmediate(flush)
  response.end()
}

/** @throws StudioError the failure of the reply, or `cancelled` */
function pipeFlow(
  flow: NonNullable<ForwardReply['flow']>,
  response: AppReply,
  gone: AbortSignal,
  flush: NodeJS.Immediate,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let hasStarted = false
    let body: { resume(): void } | null = null
    const stop = (): void => {
      clearImmediate(flush)
      response.off('drain', resume)
      gone.removeEventListener('abort', leave)
    }
    const resume = (): void => body?.resume()
    const leave = (): void => {
      stop()
      reject(new StudioError('cancelled', 'Cancelled.'))
    }
    if (gone.aborted) return leave()
    response.on('drain', resume)
    gone.addEventListener('abort', leave, { once: true })
    body = flow({
      write({ bytes }) {
        if (bytes.length === 0) return true
        if (!hasStarted) clearImmediate(flush)
        hasStarted = true
        return response.write(bytes)
      },
      end() {
        stop()
        response.end()
        resolve()
      },
      fail(error) {
        stop()
        reject(error)
      },
    })
  })
}

/** Resolves when the app has read the written bytes. @throws StudioError `cancelled` if the app disconnects first */
function drained(response: AppReply, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      response.off('drain', go)
      reject(new StudioError('cancelled', 'Cancelled.'))
    }
    const go = (): void => {
      gone.removeEventListener('abort', leave)
      resolve()
    }
    if (gone.aborted) return leave()
    response.once('drain', go)
    gone.addEventListener('abort', leave, { once: true })
  })
}
