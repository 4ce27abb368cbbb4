import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { heard, isOver, seen, speechProcedures, wish } from './helpers.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

describe('a speech', () => {
  it('is stored before it is requested, is streamed as it arrives, and is a file in the end [TTS-05]', async () => {
    const { speeches, media } = speechProcedures(sandbox)
    const made = await speeches.make(wish('Good morning, dear harbour.'))
    expect(made).toMatchObject({ state: 'making', parts: 1, partsDone: 0, mediaId: null, textBytes: 27, voice: 'nova' })
    const { order, parts } = await heard(speeches.listen({ id: made.id, fromPart: 1 }))
    expect(order).toEqual(['plan 1 audio/mpeg', 'audio 1', 'part 1', 'end done'])
    const done = await seen(speeches, made.id, isOver)
    expect(done).toMatchObject({ state: 'done', partsDone: 1, mime: 'audio/mpeg', problem: null })
    const file = await media.open(done.mediaId ?? '')
    expect(file?.bytes).toBe(parts[0]?.bytes.length)
    expect(speeches.get({ id: made.id })).toMatchObject({ text: 'Good morning, dear harbour.' })
    expect(speeches.find({ search: 'HARBOUR nova', favourites: false, before: null, limit: 10 })).toMatchObject({
      total: 1,
      speeches: [{ id: made.id }],
    })
  }, 60_000)
})
