import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMedia, type Media } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers, type Transfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { tries } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { killedAfter } from '../../helpers/killed.ts'
import { uploadFile } from '../../helpers/transfers.ts'
import { gifHead, jpg, png, pngClaim } from './pictures.ts'

let dataDir: string
let store: Store
let transfers: Transfers
let media: Media
beforeEach(() => {
  dataDir = freshFolder()
  store = openStore(dataDir)
  transfers = createTransfers({ dataDir })
  media = createMedia({ dataDir, store, uploads: transfers.uploads })
})
afterEach(async () => {
  await transfers.close()
  await media.swept
  store.close()
})

const upload = (bytes: Buffer, name = 'a.png'): Promise<string> => uploadFile(transfers, name, bytes)
const add = async (bytes: Buffer, name?: string) => media.addImage({ uploadId: await upload(bytes, name) })
const kept = (): string[] => readdirSync(join(dataDir, 'media'))

test('an image is stored under its id, private, with type and size from its bytes', async () => {
  const bytes = jpg(40, 30)
  const { mediaId, ...facts } = await add(bytes, 'called.png')
  expect(facts).toEqual({ name: 'called.png', mime: 'image/jpeg', width: 40, height: 30, bytes: bytes.length })
  expect(readFileSync(join(dataDir, 'media', mediaId)).equals(bytes)).toBe(true)
  expect(statSync(join(dataDir, 'media', mediaId)).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
  expect(await media.imageUrl(mediaId)).toBe(`data:image/jpeg;base64,${bytes.toString('base64')}`)
  expect(media.find(mediaId)).toEqual({ mediaId, ...facts })
})

test('the same content is stored once, even if it arrives several times at once', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => add(png(5, 5))))
  expect(new Set(all.map(({ mediaId }) => mediaId)).size).toBe(1)
  expect(await add(png(5, 5))).toEqual(all[0])
  expect(kept()).toHaveLength(1)
  expect((await add(png(5, 5, 9))).mediaId).not.toBe(all[0]?.mediaId)
})

test('other files, too large files and too many pixels are refused, and nothing of them is stored', async () => {
  const tooLarge = Buffer.concat([png(2, 2), Buffer.alloc(20 * 1024 * 1024)])
  for (const [bytes, words] of [
    [Buffer.from('<svg/>'), /not an image/],
    [Buffer.alloc(0), /not an image/],
    [tooLarge, /20 MB/],
    [pngClaim(16_385, 1), /16,384/],
    [gifHead(65_000, 65_000), /65000 × 65000/],
    // Small by its screen only: a browser would allocate the larger frame.
    [gifHead(10, 10, [65_000, 65_000]), /65000 × 65000/],
    [pngClaim(16_000, 16_000), /100 million/],
  ] as const) {
    await expect(add(bytes)).rejects.toMatchObject({ kind: 'bad_input', message: expect.stringMatching(words) })
  }
  expect([kept(), readdirSync(join(dataDir, 'tmp'))]).toEqual([[], []])
  await expect(media.addImage({ uploadId: randomUUID() })).rejects.toMatchObject({ kind: 'no_such_item' })
})

test('files are opened by id only, in ranges; nothing else becomes a path', async () => {
  const bytes = png(20, 20)
  const { mediaId } = await add(bytes)
  const file = await media.open(mediaId)
  if (!file) throw new Error('It is not there.')
  expect([file.mime, file.bytes]).toEqual(['image/png', bytes.length])
  expect((await buffer(file.read(3, 9))).equals(bytes.subarray(3, 10))).toBe(true)
  for (const id of [
    '',
    '.',
    '..',
    '../studio.sqlite',
    mediaId.toUpperCase(),
    `${mediaId}/`,
    randomUUID(),
    `./${mediaId}`,
  ]) {
    expect(await media.open(id), id).toBeNull()
  }
  await expect(media.imageUrl(randomUUID())).rejects.toMatchObject({ kind: 'no_such_item' })
})

test('dropped files are gone from disk and store; invalid ids touch nothing', async () => {
  const bring = async (bytes: Buffer) => media.importFile({ id: randomUUID(), bytes, name: null })
  const [one, two] = [await bring(png(3, 3)), await add(png(4, 4))]
  writeFileSync(join(dataDir, 'stays'), 'x')
  // The second one is used by a draft.
  await media.drop([one.mediaId, two.mediaId, '../stays', randomUUID()])
  expect(kept()).toEqual([two.mediaId])
  expect(existsSync(join(dataDir, 'stays'))).toBe(true)
  expect(await media.open(one.mediaId)).toBeNull()
  // The same content can be added again.
  expect((await add(png(3, 3))).mediaId).not.toBe(one.mediaId)
})

test('an archive restores images under their ids, and the stored one wins if both have the same id', async () => {
  const id = randomUUID()
  expect(await media.importFile({ id, bytes: png(7, 7), name: 'seven' })).toMatchObject({ mediaId: id, name: 'seven' })
  expect(await media.importFile({ id, bytes: png(7, 7), name: 'again' })).toMatchObject({ mediaId: id, name: 'seven' })
  const other = await media.importFile({ id, bytes: png(8, 8), name: null })
  expect(other.mediaId).not.toBe(id)
  const odd = await media.importFile({ id: '../../x', bytes: png(9, 9), name: null })
  expect(odd.mediaId).toMatch(/^[\da-f-]{36}$/)
  await expect(media.importFile({ id: randomUUID(), bytes: Buffer.from('no'), name: null })).rejects.toMatchObject({
    kind: 'bad_input',
  })
  expect(kept().sort()).toEqual([id, other.mediaId, odd.mediaId].sort())
})

test('files without a row are deleted at the start, and unknown files stay', async () => {
  const { mediaId } = await add(png(3, 3))
  for (const name of [randomUUID(), `${randomUUID()}.part`]) writeFileSync(join(dataDir, 'media', name), 'left over')
  const others = ['holiday.jpg', `${randomUUID()}.jpg`, randomUUID(), 'folder']
  for (const name of others.slice(0, 2)) writeFileSync(join(dataDir, 'media', name), 'theirs')
  // A folder and a link, also under names in our format.
  for (const name of others.slice(2)) mkdirSync(join(dataDir, 'media', name))
  const target = join(freshFolder(), 'target')
  writeFileSync(target, 'theirs')
  const link = randomUUID()
  symlinkSync(target, join(dataDir, 'media', link))
  const next = createMedia({ dataDir, store, uploads: transfers.uploads })
  await next.swept
  expect(kept().sort()).toEqual([mediaId, link, ...others].sort())
  expect(readFileSync(target, 'utf8')).toBe('theirs')
  expect(await next.open(mediaId)).not.toBeNull()
})

test('killed at any moment while images arrive: each row has its complete file, and leftovers are deleted', {
  tags: 'long',
}, async () => {
  for (let round = 0; round < tries(3, 20); round++) {
    const folder = freshFolder()
    const printed = await killedAfter(3 + round * 4, new URL('addForever.ts', import.meta.url), [folder])
    const after = openStore(folder)
    const left = createMedia({ dataDir: folder, store: after, uploads: createTransfers({ dataDir: folder }).uploads })
    await left.swept
    const ids = [...after.media.ids()]
    expect(ids.length).toBeGreaterThanOrEqual(printed.length)
    expect(readdirSync(join(folder, 'media')).sort()).toEqual(ids.sort())
    for (const id of ids) expect((await left.bytes(id)).length).toBe(after.media.find(id)?.bytes)
    after.close()
  }
})
