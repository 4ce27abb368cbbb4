// @module-tag ffmpeg
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { databaseFile } from '../../../../src-main/core/store/store.ts'
import { tries } from '../../../helpers/effort.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { ffmpegMake, ffmpegSamples } from '../../../sandbox/media/tools.ts'
import { freshFolder } from '../../helpers/core.ts'
import { openFeature } from './helpers.ts'

const said = z.object({
  id: z.string(),
  bytes: z.number().default(0),
  kept: z.boolean().default(false),
  transcriptId: z.string().nullable().default(null),
})
type Said = z.infer<typeof said>

/** Two minutes of Opus in WebM without its length, as MediaRecorder writes it. */
let webm: Buffer
let file: string
beforeAll(() => {
  const sine = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=120']
  const live = ['-c:a', 'libopus', '-b:a', '32k', '-f', 'webm', '-live', '1', '-cluster_time_limit', '500']
  webm = Buffer.from(ffmpegMake(...sine, ...live))
  file = join(freshFolder(), 'speech.webm')
  writeFileSync(file, webm)
})

/** Runs the recorder in its own process and kills it (-9) `afterMs` after its first piece. Returns its output. */
async function recordAndKill(dataDir: string, afterMs: number, ...args: string[]): Promise<Said[]> {
  const program = fileURLToPath(new URL('recordForever.ts', import.meta.url))
  const child = spawn(process.execPath, [program, dataDir, file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const all: Said[] = []
  let planned = false
  for await (const line of createInterface({ input: child.stdout })) {
    // The kill truncated this line.
    if (!line.endsWith('}')) break
    const one = said.parse(JSON.parse(line))
    all.push(one)
    if (planned || one.bytes === 0) continue
    planned = true
    setTimeout(() => child.kill('SIGKILL'), afterMs)
  }
  await exited
  return all
}

it('a recorder killed at random moments has every acknowledged byte, and its audio plays', {
  tags: 'long',
}, async () => {
  const dataDir = freshFolder()
  const random = randomNumbers()
  for (let round = 0; round < tries(2, 10); round += 1) {
    const reported = await recordAndKill(dataDir, random() * 150)
    const last = reported.findLast(({ bytes }) => bytes > 0)
    if (!last) throw new Error('Nothing was recorded.')
    const { feature, bytesOf, close, lines } = openFeature(dataDir)
    const { recording } = await feature.get(last)
    expect(recording).toMatchObject({ state: 'cut', source: 'microphone', mime: 'audio/webm' })
    const bytes = bytesOf(recording)
    expect(recording.bytes).toBe(bytes.length)
    expect(bytes.length).toBeGreaterThanOrEqual(last.bytes)
    expect(bytes.equals(webm.subarray(0, bytes.length))).toBe(true)
    // 32,000 bits per second plus the container. The last packet may be cut.
    if (bytes.length > 6000) {
      const seconds = ffmpegSamples(bytes).length / 16_000
      expect(seconds).toBeGreaterThan((bytes.length / webm.length) * 120 - 1.5)
    }
    expect(lines.join()).toMatch(/Cut off when the program last ended, stored and marked: \d+ recordings?\./)
    expect(readdirSync(join(dataDir, 'making'))).toEqual([])
    await close()
  }
})

it('killed while recordings end one after another, each is stored once and complete, and none is lost between its two locations', {
  tags: 'long',
}, async () => {
  const dataDir = freshFolder()
  const kept = new Set<string>()
  const asked = new Map<string, string>()
  const bytesReported = new Map<string, number>()
  const random = randomNumbers()
  // Repeats until at least one recording was complete before the kill. On a busy machine the first ones may be incomplete.
  const isEnough = (rounds: number): boolean => rounds >= tries(2, 10) && kept.size > 0
  for (let round = 0; !isEnough(round); round += 1) {
    const reported = await recordAndKill(dataDir, 20 + random() * 300, 'end')
    for (const { id, bytes, kept: isKept, transcriptId } of reported) {
      bytesReported.set(id, Math.max(bytes, bytesReported.get(id) ?? 0))
      if (isKept) kept.add(id)
      if (transcriptId !== null) asked.set(id, transcriptId)
    }
    const { feature, media, bytesOf, close } = openFeature(dataDir)
    await feature.recovered
    const { recordings } = await feature.find({ search: '', before: null, limit: 500 })
    const found = new Map(recordings.map((one) => [one.id, one]))
    for (const [id, bytes] of bytesReported) {
      const one = found.get(id)
      if (!one) {
        expect(bytes).toBe(0)
        continue
      }
      if (kept.has(id)) expect(one.state).toBe('kept')
      expect(one.bytes).toBeGreaterThanOrEqual(bytes)
      const there = bytesOf(one)
      expect(there.equals(Buffer.concat([webm, Buffer.from(id)]).subarray(0, one.bytes))).toBe(true)
    }
    for (const [id, transcriptId] of asked) {
      const { transcripts } = await feature.get({ id })
      expect(transcripts).toMatchObject([{ id: transcriptId, state: 'cut', problem: { kind: 'cancelled' } }])
      // Its row in the request log, if that was already written.
      expect([[], [7]]).toContainEqual(transcripts[0]?.rows)
    }
    await media.swept
    expect(readdirSync(join(dataDir, 'making'))).toEqual([])
    await close()
    const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true })
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    const ids = database
      .prepare('SELECT id FROM media')
      .all()
      .map((row) => String(row.id))
    database.close()
    expect(readdirSync(join(dataDir, 'media')).sort()).toEqual(ids.sort())
  }
  expect(kept.size).toBeGreaterThan(0)
})

it('a page that outlives the program continues its recording', { tags: 'long' }, async () => {
  const dataDir = freshFolder()
  const reported = await recordAndKill(dataDir, 40)
  const id = reported[0]?.id ?? ''
  const { feature, bytesOf, close } = openFeature(dataDir)
  // The page queries the number of stored bytes and sends the rest.
  const bytes = await feature.append({ id, at: 0, data: Buffer.alloc(0) })
  expect(bytes).toBeGreaterThanOrEqual(reported.at(-1)?.bytes ?? 0)
  expect((await feature.get({ id })).recording).toMatchObject({ state: 'recording', bytes, mediaId: null })
  await feature.append({ id, at: bytes, data: webm.subarray(bytes) })
  const whole = await feature.finish({ id, seconds: 120 })
  expect(whole).toMatchObject({ state: 'kept', seconds: 120, bytes: webm.length })
  expect(bytesOf(whole).equals(webm)).toBe(true)
  expect(readdirSync(join(dataDir, 'media'))).toEqual([whole.mediaId])
  await close()
})

it('a process that ended between the two names of a recording leaves it once, before and after its row was written', {
  tags: 'long',
}, async () => {
  const dataDir = freshFolder()
  const [{ id } = { id: '' }] = await recordAndKill(dataDir, 40)
  linkSync(join(dataDir, 'making', id), join(dataDir, 'media', randomUUID()))
  const before = openFeature(dataDir)
  const { recording } = await before.feature.get({ id })
  expect(recording).toMatchObject({ state: 'cut', mediaId: expect.any(String) })
  await before.close()
  const names = (): string[][] => ['making', 'media'].map((folder) => readdirSync(join(dataDir, folder)))
  expect(names()).toEqual([[], [recording.mediaId]])
  linkSync(join(dataDir, 'media', recording.mediaId ?? ''), join(dataDir, 'making', id))
  const after = openFeature(dataDir)
  await after.media.swept
  expect(names()).toEqual([[], [recording.mediaId]])
  expect(after.bytesOf(recording).equals(webm.subarray(0, recording.bytes))).toBe(true)
  await after.close()
})
