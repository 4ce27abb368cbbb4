import { ORPCError } from '@orpc/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ReplaceableLink, setLink } from '../../../src-renderer/api/link.ts'
import { subscribe, watchWithRetry } from '../../../src-renderer/api/watch.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const transport = { call: () => Promise.reject(new Error('This test makes no calls.')) }
const refusal = () => new ORPCError('INTERNAL_SERVER_ERROR', { message: 'Refused.' })

/** A client with an open link. */
function openClient() {
  const client = {}
  const link = new ReplaceableLink()
  setLink(client, link)
  link.change('open', transport)
  return { client, link }
}

/** A stream that emits `events`, then waits until its signal aborts. */
async function* endless(events: readonly string[], signal: AbortSignal) {
  yield* events
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

describe('a subscription', () => {
  it('survives refusals: pauses double from 500 ms to 30 s, and events arrive once the core accepts again', async () => {
    const { client } = openClient()
    const startedAt: number[] = []
    const events: string[] = []
    const refusals: unknown[] = []
    const begin = Date.now()
    const stop = subscribe(
      client,
      (signal) => {
        startedAt.push(Date.now() - begin)
        return startedAt.length <= 8 ? Promise.reject(refusal()) : Promise.resolve(endless(['snapshot'], signal))
      },
      (event) => events.push(event),
      (thrown) => refusals.push(thrown),
    )
    await vi.advanceTimersByTimeAsync(120_000)
    expect(startedAt).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500])
    expect(events).toEqual(['snapshot'])
    expect(refusals).toHaveLength(8)
    stop()
  })

  it('waits for the link instead of retrying while it is lost, then starts again at once', async () => {
    const { client, link } = openClient()
    let starts = 0
    const refusals: unknown[] = []
    const stop = subscribe(
      client,
      (signal) => {
        starts += 1
        return Promise.resolve(endless(['snapshot'], signal))
      },
      () => undefined,
      (thrown) => refusals.push(thrown),
    )
    await vi.advanceTimersByTimeAsync(1_000)
    link.change('lost')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(starts).toBe(1)
    link.change('open', transport)
    await vi.advanceTimersByTimeAsync(0)
    expect(starts).toBe(2)
    expect(refusals).toEqual([])
    stop()
  })

  it('calls nothing after it was stopped, not even during a pause', async () => {
    const { client } = openClient()
    let starts = 0
    const stop = subscribe(
      client,
      () => {
        starts += 1
        return Promise.reject(refusal())
      },
      () => undefined,
    )
    await vi.advanceTimersByTimeAsync(100)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(starts).toBe(1)
  })
})

describe('watchWithRetry', () => {
  it('starts the pauses at 500 ms again after a watch that lasted longer than 30 s', async () => {
    const { client } = openClient()
    const stopped = new AbortController()
    const startedAt: number[] = []
    const begin = Date.now()
    void watchWithRetry(client, stopped.signal, async () => {
      startedAt.push(Date.now() - begin)
      if (startedAt.length === 3) await new Promise((resolve) => setTimeout(resolve, 40_000))
      throw refusal()
    })
    await vi.advanceTimersByTimeAsync(42_500)
    expect(startedAt).toEqual([0, 500, 1_500, 42_000])
    stopped.abort()
  })

  it('ends for good when the watched item no longer exists', async () => {
    const { client } = openClient()
    let starts = 0
    const refusals: unknown[] = []
    const gone = { kind: 'no_such_item', message: 'No such chat.' }
    await watchWithRetry(
      client,
      new AbortController().signal,
      () => {
        starts += 1
        return Promise.reject(new ORPCError('PROBLEM', { data: gone }))
      },
      (thrown) => refusals.push(thrown),
    )
    expect(starts).toBe(1)
    expect(refusals).toEqual([])
  })
})
