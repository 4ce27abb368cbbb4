import { existsSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { ZipWriter } from '../../../../src-main/core/features/archive/zipWriter.ts'
import { importBounds, ZipReader } from '../../../../src-main/core/shared/zipReader.ts'
import { freshFolder } from '../../helpers/core.ts'

const freshPath = (): string => join(freshFolder(), 'file.zip')

async function stored(bytes: Uint8Array): Promise<string> {
  const path = freshPath()
  await writeFile(path, bytes)
  return path
}

async function written(entries: Record<string, string>): Promise<string> {
  const path = freshPath()
  const zip = new ZipWriter(path)
  for (const [name, text] of Object.entries(entries)) await zip.add(name, [Buffer.from(text)])
  await zip.end()
  return path
}

/** End of central directory with its Zip64 record and locator, over `before`. */
function zip64End(before: Uint8Array, { count, offset }: { count: bigint; offset: bigint }): Buffer {
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(count, 24)
  record.writeBigUInt64LE(count, 32)
  record.writeBigUInt64LE(offset, 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(before.length), 8)
  const end = Buffer.alloc(22, 0xff)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(0, 4)
  end.writeUInt16LE(0, 20)
  return Buffer.concat([before, record, locator, end])
}

describe('writing a zip', () => {
  it('gives bytes that another program reads, the same each time', async () => {
    const entries = { 'a.txt': 'one', 'folder/ü.txt': 'two'.repeat(10_000), empty: '' }
    const first = await written(entries)
    const second = await written(entries)
    const [bytes, again] = await Promise.all([readFile(first), readFile(second)])
    expect(again).toEqual(bytes)
    const read = Object.entries(unzipSync(bytes)).map(([name, data]) => [name, Buffer.from(data).toString()])
    expect(Object.fromEntries(read)).toEqual(entries)
  })

  it('fails with the failure of its content or of the disk, and never replaces a file', async () => {
    const path = freshPath()
    const zip = new ZipWriter(path)
    async function* content() {
      yield Buffer.from('half')
      throw new Error('The source failed.')
    }
    await expect(zip.add('a', content())).rejects.toThrow('The source failed.')
    await zip.abandon()
    expect(existsSync(path)).toBe(true)
    const second = new ZipWriter(path)
    await expect(second.add('a', [Buffer.alloc(1)]).then(() => second.end())).rejects.toMatchObject({ code: 'EEXIST' })
    await second.abandon()
  })
})

describe('reading a hostile zip', () => {
  const refused = async (bytes: Uint8Array, words: RegExp, bounds = importBounds): Promise<void> => {
    const path = await stored(bytes)
    await expect(ZipReader.open(path, bounds)).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringMatching(words),
    })
  }
  const plain = zipSync({ 'a.txt': strToU8('x'.repeat(1000)), 'b.txt': strToU8('y'.repeat(1000)) })

  it('refuses Zip64 offsets and counts beyond the file', async () => {
    for (const offset of [2n ** 64n - 1n, 2n ** 53n, 2n ** 40n, 60n]) {
      await refused(zip64End(plain, { count: 2n, offset }), /damaged/)
    }
    await refused(zip64End(plain, { count: 2n ** 63n, offset: 0n }), /more data than is safe/)
    await refused(zip64End(plain, { count: 200_001n, offset: 0n }), /more data than is safe/)
  })

  it('refuses a directory with more entries or more bytes than allowed', async () => {
    await refused(plain, /more data than is safe/, { ...importBounds, maxEntries: 1 })
    await refused(plain, /more data than is safe/, { ...importBounds, maxDirectoryBytes: 60 })
  })

  it('refuses a count that is higher than the entries present', async () => {
    const bytes = Buffer.from(plain)
    const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
    bytes.writeUInt16LE(3, end + 8)
    bytes.writeUInt16LE(3, end + 10)
    await refused(bytes, /damaged/)
  })

  it('refuses encrypted entries', async () => {
    for (const flag of [0x01, 0x41]) {
      const bytes = Buffer.from(plain)
      const directory = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
      bytes.writeUInt16LE(flag, directory + 8)
      await refused(bytes, /encrypted/)
    }
  })

  it('refuses an entry that is larger or smaller than its directory says, or has another checksum', async () => {
    for (const [at, value] of [
      [24, 999],
      [24, 1001],
      [20, 3],
      [16, 1],
      [42, 0xffff_fff0],
    ] as const) {
      const bytes = Buffer.from(plain)
      bytes.writeUInt32LE(value, bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + at)
      const zip = await ZipReader.open(await stored(bytes))
      const entry = zip.entries.get('a.txt')
      if (!entry) throw new Error('The entry is missing.')
      await expect(zip.read(entry, 10_000)).rejects.toMatchObject({
        kind: 'bad_input',
        message: expect.stringMatching(/damaged/),
      })
      await zip.close()
    }
  })

  it('stops unpacking at the limits for an entry, for all entries and for the ratio', async () => {
    const path = await stored(plain)
    const read = async (bounds: Partial<typeof importBounds>): Promise<number> => {
      const zip = await ZipReader.open(path, { ...importBounds, ...bounds })
      let bytes = 0
      try {
        for (const entry of zip.entries.values()) bytes += (await zip.read(entry, 10_000)).length
      } finally {
        await zip.close()
      }
      return bytes
    }
    expect(await read({})).toBe(2000)
    for (const bounds of [{ maxEntryBytes: 999 }, { maxTotalBytes: 1999 }, { suspectBytes: 999, maxRatio: 10 }]) {
      await expect(read(bounds)).rejects.toMatchObject({
        kind: 'bad_input',
        message: expect.stringMatching(/more data than is safe/),
      })
    }
  })

  it('passes a failure of the disk on as it is', async () => {
    const zip = await ZipReader.open(await stored(plain))
    const [entry] = zip.entries.values()
    const full = new Writable({ write: (_, __, done) => done(Object.assign(new Error('full'), { code: 'ENOSPC' })) })
    if (!entry) throw new Error('The entry is missing.')
    await expect(zip.unpack(entry, full)).rejects.toMatchObject({ code: 'ENOSPC' })
    await zip.close()
  })
})

describe('reading Zip64', () => {
  it('uses the counts and offsets of the Zip64 record', async () => {
    const bytes = zipSync({ 'a.txt': strToU8('one'), 'b.txt': strToU8('two') })
    const directory = bytes.length - 22 - 2 * (46 + 5)
    const path = await stored(zip64End(bytes.subarray(0, -22), { count: 2n, offset: BigInt(directory) }))
    const zip = await ZipReader.open(path)
    const texts = [...zip.entries.values()].map(async (entry) => (await zip.read(entry, 10)).toString())
    expect(await Promise.all(texts)).toEqual(['one', 'two'])
    await zip.close()
  })

  it('finds an entry that begins beyond 4 GiB', async () => {
    const bytes = Buffer.from(zipSync({ 'a.txt': strToU8('far away') }, { level: 0 }))
    const directory = bytes.length - 22 - (46 + 5)
    const record = Buffer.from(bytes.subarray(directory, bytes.length - 22))
    record.writeUInt16LE(12, 30)
    record.writeUInt32LE(0xffff_ffff, 42)
    const extra = Buffer.alloc(12)
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    const hole = 5 * 1024 ** 3
    extra.writeBigUInt64LE(BigInt(hole), 4)
    const before = Buffer.concat([bytes.subarray(0, directory), record, extra])
    const end = zip64End(before, { count: 1n, offset: BigInt(hole + directory) })
    end.writeBigUInt64LE(BigInt(hole + before.length), before.length + 56 + 8)
    const path = freshPath()
    // The hole takes no space on the disk.
    const file = await open(path, 'wx')
    await file.write(end, 0, end.length, hole)
    await file.close()
    const zip = await ZipReader.open(path)
    const entry = zip.entries.get('a.txt')
    expect(entry && (await zip.read(entry, 100)).toString()).toBe('far away')
    await zip.close()
  })
})
