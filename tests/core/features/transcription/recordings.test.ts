import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { idleMs } from '../../../../src-main/core/features/transcription/recordings.ts'
import { openFeature } from './helpers.ts'

/** Stops the clock, so that a busy machine cuts no recording. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

const mic = { name: 'Note', mime: 'audio/webm;codecs=opus' }

it('repeated, overlapping or late pieces are stored once and in order; a piece after a gap is refused', async () => {
  const { feature, bytesOf } = openFeature()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(120), fc.nat(50)), { minLength: 1, maxLength: 12 }), async (pieces) => {
      const whole = randomBytes(200)
      const { id } = await feature.begin(mic)
      let length = 0
      await feature.append({ id, at: 0, data: whole.subarray(0, 1) })
      length = 1
      for (const [at, size] of pieces) {
        const sent = feature.append({ id, at, data: whole.subarray(at, at + size) })
        if (at > length) await expect(sent).rejects.toMatchObject({ kind: 'bad_input' })
        else {
          length = Math.max(length, at + size)
          expect(await sent).toBe(length)
        }
      }
      expect(bytesOf(await feature.finish({ id, seconds: null })).equals(whole.subarray(0, length))).toBe(true)
    }),
    { numRuns: 40 },
  )
}, 60_000)

it('each piece is in the file when it is acknowledged, and all windows see the size', async () => {
  const { feature, dataDir } = openFeature()
  const { id } = await feature.begin(mic)
  const events = feature.watch()
  expect((await events.next()).value).toMatchObject({
    type: 'snapshot',
    total: 1,
    recordings: [{ id, state: 'recording', bytes: 0 }],
  })
  for (let at = 0; at < 50_000; at += 10_000) {
    await feature.append({ id, at, data: Buffer.alloc(10_000, 7) })
    const { readFile } = await import('node:fs/promises')
    expect(await readFile(join(dataDir, 'making', id))).toHaveLength(at + 10_000)
  }
  for (;;) {
    const { value } = await events.next()
    if (value?.type === 'recording' && value.recording.bytes === 50_000) break
  }
  await events.return?.()
})

it('a recording without new pieces is cut after a while, and continues when its page returns', async () => {
  stopTheClock()
  const { feature, bytesOf } = openFeature()
  const whole = randomBytes(3000)
  const { id } = await feature.begin(mic)
  vi.advanceTimersByTime(idleMs - 1)
  // Each piece restarts the wait.
  await feature.append({ id, at: 0, data: whole.subarray(0, 1000) })
  vi.advanceTimersByTime(idleMs - 1)
  expect((await feature.get({ id })).recording.state).toBe('recording')
  vi.advanceTimersByTime(1)
  await expect.poll(async () => (await feature.get({ id })).recording.state).toBe('cut')
  const { recording } = await feature.get({ id })
  expect(bytesOf(recording).equals(whole.subarray(0, 1000))).toBe(true)
  // A page that was paused: the next piece, then the same one again.
  expect(await feature.append({ id, at: 1000, data: whole.subarray(1000, 2000) })).toBe(2000)
  expect((await feature.get({ id })).recording).toMatchObject({ state: 'recording', mediaId: null })
  expect(await feature.append({ id, at: 1000, data: whole.subarray(1000, 2000) })).toBe(2000)
  await feature.append({ id, at: 2000, data: whole.subarray(2000) })
  const done = await feature.finish({ id, seconds: 2 })
  expect(done).toMatchObject({ state: 'kept', bytes: 3000, seconds: 2 })
  expect(bytesOf(done).equals(whole)).toBe(true)
})

it('a recording whose page is gone is cut within seconds, and not while another connection of the page holds it', async () => {
  stopTheClock()
  const { feature } = openFeature()
  const { id } = await feature.begin(mic)
  await feature.append({ id, at: 0, data: randomBytes(100) })
  const [first, second] = [new AbortController(), new AbortController()]
  const held = [first, second].map(({ signal }) => feature.hold({ id }, signal).next())
  await feature.get({ id })
  first.abort()
  await held[0]
  vi.advanceTimersByTime(60_000)
  expect((await feature.get({ id })).recording.state).toBe('recording')
  second.abort()
  await held[1]
  vi.advanceTimersByTime(5_000)
  await expect.poll(async () => (await feature.get({ id })).recording.state).toBe('cut')
  // The page was only disconnected: its next piece continues the recording.
  await feature.append({ id, at: 100, data: randomBytes(10) })
  expect((await feature.get({ id })).recording.state).toBe('recording')
})

it('the length of a recording without a known length is read from its last page', async () => {
  const { feature } = openFeature()
  const ogg = readFileSync(new URL('../../../../src-renderer/features/transcription/example.ogg', import.meta.url))
  const lengthOf = async (bytes: Buffer): Promise<number> => {
    const { id } = await feature.begin({ name: 'Note', mime: 'audio/ogg' })
    await feature.append({ id, at: 0, data: bytes })
    return (await feature.finish({ id, seconds: null })).seconds ?? -1
  }
  const whole = await lengthOf(ogg)
  expect(whole).toBeGreaterThan(1)
  const half = await lengthOf(ogg.subarray(0, ogg.length / 2))
  expect(half / whole).toBeGreaterThan(0.3)
  expect(half / whole).toBeLessThan(0.7)
  expect(await lengthOf(Buffer.from('no recording at all'))).toBe(-1)
})

it('the length of a WebM file that was cut off is that of the sound in it', { tags: 'long' }, async ({ skip }) => {
  const { feature } = openFeature()
  const encoder = ['-c:a', 'libopus', '-b:a', '32k', '-f', 'webm', '-live', '1', '-']
  const { stdout, error, status } = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=40', ...encoder])
  if (error || status !== 0) return skip('ffmpeg is not installed')
  for (const share of [0.2, 0.5, 0.9, 1]) {
    const { id } = await feature.begin(mic)
    await feature.append({ id, at: 0, data: stdout.subarray(0, stdout.length * share) })
    const { seconds } = await feature.finish({ id, seconds: null })
    expect(Math.abs((seconds ?? 0) - 40 * share)).toBeLessThan(3)
  }
})

it('a cut recording can be finished with its length; finishing twice has no effect; nothing can be added afterwards', async () => {
  stopTheClock()
  const { feature } = openFeature()
  const { id } = await feature.begin(mic)
  await feature.append({ id, at: 0, data: Buffer.from('sound') })
  vi.advanceTimersByTime(idleMs)
  await expect.poll(async () => (await feature.get({ id })).recording.state).toBe('cut')
  const [one, two] = await Promise.all([feature.finish({ id, seconds: 4 }), feature.finish({ id, seconds: null })])
  expect(one).toEqual(two)
  expect(one).toMatchObject({ state: 'kept', seconds: 4, name: 'Note', mime: 'audio/webm' })
  await expect(feature.append({ id, at: 5, data: Buffer.from('x') })).rejects.toMatchObject({
    kind: 'bad_input',
  })
})

it('a discarded recording is gone at once, in the window and on disk; a finished one cannot be discarded', async () => {
  const { feature, dataDir } = openFeature()
  const { id } = await feature.begin(mic)
  await feature.append({ id, at: 0, data: Buffer.from('sound') })
  const events = feature.watch()
  await events.next()
  await feature.discard({ id })
  expect((await events.next()).value).toEqual({ type: 'gone', id })
  await events.return?.()
  expect(['making', 'media'].map((folder) => readdirSync(join(dataDir, folder)))).toEqual([[], []])
  await expect(feature.get({ id })).rejects.toMatchObject({ kind: 'no_such_item' })
  await expect(feature.append({ id, at: 5, data: Buffer.alloc(0) })).rejects.toMatchObject({ kind: 'no_such_item' })
  const kept = await feature.begin(mic)
  await feature.append({ id: kept.id, at: 0, data: Buffer.from('sound') })
  await feature.finish({ id: kept.id, seconds: 1 })
  await expect(feature.discard({ id: kept.id })).rejects.toMatchObject({ kind: 'bad_input' })
})

it('an empty recording leaves nothing', async () => {
  const { feature, dataDir } = openFeature()
  const { id } = await feature.begin({ name: ' ', mime: 'audio/webm' })
  expect((await feature.get({ id })).recording.name).toBe('Recording')
  await expect(feature.finish({ id, seconds: 0 })).rejects.toMatchObject({
    kind: 'bad_input',
    message: 'Nothing was recorded.',
  })
  expect(await feature.find({ search: '', before: null, limit: 10 })).toEqual({ recordings: [], total: 0 })
  expect(readdirSync(join(dataDir, 'making'))).toEqual([])
})

it('if a recording cannot be moved it stays in `making/`, and can be finished once the cause is removed', async () => {
  const { feature, dataDir, media, bytesOf } = openFeature()
  await media.swept
  const { id } = await feature.begin(mic)
  await feature.append({ id, at: 0, data: Buffer.from('sound') })
  rmSync(join(dataDir, 'media'), { recursive: true })
  writeFileSync(join(dataDir, 'media'), 'in the way')
  await expect(feature.finish({ id, seconds: 1 })).rejects.toThrow()
  expect(existsSync(join(dataDir, 'making', id))).toBe(true)
  rmSync(join(dataDir, 'media'))
  mkdirSync(join(dataDir, 'media'))
  expect(bytesOf(await feature.finish({ id, seconds: 1 })).toString()).toBe('sound')
})

it('the end of the program stores a recording with the received bytes', async () => {
  const { feature, dataDir, close } = openFeature()
  const { id } = await feature.begin(mic)
  await feature.append({ id, at: 0, data: Buffer.from('sound') })
  await close()
  const again = openFeature(dataDir)
  const { recording } = await again.feature.get({ id })
  expect(recording).toMatchObject({ state: 'cut', bytes: 5 })
  expect(again.bytesOf(recording).toString()).toBe('sound')
  expect(again.lines).toEqual([])
})
