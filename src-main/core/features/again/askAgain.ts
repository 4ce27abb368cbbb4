import { setTimeout as sleep } from 'node:timers/promises'
import type { AgainEvent, RequestRow } from '../../../../src-preload/contract/requests.ts'
import { StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import type { CallOptions } from '../../upstream/types.ts'

export interface AskAgainFeature {
  /** @throws StudioError `not_connected` */
  upstream(): Promise<{
    repeat(request: { path: string; body: Record<string, unknown> }, options: CallOptions): Promise<void>
  }>
  /** A row of the request log, or null. */
  row(id: number): Pick<RequestRow, 'method' | 'path'> | null
}

/** How long the end waits until the cost of a reply that is complete is in the log, ms. */
const costPatienceMs = 250

/**
 * Sends a request of the studio to the path of a logged one, and yields its row and its end. The key, the limits and the cost are those of the studio,
 * whatever app sent the original. Request and reply are logged with their bodies, because a person wants to compare them. Aborting ends
 * the request.
 * @throws StudioError `no_such_item`, `bad_input`, and errors of the service before the request has a row; later ones are in the row
 */
export async function* askAgain(
  { upstream, row }: AskAgainFeature,
  { id, body }: { id: number; body: string },
  signal?: AbortSignal,
): Feed<AgainEvent> {
  const original = row(id)
  if (!original) throw new StudioError('no_such_item', 'This request is not in the log.')
  if (original.method !== 'POST') throw new StudioError('bad_input', 'Only a POST request can be asked again.')
  const request = { path: original.path, body: parsedBody(body) }
  const client = await upstream()
  const ended = new AbortController()
  const opened = Promise.withResolvers<number>()
  const closed = Promise.withResolvers<void>()
  const sent = client.repeat(request, {
    feature: 'again',
    signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
    logBodies: true,
    againOf: id,
    onRow: opened.resolve,
    onClosed: closed.resolve,
  })
  try {
    const first = await Promise.race([opened.promise, sent])
    if (first !== undefined) {
      yield { type: 'row', id: first }
      // The row says how the request failed.
      await sent.catch((thrown: unknown) => {
        if (signal?.aborted || !(thrown instanceof StudioError)) throw thrown
      })
      await Promise.race([closed.promise, sleep(costPatienceMs, undefined, { ref: false })])
    }
    yield { type: 'end' }
  } finally {
    ended.abort()
    // Nobody reads the failure of a request that was left.
    sent.catch(() => undefined)
  }
}

function parsedBody(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new StudioError('bad_input', 'The request is not valid JSON.', {}, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StudioError('bad_input', 'The request must be a JSON object.')
  }
  return { ...value }
}
