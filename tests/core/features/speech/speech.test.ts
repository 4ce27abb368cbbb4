import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
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

  it('costs what the service charges for its size, once that was read, and the estimate of a long text says so', {
    tags: 'long',
  }, async () => {
    const service = await startSandbox()
    onTestFinished(() => service.close())
    const { speeches, requestLog, account } = speechProcedures(service)
    const spoken = async (text: string): Promise<void> => {
      const { id } = await speeches.make(wish(text, { speed: 4 }))
      await seen(speeches, id, isOver)
      requestLog.learn((await account.getUsage({ feature: 'account' })).value, service.baseUrl)
    }
    const long = 'The ferry leaves the harbour at seven in the morning. '.repeat(370)
    // The history of the sandbox has an average cost of a request, whatever its size.
    await spoken('Good morning, dear harbour. It is a fine day, is it?!')
    expect(speeches.plan(wish(long)).cost).toBeNull()
    await spoken(long.slice(0, 4096))
    const { bytes, cost } = speeches.plan(wish(long))
    // 0.015 SC for a thousand bytes.
    const charged = (bytes / 1000) * 0.015
    expect(Number(cost)).toBeGreaterThan(charged * 0.8)
    expect(Number(cost)).toBeLessThan(charged * 1.25)
  })
})
