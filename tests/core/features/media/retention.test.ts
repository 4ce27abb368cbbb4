import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseForCleanUp } from '../../../../src-main/core/features/media/chooseForCleanUp.ts'
import { createMedia, type Media } from '../../../../src-main/core/features/media/media.ts'
import { createMediaRetention, type MediaRetention } from '../../../../src-main/core/features/media/retention.ts'
import { createTransfers, type Transfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import type { Made } from '../../../../src-main/core/store/mediaCleaning.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import type { CleanUp } from '../../../../src-preload/contract/media.ts'
import { tries } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { rightClock } from '../../helpers/deadlines.ts'
import { png } from './pictures.ts'
import { imageRow, messageRow, recordingRow, withDatabase } from './rows.ts'

const day = 86_400_000
const today = Date.parse('2026-11-21T12:00:00Z')
const ago = (days: number): string => new Date(today - days * day).toISOString()

let dataDir: string
let store: Store
let transfers: Transfers
let media: Media
let keeping: MediaRetention
let dragged: string[]
beforeEach(() => {
  dataDir = freshFolder()
  start()
})
afterEach(() => stop())

function start(): void {
  store = openStore(dataDir)
  transfers = createTransfers({ dataDir })
  media = createMedia({ dataDir, store, uploads: transfers.uploads })
  dragged = []
  keeping = createMediaRetention({
    host: {
      dataDir,
      reveal: async (path) => path.startsWith(dataDir),
      dragOut: async (path) => dragged.push(path) > 0,
      log: () => undefined,
    },
    store,
    media,
    deadlines: rightClock(() => today),
    tempDir: transfers.folder,
    now: () => today,
  })
}

async function stop(): Promise<void> {
  await keeping.close()
  await transfers.close()
  await media.swept
  store.close()
}

let seed = 0
interface Given {
  days: number
  favourite?: boolean
  removed?: number
  drawingId?: string
  bytes?: Buffer
}

async function picture({ days, favourite = false, removed, drawingId = randomUUID(), bytes }: Given) {
  const id = randomUUID()
  const removedAt = removed === undefined ? null : ago(removed)
  const content = bytes ?? png(20, 20, ++seed)
  const item = await media.addPicture({ bytes: content }, { name: null })
  withDatabase(dataDir, (database) =>
    imageRow(database, { id, drawingId, mediaId: item.id, createdAt: ago(days), favourite, removedAt }),
  )
  return { id, drawingId, mediaId: item.id, bytes: item.bytes }
}

async function recording({ days, removed, bytes }: Given) {
  const id = randomUUID()
  const content = bytes ?? Buffer.from(`RIFF0000WAVE${randomUUID()}`)
  const removedAt = removed === undefined ? null : ago(removed)
  const item = await media.addSound({ bytes: content }, { mime: 'audio/wav', name: null })
  withDatabase(dataDir, (database) =>
    recordingRow(database, { id, mediaId: item.id, createdAt: ago(days), removedAt, bytes: item.bytes }),
  )
  return { id, mediaId: item.id, bytes: item.bytes }
}

const files = (): Set<string> => new Set(readdirSync(join(dataDir, 'media')))
const wish = (more: Partial<CleanUp>): CleanUp => ({
  kinds: ['speech', 'recordings', 'images'],
  olderThanDays: null,
  maxBytes: null,
  removed: false,
  ...more,
})

/** Like a person: counts, announces and deletes. */
const clean = (asked: CleanUp) => keeping.cleanUp({ ...asked, reported: keeping.previewCleanUp(asked).items })

test('a clean-up deletes no more than was announced: new or aged items need a new confirmation', async () => {
  await picture({ days: 40 })
  const asked = wish({ olderThanDays: 30 })
  const { items: reported } = keeping.previewCleanUp(asked)
  await picture({ days: 50 })
  await expect(keeping.cleanUp({ ...asked, reported })).rejects.toMatchObject({ kind: 'bad_input' })
  expect(files().size).toBe(2)
  expect(await keeping.cleanUp({ ...asked, reported: 2 })).toMatchObject({ items: 2 })
})

test('a clean-up by age announces exactly what it deletes, and leaves favourites and the rest', async () => {
  const [old, loved, young] = [
    await picture({ days: 40 }),
    await picture({ days: 40, favourite: true }),
    await picture({ days: 3 }),
  ]
  const sound = await recording({ days: 40 })
  const gone: [string, readonly string[]][] = []
  keeping.erased.add((kind, ids) => void gone.push([kind, ids]))
  const asked = wish({ olderThanDays: 30 })
  const reported = keeping.previewCleanUp(asked)
  expect(reported).toEqual({ items: 2, bytes: old.bytes + sound.bytes })
  expect(files().size).toBe(4)
  expect(await clean(asked)).toEqual(reported)
  expect(files()).toEqual(new Set([loved.mediaId, young.mediaId]))
  expect(new Map(gone)).toEqual(
    new Map([
      ['images', [old.id]],
      ['recordings', [sound.id]],
    ]),
  )
  expect(keeping.previewCleanUp(asked)).toEqual({ items: 0, bytes: 0 })
  expect(store.images.drawing(old.drawingId)).toBeNull()
})

test('an item that a message or a draft still shows keeps its file and frees nothing', async () => {
  const [shown, drafted] = [await picture({ days: 40 }), await picture({ days: 40 })]
  withDatabase(dataDir, (database) => messageRow(database, shown.mediaId))
  media.toDraft(drafted.mediaId)
  const asked = wish({ olderThanDays: 0 })
  expect(keeping.previewCleanUp(asked)).toEqual({ items: 2, bytes: 0 })
  expect(await clean(asked)).toEqual({ items: 2, bytes: 0 })
  expect(files()).toEqual(new Set([shown.mediaId, drafted.mediaId]))
  expect(await media.imageUrl(shown.mediaId)).toMatch(/^data:image\/png/)
})

test('a file of two items is deleted with the second of them', async () => {
  const bytes = png(20, 20, ++seed)
  const first = await picture({ days: 40, bytes })
  const second = await picture({ days: 3, bytes })
  expect(second.mediaId).toBe(first.mediaId)
  expect(await clean(wish({ olderThanDays: 30 }))).toEqual({ items: 1, bytes: 0 })
  expect(files().size).toBe(1)
  expect(await clean(wish({ olderThanDays: 0 }))).toEqual({ items: 1, bytes: first.bytes })
  expect(files().size).toBe(0)
})

test('deleted items are deleted permanently after 30 days and not before, with their image request, or at once on request', async () => {
  const [long, fresh, inSight] = [
    await picture({ days: 90, removed: 31 }),
    await picture({ days: 90, removed: 29 }),
    await picture({ days: 90 }),
  ]
  expect(await keeping.sweep()).toBe(1)
  expect(files()).toEqual(new Set([fresh.mediaId, inSight.mediaId]))
  expect([store.images.drawing(long.drawingId), store.images.drawing(fresh.drawingId)?.id]).toEqual([
    null,
    fresh.drawingId,
  ])
  expect(await clean(wish({ removed: true, kinds: ['recordings'] }))).toEqual({ items: 0, bytes: 0 })
  expect(await clean(wish({ removed: true, kinds: ['images'] }))).toEqual({ items: 1, bytes: fresh.bytes })
  expect(files()).toEqual(new Set([inSight.mediaId]))
})

test('nothing of permanently deleted items is left in the database file or its log', async () => {
  const { id } = await picture({ days: 90, removed: 31 })
  withDatabase(dataDir, (database) =>
    database.exec(`UPDATE drawings SET wish = json_set(wish, '$.prompt', 'unmistakeableprompt')`),
  )
  await keeping.sweep()
  for (const name of ['studio.sqlite', 'studio.sqlite-wal']) {
    const bytes = readFileSync(join(dataDir, name))
    expect([bytes.includes('unmistakeableprompt'), bytes.includes(id)], name).toEqual([false, false])
  }
})

test('sizes are reported per feature, each file once, including deleted items and growing files', async () => {
  const bytes = png(20, 20, ++seed)
  const drawn = await picture({ days: 1, bytes })
  const removed = await picture({ days: 1, removed: 1 })
  const sound = await recording({ days: 1 })
  // The chat shows an image of the images feature, and one of its own in a deleted conversation.
  const own = await media.importFile({ id: randomUUID(), bytes: png(30, 30, ++seed), name: null })
  withDatabase(dataDir, (database) => {
    messageRow(database, drawn.mediaId)
    messageRow(database, own.mediaId, ago(1))
  })
  const growing = randomUUID()
  withDatabase(dataDir, (database) => recordingRow(database, { id: growing, state: 'recording' }))
  const file = await media.growing.grow(growing)
  await file.append(Buffer.alloc(1000))
  const { uses, free, folder } = await keeping.use()
  await file.close()
  const feature = (kind: string) => uses.find((one) => one.kind === kind)
  expect(feature('images')).toEqual({
    kind: 'images',
    items: 2,
    bytes: drawn.bytes + removed.bytes,
    removedItems: 1,
    removedBytes: removed.bytes,
  })
  expect(feature('recordings')).toMatchObject({ items: 2, bytes: sound.bytes + 1000, removedItems: 0 })
  expect(feature('chat')).toMatchObject({ items: 1, bytes: own.bytes, removedItems: 1, removedBytes: own.bytes })
  expect(feature('speech')).toMatchObject({ items: 0, bytes: 0 })
  const disk = [...files()].reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 1000)
  expect(uses.reduce((sum, { bytes: one }) => sum + one, 0)).toBe(disk)
  expect(free).toBeGreaterThan(0)
})

test('running items are never deleted', async () => {
  const id = randomUUID()
  withDatabase(dataDir, (database) => recordingRow(database, { id, state: 'recording', createdAt: ago(100) }))
  expect(await clean(wish({ olderThanDays: 0, maxBytes: 0 }))).toEqual({ items: 0, bytes: 0 })
})

test('a clean-up by size deletes the oldest items, never a favourite, and no more than needed (any collection)', () => {
  const one = fc.record({
    days: fc.integer({ min: 0, max: 100 }),
    favourite: fc.boolean(),
    removed: fc.boolean(),
    file: fc.nat(12),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 20 }), fc.nat(1200), (given, maxBytes) => {
      const made = given
        .map(
          ({ days, favourite, removed, file }, index): Made => ({
            kind: 'images',
            id: String(index),
            createdAt: ago(days),
            favourite,
            removedAt: removed ? ago(0) : null,
            media: [{ id: `f${file}`, bytes: 100 }],
          }),
        )
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt))
      const going = chooseForCleanUp(made, { olderThanDays: null, maxBytes, removed: false }, today)
      const bytesOf = (all: readonly Made[]): number => new Set(all.map(({ media: [file] }) => file?.id)).size * 100
      const left = made.filter((each) => !going.includes(each))
      expect(going.some(({ favourite }) => favourite)).toBe(false)
      const mayGo = made.filter(({ favourite }) => !favourite)
      expect(going).toEqual(mayGo.slice(0, going.length))
      if (bytesOf(left) > maxBytes) expect(left.every(({ favourite }) => favourite)).toBe(true)
      const last = going.at(-1)
      if (last) expect(bytesOf([...left, last])).toBeGreaterThan(maxBytes)
    }),
    { numRuns: 500 },
  )
})

test('hundreds of items are deleted in steps that let others work, in a few seconds', {
  tags: 'long',
}, async () => {
  const many = tries(250, 500)
  const mediaIds: string[] = []
  for (let index = 0; index < many; index += 1) {
    mediaIds.push((await media.addSound({ bytes: Buffer.from(`RIFF0000WAVE${index}`) }, { mime: '', name: null })).id)
  }
  withDatabase(dataDir, (database) => {
    database.exec('BEGIN')
    for (const mediaId of mediaIds) recordingRow(database, { id: randomUUID(), mediaId, createdAt: ago(40) })
    database.exec('COMMIT')
  })
  let worst = 0
  let last = performance.now()
  const beat = setInterval(() => {
    worst = Math.max(worst, performance.now() - last)
    last = performance.now()
  }, 1)
  expect(await clean(wish({ olderThanDays: 1 }))).toMatchObject({ items: many })
  clearInterval(beat)
  expect(files().size).toBe(0)
  expect(worst).toBeLessThan(400)
})

test('a row whose item was never created is deleted at the next start, unless this process returned it', async () => {
  const left = await media.addSound({ bytes: Buffer.from('RIFF0000WAVE left') }, { mime: '', name: null })
  await keeping.sweep()
  expect(files()).toEqual(new Set([left.id]))
  await stop()
  start()
  const given = await media.addSound({ bytes: Buffer.from('RIFF0000WAVE new') }, { mime: '', name: null })
  await keeping.sweep()
  expect(files()).toEqual(new Set([given.id]))
})

test('waveform peaks are stored with their file and deleted with it', async () => {
  const { mediaId } = await recording({ days: 40 })
  expect(keeping.peaks({ mediaId })).toBeNull()
  keeping.savePeaks({ mediaId, data: Buffer.from([1, 2, 255]).toString('base64'), seconds: 1.5 })
  expect(keeping.peaks({ mediaId })).toEqual({ data: 'AQL/', seconds: 1.5 })
  expect(() => keeping.savePeaks({ mediaId: randomUUID(), data: '', seconds: 0 })).toThrow(
    expect.objectContaining({ kind: 'no_such_item' }),
  )
  await clean(wish({ olderThanDays: 1 }))
  expect(keeping.peaks({ mediaId })).toBeNull()
})

test('a file is revealed in its folder and dragged as a named copy; unknown ids become no path', async () => {
  const { mediaId } = await picture({ days: 1 })
  const path = join(dataDir, 'media', mediaId)
  expect(await keeping.reveal({ mediaId })).toEqual({ shown: true, path })
  expect(await keeping.dragOut({ mediaId, name: '../../a/b: “c”.exe' })).toEqual({ began: true })
  const [copy = ''] = dragged
  expect(basename(copy)).toBe('a b “c”.png')
  expect(copy.startsWith(join(dataDir, 'tmp'))).toBe(true)
  expect(readFileSync(copy).equals(readFileSync(path))).toBe(true)
  for (let count = 0; count < 12; count += 1) await keeping.dragOut({ mediaId, name: 'x' })
  expect([existsSync(copy), readdirSync(transfers.folder).length]).toEqual([false, 8])
  for (const id of [randomUUID(), '../studio.sqlite', '']) {
    await expect(keeping.reveal({ mediaId: id })).rejects.toMatchObject({ kind: 'no_such_item' })
    await expect(keeping.dragOut({ mediaId: id, name: 'x' })).rejects.toMatchObject({ kind: 'no_such_item' })
  }
})
