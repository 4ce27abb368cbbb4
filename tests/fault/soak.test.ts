import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareBuild, removeFolders, stopAll } from '../bench/processes.mjs'
import { growth, slots, soak } from '../soak/soak.mjs'

// The short form of `npm run soak`: the real process, its sockets from /proc, its memory from inside.

const streams = 400
let found: Awaited<ReturnType<typeof soak>>

beforeAll(async () => {
  prepareBuild()
  found = await soak({ streams, batches: 4, seed: 7, retries: false })
  // A build, if there is none yet, and two processes on a busy machine.
}, 180_000)
afterAll(async () => {
  await stopAll()
  removeFolders()
})

it('streams with random faults and cancels each end in one of the possible ways [SSE-04] [CHAT-16]', () => {
  const outcomes = Object.entries<number>(found.outcomes)
  expect(outcomes.filter(([words]) => words.startsWith('WRONG'))).toEqual([])
  expect(outcomes.map(([words]) => words)).toEqual(expect.arrayContaining(['whole', 'left', 'cut', 'answered 502']))
  expect(outcomes.reduce((sum, [, count]) => sum + count, 0)).toBe(streams)
})

it('afterwards no socket is left, and none is open at the service', () => {
  const [before, after] = found.sockets
  expect(after).toEqual(before)
  expect(after?.ended).toBe(true)
  expect(found.open).toBe(0)
})

it('every slot of the key is free again, and a freed one is given to a waiting request [LIM-05] [SSE-05]', () => {
  expect(found.slots).toEqual({ filled: true, held: slots, passedOn: true, emptied: true })
})

it('ended streams are not retained in memory', () => {
  // The log has the headers of the last 1,000 requests in memory, about 2.4 KB each. A retained request or reply would be 5 KB and more.
  expect(growth(found.live, streams)).toBeLessThan(4000)
})
