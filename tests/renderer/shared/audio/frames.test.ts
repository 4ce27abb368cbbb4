import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flacFramesAt } from '../../../../src-renderer/shared/audio/peaksFrames.ts'

const folder = mkdtempSync(join(tmpdir(), 'studio-frames-'))
const seconds = 90
const path = join(folder, 'noise.flac')
beforeAll(() => {
  const noise = `anoisesrc=d=${seconds}:c=pink:r=44100:a=0.5`
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', noise, path])
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The offset of each frame according to ffmpeg. */
function packets(): Map<number, { bytes: number; time: number }> {
  const args = ['-v', 'error', '-show_entries', 'packet=pos,size,pts_time', '-of', 'csv=p=0', path]
  const lines = execFileSync('ffprobe', args, { encoding: 'utf8' }).trim().split('\n')
  return new Map(
    lines.map((line) => {
      const [time = '', bytes = '', at = ''] = line.split(',')
      return [Number(at), { bytes: Number(bytes), time: Number(time) }]
    }),
  )
}

describe('frames of FLAC', () => {
  it('are found at places all over a file without scanning it, with offset, length and time', () => {
    const all = packets()
    const found = flacFramesAt(readFileSync(path), 60) ?? []
    expect(found.length).toBeGreaterThan(50)
    for (const { at, bytes, time } of found) {
      expect(all.get(at)?.bytes).toBe(bytes)
      expect(all.get(at)?.time).toBeCloseTo(time, 3)
    }
    const gaps = found.map(({ time }, index) => (found[index + 1]?.time ?? seconds) - time)
    expect(Math.max(...gaps)).toBeLessThan(5)
  })
  it('are not found in other data or in a truncated file', () => {
    expect(flacFramesAt(new Uint8Array(100), 10)).toBeNull()
    expect(flacFramesAt(readFileSync(path).subarray(0, 60), 10)).toBeNull()
    expect(flacFramesAt(new TextEncoder().encode(`f${'x'.repeat(100)}`), 10)).toBeNull()
  })
})
