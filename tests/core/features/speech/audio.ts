import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SpeechFormat } from '../../../../src-preload/contract/speech.ts'

export const testRate = 24_000

/** Decodes files with one ffmpeg, whose start takes most of the time: mono samples from -1 to 1, `rate` per second. */
export function decodedAll(files: readonly string[], format: SpeechFormat, rate = testRate): Float32Array[] {
  const raw = format === 'pcm' ? ['-f', 's16le', '-ar', String(testRate), '-ac', '1'] : []
  const folder = mkdtempSync(join(tmpdir(), 'decoded-'))
  const to = files.map((_, at) => join(folder, String(at)))
  const outputs = to.flatMap((path, at) => ['-map', `${at}:a`, '-f', 'f32le', '-ac', '1', '-ar', String(rate), path])
  try {
    execFileSync('ffmpeg', ['-v', 'error', ...files.flatMap((file) => [...raw, '-i', file]), ...outputs])
    return to.map((path) => {
      const bytes = readFileSync(path)
      return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Decodes one file. */
export const decoded = (file: string, format: SpeechFormat, rate = testRate): Float32Array =>
  decodedAll([file], format, rate)[0] ?? new Float32Array()

/** ffmpeg's warnings while it decodes the whole file; empty for a valid file. */
export function complaints(file: string): string {
  const args = ['-v', 'warning', '-err_detect', '+crccheck+bitstream+buffer', '-i', file, '-f', 'null', '-']
  const { stderr, status } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
  return status === 0 ? stderr : `${stderr}\nended with ${status}`
}

const encoders: Record<SpeechFormat, string[]> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-b:a', '32k', '-f', 'ogg'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
  flac: ['-c:a', 'flac', '-f', 'flac'],
  wav: ['-c:a', 'pcm_s16le', '-f', 'wav'],
  pcm: ['-c:a', 'pcm_s16le', '-f', 's16le'],
}

/** Encodes sounds with ffmpeg's own encoders, which write their delay, with one ffmpeg. */
export function encodedAll(
  sounds: readonly { samples: Float32Array; to: string }[],
  format: SpeechFormat,
  more: string[] = [],
): void {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'))
  const inputs = sounds.flatMap(({ samples }, at) => {
    writeFileSync(join(folder, String(at)), Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
    return ['-f', 'f32le', '-ar', String(testRate), '-ac', '1', '-i', join(folder, String(at))]
  })
  const outputs = sounds.flatMap(({ to }, at) => ['-map', `${at}:a`, ...encoders[format], ...more, to])
  try {
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, ...outputs])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The largest step between two samples. A click is a large step. */
export function largestStep(samples: Float32Array, from = 0, to = samples.length): number {
  let most = 0
  for (let at = Math.max(1, from); at < Math.min(to, samples.length); at++) {
    most = Math.max(most, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)))
  }
  return most
}

/**
 * The position of a part in the joined file (near `expected`, where its middle differs least), and how much it differs there, away from its
 * ends, relative to its loudness.
 */
export function placeOf(part: Float32Array, whole: Float32Array, expected: number, reach = 1200) {
  // After a change of part, a decoder needs up to 80 ms to converge (RFC 7845, 4.6).
  const from = Math.min(2 * reach, Math.floor(part.length / 3))
  const to = part.length - from
  const middle = Math.floor(part.length / 2)
  const differs = (at: number, begin: number, end: number, step: number): number => {
    let sum = 0
    for (let index = begin; index < end; index += step) sum += ((whole[at + index] ?? 0) - (part[index] ?? 0)) ** 2
    return sum
  }
  let best = expected
  let least = Number.POSITIVE_INFINITY
  for (let at = expected - reach; at <= expected + reach; at++) {
    const sum = differs(at, Math.max(from, middle - 2400), Math.min(to, middle + 2400), 5)
    if (sum < least) {
      least = sum
      best = at
    }
  }
  let power = 1e-9
  for (let index = from; index < to; index++) power += (part[index] ?? 0) ** 2
  return { at: best, differs: Math.sqrt(differs(best, from, to, 1) / power) }
}
