// @module-tag ffmpeg
import { describe, expect, it } from 'vitest'
import type { SandboxSpeechFormat } from '../../../src-main/sandbox/speech/request.ts'
import { synthesize } from '../../../src-main/sandbox/speech/speech.ts'
import { voiceNames } from '../../../src-main/sandbox/speech/voices.ts'
import { firstCases } from '../../helpers/effort.ts'
import { brightness, ffmpegSamples, ffprobe, medianPitch, rms } from './tools.ts'

const input = 'Good morning. The sandbox speaks — naïvely, but aloud.'
const kinds: [SandboxSpeechFormat, string, string][] = [
  ['mp3', 'audio/mpeg', 'mp3'],
  ['opus', 'audio/opus', 'opus'],
  ['aac', 'audio/aac', 'aac'],
  ['flac', 'audio/flac', 'flac'],
  ['wav', 'audio/wav', 'pcm_s16le'],
]

describe('speech in six formats', () => {
  it.each(firstCases(2, kinds))(
    '[TTS-03] %s is %s, mono, audible, and contains its words as a tag',
    async (format, contentType, codec) => {
      const speech = await synthesize({ input, voice: 'alloy', format, speed: 1 })
      expect(speech.contentType).toBe(contentType)
      const facts = ffprobe(speech.bytes)
      expect(facts).toContain(`codec_name="${codec}"`)
      expect(facts).toContain('channels=1')
      expect(facts).toContain(`sample_rate="${format === 'opus' ? 48_000 : 24_000}"`)
      expect(facts.toLowerCase()).toContain(`comment="${input.toLowerCase()}"`)
      const samples = ffmpegSamples(speech.bytes)
      expect(rms(samples)).toBeGreaterThan(0.03)
      expect(Math.abs(samples.length / 16 - speech.durationMs)).toBeLessThan(120)
    },
  )

  it('[TTS-03] pcm is audio/pcm, plain 16-bit little-endian mono at 24 kHz', async () => {
    const speech = await synthesize({ input, voice: 'alloy', format: 'pcm', speed: 1 })
    expect(speech.contentType).toBe('audio/pcm')
    expect(speech.bytes.length / 48).toBeCloseTo(speech.durationMs, -1)
    expect(rms(ffmpegSamples(speech.bytes, ['-f', 's16le', '-ar', '24000', '-ac', '1']))).toBeGreaterThan(0.03)
  })
})

describe('speed and voices', () => {
  it('[TTS-04] a quarter of the speed takes four times as long, four times the speed a quarter, at the same pitch', {
    tags: 'long',
  }, async () => {
    const at = async (speed: number) => synthesize({ input, voice: 'echo', format: 'wav', speed })
    const [slow, normal, fast] = [await at(0.25), await at(1), await at(4)]
    expect(slow.durationMs / normal.durationMs).toBeGreaterThan(3.6)
    expect(slow.durationMs / normal.durationMs).toBeLessThan(4.4)
    expect(normal.durationMs / fast.durationMs).toBeGreaterThan(3.4)
    expect(normal.durationMs / fast.durationMs).toBeLessThan(4.4)
    const ratio = medianPitch(ffmpegSamples(slow.bytes)) / medianPitch(ffmpegSamples(normal.bytes))
    expect(ratio).toBeGreaterThan(0.85)
    expect(ratio).toBeLessThan(1.18)
  })

  it('[TTS-02] six voices differ from one another in pitch or in brightness by more than 10 percent', {
    tags: 'long',
  }, async () => {
    const heard: { voice: string; pitch: number; bright: number }[] = []
    for (const voice of voiceNames) {
      const samples = ffmpegSamples((await synthesize({ input, voice, format: 'wav', speed: 1 })).bytes)
      heard.push({ voice, pitch: medianPitch(samples), bright: brightness(samples) })
    }
    for (const [i, a] of heard.entries()) {
      expect(a.pitch, a.voice).toBeGreaterThan(60)
      for (const b of heard.slice(i + 1)) {
        const apart = Math.max(Math.abs(Math.log(a.pitch / b.pitch)), Math.abs(Math.log(a.bright / b.bright)))
        expect(apart, `${a.voice} and ${b.voice}`).toBeGreaterThan(0.1)
      }
    }
  })

  it.each([
    ['emoji', '😀🎉'],
    ['another script', '日本語'],
    ['bare signs', '...'],
    ['zero bytes', '\0\0'],
    ['one endless word', 'x'.repeat(4096)],
  ])('speaks or chimes for %s, and is never empty', { tags: 'long' }, async (text) => {
    const speech = await synthesize({ input: text, voice: 'onyx', format: 'wav', speed: 1 })
    expect(speech.durationMs).toBeGreaterThan(200)
    expect(rms(ffmpegSamples(speech.bytes))).toBeGreaterThan(0.01)
  })

  it('does not block the event loop while 4096 bytes are spoken', { tags: 'long' }, async () => {
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }, 5)
    const text = 'The quick brown fox rests. '.repeat(152).slice(0, 4096)
    const started = performance.now()
    await synthesize({ input: text, voice: 'onyx', format: 'wav', speed: 1 })
    clearInterval(timer)
    expect(longest).toBeLessThan(Math.max(200, (performance.now() - started) / 2))
  })
})
