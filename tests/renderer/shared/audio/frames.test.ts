// @module-tag ffmpeg
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flacSplitter } from '../../../../src-renderer/shared/audio/liveFlac.ts'
import { flacFramesAt } from '../../../../src-renderer/shared/audio/peaksFrames.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { randomNumbers } from '../../../helpers/random.ts'

const folder = temporaryFolder('studio-frames-')
const seconds = 90
const path = join(folder, 'noise.flac')
beforeAll(() => {
  const noise = `anoisesrc=d=${seconds}:c=pink:r=44100:a=0.5`
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', noise, path])
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The offset of each frame according to ffmpeg. */
function packets(path: string): Map<number, { bytes: number; time: number }> {
  const args = ['-v', 'error', '-show_entries', 'packet=pos,size,pts_time', '-of', 'csv=p=0', path]
  const lines = execFileSync('ffprobe', args, { encoding: 'utf8' }).trim().split('\n')
  return new Map(
    lines.map((line) => {
      const [time = '', bytes = '', at = ''] = line.split(',')
      return [Number(at), { bytes: Number(bytes), time: Number(time) }]
    }),
  )
}

/** Samples in a frame of ffmpeg's encoder at 44,100 Hz. */
const frameSamples = 4608
const noise = randomNumbers()
/** A valid frame header, with its checksum, for 4,096 samples at 44,100 Hz. */
const plant = Buffer.from('fff8c9080095', 'hex')
/** White noise, which FLAC stores uncompressed, with that header in about every second frame. */
function disguised(): string {
  const samples = Int16Array.from({ length: 44_100 * 5 }, () => Math.floor(noise() * 65_536) - 32_768)
  for (let at = 2_000; at + 3 < samples.length; at += 7_000)
    for (let word = 0; word < 3; word++) samples[at + word] = plant.readInt16BE(word * 2)
  const to = join(folder, 'disguised.flac')
  const args = ['-v', 'error', '-f', 's16le', '-ar', '44100', '-ac', '1', '-i', 'pipe:0', to]
  execFileSync('ffmpeg', ['-y', ...args], { input: Buffer.from(samples.buffer) })
  return to
}

describe('frames of FLAC', () => {
  it('are found at places all over a file without scanning it, with offset, length and time', () => {
    const all = packets(path)
    const found = flacFramesAt(readFileSync(path), 60) ?? []
    expect(found.length).toBeGreaterThan(50)
    for (const { at, bytes, time } of found) {
      expect(all.get(at)?.bytes).toBe(bytes)
      expect(all.get(at)?.time).toBeCloseTo(time, 3)
    }
    const gaps = found.map(({ time }, index) => (found[index + 1]?.time ?? seconds) - time)
    expect(Math.max(...gaps)).toBeLessThan(5)
  })
  it('are complete also if sound in them looks like the head of a frame', { tags: 'long' }, () => {
    // ffmpeg is the reference, but a header inside of the noise sometimes misleads its parser. Then it reports more frames, and another noise is used.
    let path = disguised()
    while (packets(path).size !== Math.ceil((44_100 * 5) / frameSamples)) path = disguised()
    const file = new Uint8Array(readFileSync(path))
    const all = packets(path)
    expect(Buffer.from(file).toString('latin1').split(plant.toString('latin1')).length - 1).toBeGreaterThan(20)
    const found = flacFramesAt(file, 1_000) ?? []
    expect(found.map(({ at, bytes }) => [at, bytes])).toEqual([...all].map(([at, { bytes }]) => [at, bytes]))

    const splitter = flacSplitter()
    const parts = Array.from({ length: Math.ceil(file.length / 5_000) }, (_, at) =>
      splitter.push(file.slice(at * 5_000, (at + 1) * 5_000)),
    )
    const packetLengths = [...parts, splitter.end()].flatMap((part) => part.packets.map(({ length }) => length))
    expect(packetLengths).toEqual([...all.values()].map(({ bytes }) => bytes))
  })
  it('are not found in other data or in a truncated file', () => {
    expect(flacFramesAt(new Uint8Array(100), 10)).toBeNull()
    expect(flacFramesAt(readFileSync(path).subarray(0, 60), 10)).toBeNull()
    expect(flacFramesAt(new TextEncoder().encode(`f${'x'.repeat(100)}`), 10)).toBeNull()
  })
})
