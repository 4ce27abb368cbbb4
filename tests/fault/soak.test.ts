import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareBuild, removeFolders, stopAll } from '../bench/processes.mjs'
import { growth, slots, soak } from '../soak/soak.mjs'

// The short form of `npm run soak`: the real process, its sockets from /proc, its memory from inside.

const streams = 400
let found: Awaited<ReturnType<typeof soak>>

beforeAll(async () => {
  prepareBuild()
  found = await soak({ streams, batches: 4, seed: 7, retries: false })
  // A build, where there is none yet, and two processes on a busy machine.
}, 180_000)
afterAll(async () => {
  await stopAll()
  removeFolders()
})

it('streams with random faults and cancels each come to an end that may come of them [SSE-04] [CHAT-16]', () => {
  const outcomes = Object.entries<number>(found.outcomes)
  expect(outcomes.filter(([words]) => words.startsWith('WRONG'))).toEqual([])
  expect(outcomes.map(([words]) => words)).toEqual(expect.arrayContaining(['whole', 'left', 'cut', 'answered 502']))
  expect(outcomes.reduce((sum, [, count]) => sum + count, 0)).toBe(streams)
})

it('afterwards no socket is left, and nothing is open at the service', () => {
  const [before, after] = found.sockets
  expect(after).toEqual(before)
  expect(after?.ended).toBe(true)
  expect(found.open).toBe(0)
})

it('every slot of the key is there again, and one that is left goes to who waits [LIM-05] [SSE-05]', () => {
  expect(found.slots).toEqual({ filled: true, held: slots, passedOn: true, emptied: true })
})

it('what a stream was is not kept in memory', () => {
  // The log keeps the headers of the last 1,000 requests, which is some 2.4 KB each; a request or a reply beside them is 5 KB and more.
  expect(growth(found.live, streams)).toBeLessThan(4000)
})
