import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPieceUploader } from '../../../../src-renderer/shared/audio/recorderUpload.ts'

const whole = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString('hex')

/** Appends missing bytes and ignores known ones, like the core. Each word of the script is one failure. */
function disk(script: ('ok' | 'lost before' | 'lost after' | 'half')[]) {
  let taken = Buffer.alloc(0)
  return {
    text: () => taken.toString('hex'),
    append: async (at: number, piece: Blob) => {
      const bytes = Buffer.from(await piece.arrayBuffer())
      const word = script.shift() ?? 'ok'
      if (word === 'lost before') throw new Error('lost')
      if (at > taken.length) throw new Error('a hole')
      const fresh = bytes.subarray(taken.length - at)
      taken = Buffer.concat([taken, word === 'half' ? fresh.subarray(0, Math.ceil(fresh.length / 2)) : fresh])
      if (word === 'lost after') throw new Error('lost')
      return taken.length
    },
  }
}

describe('pieces of a recording', () => {
  test('are stored completely and in order, whatever is lost and however often', async () => {
    const word = fc.constantFrom<'ok' | 'lost before' | 'lost after' | 'half'>(
      'ok',
      'lost before',
      'lost after',
      'half',
    )
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(word, { maxLength: 20 }), async (said, script) => {
        const { append, text } = disk([...script])
        const uploader = createPieceUploader({
          append,
          onTrouble: () => true,
          onStored: () => undefined,
          pauseMs: 0,
        })
        for (const piece of said) {
          uploader.add(new Blob([piece]))
          await Promise.resolve()
        }
        await uploader.stored()
        expect(text()).toBe(whole(said))
      }),
      { numRuns: 200 },
    )
  })

  test('are sent from the first byte when the other side has started over', async () => {
    const first = disk([])
    const second = disk([])
    let now = first
    const uploader = createPieceUploader({
      append: (at, piece) => now.append(at, piece),
      onTrouble: () => {
        uploader.restart()
        return true
      },
      onStored: () => undefined,
      pauseMs: 0,
    })
    uploader.add(new Blob(['what was said, ']))
    await uploader.stored()
    now = second
    uploader.add(new Blob(['and what was said after']))
    await uploader.stored()
    expect(Buffer.from(second.text(), 'hex').toString()).toBe('what was said, and what was said after')
  })

  test('are reported when they cannot be stored, and stay in memory', async () => {
    const uploader = createPieceUploader({
      append: () => Promise.reject(new Error('no room on the disk')),
      onTrouble: () => false,
      onStored: () => undefined,
      pauseMs: 0,
    })
    uploader.add(new Blob(['said']))
    await expect(uploader.stored()).rejects.toThrow('no room on the disk')
    uploader.add(new Blob([' after it']))
    expect(await uploader.whole('audio/webm').text()).toBe('said after it')
  })
})
