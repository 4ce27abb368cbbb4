import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backupsIn, keepBackups, writeKeptBackup } from '../../../src-main/core/data/backup/keep.ts'
import { backupName, keptBackupName } from '../../../src-main/core/data/backup/manifest.ts'
import { headOf } from '../../../src-main/core/data/backup/tar/layout.ts'
import { verifyBackup } from '../../../src-main/core/data/backup/verify.ts'
import { writeBackup } from '../../../src-main/core/data/backup/write.ts'
import { databases } from '../../../src-main/core/data/databases.ts'
import { restoreBackup } from '../../../src-main/core/data/restore/restore.ts'
import { StudioError } from '../../../src-main/core/errors.ts'
import type { KeepRules } from '../../../src-preload/contract/keepRules.ts'
import { needs } from '../../helpers/programs.mjs'
import { freshFolder } from '../helpers/core.ts'
import { fillDisk, mountMemoryDisk, unmountMemoryDisk } from '../helpers/memoryDisk.ts'
import { contentsOf, filledFolder } from './fill.ts'

const version = '1.2.3'
const agree = async (): Promise<boolean> => true
const everything = (dataDir: string) => ({
  databases: databases.map(({ pathIn }) => contentsOf(pathIn(dataDir))),
  media: readdirSync(join(dataDir, 'media'))
    .sort()
    .map((name) => [name, readFileSync(join(dataDir, 'media', name), 'utf8')]),
})
async function backupNamed(name: string, dataDir = filledFolder()): Promise<string> {
  const path = join(freshFolder(), name)
  await writeBackup({ dataDir, version }, { path })
  return path
}

describe('a compressed backup', () => {
  it.each(['studio.tar.zst', 'studio.tar.gz'])('%s restores every row and file', async (name) => {
    const dataDir = filledFolder()
    const path = await backupNamed(name, dataDir)
    const to = freshFolder()
    await restoreBackup({ dataDir: to, path, agree })
    expect(everything(to)).toEqual(everything(dataDir))
  })

  it('is recognized by its content, whatever its name', needs('posix'), async () => {
    const dataDir = filledFolder()
    const path = await backupNamed('studio.tar', dataDir)
    writeFileSync(path, execFileSync('gzip', ['-c', path], { maxBuffer: 2 ** 28 }))
    const to = freshFolder()
    await restoreBackup({ dataDir: to, path, agree })
    expect(everything(to)).toEqual(everything(dataDir))
  })

  it('is smaller, and is the same tar inside', async () => {
    const dataDir = filledFolder({ conversations: 20, messages: 20 })
    const path = await backupNamed('studio.tar.zst', dataDir)
    const tar = zstdDecompressSync(readFileSync(path))
    expect(statSync(path).size).toBeLessThan(tar.length / 2)
    expect(tar.toString('latin1', 257, 262)).toBe('ustar')
  })

  it.each(['studio.tar.zst', 'studio.tar.gz'])(
    '%s is refused when it is cut anywhere or a byte is changed, and nothing is changed',
    { tags: 'long' },
    async (name) => {
      const path = await backupNamed(name)
      const bytes = readFileSync(path)
      const to = freshFolder()
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 12, max: bytes.length - 1 }), fc.boolean(), async (at, isCut) => {
          const changed = isCut ? bytes.subarray(0, at) : Buffer.from(bytes)
          if (!isCut) changed.writeUInt8(bytes.readUInt8(at) ^ 0x40, at)
          writeFileSync(path, changed)
          const outcome = await verifyBackup({ path }).then(
            () => 'good',
            (thrown: { kind?: string }) => thrown.kind,
          )
          // The flags of a gzip header and what follows its end are no part of the content.
          if (outcome !== 'good') expect(outcome).toBe('bad_input')
          else expect(isCut).toBe(false)
          expect(readdirSync(join(path, '..'))).toEqual([name])
        }),
        { seed: 38, numRuns: 40 },
      )
      writeFileSync(path, bytes.subarray(0, -20))
      await expect(restoreBackup({ dataDir: to, path, agree })).rejects.toMatchObject({ kind: 'bad_input' })
      expect(readdirSync(to).filter((one) => one.endsWith('.sqlite'))).toEqual([])
    },
  )

  it('that claims to expand to more than the disk has is refused before its bytes are read', async () => {
    const path = join(freshFolder(), 'bomb.tar.gz')
    const about = readAbout(await backupNamed('studio.tar.zst'))
    const head = headOf({ name: 'studio.sqlite', size: 2 ** 52 }, 0)
    writeFileSync(path, gzipSync(Buffer.concat([about, head, Buffer.alloc(2 ** 24)])))
    await expect(restoreBackup({ dataDir: freshFolder(), path, agree })).rejects.toMatchObject({ kind: 'disk_full' })
  })

  it('that does not fit on the disk leaves nothing, and the error says why', needs('mount'), async () => {
    const disk = mountMemoryDisk(8)
    try {
      const dataDir = filledFolder({ requests: 20_000 })
      fillDisk(disk, 400_000)
      const path = join(disk, 'studio.tar.zst')
      await expect(writeBackup({ dataDir, version }, { path })).rejects.toMatchObject({ kind: 'disk_full' })
      expect(readdirSync(disk).filter((name) => name.includes('studio'))).toEqual([])
    } finally {
      unmountMemoryDisk(disk)
    }
  })
})

/** The first entry of a backup with its padding. */
function readAbout(path: string): Buffer {
  const tar = zstdDecompressSync(readFileSync(path))
  const size = Number.parseInt(tar.toString('latin1', 124, 135), 8)
  return tar.subarray(0, 512 + Math.ceil(size / 512) * 512)
}

describe('the check of a backup', () => {
  it.each(['studio.tar', 'studio.tar.zst'])('%s counts what is in it, and leaves nothing behind', async (name) => {
    const path = await backupNamed(name, filledFolder({ conversations: 5 }))
    const { counts } = await verifyBackup({ path })
    expect(counts).toContainEqual({ thing: 'conversations', count: 5 })
    expect(readdirSync(join(path, '..'))).toEqual([name])
  })

  it.each(['studio.tar', 'studio.tar.zst'])('%s ends when it is cancelled', async (name) => {
    const path = await backupNamed(name)
    const abort = new AbortController()
    const progress = (): void => abort.abort(new StudioError('cancelled', 'Cancelled.'))
    await expect(verifyBackup({ path, signal: abort.signal, progress })).rejects.toMatchObject({ kind: 'cancelled' })
    expect(readdirSync(join(path, '..'))).toEqual([name])
  })

  it('finds a file that is no backup', async () => {
    const path = join(freshFolder(), 'letter.tar')
    writeFileSync(path, 'Dear Sir or Madam')
    await expect(verifyBackup({ path })).rejects.toMatchObject({ kind: 'bad_input' })
  })
})

const day = 86_400_000
const now = Date.parse('2026-11-29T12:00:00Z')

/** A folder with an empty file for each time. */
function folderOf(times: readonly number[], host = hostname()): string {
  const folder = freshFolder()
  for (const at of times) writeFileSync(join(folder, keptBackupName(new Date(at).toISOString(), host)), '')
  return folder
}
const datesIn = (folder: string): string[] =>
  backupsIn(folder).map(({ madeAt }) => new Date(madeAt).toISOString().slice(0, 10))

describe('the rules of a folder of backups', () => {
  it('keep the newest one of each of the last days, weeks and months', () => {
    const folder = folderOf(Array.from({ length: 100 }, (_, at) => now - (at * day) / 2))
    const { kept, deleted } = keepBackups(folder, { daily: 3, weekly: 3, monthly: 3 }, now)
    expect(datesIn(folder)).toEqual([
      ...['2026-11-29', '2026-11-28', '2026-11-27'],
      // Sundays, the ends of the weeks before, and the end of the month before.
      ...['2026-11-22', '2026-11-15', '2026-10-31'],
    ])
    expect(kept).toHaveLength(6)
    expect(deleted).toHaveLength(94)
  })

  it('count only periods that have a backup, so a computer that was off loses nothing', () => {
    const folder = folderOf([now, now - 40 * day, now - 400 * day])
    expect(keepBackups(folder, { daily: 3 }, now).deleted).toEqual([])
  })

  it('leave files of other names, links, folders and the backups of other computers', () => {
    const folder = folderOf([now, now - day])
    const old = (host: string): string => keptBackupName('2020-01-01T00:00:00.000Z', host)
    const others = [
      old('other-computer'),
      backupName('2020-01-01T00:00:00.000Z'),
      'letter.txt',
      `${old(hostname())}.part`,
    ]
    for (const name of others) writeFileSync(join(folder, name), '')
    symlinkSync('letter.txt', join(folder, old(hostname())))
    mkdirSync(join(folder, keptBackupName('2020-01-02T00:00:00.000Z', hostname())))
    keepBackups(folder, { last: 1 }, now)
    expect(readdirSync(folder).sort()).toEqual(
      [
        ...others,
        old(hostname()),
        keptBackupName('2020-01-02T00:00:00.000Z', hostname()),
        keptBackupName(new Date(now).toISOString(), hostname()),
      ].sort(),
    )
  })

  it('let no backup of the future, of a wrong clock, take the place of a real one', () => {
    const folder = folderOf([now + 400 * day, now + 300 * day, now, now - day])
    const { kept, deleted } = keepBackups(folder, { last: 1 }, now)
    expect(kept.map(({ madeAt }) => (madeAt - now) / day)).toEqual([400, 300, 0])
    expect(deleted.map(({ madeAt }) => (madeAt - now) / day)).toEqual([-1])
  })

  it('that keep nothing are refused', () => {
    const folder = folderOf([now])
    for (const rules of [{}, { daily: 0 }]) {
      expect(() => keepBackups(folder, rules)).toThrow(/would keep no backup/)
    }
    expect(datesIn(folder)).toHaveLength(1)
  })

  it('keep the newest, no more than their sum, and the same when they are applied again', () => {
    const count = fc.integer({ min: 0, max: 6 })
    const rules: fc.Arbitrary<KeepRules> = fc
      .record({ last: count, daily: count, weekly: count, monthly: count, yearly: count }, { requiredKeys: [] })
      .filter((given) => Object.values(given).some((one) => one > 0))
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 30 }),
        rules,
        (hours, keep) => {
          const folder = folderOf(hours.map((one) => now - one * 3_600_000 * 7))
          const { kept } = keepBackups(folder, keep, now)
          expect(kept[0]?.madeAt).toBe(now - Math.min(...hours) * 3_600_000 * 7)
          expect(kept.length).toBeLessThanOrEqual(Object.values(keep).reduce((sum, one) => sum + one, 0))
          expect(keepBackups(folder, keep, now)).toEqual({ kept, deleted: [] })
        },
      ),
      { seed: 38, numRuns: 60 },
    )
  })

  it.each(['Büro-PC.local', 'x'.repeat(80), '', '-a-'])('fit the names of a computer called “%s”', (host) => {
    const name = keptBackupName('2026-11-29T02:54:07.123Z', host)
    expect(name).toMatch(/^inference-studio-[a-z\d]+(?:-[a-z\d]+)*-2026-11-29-02-54-07\.tar\.zst$/)
  })
})

describe('a backup to a folder', () => {
  it('is written, checked and thinned out; the older ones stay when it fails', async () => {
    const dataDir = filledFolder()
    const folder = folderOf([Date.now() - 30 * day, Date.now() - 31 * day])
    const { path, deleted } = await writeKeptBackup({ dataDir, version }, { folder, keep: { last: 2 } })
    await verifyBackup({ path })
    expect(deleted.map(({ madeAt }) => Math.round((Date.now() - madeAt) / day))).toEqual([31])
    const before = readdirSync(folder)
    await expect(writeKeptBackup({ dataDir: freshFolder(), version }, { folder, keep: { last: 1 } })).rejects.toThrow()
    expect(readdirSync(folder)).toEqual(before)
  })
})
