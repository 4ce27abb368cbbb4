// @long Writes 65,600 entries and one entry of more than 4 GiB. The reader's side of Zip64 is in zip.test.ts.
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { ZipWriter } from '../../../../src-main/core/features/archive/zipWriter.ts'
import { importBounds, ZipReader } from '../../../../src-main/core/shared/zipReader.ts'
import { freshFolder } from '../../helpers/core.ts'
import { sha256 } from './studio.ts'

it('writes and reads more than 65,535 entries', async () => {
  const path = join(freshFolder(), 'entries.zip')
  const writer = new ZipWriter(path)
  const count = 65_600
  for (let index = 0; index < count; index += 1) await writer.add(`entries/${index}`, [Buffer.from(`number ${index}`)])
  await writer.end()
  const reader = await ZipReader.open(path)
  expect(reader.entries.size).toBe(count)
  for (const index of [0, 1, 65_534, 65_535, 65_536, count - 1]) {
    const entry = reader.entries.get(`entries/${index}`)
    expect(entry && (await reader.read(entry, 100)).toString()).toBe(`number ${index}`)
  }
  expect(writer.entries.at(-1)).toEqual({
    name: `entries/${count - 1}`,
    bytes: 12,
    sha256: sha256(`number ${count - 1}`),
  })
  await reader.close()
}, 600_000)

it('writes and reads an entry of more than 4 GiB, and an entry after it', async () => {
  const path = join(freshFolder(), 'large.zip')
  const writer = new ZipWriter(path)
  const chunk = Buffer.alloc(1024 * 1024)
  const chunks = 4 * 1024 + 10
  function* zeros() {
    for (let index = 0; index < chunks; index += 1) yield chunk
  }
  const large = await writer.add('large', zeros())
  expect(large.bytes).toBe(chunks * chunk.length)
  await writer.add('after', [Buffer.from('small')])
  await writer.end()
  const bounds = { ...importBounds, maxEntryBytes: 5 * 1024 ** 3, maxRatio: 1100 }
  const reader = await ZipReader.open(path, bounds)
  const [first, second] = [reader.entries.get('large'), reader.entries.get('after')]
  if (!first || !second) throw new Error('An entry is missing.')
  expect(first.size).toBe(large.bytes)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  expect(await reader.unpack(first, nowhere)).toBe(large.sha256)
  expect((await reader.read(second, 10)).toString()).toBe('small')
  await reader.close()
}, 600_000)
