// @module-tag ffmpeg
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { codedNumber } from '../../../../src-main/core/features/speech/join/flac.ts'
import { joinParts } from '../../../../src-main/core/features/speech/join/join.ts'
import { joinerOf, readSound } from '../../../../src-main/core/features/speech/join/sound.ts'
import { readWav, wavHead } from '../../../../src-main/core/features/speech/join/wav.ts'
import { synthesize } from '../../../../src-main/sandbox/speech/speech.ts'
import { type SpeechFormat, speechFormats } from '../../../../src-preload/contract/speech.ts'
import { firstCases, onlyLong, tries } from '../../../helpers/effort.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { complaints, decoded, decodedAll, encodedAll, largestStep, placeOf, testRate } from './audio.ts'

const folder = temporaryFolder('studio-join-')
let count = 0
const fresh = (format: string): string => join(folder, `${count++}.${format}`)

/** A tone with rising pitch, so that each moment is unique. 40 ms of fade at both ends, because speech begins and ends in silence too. */
function chirp(seconds: number, from: number): Float32Array {
  const samples = new Float32Array(Math.round(seconds * testRate))
  const edge = testRate * 0.04
  let phase = 0
  for (let at = 0; at < samples.length; at++) {
    phase += (2 * Math.PI * (from + (1500 * at) / samples.length)) / testRate
    samples[at] = 0.5 * Math.min(1, at / edge, (samples.length - 1 - at) / edge) * Math.sin(phase)
  }
  return samples
}

async function joined(files: readonly string[], format: SpeechFormat, cutLast = false) {
  const parts = files.map((path, index) => ({ path, whole: !(cutLast && index === files.length - 1) }))
  const to = fresh(format)
  return { to, made: await joinParts(parts, { format, pcmRate: testRate }, to) }
}

const texts = ['Good morning, dear harbour. The tide is in.', 'A second part follows here, rather short.', 'Done now.']
/** The same words from two encoders: one that writes its delay, and one that does not. */
const spoken = new Map<string, string[]>()
beforeAll(async () => {
  const wavs: string[] = []
  for (const input of texts) {
    const wav = fresh('wav')
    writeFileSync(wav, (await synthesize({ input, voice: 'nova', format: 'wav', speed: 1 })).bytes)
    wavs.push(wav)
  }
  const plain = decodedAll(wavs, 'wav')
  for (const format of speechFormats) {
    const [bare, withDelay]: [string[], string[]] = [[], []]
    for (const input of texts) {
      const { bytes } = await synthesize({ input, voice: 'nova', format, speed: 1 })
      const file = fresh(format)
      writeFileSync(file, bytes)
      bare.push(file)
      withDelay.push(fresh(format))
    }
    encodedAll(
      plain.map((samples, at) => ({ samples, to: withDelay[at] ?? '' })),
      format,
    )
    spoken.set(`${format} of the sandbox`, bare)
    spoken.set(`${format} of ffmpeg`, withDelay)
  }
}, 120_000)

const formatOf = (name: string): SpeechFormat => speechFormats.find((format) => name.startsWith(format)) ?? 'mp3'

describe('joined parts', () => {
  it.each(
    firstCases(
      2,
      speechFormats.flatMap((format) => [`${format} of the sandbox`, ...onlyLong(`${format} of ffmpeg`)]),
    ),
  )(
    '%s: the length is the sum within 50 ms, each part is in position, no clicks, no changed samples [TTS-03]',
    async (name) => {
      const format = formatOf(name)
      const files = spoken.get(name) ?? []
      const { to, made } = await joined(files, format)
      const parts = decodedAll([...files, to], format)
      const whole = parts.pop() ?? new Float32Array()
      const sum = parts.reduce((total, { length }) => total + length, 0)
      expect(Math.abs(whole.length - sum) / testRate).toBeLessThanOrEqual(0.05)
      expect(made?.seconds).toBeCloseTo(whole.length / testRate, 2)
      // A click is a step that no voice makes. No step at a join is larger than the largest one within the parts.
      const usual = Math.max(...parts.map((part) => largestStep(part)))
      let at = 0
      for (const part of parts) {
        const join_ = at
        expect(largestStep(whole, join_ - 1200, join_ + 1200)).toBeLessThanOrEqual(usual * 1.02)
        const place = placeOf(part, whole, at)
        expect(Math.abs(place.at - at) / testRate).toBeLessThanOrEqual(0.0125)
        // AAC fills silence with noise that differs each time it is decoded.
        expect(place.differs).toBeLessThan(format === 'aac' ? 0.05 : 0.001)
        at += part.length
      }
      if (format !== 'pcm') {
        const after = complaints(to).split('\n').filter(Boolean).length
        // A warning about the joined file must not be new. Most files cause none.
        const before = after === 0 ? [] : files.flatMap((file) => complaints(file).split('\n').filter(Boolean))
        expect(after).toBeLessThanOrEqual(before.length)
      }
    },
  )

  it.each(['wav', 'pcm', 'flac'] as const)(
    '%s: the joined samples are exactly those of the parts',
    { tags: 'long' },
    async (format) => {
      const files = spoken.get(`${format} of ffmpeg`) ?? []
      const { to } = await joined(files, format)
      const parts = decodedAll([...files, to], format)
      const whole = parts.pop() ?? new Float32Array()
      const expected = Float32Array.from(parts.flatMap((part) => [...part]))
      expect(Buffer.compare(Buffer.from(whole.buffer), Buffer.from(expected.buffer))).toBe(0)
    },
  )

  it.each<[string, SpeechFormat, number, string[]]>([
    ['mp3 at 44,100 Hz, stereo, borrowing bits', 'mp3', 44_100, ['-ar', '44100', '-ac', '2', '-b:a', '128k']],
    ['mp3 with a changing bit rate', 'mp3', testRate, ['-q:a', '4']],
    ['mp3 with checksums', 'mp3', testRate, ['-b:a', '48k', '-write_xing', '1']],
    ['opus in stereo, 60 ms a packet', 'opus', 48_000, ['-ac', '2', '-frame_duration', '60']],
    ['flac at 48,000 Hz', 'flac', 48_000, ['-ar', '48000']],
  ])('%s: errors of five joins do not add up', { tags: 'long' }, async (_, format, rate, more) => {
    const sounds = Array.from({ length: 6 }, (_unused, index) => ({
      samples: chirp(0.4 + (index % 7) * 0.0371, 300 + index * 40),
      to: fresh(format),
    }))
    encodedAll(sounds, format, more)
    const files = sounds.map((sound) => sound.to)
    const { to } = await joined(files, format)
    const parts = decodedAll([...files, to], format, rate)
    const whole = parts.pop() ?? new Float32Array()
    const sum = parts.reduce((total, { length }) => total + length, 0)
    expect(Math.abs(whole.length - sum) / rate).toBeLessThanOrEqual(0.05)
    const usual = Math.max(...parts.map((part) => largestStep(part)))
    expect(largestStep(whole)).toBeLessThanOrEqual(usual * 1.1)
    let at = 0
    for (const part of parts) {
      const place = placeOf(part, whole, at, rate / 20)
      expect(Math.abs(place.at - at) / rate).toBeLessThanOrEqual(format === 'opus' ? 0.0325 : 0.0135)
      // Long Opus packets depend on earlier audio for longer.
      expect(place.differs).toBeLessThan(format === 'opus' ? 0.25 : 0.1)
      at += part.length
    }
  })

  it('a single part is copied byte for byte', async () => {
    for (const format of ['mp3', 'opus', 'aac', 'flac', 'pcm'] as const) {
      const [file = ''] = spoken.get(`${format} of the sandbox`) ?? []
      const { to } = await joined([file], format)
      expect(readFileSync(to).equals(readFileSync(file))).toBe(true)
    }
  })

  it.each(speechFormats)(
    '%s: a truncated part is joined up to its last complete frame',
    { tags: 'long' },
    async (format) => {
      const [first = '', second = ''] = spoken.get(`${format} of ffmpeg`) ?? []
      const bytes = readFileSync(second)
      const whole = readSound(bytes, format, testRate)?.seconds ?? 0
      const before = readSound(readFileSync(first), format, testRate)?.seconds ?? 0
      let longest = 0
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (length) => {
          const cut = fresh(format)
          writeFileSync(cut, bytes.subarray(0, length))
          const { made } = await joined([first, cut], format, true)
          expect(made?.seconds).toBeGreaterThanOrEqual(before - 0.05)
          expect(made?.seconds).toBeLessThanOrEqual(before + whole + 0.1)
          longest = Math.max(longest, made?.seconds ?? 0)
        }),
        { numRuns: tries(15, 40), examples: [[Math.floor(bytes.length * 0.8)]] },
      )
      // Most of the available audio is used.
      expect(longest).toBeGreaterThan(before + whole * 0.6)
      const cut = fresh(format)
      writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * 0.8)))
      const { to, made } = await joined([first, cut], format, true)
      expect(decoded(to, format).length / testRate).toBeCloseTo(made?.seconds ?? 0, 1)
    },
  )

  it('whatever the bytes: nothing else is taken for audio, nothing throws, and nothing loops forever', () => {
    const starts = speechFormats.flatMap((format) => {
      const [file] = spoken.get(`${format} of ffmpeg`) ?? []
      return file ? [readFileSync(file).subarray(0, 300)] : []
    })
    const noise = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes))
    const broken = fc
      .tuple(fc.constantFrom(...starts), fc.array(fc.tuple(fc.nat(299), fc.nat(255)), { maxLength: 12 }), noise)
      .map(([start, changes, tail]) => {
        const bytes = Buffer.concat([start, tail])
        for (const [at, value] of changes) if (at < bytes.length) bytes.writeUInt8(value, at)
        return bytes
      })
    fc.assert(
      fc.property(fc.oneof(noise, broken), fc.constantFrom(...speechFormats), (bytes, format) => {
        const sound = readSound(bytes, format, testRate)
        if (sound) expect(Number.isFinite(sound.seconds)).toBe(true)
        const joiner = joinerOf(format, bytes, testRate)
        for (const piece of joiner.add(bytes, false)) expect(piece.length).toBeLessThanOrEqual(100_000)
        expect(joiner.end().seconds).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: tries(200, 2000) },
    )
    for (const format of speechFormats) {
      if (format === 'pcm') continue
      expect(readSound(Buffer.from('<html>Not a sound at all, but a page of words.</html>'), format, testRate)).toBe(
        null,
      )
    }
  }, 60_000)

  it('wav: an unknown length in a streamed header means “to the end”, and the joined header has the real length', async () => {
    const files = (spoken.get('wav of ffmpeg') ?? []).slice(0, 2).map((file) => {
      const wav = readWav(readFileSync(file))
      if (!wav) throw new Error('No wav.')
      const head = wavHead(wav.format, 0xffff_ffff)
      const streamed = fresh('wav')
      writeFileSync(streamed, Buffer.concat([head, wav.samples]))
      return { streamed, bytes: wav.samples.length }
    })
    const { to } = await joined(
      files.map(({ streamed }) => streamed),
      'wav',
    )
    const bytes = readFileSync(to)
    const samples = files.reduce((sum, file) => sum + file.bytes, 0)
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
    expect(readWav(bytes)?.samples.length).toBe(samples)
  })

  it('flac: numbers up to 36 bits are coded as in RFC 9639', () => {
    const read = (bytes: Buffer): number => {
      const [lead = 0, ...tail] = bytes
      const ones = Math.clz32(~(lead << 24))
      expect(bytes.length).toBe(lead < 0x80 ? 1 : ones)
      for (const byte of tail) expect(byte >> 6).toBe(2)
      return tail.reduce((sum, byte) => sum * 64 + (byte & 63), lead < 0x80 ? lead : lead & (0x7f >> ones))
    }
    fc.assert(
      fc.property(fc.oneof(fc.nat(0x1_0000), fc.integer({ min: 0, max: 2 ** 36 - 1 })), (value) => {
        expect(read(codedNumber(value))).toBe(value)
      }),
      {
        numRuns: tries(500, 5000),
        examples: [
          [0x7f],
          [0x80],
          [0x7ff],
          [0x800],
          [0xffff],
          [0x1_0000],
          [2 ** 21],
          [2 ** 26],
          [2 ** 31],
          [2 ** 36 - 1],
        ],
      },
    )
  })
})
