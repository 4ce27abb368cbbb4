// @isolated It starts processes or replaces what belongs to the process.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFreeSpace } from '../../../src-main/core/data/disk.ts'
import { settleSwaps } from '../../../src-main/core/data/restore/swap.ts'
import { StudioError } from '../../../src-main/core/errors.ts'
import { createMedia } from '../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../src-main/core/features/transfers/transfers.ts'
import { diskProblem, fileProblem } from '../../../src-main/core/shared/diskProblem.ts'
import { asStoreError } from '../../../src-main/core/store/databaseErrors.ts'
import { openStoreReadOnly } from '../../../src-main/core/store/openReadOnly.ts'
import { databaseFile, openStore } from '../../../src-main/core/store/store.ts'
import { needs } from '../../helpers/programs.mjs'
import { freshFolder } from '../helpers/core.ts'
import { fillDisk, mountMemoryDisk, unmountMemoryDisk } from '../helpers/memoryDisk.ts'
import { setUserVersion } from '../helpers/userVersion.ts'

const errno = (code: string, syscall = 'write'): Error =>
  Object.assign(new Error(`${code}: it failed`), { code, syscall })
const sqlite = (errcode: number): Error =>
  Object.assign(new Error('SQLite failed'), { code: 'ERR_SQLITE_ERROR', errcode })

describe('an error of the disk', () => {
  it.each([
    ['disk_full', errno('ENOSPC')],
    ['disk_full', errno('EDQUOT')],
    ['disk_full', sqlite(13)],
    ['not_writable', errno('EACCES')],
    ['not_writable', errno('EPERM')],
    ['not_writable', errno('EROFS')],
    ['not_writable', sqlite(3)],
    ['not_writable', sqlite(8)],
    ['not_writable', sqlite(8 | (4 << 8))],
    ['too_many_open_files', errno('EMFILE', 'open')],
    ['too_many_open_files', errno('ENFILE', 'open')],
  ])('is %s: %o', (kind, thrown) => {
    for (const problem of [
      diskProblem(thrown, 'This file'),
      asStoreError(thrown),
      asStoreError(thrown, '/data/x.sqlite'),
    ]) {
      expect(problem).toMatchObject({ kind })
      expect(problem).toHaveProperty('cause', thrown)
    }
    expect(diskProblem(thrown, 'This file')?.message).toMatch(/^This file can't be .*try again\.$/)
  })

  it.each([
    sqlite(11),
    sqlite(26),
    sqlite(5),
    sqlite(19),
    errno('ENOENT', 'open'),
    errno('EEXIST', 'open'),
    errno('EACCES', 'listen'),
    errno('EACCES', 'connect'),
    errno('EACCES', 'spawn x'),
    new StudioError('bad_input', 'No.'),
    'a text',
  ])('is no other one: %o', (thrown) => {
    expect(diskProblem(thrown, 'This file')).toBeNull()
  })
})

describe('an error of a path that a person entered', () => {
  it.each([
    { code: 'EDQUOT', kind: 'disk_full', reason: 'the disk quota is used up' },
    { code: 'EROFS', kind: 'not_writable', reason: 'the file system is read-only' },
    { code: 'EMFILE', kind: 'too_many_open_files', reason: 'this process has too many open files' },
    { code: 'ENOENT', kind: 'bad_input', reason: 'no such file or folder' },
    { code: 'EWHATEVER', kind: 'bad_input', reason: 'it failed' },
  ])('$code is $kind', ({ code, kind, reason }) => {
    const failed = 'The file /a/b can’t be written'
    expect(fileProblem(errno(code), failed)).toMatchObject({ kind, message: `${failed}: ${reason} (${code}).` })
  })
})

it('a command that only reads does not report a database of an earlier version as damaged', () => {
  const folder = freshFolder()
  openStore(folder).close()
  setUserVersion(databaseFile(folder), 1)
  expect(() => openStoreReadOnly(folder)).toThrow(
    expect.objectContaining({
      kind: 'bad_input',
      message: expect.stringMatching(/older version.*Start the studio once/),
    }),
  )
})

describe('on a real disk that is full or can’t be written', needs('mount'), () => {
  async function onDisk(work: (disk: string, fill: () => void) => Promise<void> | void): Promise<void> {
    const disk = mountMemoryDisk(4)
    try {
      await work(disk, () => fillDisk(disk))
    } finally {
      unmountMemoryDisk(disk)
    }
  }

  it('a growing file, a picture, a new database and a check for free space report that the disk is full', () =>
    onDisk(async (disk, fill) => {
      const dataDir = join(disk, 'data')
      mkdirSync(dataDir)
      const store = openStore(dataDir)
      const transfers = createTransfers({ dataDir })
      const media = createMedia({ dataDir, store, uploads: transfers.uploads })
      await media.swept
      const growing = await media.growing.grow('0b5f2f0c-7a0e-4d6c-9a57-1c6e6c9f2b11')
      fill()
      const full = { kind: 'disk_full', message: expect.stringContaining('the disk is full') }
      await expect(growing.append(Buffer.alloc(100_000))).rejects.toMatchObject(full)
      await expect(
        media.addSound({ bytes: Buffer.alloc(100_000) }, { mime: 'audio/wav', name: null }),
      ).rejects.toMatchObject(full)
      const other = join(disk, 'other-data')
      mkdirSync(other)
      expect(() => openStore(other)).toThrow(expect.objectContaining({ kind: 'disk_full' }))
      expect(() => checkFreeSpace(disk, 1_000_000)).toThrow(expect.objectContaining({ kind: 'disk_full' }))
      await growing.close()
      await transfers.close()
    }))

  it('staged files that can’t be moved are reported with the reason', () =>
    onDisk((disk) => {
      const plan = { at: '2026-01-01T00:00:00.000Z', aside: '', leave: ['studio.sqlite'], come: [] }
      const damage = {
        id: 'damaged/x/studio',
        at: plan.at,
        database: 'studio',
        why: 'x',
        recovered: [],
        lost: [],
        mended: [],
        keptAt: '/x',
        mediaSetAside: 0,
        acknowledged: false,
      }
      mkdirSync(join(disk, 'swapping', 'new'), { recursive: true })
      writeFileSync(
        join(disk, 'swapping', 'plan.json'),
        JSON.stringify({ ...plan, report: { what: 'damage', damage } }),
      )
      execFileSync('mount', ['-o', 'remount,ro', disk])
      expect(() => settleSwaps(disk)).toThrow(
        expect.objectContaining({ kind: 'not_writable', message: expect.stringContaining('read-only file system') }),
      )
    }))
})

it('a process without file descriptors says so, and does not treat a sound database as damaged', needs('posix'), () => {
  const dataDir = freshFolder()
  openStore(dataDir).close()
  const url = (path: string): string => JSON.stringify(new URL(`../../../src-main/core/${path}`, import.meta.url).href)
  const script = `
    const { openSync } = await import('node:fs')
    const { openStore, databaseFile } = await import(${url('store/store.ts')})
    const { studioDatabase, checkFile } = await import(${url('store/database.ts')})
    const { openStoreReadOnly } = await import(${url('store/openReadOnly.ts')})
    const { lockFolder } = await import(${url('store/lock.ts')})
    const { growingFiles } = await import(${url('features/media/growingFiles.ts')})
    const dataDir = process.argv[1]
    const growing = growingFiles(dataDir, () => undefined)
    const tries = {
      openStore: () => openStore(dataDir),
      checkFile: () => checkFile(databaseFile(dataDir), studioDatabase, 'pages'),
      reading: () => openStoreReadOnly(dataDir),
      lock: () => lockFolder(dataDir),
      growing: () => growing.grow('0b5f2f0c-7a0e-4d6c-9a57-1c6e6c9f2b11'),
    }
    try { for (;;) openSync('/dev/null', 'r') } catch {}
    const met = {}
    for (const [name, work] of Object.entries(tries)) {
      try { met[name] = ['done', await work()] } catch (thrown) { met[name] = [thrown.kind ?? 'raw', thrown.message] }
    }
    process.stdout.write(JSON.stringify(met))`
  const run = spawnSync(
    'sh',
    ['-c', 'ulimit -n 200; exec "$0" --input-type=module -e "$1" "$2"', process.execPath, script, dataDir],
    { encoding: 'utf8' },
  )
  const met: Record<string, [string, string]> = JSON.parse(run.stdout)
  expect(Object.entries(met).map(([name, [kind]]) => [name, kind])).toEqual(
    Object.keys(met).map((name) => [name, 'too_many_open_files']),
  )
  for (const [, message] of Object.values(met)) expect(message).toContain('too many open files')
  expect(Object.keys(met)).toHaveLength(5)
})
