import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawImage } from '../../../src-main/sandbox/images/draw.ts'
import { inspectImage } from '../../../src-main/sandbox/vision/inspect.ts'
import { firstCases } from '../../helpers/effort.ts'
import { needs } from '../../helpers/programs.mjs'
import { ffmpegMake, ffprobe } from './tools.ts'

describe('images', () => {
  it(
    '[IMG-02] draws the same PNG for the same prompt and index, another for any other, in one of three sizes',
    needs('ffmpeg', 'long'),
    () => {
      const one = drawImage('a red fox', 0)
      expect(Buffer.from(one).equals(drawImage('a red fox', 0))).toBe(true)
      expect(Buffer.from(one).equals(drawImage('a red fox', 1))).toBe(false)
      expect(Buffer.from(one).equals(drawImage('a red box', 0))).toBe(false)
      expect(one.length).toBeLessThan(1_500_000)
      const { width, height } = inspectImage(one)
      expect(['1024x1024', '1024x768', '768x1024']).toContain(`${width}x${height}`)
      expect(ffprobe(one)).toContain(`width=${width}`)
    },
  )
})

describe('image inspection', () => {
  it.each(
    firstCases(1, [
      ['png', ['-c:v', 'png', '-f', 'image2pipe']],
      ['jpeg', ['-c:v', 'mjpeg', '-f', 'image2pipe']],
      ['gif', ['-f', 'gif']],
      ['webp', ['-c:v', 'libwebp', '-f', 'image2pipe']],
    ]),
  )('reports the size of a %s, and the mean colour of png and jpeg', needs('ffmpeg'), (format, coding) => {
    const made = ffmpegMake('-f', 'lavfi', '-i', 'color=0x4080C0:s=120x66:d=0.04', '-frames:v', '1', ...coding)
    const seen = inspectImage(made)
    expect(seen).toMatchObject({ format, width: 120, height: 66 })
    if (format === 'gif' || format === 'webp') return expect(seen.meanColour).toBeNull()
    for (const [channel, value] of [
      ['r', 0x40],
      ['g', 0x80],
      ['b', 0xc0],
    ] as const) {
      expect(Math.abs((seen.meanColour?.[channel] ?? -99) - value)).toBeLessThan(5)
    }
  })

  it('reads only the header of an image that claims to be enormous', () => {
    const huge = Buffer.from(drawImage('x', 0))
    huge.writeUInt32BE(60_000, 16)
    huge.writeUInt32BE(60_000, 20)
    expect(inspectImage(huge)).toEqual({ format: 'png', width: 60_000, height: 60_000, meanColour: null })
  })

  it('never throws, whatever the bytes', () => {
    const heads = ['', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'GIF89a', 'RIFF\0\0\0\0WEBPVP8 ', 'RIFF\0\0\0\0WEBPVP8L']
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }), (head, rest) => {
        expect(inspectImage(Buffer.concat([Buffer.from(head, 'latin1'), rest]))).toHaveProperty('format')
      }),
    )
  })
})
