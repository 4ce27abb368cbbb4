import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTransfers, type Transfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { maxUploadBytes, partBytes } from '../../../../src-preload/contract/transfers.ts'
import { freshFolder } from '../../helpers/core.ts'

let dataDir: string
let transfers: Transfers
beforeEach(() => {
  dataDir = freshFolder()
  transfers = createTransfers({ dataDir })
})
afterEach(() => transfers.close())

const part = (uploadId: string, at: number, bytes: Buffer, to = transfers) =>
  to.uploads.part({ uploadId, at, body: Readable.from([bytes]) })
const files = (): string[] => readdirSync(join(dataDir, 'tmp'))

describe('uploads', () => {
  it('arrive in parts and are stored in a private file', async () => {
    const bytes = randomBytes(partBytes * 2 + 17)
    const { uploadId } = await transfers.uploads.begin({ name: 'a.png', bytes: bytes.length })
    for (let at = 0; at < bytes.length; at += partBytes) {
      const piece = bytes.subarray(at, at + partBytes)
      expect(await part(uploadId, at, piece)).toBe(at + piece.length)
    }
    const path = transfers.uploads.path(uploadId)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'tmp')).mode & 0o777).toBe(0o700)
    await transfers.uploads.done(uploadId)
    expect(files()).toEqual([])
    expect(() => transfers.uploads.path(uploadId)).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
  })

  it('are complete whatever the size of their parts, even if replies were lost and parts arrive twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.boolean()), { maxLength: 12 }),
        async (pieces) => {
          const bytes = randomBytes(pieces.reduce((sum, [size]) => sum + size, 0))
          const { uploadId } = await transfers.uploads.begin({ name: '', bytes: bytes.length })
          let at = 0
          for (const [size, twice] of pieces) {
            for (let time = 0; time < (twice ? 2 : 1); time++) await part(uploadId, at, bytes.subarray(at, at + size))
            at += size
          }
          const same = readFileSync(transfers.uploads.path(uploadId)).equals(bytes)
          await transfers.uploads.done(uploadId)
          return same
        },
      ),
      { numRuns: 60 },
    )
  })

  it('accept no part out of order or beyond the announced size, and are no file before they are complete', async () => {
    const { uploadId } = await transfers.uploads.begin({ name: 'x', bytes: 10 })
    const bad = expect.objectContaining({ kind: 'bad_input' })
    await expect(part(uploadId, 4, Buffer.alloc(2))).rejects.toEqual(bad)
    await expect(part(uploadId, 1, Buffer.alloc(0))).rejects.toEqual(bad)
    await part(uploadId, 0, Buffer.alloc(6))
    await expect(part(uploadId, 6, Buffer.alloc(5))).rejects.toEqual(bad)
    expect(() => transfers.uploads.path(uploadId)).toThrow(bad)
    // The page repeats a part for which it has no reply.
    await part(uploadId, 4, Buffer.alloc(6))
    expect(statSync(transfers.uploads.path(uploadId)).size).toBe(10)
    await expect(part(uploadId, 10, Buffer.alloc(1))).rejects.toEqual(bad)
  })

  it('of zero bytes are complete at once', async () => {
    const { uploadId } = await transfers.uploads.begin({ name: 'empty', bytes: 0 })
    expect(statSync(transfers.uploads.path(uploadId)).size).toBe(0)
  })

  it('are limited in number and in total announced size', async () => {
    const busy = expect.objectContaining({ kind: 'busy' })
    const half = maxUploadBytes / 2
    await expect(transfers.uploads.begin({ name: '', bytes: maxUploadBytes + 1 })).rejects.toMatchObject({
      kind: 'bad_input',
    })
    const first = await transfers.uploads.begin({ name: '', bytes: half })
    await transfers.uploads.begin({ name: '', bytes: half })
    await expect(transfers.uploads.begin({ name: '', bytes: 1 })).rejects.toEqual(busy)
    await transfers.uploads.drop(first.uploadId)
    const many = Array.from({ length: 40 }, () => transfers.uploads.begin({ name: '', bytes: 1 }))
    const outcomes = await Promise.allSettled(many)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(31)
    expect(files()).toHaveLength(32)
  })

  it('that are unused are deleted with their file, and used ones stay', async () => {
    const folder = freshFolder()
    const short = createTransfers({ dataDir: folder, keptMs: 150 })
    const left = await short.uploads.begin({ name: '', bytes: 5 })
    const kept = await short.uploads.begin({ name: '', bytes: 1000 })
    let at = 0
    await expect
      .poll(
        async () => {
          await part(kept.uploadId, at++, Buffer.alloc(1), short)
          return readdirSync(join(folder, 'tmp'))
        },
        { interval: 20 },
      )
      .toEqual([kept.uploadId])
    await expect(part(left.uploadId, 0, Buffer.alloc(1), short)).rejects.toMatchObject({ kind: 'no_such_item' })
    await short.close()
  })
})

describe('a part', () => {
  it('that breaks off leaves the bytes that arrived, and the rest completes the file', async () => {
    const bytes = randomBytes(300_000)
    const { uploadId } = await transfers.uploads.begin({ name: '', bytes: bytes.length })
    const body = new PassThrough()
    const broken = transfers.uploads.part({ uploadId, at: 0, body })
    body.write(bytes.subarray(0, 100_000))
    await expect.poll(() => statSync(join(transfers.folder, uploadId)).size).toBe(100_000)
    body.destroy(new Error('The page has gone.'))
    await expect(broken).rejects.toThrow('The page has gone.')
    expect(await part(uploadId, 0, bytes)).toBe(bytes.length)
    expect(readFileSync(transfers.uploads.path(uploadId)).equals(bytes)).toBe(true)
  })

  it('is not read ahead of the disk', async () => {
    const chunk = Buffer.alloc(partBytes / 64)
    const { uploadId } = await transfers.uploads.begin({ name: '', bytes: partBytes })
    const stored = (): number => statSync(join(transfers.folder, uploadId)).size
    const ahead: number[] = []
    let sent = 0
    const body = new Readable({
      highWaterMark: chunk.length,
      read() {
        ahead.push(sent - stored())
        sent += chunk.length
        this.push(sent > partBytes ? null : chunk)
      },
    })
    await transfers.uploads.part({ uploadId, at: 0, body })
    expect(ahead).toHaveLength(65)
    expect(Math.max(...ahead)).toBeLessThanOrEqual(3 * chunk.length)
  })

  it('has a maximum size', async () => {
    const { uploadId } = await transfers.uploads.begin({ name: '', bytes: 2 * partBytes })
    await expect(part(uploadId, 0, Buffer.alloc(partBytes + 1))).rejects.toMatchObject({ kind: 'bad_input' })
  })

  it('ends when its upload is dropped, even while it waits for its page', async () => {
    const { uploadId } = await transfers.uploads.begin({ name: '', bytes: 10 })
    const body = new PassThrough()
    const waiting = expect(transfers.uploads.part({ uploadId, at: 0, body })).rejects.toMatchObject({
      kind: 'no_such_item',
    })
    await transfers.uploads.drop(uploadId)
    await waiting
    expect([body.destroyed, files()]).toEqual([true, []])
  })
})

describe('downloads', () => {
  function offer(bytes: Buffer) {
    const path = join(transfers.folder, 'made.zip')
    writeFileSync(path, bytes)
    return {
      path,
      ...transfers.downloads.offer({ path, name: 'made.zip', mime: 'application/zip', bytes: bytes.length }),
    }
  }

  const find = (downloadId: string) => {
    const file = transfers.downloads.find(downloadId)
    if (!file) throw new Error('It is not there.')
    return file
  }

  it('are read to their end, and their file is deleted then', async () => {
    const bytes = randomBytes(partBytes + 1000)
    const { path, downloadId, ...facts } = offer(bytes)
    expect(facts).toEqual({ name: 'made.zip', mime: 'application/zip', bytes: bytes.length })
    expect(find(downloadId)).toMatchObject(facts)
    expect((await buffer(find(downloadId).read())).equals(bytes)).toBe(true)
    expect([existsSync(path), transfers.downloads.find(downloadId)]).toEqual([false, null])
  })

  it('that break off can be read again, and the last of two readers deletes the file', async () => {
    const bytes = randomBytes(500_000)
    const { path, downloadId } = offer(bytes)
    const left = find(downloadId).read()
    await once(left, 'readable')
    left.destroy()
    await once(left, 'close')
    const slow = find(downloadId).read()
    await once(slow, 'readable')
    expect((await buffer(find(downloadId).read())).equals(bytes)).toBe(true)
    expect(existsSync(path)).toBe(true)
    expect((await buffer(slow)).equals(bytes)).toBe(true)
    await expect.poll(() => existsSync(path)).toBe(false)
  })

  it('without a reader are deleted after a while', async () => {
    const short = createTransfers({ dataDir: freshFolder(), keptMs: 100 })
    const path = join(short.folder, 'made.zip')
    writeFileSync(path, 'x')
    const { downloadId } = short.downloads.offer({ path, name: 'made.zip', mime: 'application/zip', bytes: 1 })
    await expect.poll(() => existsSync(path)).toBe(false)
    expect(short.downloads.find(downloadId)).toBeNull()
    await short.close()
  })

  it('are limited in number', () => {
    for (let index = 0; index < 32; index++) offer(Buffer.from('x'))
    expect(() => offer(Buffer.from('x'))).toThrow(expect.objectContaining({ kind: 'busy' }))
  })
})

it('leftovers of an earlier process are deleted at the start, and unknown files stay', () => {
  const folder = freshFolder()
  const tmp = join(folder, 'tmp')
  const [dragged, link] = [randomUUID(), randomUUID()]
  for (const path of [dragged, `.inference-studio-backup-${randomUUID()}/media`, 'theirs'])
    mkdirSync(join(tmp, path), { recursive: true })
  const ours = [randomUUID(), `${randomUUID()}.tar.0a1b2c3d.part`, `export-${randomUUID()}`, `${dragged}/A picture.png`]
  for (const name of [...ours, 'theirs/deep', 'notes.txt', 'deep-0.tar']) writeFileSync(join(tmp, name), 'x')
  const target = freshFolder()
  writeFileSync(join(target, 'kept'), 'x')
  symlinkSync(target, join(tmp, link))
  createTransfers({ dataDir: folder })
  expect(readdirSync(tmp).sort()).toEqual([link, 'theirs', 'notes.txt', 'deep-0.tar'].sort())
  expect(readdirSync(join(tmp, 'theirs'))).toEqual(['deep'])
  expect(readdirSync(target)).toEqual(['kept'])
})
