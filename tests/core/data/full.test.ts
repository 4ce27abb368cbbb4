import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openErase } from '../../../src-main/core/compose/stored/erase.ts'
import { writeBackup } from '../../../src-main/core/data/backup/write.ts'
import { onFolder } from '../../../src-main/core/data/opening/openFolder.ts'
import { restoreBackup } from '../../../src-main/core/data/restore/restore.ts'
import { stageBackup } from '../../../src-main/core/data/restore/stage.ts'
import { onUnexpected } from '../../../src-main/core/shared/unexpected.ts'
import { openDatabase, studioDatabase } from '../../../src-main/core/store/database.ts'
import { lockFolder } from '../../../src-main/core/store/lock.ts'
import { onlyLong } from '../../helpers/effort.ts'
import { needs } from '../../helpers/programs.mjs'
import { freshFolder } from '../helpers/core.ts'
import { fillDisk, mountMemoryDisk, unmountMemoryDisk } from '../helpers/memoryDisk.ts'
import { behead, filledFolder, fillFolder, soundness } from './fill.ts'

// Real disks of 8 MB that are full or read-only, if this user may mount them.

const filling = { conversations: 3, messages: 4, requests: 2000, days: 5 }
const agree = async (): Promise<boolean> => true
const open = (dataDir: string): Promise<string> =>
  onFolder({ dataDir, log: () => undefined }, ({ lock }) => {
    lock.release()
    return 'opened'
  })

/** Every file with its bytes, without the side files of SQLite and the lock. */
const contents = (dataDir: string): [string, string][] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(?:wal|shm)$|^studio\.(?:lock|owner\.json)$/.test(entry.name))
    .map((entry): [string, string] => {
      const path = join(entry.parentPath, entry.name)
      return [path, readFileSync(path, 'base64')]
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))

describe('on a full disk', needs('mount'), () => {
  let disk: string
  let dataDir: string
  beforeEach(() => {
    disk = mountMemoryDisk(8)
    dataDir = join(disk, 'data')
    mkdirSync(dataDir)
    fillFolder(dataDir, filling)
  })
  afterEach(() => unmountMemoryDisk(disk))

  /** Fills the disk except for `left` bytes. */
  const fillUp = (left: number): void => fillDisk(disk, left)
  const full = {
    kind: 'disk_full',
    message: expect.stringMatching(/too little space|disk is full|free some space/i),
  }

  it.each([300_000, 60_000])(
    'a damaged file is not changed with %i bytes left, the error says why, and it is recovered once there is space',
    async (left) => {
      behead(join(dataDir, 'ledger.sqlite'))
      const before = contents(dataDir)
      fillUp(left)
      await expect(open(dataDir)).rejects.toMatchObject(full)
      expect(contents(dataDir)).toEqual(before)
      expect(readdirSync(dataDir)).not.toContain('staging')
      rmSync(join(disk, 'other'))
      await open(dataDir)
      expect(soundness(join(dataDir, 'ledger.sqlite'))).toEqual({ integrity: 'ok', foreign: 0 })
      expect(existsSync(join(dataDir, 'damaged'))).toBe(true)
    },
  )

  it('a backup of it needs no space there, and one onto it leaves no partial file and keeps an existing backup', async () => {
    const old = join(disk, 'kept.tar')
    writeFileSync(old, 'the backup of before')
    const before = contents(dataDir)
    fillUp(200_000)
    // A backup writes nothing to the data folder.
    await writeBackup({ dataDir, version: '1' }, { path: join(freshFolder(), 'a.tar') })
    const elsewhere = filledFolder(filling)
    await expect(writeBackup({ dataDir: elsewhere, version: '1' }, { path: old })).rejects.toMatchObject(full)
    expect(readdirSync(disk).sort()).toEqual(['data', 'kept.tar', 'other'])
    expect(readFileSync(old, 'utf8')).toBe('the backup of before')
    expect(contents(dataDir)).toEqual(before)
  })

  it('a backup onto another disk has every media file, and lists one that was deleted during the backup as missing', async () => {
    const path = join(freshFolder(), 'a.tar')
    const media = readdirSync(join(dataDir, 'media'))
    await writeBackup({ dataDir, version: '1' }, { path })
    expect((await stageBackup({ dataDir: freshFolder(), path })).report).toMatchObject({ what: 'restored' })
    const [erased = ''] = media
    const progress = (): void => rmSync(join(dataDir, 'media', erased), { force: true })
    // The first progress comes before anything is copied. From then on the file is gone, but its row exists.
    await writeBackup({ dataDir, version: '1', progress }, { path })
    const restored = freshFolder()
    await restoreBackup({ dataDir: restored, path, agree })
    expect(readdirSync(join(restored, 'media')).sort()).toEqual(media.filter((name) => name !== erased).sort())
    expect(readdirSync(dirname(path))).toEqual(['a.tar'])
  })

  it.each([...onlyLong(900_000, 100_000), 0])(
    'a restore without enough space (%i bytes left) changes nothing',
    async (left) => {
      const path = join(freshFolder(), 'a.tar')
      await writeBackup({ dataDir: filledFolder(filling), version: '1' }, { path })
      const before = contents(dataDir)
      fillUp(left)
      await expect(restoreBackup({ dataDir, path, agree })).rejects.toMatchObject(full)
      expect(contents(dataDir)).toEqual(before)
      expect(readdirSync(dataDir)).not.toContain('staging')
      rmSync(join(disk, 'other'))
      await restoreBackup({ dataDir, path, agree })
      expect(readdirSync(join(dataDir, 'replaced'))).toHaveLength(1)
    },
  )

  it('deleting old rows reports the full disk and loses no other rows; with space it deletes them', {
    tags: 'long',
  }, async () => {
    const erasing = await openErase({ dataDir, log: () => undefined })
    const plan = await erasing.count({ what: ['log'], olderThanDays: 0, archivedOnly: false })
    expect(plan.parts[0]?.items).toBeGreaterThan(1000)
    fillUp(0)
    expect((await erasing.erase(plan))?.problem).toMatchObject(full)
    rmSync(join(disk, 'other'))
    expect(await erasing.count({ what: ['log'], olderThanDays: 0, archivedOnly: false })).toMatchObject({
      parts: [{ items: plan.parts[0]?.items }],
    })
    expect(await erasing.erase(plan)).toMatchObject({
      problem: null,
      parts: plan.parts.map(({ what, items }) => ({ what, items })),
    })
    await erasing.close()
    expect(soundness(join(dataDir, 'ledger.sqlite'))).toEqual({ integrity: 'ok', foreign: 0 })
  })

  it('a database that is closed on a full disk is closed, and the failure is reported once', () => {
    const lines: string[] = []
    const stop = onUnexpected((line) => lines.push(line))
    try {
      const file = join(disk, 'studio.sqlite')
      const database = openDatabase(file, studioDatabase)
      const insert = database.handle.prepare('INSERT INTO settings (key, value) VALUES (?, ?)')
      database.transaction(() => {
        for (let row = 0; row < 300; row += 1) insert.run(`row ${row}`, 'x'.repeat(3000))
      })
      fillUp(0)
      database.close()
      expect(database.handle.isOpen).toBe(false)
      expect(lines).toEqual([expect.stringMatching(/studio\.sqlite could not be tidied up.*the disk is full/)])
      rmSync(join(disk, 'other'))
      const again = openDatabase(file, studioDatabase)
      expect(again.handle.prepare('SELECT count(*) AS n FROM settings').get()).toEqual({ n: 300 })
      again.close()
    } finally {
      stop()
    }
  })

  it('in a folder that can’t be written, a start and a restore say so, a backup works, and nothing is changed', {
    tags: 'long',
  }, async () => {
    const path = join(freshFolder(), 'a.tar')
    await writeBackup({ dataDir, version: '1' }, { path })
    const before = contents(dataDir)
    execFileSync('mount', ['-o', 'remount,ro', disk])
    try {
      const words = { kind: 'not_writable', message: expect.stringMatching(/written/) }
      await expect(open(dataDir)).rejects.toMatchObject(words)
      await expect(restoreBackup({ dataDir, path, agree })).rejects.toMatchObject(words)
      await writeBackup({ dataDir, version: '1' }, { path })
      const inside = { path: join(disk, 'a.tar') }
      await expect(writeBackup({ dataDir, version: '1' }, inside)).rejects.toMatchObject(words)
    } finally {
      execFileSync('mount', ['-o', 'remount,rw', disk])
    }
    expect(contents(dataDir)).toEqual(before)
    expect(await open(dataDir)).toBe('opened')
  })
})

it('a folder that is reached by a symbolic link has one owner, and can be recovered and restored', async () => {
  const real = filledFolder(filling)
  const dataDir = join(freshFolder(), 'link')
  symlinkSync(real, dataDir)
  const lock = lockFolder(real)
  await expect(open(dataDir)).rejects.toMatchObject({ kind: 'folder_in_use' })
  lock.release()
  behead(join(real, 'ledger.sqlite'))
  await open(dataDir)
  const path = join(freshFolder(), 'a.tar')
  await writeBackup({ dataDir, version: '1' }, { path })
  await restoreBackup({ dataDir, path, agree })
  expect(readdirSync(real)).toEqual(expect.arrayContaining(['damaged', 'replaced', 'studio.sqlite', 'media']))
  expect(soundness(join(real, 'ledger.sqlite'))).toEqual({ integrity: 'ok', foreign: 0 })
})
