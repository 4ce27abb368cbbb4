import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeFrames, encodeFrame } from '../../../src-preload/contract/frames.ts'

async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}

it('events and their bytes are the same after any cut of the stream', async () => {
  const event = fc.record({ type: fc.string({ unit: 'grapheme' }), part: fc.integer(), data: fc.uint8Array() })
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(fc.array(event), sizes, async (events, cuts) => {
      const bytes = Buffer.concat(events.flatMap((one) => encodeFrame(one)))
      const decoded: object[] = []
      for await (const one of decodeFrames(chunked(bytes, cuts))) decoded.push(one)
      expect(decoded).toEqual(events.map(({ data, ...rest }) => ({ ...rest, data: new Uint8Array(data) })))
    }),
  )
})

it('a stream that is cut within a frame is an error', async () => {
  const bytes = Buffer.concat(encodeFrame({ type: 'audio', data: Buffer.from('sound') }))
  const read = async () => {
    for await (const _ of decodeFrames(chunked(bytes.subarray(0, -1), [7]))) expect.fail('It is not complete.')
  }
  await expect(read()).rejects.toThrow('within a frame')
})
