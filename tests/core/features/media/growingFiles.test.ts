import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMedia, type Media } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers, type Transfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { freshFolder } from '../../helpers/core.ts'
import { killedAfter } from '../../helpers/killed.ts'
import { patternOf, recordingRow, withDatabase } from './rows.ts'

let dataDir: string
let store: Store
let transfers: Transfers
let media: Media
const start = (): void => {
  store = openStore(dataDir)
  transfers = createTransfers({ dataDir })
  media = createMedia({ dataDir, store, uploads: transfers.uploads })
}
const stop = async (): Promise<void> => {
  await transfers.close()
  await media.swept
  store.close()
}
beforeEach(() => {
  dataDir = freshFolder()
  start()
})
afterEach(stop)

const making = (): string[] => readdirSync(join(dataDir, 'making')).sort()
const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(100, 7)])

test('a growing file is private, can be read while it grows, and becomes a media file together with its reference', async () => {
  const id = randomUUID()
  const file = await media.growing.grow(id)
  expect(await file.append(wav.subarray(0, 50))).toBe(50)
  expect(statSync(join(dataDir, 'making', id)).mode & 0o777).toBe(0o600)
  expect((await buffer(file.read(4, 11))).equals(wav.subarray(4, 12))).toBe(true)
  await file.append(wav.subarray(50))
  const named: string[] = []
  const item = await file.finish({ mime: 'audio/webm', name: 'a' }, ({ id: mediaId }) => named.push(mediaId))
  expect(item).toMatchObject({ kind: 'audio', mime: 'audio/wav', bytes: wav.length, name: 'a' })
  expect([named, making()]).toEqual([[item.id], []])
  expect(readFileSync(join(dataDir, 'media', item.id)).equals(wav)).toBe(true)
  await expect(file.append(wav)).rejects.toMatchObject({ kind: 'bad_input' })
})

test('if the reference cannot be written there is no row, and the file stays in `making/`', async () => {
  const id = randomUUID()
  const file = await media.growing.grow(id)
  await file.append(wav)
  const refuse = (): void => {
    throw new Error('no')
  }
  await expect(file.finish({ mime: 'audio/wav', name: null }, refuse)).rejects.toThrow('no')
  expect([[...store.media.ids()], readdirSync(join(dataDir, 'media')), making()]).toEqual([[], [], [id]])
  const again = await media.growing.grow(id)
  expect(await again.finish({ mime: 'audio/wav', name: null }, () => undefined)).toMatchObject({ bytes: wav.length })
})

test('pieces that are repeated, overlapping or concurrent are stored exactly once; a gap is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(200), fc.nat(60)), { minLength: 1, maxLength: 20 }), async (pieces) => {
      const whole = patternOf(400)
      const file = await media.growing.grow(randomUUID(), { durable: false })
      let length = 0
      const sent = pieces.map(([at, size]) => {
        const fits = at <= length
        if (fits) length = Math.max(length, at + size)
        const asked = file.append(whole.subarray(at, at + size), at)
        return fits ? asked : expect(asked).rejects.toMatchObject({ kind: 'bad_input' })
      })
      await Promise.all(sent)
      expect(file.bytes).toBe(length)
      await file.close()
      expect(readFileSync(media.growing.pathOf(file.name)).equals(whole.subarray(0, length))).toBe(true)
      await file.discard()
    }),
    { numRuns: 60 },
  )
})

test('a file has one writer, and names without an id become no path', async () => {
  const id = randomUUID()
  const part = await media.growing.grow(`${id}.3`)
  await expect(media.growing.grow(`${id}.3`)).rejects.toMatchObject({ kind: 'busy' })
  await part.append(wav)
  await part.close()
  const again = await media.growing.grow(`${id}.3`)
  expect(again.bytes).toBe(wav.length)
  await again.close()
  expect(await media.growing.left(id)).toEqual([{ name: `${id}.3`, bytes: wav.length }])
  for (const name of ['', '..', '../x', `${id}.`, `${id}/x`, `${id}.../x`, 'x', `${id}.A`]) {
    await expect(media.growing.grow(name), name).rejects.toMatchObject({ kind: 'bug' })
  }
  await media.growing.discardAll(id)
  expect(making()).toEqual([])
})

test('at the start files without an owner are deleted, and unknown files stay', async () => {
  const [owned, other] = [randomUUID(), randomUUID()]
  withDatabase(dataDir, (database) => recordingRow(database, { id: owned, state: 'recording' }))
  for (const name of [owned, `${owned}.part`, other, 'nonsense']) writeFileSync(join(dataDir, 'making', name), 'came')
  mkdirSync(join(dataDir, 'making', 'folder'))
  await stop()
  start()
  await media.swept
  expect(making()).toEqual([owned, `${owned}.part`, 'nonsense', 'folder'].sort())
})

test('killed while it grows: every acknowledged byte is there, and the next process finishes the file', {
  tags: 'long',
}, async () => {
  const id = randomUUID()
  withDatabase(dataDir, (database) => recordingRow(database, { id, state: 'recording' }))
  await stop()
  const printed = await killedAfter(30, new URL('growForever.ts', import.meta.url), [dataDir, id])
  const promised = Number(printed.at(-1))
  start()
  await media.swept
  const [left] = await media.growing.left(id)
  expect(left?.bytes).toBeGreaterThanOrEqual(promised)
  const file = await media.growing.grow(id)
  const item = await file.finish({ mime: 'audio/webm;codecs=opus', name: null }, () => undefined)
  const kept = readFileSync(join(dataDir, 'media', item.id))
  expect(kept.equals(patternOf(kept.length))).toBe(true)
  expect(item.mime).toBe('audio/webm')
})

test('the same audio is stored once for all references, and deleted with the last of them', async () => {
  const named: string[] = []
  const add = () => media.addSound({ bytes: wav }, { mime: 'audio/wav', name: null }, ({ id }) => named.push(id))
  const all = await Promise.all([add(), add(), add()])
  expect(new Set([...named, ...all.map(({ id }) => id)]).size).toBe(1)
  const [mediaId = ''] = named
  withDatabase(dataDir, (database) => recordingRow(database, { id: randomUUID(), mediaId }))
  await media.drop([mediaId])
  expect(existsSync(join(dataDir, 'media', mediaId))).toBe(true)
  withDatabase(dataDir, (database) => database.exec('DELETE FROM recordings'))
  await media.drop([mediaId])
  expect([existsSync(join(dataDir, 'media', mediaId)), store.media.ids().size]).toEqual([false, 0])
})
