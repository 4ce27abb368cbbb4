import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SandboxSpeechFormat } from '../../../src-main/sandbox/speech/request.ts'
import { synthesize } from '../../../src-main/sandbox/speech/speech.ts'
import { MediaError, toVtt, transcribe } from '../../../src-main/sandbox/transcription/transcribe.ts'
import { firstCases } from '../../helpers/effort.ts'
import { needs } from '../../helpers/programs.mjs'
import { ffmpegMake } from './tools.ts'

const model = 'whisper-1'

describe('transcription', () => {
  it.each<SandboxSpeechFormat>(firstCases(2, ['mp3', 'opus', 'aac', 'flac', 'wav']))(
    '[STT-04] returns the words spoken into %s',
    async (format) => {
      const input = 'The words ride along: ünïcode, 日本 & <tags>.'
      const { bytes, durationMs } = await synthesize({ input, voice: 'nova', format, speed: 1 })
      const transcript = await transcribe({ bytes, fileName: `a.${format}`, model })
      expect(transcript.text).toBe(input)
      expect(transcript.source).toBe('tag')
      expect(transcript.cues.map((cue) => cue.text).join(' ')).toBe(input)
      expect(Math.abs(transcript.durationMs - durationMs)).toBeLessThan(120)
    },
  )

  it('finds speech between silences, and says that it recognises no words', async () => {
    const { bytes } = await synthesize({ input: 'Hello there my friend', voice: 'echo', format: 'pcm', speed: 1 })
    const quiet = Buffer.alloc(48_000)
    const transcript = await transcribe({
      bytes: Buffer.concat([quiet, bytes, quiet, bytes, quiet]),
      fileName: 'a.pcm',
      model,
    })
    const length = bytes.length / 48
    expect(transcript.source).toBe('measured')
    expect(transcript.text).toContain('does not recognise words')
    expect(transcript.cues).toHaveLength(2)
    const starts = [1000, 2000 + length]
    for (const [i, cue] of transcript.cues.entries()) {
      expect(cue.startMs).toBeGreaterThan((starts[i] ?? 0) - 100)
      expect(cue.startMs).toBeLessThan((starts[i] ?? 0) + 400)
      expect(cue.endMs).toBeGreaterThan((starts[i] ?? 0) + length - 500)
      expect(cue.endMs).toBeLessThan((starts[i] ?? 0) + length + 150)
    }
  })

  it.each(
    firstCases(1, [
      ['webm', ['-c:a', 'libopus', '-f', 'webm']],
      ['wav', ['-c:a', 'pcm_s24le', '-f', 'wav']],
      ['wav', ['-c:a', 'pcm_f32le', '-f', 'wav']],
      ['wav', ['-c:a', 'pcm_u8', '-f', 'wav']],
      ['m4a', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4']],
    ]),
  )('ignores the comment of another program’s %s (%j)', needs('ffmpeg'), async (kind, coding) => {
    const made = ffmpegMake('-f', 'lavfi', '-i', 'sine=440:d=1.5', '-metadata', 'comment=Ripped by X', ...coding)
    const transcript = await transcribe({ bytes: made, fileName: `a.${kind}`, model })
    expect(transcript.source).toBe('measured')
    expect(transcript.text).not.toContain('Ripped')
    expect(Math.abs(transcript.durationMs - 1500)).toBeLessThan(120)
  })

  it('rejects anything but audio with one kind of error', async () => {
    const heads = ['', 'RIFF\0\0\0\0WAVEfmt ', 'ID3\u0004', 'fLaC', 'OggS', '\xff\xfb\x90', '\x1a\x45\xdf\xa3']
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 600 }), async (head, rest) => {
        try {
          await transcribe({ bytes: Buffer.concat([Buffer.from(head, 'latin1'), rest]), fileName: 'a.bin', model })
        } catch (error) {
          expect(error).toBeInstanceOf(MediaError)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('[STT-04] writes WebVTT that no cue text can break', () => {
    const cue = fc.record({
      startMs: fc.nat(20_000_000),
      endMs: fc.nat(20_000_000),
      text: fc.string({ unit: 'binary' }),
    })
    fc.assert(
      fc.property(fc.array(cue, { maxLength: 5 }), (cues) => {
        const [head, ...blocks] = toVtt({ text: '', cues, durationMs: 0, source: 'tag' })
          .split('\n\n')
          .filter((part) => part !== '')
        expect(head?.trim()).toBe('WEBVTT')
        expect(blocks.length).toBe(cues.filter(({ text }) => text.replace(/\0/g, '').trim() !== '').length)
        for (const block of blocks) {
          expect(block).toMatch(/^\d{2,}:[0-5]\d:[0-5]\d\.\d{3} --> \d{2,}:[0-5]\d:[0-5]\d\.\d{3}\n[^<>\n]+\n?$/)
        }
      }),
    )
  })
})
