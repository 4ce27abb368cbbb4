import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FrameGate } from '../../../../src-main/core/gateway/proxy/webSocket/frameGate.ts'
import { tries } from '../../../helpers/effort.ts'

const maxMessage = 100_000

interface Frame {
  opcode: number
  isLast: boolean
  length: number
}

/** A masked frame as a client sends it. The gate does not look at the content. */
function bytesOf({ opcode, isLast, length }: Frame): Buffer {
  const first = (isLast ? 0x80 : 0) | opcode
  const size =
    length < 126
      ? Buffer.from([0x80 | length])
      : length < 65_536
        ? Buffer.from([0x80 | 126, length >> 8, length & 255])
        : Buffer.concat([
            Buffer.from([0x80 | 127, 0, 0, 0, 0]),
            Buffer.from([0, length >> 16, (length >> 8) & 255, length & 255]),
          ])
  return Buffer.concat([Buffer.from([first]), size, Buffer.alloc(4 + length, opcode)])
}

const length = fc.oneof(fc.nat(130), fc.constantFrom(0, 125, 126, 65_535, 65_536, 90_000))
const control = fc.record({ opcode: fc.constantFrom(9, 10), isLast: fc.constant(true), length: fc.nat(125) })
/** A message in one or several frames, with pings between them. */
const message = fc
  .record({
    opcode: fc.constantFrom(1, 2),
    lengths: fc.array(length, { minLength: 1, maxLength: 3 }),
    ping: fc.option(control, { nil: null }),
  })
  .map(({ opcode, lengths, ping }) =>
    lengths.flatMap((size, at): Frame[] => {
      const frame = { opcode: at === 0 ? opcode : 0, isLast: at === lengths.length - 1, length: size }
      return ping === null ? [frame] : [frame, ping]
    }),
  )
const delays = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 })

it('passes any frames unchanged, however they are split, and asks once for each message', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 5 }),
      fc.array(fc.nat(5000), { maxLength: 10 }),
      delays,
      async (messages, cuts, isDelayed) => {
        const whole = Buffer.concat(messages.flat().map(bytesOf))
        const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
        const asked: number[] = []
        let closings = 0
        let waiting = 0
        const passed: Buffer[] = []
        const gate = new FrameGate({
          socket,
          maxMessage,
          admit: (bytes) => {
            expect(waiting).toBe(0)
            asked.push(bytes)
            if (isDelayed[asked.length % isDelayed.length] !== true) return true
            waiting += 1
            return new Promise((resolve) => {
              setImmediate(() => {
                waiting -= 1
                resolve(true)
              })
            })
          },
          closing: () => {
            closings += 1
          },
        })
        gate.on('data', (bytes: Buffer) => passed.push(bytes))
        const ends = [...new Set([...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b)
        let from = 0
        for (const end of ends) {
          socket.push(whole.subarray(from, end))
          from = end
        }
        const ended = new Promise((resolve) => gate.once('end', resolve))
        socket.push(bytesOf({ opcode: 8, isLast: true, length: 2 }))
        socket.push(null)
        await ended
        expect(
          Buffer.concat(passed).equals(Buffer.concat([whole, bytesOf({ opcode: 8, isLast: true, length: 2 })])),
        ).toBe(true)
        const sizes = messages.map(([first]) => (first?.isLast === true ? first.length : maxMessage))
        expect(asked).toEqual(sizes)
        expect(closings).toBeGreaterThan(0)
        expect(gate.isInMessage).toBe(false)
      },
    ),
    { numRuns: tries(200, 3000) },
  )
})

it('discards what follows a refused message', async () => {
  const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
  const passed: Buffer[] = []
  const gate = new FrameGate({ socket, maxMessage, admit: async () => false, closing: () => undefined })
  gate.on('data', (bytes: Buffer) => passed.push(bytes))
  const ended = new Promise((resolve) => gate.once('close', resolve))
  socket.push(bytesOf({ opcode: 1, isLast: true, length: 50_000 }))
  socket.push(bytesOf({ opcode: 1, isLast: true, length: 50_000 }))
  socket.push(null)
  await ended
  expect(Buffer.concat(passed)).toHaveLength(8)
})
