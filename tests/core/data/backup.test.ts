import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { manifest } from '../../../src-main/core/data/backup/manifest.ts'
import { block, headOf, padding, readHead } from '../../../src-main/core/data/backup/tar/layout.ts'
import { readTar } from '../../../src-main/core/data/backup/tar/read.ts'
import { tarWriter } from '../../../src-main/core/data/backup/tar/write.ts'
import { sweepWorkplaces } from '../../../src-main/core/data/backup/workplace.ts'
import { writeBackup } from '../../../src-main/core/data/backup/write.ts'
import { databases } from '../../../src-main/core/data/databases.ts'
import { createReports } from '../../../src-main/core/data/recovery/reports.ts'
import { checkDatabases } from '../../../src-main/core/data/restore/checkDatabases.ts'
import { restoreBackup } from '../../../src-main/core/data/restore/restore.ts'
import { stageBackup } from '../../../src-main/core/data/restore/stage.ts'
import { unpackBackup } from '../../../src-main/core/data/restore/unpack.ts'
import { dayMs } from '../../../src-main/core/shared/days.ts'
import { lockFolder } from '../../../src-main/core/store/lock.ts'
import { RetentionClock } from '../../../src-main/core/store/retentionClock.ts'
import { tries } from '../../helpers/effort.ts'
import { needs } from '../../helpers/programs.mjs'
import { freshFolder } from '../helpers/core.ts'
import { confirmClock } from '../helpers/deadlines.ts'
import { contentsOf, filledFolder, soundness } from './fill.ts'

const version = '1.2.3'
const agree = async (): Promise<boolean> => true
const backupOf = async (dataDir: string): Promise<string> => {
  const path = join(freshFolder(), 'backup.tar')
  await writeBackup({ dataDir, version }, { path })
  return path
}
const everything = (dataDir: string) => ({
  databases: databases.map(({ pathIn }) => contentsOf(pathIn(dataDir))),
  media: readdirSync(join(dataDir, 'media'))
    .sort()
    .map((name) => [name, readFileSync(join(dataDir, 'media', name), 'utf8')]),
})
/** A tar of the given entries, in the form of a backup. */
async function tarOf(path: string, entries: readonly (readonly [name: string, bytes: Buffer])[]): Promise<void> {
  const chunks: Uint8Array[] = []
  const tar = tarWriter(async (bytes) => chunks.push(Buffer.from(bytes)), 0)
  for (const [name, bytes] of entries) await tar.add(name, bytes.length, [bytes])
  await tar.finish()
  writeFileSync(path, Buffer.concat(chunks))
}
async function entriesOf(path: string): Promise<[string, Buffer][]> {
  const file = await open(path, 'r')
  const found: [string, Buffer][] = []
  for await (const entry of readTar(file)) {
    const chunks: Uint8Array[] = []
    for await (const bytes of entry.bytes()) chunks.push(bytes)
    found.push([entry.name, Buffer.concat(chunks)])
  }
  await file.close()
  return found
}

/**
 * Runs a backup beside a program that changes data in every round, however busy the machine is. `write` changes the live database just
 * before it is copied, and the function that it returns changes it just after. Both run in the thread of the backup. The folder is locked,
 * as by a running core.
 */
function writingAround(dataDir: string, write: (live: DatabaseSync, round: number) => () => void): { rounds: number } {
  const counted = { rounds: 0 }
  const lock = lockFolder(dataDir)
  onTestFinished(() => lock.release())
  const prepare = DatabaseSync.prototype.prepare
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string, ...rest) {
    const statement = prepare.call(this, sql, ...rest)
    if (sql !== 'VACUUM INTO ?' || this.location() !== join(dataDir, 'studio.sqlite')) return statement
    const run = statement.run.bind(statement)
    const runBetween = (to: string) => {
      counted.rounds += 1
      const live = new DatabaseSync(join(dataDir, 'studio.sqlite'), { timeout: 5000 })
      try {
        const after = write(live, counted.rounds)
        const done = run(to)
        after()
        return done
      } finally {
        live.close()
      }
    }
    Object.assign(statement, { run: runBetween })
    return statement
  })
  return counted
}

const writtenAt = '2026-01-01T00:00:00.000Z'
/** Adds a media file with its row, like a core. */
function addFile(dataDir: string, live: DatabaseSync): string {
  const id = randomUUID()
  const bytes = Buffer.from(`file ${id} `.repeat(20))
  writeFileSync(join(dataDir, 'media', id), bytes)
  live
    .prepare(
      "INSERT INTO media (id, kind, mime, bytes, sha256, created_at, drafted) VALUES (?, 'image', 'image/png', ?, ?, ?, 1)",
    )
    .run(id, bytes.length, createHash('sha256').update(bytes).digest('hex'), writtenAt)
  return id
}
/** Deletes like a core: the row first, then the file. */
function eraseFile(dataDir: string, live: DatabaseSync, id: string): void {
  live.prepare('DELETE FROM media WHERE id = ?').run(id)
  rmSync(join(dataDir, 'media', id))
}
/** Backs up `dataDir` and unpacks the backup, with all checks of a restore. */
async function unpacked(dataDir: string) {
  const to = join(freshFolder(), 'new')
  const said = await unpackBackup({ path: await backupOf(dataDir), to })
  checkDatabases(to, said)
  const handle = new DatabaseSync(join(to, 'studio.sqlite'), { readOnly: true })
  const rows = (sql: string): unknown[] =>
    handle
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row))
  return { to, said, rows, close: () => handle.close() }
}

describe('a backup', () => {
  afterEach(() => vi.restoreAllMocks())

  it('restores every row and every file, and keeps the former data in a folder with the date', async () => {
    const from = filledFolder()
    const path = await backupOf(from)
    const to = filledFolder({ conversations: 1 })
    const before = everything(to)
    const restored = await restoreBackup({ dataDir: to, path, agree })
    expect(everything(to)).toEqual(everything(from))
    expect(restored?.keptAt).toMatch(/\/replaced\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)
    expect(everything(restored?.keptAt ?? '')).toEqual(before)
    // Again, within the same second: the former data of the first restore is not overwritten.
    const again = await restoreBackup({ dataDir: to, path, agree })
    expect(again?.keptAt).not.toBe(restored?.keptAt)
    expect(everything(restored?.keptAt ?? '')).toEqual(before)
    expect(readdirSync(to).filter((name) => /staging|waiting|swapping|discarded|backups/.test(name))).toEqual([])
  })

  it('can be read by any tar program, and has no free pages with deleted data', needs('posix'), async () => {
    const from = filledFolder()
    const handle = new DatabaseSync(join(from, 'ledger.sqlite'))
    handle.exec(
      "UPDATE requests SET problem_message = 'a word nobody shall find' WHERE id = 3; DELETE FROM requests WHERE id = 3",
    )
    handle.close()
    const path = await backupOf(from)
    const names = execFileSync('tar', ['tf', path], { encoding: 'utf8' }).trim().split('\n')
    expect(names.slice(0, 5)).toEqual([
      'about.json',
      'studio.sqlite',
      'ledger.sqlite',
      'bodies.sqlite',
      'account.sqlite',
    ])
    expect(names.at(-1)).toBe('manifest.json')
    expect(readFileSync(path).includes('a word nobody shall find')).toBe(false)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('has every file of its rows, with its checksum, while another program adds and deletes files', {
    tags: 'long',
  }, async () => {
    const dataDir = filledFolder()
    const program = fileURLToPath(new URL('../helpers/writeFilesForever.ts', import.meta.url))
    const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.stdout.resume()
    const steps: number[] = []
    for (let turn = 0; turn < 6; turn += 1) {
      const to = join(freshFolder(), 'new')
      const said = await unpackBackup({ path: await backupOf(dataDir), to })
      checkDatabases(to, said)
      expect(said.missing).toEqual([])
      const handle = new DatabaseSync(join(to, 'studio.sqlite'), { readOnly: true })
      steps.push(Number(handle.prepare("SELECT value FROM settings WHERE key = 'step'").get()?.value))
      handle.close()
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(new Set(steps).size).toBe(steps.length)
    expect(readdirSync(dataDir)).not.toContain('backups')
  })

  it('has a file that is deleted just after its row was copied', async () => {
    const dataDir = filledFolder()
    const there = readdirSync(join(dataDir, 'media'))
    const counted = writingAround(dataDir, (live) => () => {
      live.exec('UPDATE speeches SET media_id = NULL; UPDATE recordings SET media_id = NULL; DELETE FROM images')
      for (const id of there) eraseFile(dataDir, live, id)
    })
    const { to, said, close } = await unpacked(dataDir)
    close()
    expect(counted.rounds).toBe(1)
    expect(said.missing).toEqual([])
    expect(readdirSync(join(to, 'media')).sort()).toEqual(there.sort())
  })

  it('lists no file as missing beside a program that deletes a file in every round', async () => {
    const dataDir = filledFolder()
    const before = everything(dataDir)
    const counted = writingAround(dataDir, (live) => {
      const id = addFile(dataDir, live)
      return () => eraseFile(dataDir, live, id)
    })
    const { to, said, close } = await unpacked(dataDir)
    close()
    expect(counted.rounds).toBeGreaterThan(1)
    expect(said.missing).toEqual([])
    expect(everything(to)).toEqual(before)
  })

  it('lists a file as missing when its row still exists, even beside a program that deletes another in every round', async () => {
    const dataDir = filledFolder()
    const lost = readdirSync(join(dataDir, 'media'))[0] ?? ''
    rmSync(join(dataDir, 'media', lost))
    writingAround(dataDir, (live) => {
      const id = addFile(dataDir, live)
      return () => eraseFile(dataDir, live, id)
    })
    const { said, rows, close } = await unpacked(dataDir)
    expect(said.missing).toEqual([lost])
    expect(rows('SELECT id FROM media')).toContain(lost)
    close()
  })

  it('has the current rows of images, speeches and recordings whose files were deleted or replaced in every round', async () => {
    const dataDir = filledFolder()
    const source = new DatabaseSync(join(dataDir, 'studio.sqlite'))
    const first = (table: string): string => String(source.prepare(`SELECT id FROM ${table}`).get()?.id)
    const [kept, speech, recording] = [first('images'), first('speeches'), first('recordings')]
    source.close()
    const folderBefore = readdirSync(join(dataDir, 'media'))
    writingAround(dataDir, (live) => {
      // One drawing with its image is deleted permanently; an image gets another thumbnail, a speech and a recording other audio.
      const [drawing, image, picture, thumb, sound, take] = [
        randomUUID(),
        randomUUID(),
        ...Array.from({ length: 4 }, () => addFile(dataDir, live)),
      ] as [string, string, string, string, string, string]
      live
        .prepare(
          "INSERT INTO drawings (id, created_at, state, wish, search, slots) VALUES (?, ?, 'done', '{}', '', '[]')",
        )
        .run(drawing, writtenAt)
      const add = live.prepare('INSERT INTO images (id, drawing_id, created_at, slot, media_id) VALUES (?, ?, ?, 0, ?)')
      add.run(image, drawing, writtenAt, picture)
      const name = (table: string, column: string, id: string, file: string) => {
        const row = live.prepare(`SELECT ${column} AS file FROM ${table} WHERE id = ?`).get(id)
        live.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(file, id)
        if (typeof row?.file === 'string') eraseFile(dataDir, live, row.file)
      }
      name('images', 'thumb_id', kept, thumb)
      name('speeches', 'media_id', speech, sound)
      name('recordings', 'media_id', recording, take)
      return () => {
        live.prepare('DELETE FROM images WHERE id = ?').run(image)
        live.prepare('DELETE FROM drawings WHERE id = ?').run(drawing)
        eraseFile(dataDir, live, picture)
        name('images', 'thumb_id', kept, addFile(dataDir, live))
        name('speeches', 'media_id', speech, addFile(dataDir, live))
        name('recordings', 'media_id', recording, addFile(dataDir, live))
      }
    })
    const { to, said, close } = await unpacked(dataDir)
    close()
    expect(said.missing).toEqual([])
    expect(everything(to)).toEqual(everything(dataDir))
    expect(soundness(join(to, 'studio.sqlite'))).toEqual({ integrity: 'ok', foreign: 0 })
    expect(readdirSync(join(to, 'media'))).not.toEqual(folderBefore)
  })

  it('has no trace of a deleted row in the copy', async () => {
    const dataDir = filledFolder()
    writingAround(dataDir, (live, round) => {
      const id = addFile(dataDir, live)
      live.prepare('UPDATE media SET name = ? WHERE id = ?').run(`a word nobody shall find ${round}`, id)
      return () => eraseFile(dataDir, live, id)
    })
    expect(readFileSync(await backupOf(dataDir)).includes('a word nobody shall find')).toBe(false)
  })

  it('is refused when it is truncated or any byte is changed, unless the content is the same', async () => {
    const path = await backupOf(filledFolder({ conversations: 1, requests: 3 }))
    const bytes = readFileSync(path)
    const good = await entriesOf(path)
    const to = freshFolder()
    const attempt = async (changed: Buffer): Promise<unknown> => {
      writeFileSync(join(to, 'changed.tar'), changed)
      return stageBackup({ dataDir: to, path: join(to, 'changed.tar') }).then(
        () => 'taken',
        (thrown: unknown) => thrown,
      )
    }
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, by, isCut) => {
          const changed = Buffer.from(isCut ? bytes.subarray(0, at) : bytes)
          if (!isCut) changed[at] = (changed[at] ?? 0) ^ by
          const outcome = await attempt(changed)
          if (outcome === 'taken') expect(await entriesOf(join(to, 'changed.tar'))).toEqual(good)
          else
            expect(outcome).toMatchObject({
              kind: 'bad_input',
              message: expect.stringContaining('Nothing was changed'),
            })
          expect(readdirSync(to).filter((name) => name !== 'changed.tar')).toEqual(
            outcome === 'taken' ? ['staging'] : [],
          )
        },
      ),
      { numRuns: tries(40, 400) },
    )
  }, 60_000)

  it.each([
    ['a name that leads out', '../studio.sqlite', '0', ''],
    ['an absolute name', '/etc/passwd', '0', ''],
    ['a name of nothing of ours', 'studio.lock', '0', ''],
    ['the same name twice', 'studio.sqlite', '0', ''],
    ['a symbolic link', 'media/0b7a2f0e-6d2a-4a0e-9a51-0f5dd0b6d001', '2', '/etc/passwd'],
    ['a hard link', 'media/0b7a2f0e-6d2a-4a0e-9a51-0f5dd0b6d001', '1', 'studio.sqlite'],
    ['a device', 'media/0b7a2f0e-6d2a-4a0e-9a51-0f5dd0b6d001', '3', ''],
    ['a folder', 'media/', '5', ''],
    ['a sparse file', 'media/0b7a2f0e-6d2a-4a0e-9a51-0f5dd0b6d001', 'S', ''],
  ])('with %s is refused', async (_, name, type, link) => {
    const path = await backupOf(filledFolder())
    const bytes = readFileSync(path)
    const head = headOf({ name, size: 0 }, 0)
    head.write(type, 156, 'ascii')
    head.write(link, 157, 'ascii')
    head.write('        ', 148, 'ascii')
    const sum = head.reduce((all, byte) => all + byte, 0)
    head.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'ascii')
    // After the first entry.
    const first = block + readHead(bytes.subarray(0, block)).size
    const at = first + padding(first)
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), head, bytes.subarray(at)]))
    const to = freshFolder()
    await expect(restoreBackup({ dataDir: to, path, agree })).rejects.toMatchObject({ kind: 'bad_input' })
    expect(readdirSync(to).filter((one) => !/^studio\.(?:lock|folder\.json)/.test(one))).toEqual([])
  })

  it.each([
    ['has a trigger', 'CREATE TRIGGER evil AFTER INSERT ON messages BEGIN DELETE FROM settings; END', 'was changed'],
    [
      'has a row that violates a constraint',
      "PRAGMA ignore_check_constraints = ON; UPDATE messages SET status = 'complede' WHERE seq = 3",
      'is damaged',
    ],
  ])('is refused when a database %s, even with correct checksums', async (_, statement, finding) => {
    const from = filledFolder()
    const handle = new DatabaseSync(join(from, 'studio.sqlite'))
    handle.exec(statement)
    handle.close()
    const path = await backupOf(from)
    await expect(restoreBackup({ dataDir: freshFolder(), path, agree })).rejects.toThrow(`A database in it ${finding}`)
  })

  it('of a newer version is refused with a message, before anything is unpacked', async () => {
    const path = await backupOf(filledFolder())
    const entries = await entriesOf(path)
    const newer = entries.map(
      ([name, bytes]) =>
        [
          name,
          name === 'about.json' ? Buffer.from(bytes.toString().replace(/"studio": \d+/, '"studio": 999')) : bytes,
        ] as const,
    )
    await tarOf(path, newer)
    await expect(stageBackup({ dataDir: freshFolder(), path })).rejects.toMatchObject({ kind: 'store_newer' })
  })

  it('of an older schema is complete, and is migrated when it is first opened', async () => {
    const from = filledFolder({}, { studio: 3, requestLog: 1 })
    const to = freshFolder()
    await restoreBackup({ dataDir: to, path: await backupOf(from), agree })
    expect(contentsOf(join(to, 'studio.sqlite'))).toEqual(contentsOf(join(from, 'studio.sqlite')))
  })

  it('is not restored into a folder in use, nor when the person declined', async () => {
    const path = await backupOf(filledFolder())
    const to = filledFolder({ conversations: 2 })
    const before = everything(to)
    const lock = lockFolder(to)
    await expect(restoreBackup({ dataDir: to, path, agree })).rejects.toMatchObject({ kind: 'folder_in_use' })
    lock.release()
    let question: unknown = null
    const refused = await restoreBackup({
      dataDir: to,
      path,
      agree: async (backup, now) => {
        question = { backup, now }
        return false
      },
    })
    expect(refused).toBeNull()
    expect(question).toMatchObject({
      backup: { version },
      now: { counts: expect.arrayContaining([{ thing: 'conversations', count: 2 }]) },
    })
    expect(everything(to)).toEqual(before)
  })

  it('keeps what was deleted long before as long as if it was deleted at the restore', async () => {
    const source = filledFolder()
    confirmClock(source)
    const to = filledFolder()
    confirmClock(to)
    await restoreBackup({ path: await backupOf(source), dataDir: to, agree })
    const clock = new RetentionClock({ dataDir: to })
    expect(clock.before(1)).toBeNull()
    expect(clock.of(Date.now() - 60 * dayMs, 30 * dayMs)).toBeGreaterThan(Date.now() + 29 * dayMs)
  })

  it('restores outbox items on hold, because they may have been sent since', async () => {
    const from = filledFolder()
    const wait = (database: DatabaseSync) =>
      database.exec(`INSERT INTO waiting (id, created_at, state, connection_id, connection_name, base_url, wish)
        VALUES ('a', '2026-01-01T00:00:00.000Z', 'waiting', 'c', 'C', 'http://127.0.0.1', '{}'),
               ('b', '2026-01-01T00:00:00.000Z', 'failed', 'c', 'C', 'http://127.0.0.1', '{}')`)
    const source = new DatabaseSync(join(from, 'studio.sqlite'))
    wait(source)
    source.close()
    const to = freshFolder()
    await restoreBackup({ dataDir: to, path: await backupOf(from), agree })
    const handle = new DatabaseSync(join(to, 'studio.sqlite'), { readOnly: true })
    const states = handle.prepare('SELECT id, state FROM waiting ORDER BY id').all()
    handle.close()
    expect(states.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'held'],
      ['b', 'failed'],
    ])
  })

  it('is reported with the folder of the data that it replaced, even after the clock was set back', async () => {
    const path = await backupOf(filledFolder())
    const dataDir = filledFolder()
    const first = await restoreBackup({ dataDir, path, agree })
    // As if it were a hundred years from now.
    const later = join(dataDir, 'replaced', '2126-01-01T00-00-00Z')
    renameSync(first?.keptAt ?? '', later)
    const second = await restoreBackup({ dataDir, path, agree })
    expect(second?.keptAt).not.toBe(later)
    expect(readdirSync(second?.keptAt ?? '')).toContain('studio.sqlite')
    const reports = createReports(dataDir)
    const report = reports.restored()
    reports.acknowledge(report?.id ?? '')
    expect(report?.keptAt).toBe(later)
    // Each is reported, whatever its date.
    expect(reports.restored()?.keptAt).toBe(second?.keptAt)
  })

  it('written twice at once to the same path is complete, and no partial file is left', async () => {
    const from = filledFolder({ requests: 4000 })
    const path = join(freshFolder(), 'twice.tar')
    await Promise.all([1, 2, 3].map(() => writeBackup({ dataDir: from, version }, { path })))
    await restoreBackup({ dataDir: freshFolder(), path, agree })
    expect(readdirSync(dirname(path))).toEqual(['twice.tar'])
  })

  it('deletes what a killed backup left beside the file, but nothing that another backup uses or another program put there', async () => {
    const place = freshFolder()
    const folderOf = (names: readonly string[]): string => {
      const folder = join(place, `.inference-studio-backup-${randomUUID()}`)
      for (const name of names) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), '')
      }
      return folder
    }
    folderOf(['lock', 'studio.sqlite', `media/${randomUUID()}`, `making/${randomUUID()}.part-1`])
    folderOf(['studio.sqlite'])
    const others = folderOf(['lock', 'notes.txt', 'media/holiday.jpg'])
    const used = folderOf(['lock', 'studio.sqlite'])
    const lock = new DatabaseSync(join(used, 'lock'))
    lock.exec('BEGIN EXCLUSIVE')
    writeFileSync(join(place, 'backup-notes.txt'), '')
    await writeBackup({ dataDir: filledFolder(), version }, { path: join(place, 'a.tar') })
    lock.close()
    const left = ['a.tar', 'backup-notes.txt', basename(others), basename(used)]
    expect(readdirSync(place).sort()).toEqual(left.sort())
    expect(readdirSync(others).sort()).toEqual(['media', 'notes.txt'])
    expect(readdirSync(used).sort()).toEqual(['lock', 'studio.sqlite'])
  })

  it('opens and deletes nothing in folders with such names that are links or of another user', () => {
    const place = freshFolder()
    const nameOf = (): string => join(place, `.inference-studio-backup-${randomUUID()}`)
    const fill = (folder: string): string => {
      mkdirSync(folder)
      // SQLite deletes the journal beside an empty database that it opens.
      for (const name of ['lock', 'lock-journal', 'studio.sqlite']) writeFileSync(join(folder, name), '')
      return folder
    }
    const target = fill(join(place, 'target'))
    symlinkSync(target, nameOf())
    const folders = [target]
    // Only root can give a folder away.
    if (process.geteuid?.() === 0) {
      const theirs = fill(nameOf())
      chownSync(theirs, 12_345, 12_345)
      folders.push(theirs)
    }
    sweepWorkplaces(place)
    for (const folder of folders) expect(readdirSync(folder).sort()).toEqual(['lock', 'lock-journal', 'studio.sqlite'])
  })

  it('has a manifest that agrees with the rows', async () => {
    const entries = new Map(await entriesOf(await backupOf(filledFolder({ conversations: 3, messages: 4 }))))
    const said = manifest.parse(JSON.parse(entries.get('manifest.json')?.toString() ?? ''))
    expect(said.counts).toEqual(
      expect.arrayContaining([
        { thing: 'conversations', count: 3 },
        { thing: 'messages', count: 12 },
      ]),
    )
    expect(said.entries.map(({ name }) => name)).toEqual([...entries.keys()].slice(1, -1))
  })
})

describe('the tar', () => {
  it('encodes any size that a file can have', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (size) => {
        expect(readHead(headOf({ name: 'studio.sqlite', size }, 0))).toEqual({ name: 'studio.sqlite', size })
      }),
    )
  })

  it('has files above 8 GB, here and for any tar program', async () => {
    const path = join(freshFolder(), 'large.tar')
    const size = 9 * 1024 ** 3 + 5
    const file = openSync(path, 'w')
    writeSync(file, headOf({ name: 'bodies.sqlite', size }, 0))
    const next = block + size + padding(size)
    writeSync(file, headOf({ name: 'account.sqlite', size: 0 }, 0), 0, block, next)
    ftruncateSync(file, next + 3 * block)
    closeSync(file)
    const names: [string, number][] = []
    const opened = await open(path, 'r')
    for await (const entry of readTar(opened)) names.push([entry.name, entry.size])
    await opened.close()
    expect(names).toEqual([
      ['bodies.sqlite', size],
      ['account.sqlite', 0],
    ])
    expect(execFileSync('tar', ['tvf', path], { encoding: 'utf8' })).toMatch(
      new RegExp(`${size} .*bodies\\.sqlite\\n.* 0 .*account\\.sqlite`),
    )
  })
})
