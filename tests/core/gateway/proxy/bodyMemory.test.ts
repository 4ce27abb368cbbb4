import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyMemory, type MemoryReservation } from '../../../../src-main/core/gateway/proxy/bodyMemory.ts'

const bounds = { small: 100, large: 1000, smallBody: 10, waitMs: 60_000 }
const never = new AbortController().signal

/** Whether the promise is settled, and its value. */
function watched(taken: MemoryReservation | Promise<MemoryReservation | null>): {
  value: MemoryReservation | null | undefined
} {
  const state: { value: MemoryReservation | null | undefined } = { value: undefined }
  if (taken instanceof Promise) void taken.then((feature) => (state.value = feature))
  else state.value = taken
  return state
}
const anyOf = <T>(all: T[], which: number): T | undefined => all[which % Math.max(1, all.length)]
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the memory for bodies', () => {
  it('is never exceeded, and no request waits for ever, in any order of requests', async () => {
    const step = fc.oneof(
      fc.record({ app: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 1000 }) }),
      fc.record({ ends: fc.nat() }),
      fc.record({ shrinks: fc.nat(), to: fc.nat(1000) }),
      fc.record({ leaves: fc.nat() }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const memory = new BodyMemory(bounds)
        const asked: { state: { value: MemoryReservation | null | undefined }; gone: AbortController }[] = []
        const reservations = () => asked.flatMap(({ state: { value } }) => value ?? [])
        const act = (one: (typeof steps)[number]): void => {
          if ('app' in one) {
            const gone = new AbortController()
            asked.push({ state: watched(memory.take(one.app, one.bytes, gone.signal)), gone })
          } else if ('ends' in one) anyOf(reservations(), one.ends)?.release()
          else if ('shrinks' in one) anyOf(reservations(), one.shrinks)?.shrink(one.to)
          else anyOf(asked, one.leaves)?.gone.abort()
        }
        for (const one of steps) {
          act(one)
          expect(memory.peak.small).toBeLessThanOrEqual(bounds.small)
          expect(memory.peak.large).toBeLessThanOrEqual(bounds.large)
          await settled()
        }
        // All requests with memory end. Then the other requests get memory, a few at a time.
        for (let round = 0; round <= asked.length; round++) {
          for (const reservation of reservations()) reservation.release()
          await settled()
        }
        expect(memory.waiting).toBe(0)
        expect(memory.held).toBe(0)
        expect(asked.filter(({ state }) => state.value === undefined)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('gives one app at most half, so that its slow uploads do not block others', async () => {
    const memory = new BodyMemory(bounds)
    const first = watched(memory.take('slow', 400, never))
    const second = watched(memory.take('slow', 400, never))
    const other = watched(memory.take('other', 600, never))
    await settled()
    expect(first.value).toBeTruthy()
    expect(second.value).toBeUndefined()
    expect(other.value).toBeTruthy()
    first.value?.release()
    await settled()
    expect(second.value).toBeTruthy()
  })

  it('gives a single body more than half if its app has no other reservation', () => {
    expect(new BodyMemory(bounds).takeNow('a', 1000)).not.toBeNull()
    expect(new BodyMemory(bounds).takeNow('a', 1001)).toBeNull()
  })

  it('separates large and small bodies, and small ones do not overtake a waiting large one', async () => {
    const memory = new BodyMemory(bounds)
    const full = watched(memory.take('a', 1000, never))
    expect(memory.takeNow('a', 10)).not.toBeNull()
    const waiting = watched(memory.take('b', 900, never))
    expect(memory.takeNow('c', 50)).toBeNull()
    full.value?.release()
    await settled()
    expect(waiting.value).toBeTruthy()
    expect(memory.takeNow('c', 50)).not.toBeNull()
  })

  it('resolves to null after a wait in vain and after an abort', async () => {
    const memory = new BodyMemory({ ...bounds, waitMs: 20 })
    const held = memory.takeNow('a', 1000)
    expect(await memory.take('b', 500, never)).toBeNull()
    const gone = new AbortController()
    const taken = memory.take('b', 500, gone.signal)
    gone.abort()
    expect(await taken).toBeNull()
    expect(await memory.take('b', 500, gone.signal)).toBeNull()
    expect(memory.waiting).toBe(0)
    held?.release()
    held?.release()
    expect(memory.held).toBe(0)
  })
})
