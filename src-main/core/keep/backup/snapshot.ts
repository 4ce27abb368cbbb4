import { constants, copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { asStoreError } from '../../store/database.ts'
import { openReadOnly } from '../../store/readOnly.ts'
import { text } from '../../store/rows.ts'
import { addCounts, countThings, databasesIn, type KeptDatabase } from '../databases.ts'
import { bytesOf, namesIn, openUntouched } from '../disk.ts'
import { type About, makingName, mediaName } from './manifest.ts'

/** A file that goes into the backup: its bytes are told now and don't change any more. */
export interface SnapshotFile {
  name: string
  path: string
  bytes: number
}

export interface Snapshot {
  files: SnapshotFile[]
  schemas: About['schemas']
  counts: Counts
  missing: string[]
}

export interface SnapshotParts {
  dataDir: string
  /** Empty. Media files get second names there where it is on the disk of the data folder. */
  folder: string
  /** Bytes of databases that are copied. */
  copied(bytes: number): void
}

/** More rounds than anybody erases files in a row, each at the moment between two of our lines. */
const mostRounds = 20

/**
 * A consistent copy of a data folder, while a core writes and while none does. Databases by VACUUM INTO: one read transaction that keeps nobody from
 * writing, and without the free pages, so that what was erased is not in it. Media files never change, so a second name is a copy. Those
 * that are there are named first and the database is copied then: a file is there before its row and goes after it, so that each row of the
 * copy finds its file named, but for those that came in between, which are named after. One that was erased by then begins the round anew.
 * @throws StudioError `store_damaged`, `store_newer`, `no_such_item` where there is nothing to back up
 */
export function takeSnapshot({ dataDir, folder, copied }: SnapshotParts): Snapshot {
  const studio = mustHaveData(dataDir)
  const there = databasesIn(dataDir)
  const others = there.filter(({ name }) => name !== studio.name)
  const media = mediaWithRows(dataDir, folder, studio)
  copied(statSync(join(folder, studio.file)).size)
  for (const database of others) {
    copyDatabase(dataDir, folder, database)
    copied(statSync(join(folder, database.file)).size)
  }
  const facts = there.map((database) => factsOf(folder, database))
  return {
    files: [...facts.map(({ file }) => file), ...media.files],
    schemas: Object.fromEntries(facts.map(({ name, version }) => [name, version])),
    counts: addCounts(facts.map(({ counts }) => counts)),
    missing: media.missing,
  }
}

/** The first of the databases, without which there is nothing to back up. @throws StudioError `no_such_item` */
export function mustHaveData(dataDir: string): KeptDatabase {
  const [first] = databasesIn(dataDir)
  if (first?.name === 'studio') return first
  throw new StudioError('no_such_item', `There is nothing to back up in ${dataDir}.`)
}

function copyDatabase(dataDir: string, folder: string, database: KeptDatabase): void {
  if (copyOnce(dataDir, folder, database)) return
  // Another process writes the file: with its locks the copy is consistent.
  rmSync(join(folder, database.file), { force: true })
  copyOnce(dataDir, folder, database, true)
}

/** False where another process changed the file meanwhile, so that the copy may be inconsistent. */
function copyOnce(dataDir: string, folder: string, { pathIn, file, kind }: KeptDatabase, isInUse?: true): boolean {
  const path = pathIn(dataDir)
  let wasChanged = (): boolean => false
  try {
    const opened = openReadOnly(path, isInUse)
    const { handle } = opened
    wasChanged = opened.wasChanged
    try {
      const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
      if (version > kind.migrations.length) {
        throw new StudioError('store_newer', `${path} was written by a newer version of Inference Studio.`)
      }
      handle.prepare('VACUUM INTO ?').run(join(folder, file))
      return !wasChanged()
    } finally {
      handle.close()
    }
  } catch (thrown) {
    if (wasChanged()) return false
    throw asStoreError(thrown, path)
  }
}

function factsOf(folder: string, { name, file }: KeptDatabase) {
  const path = join(folder, file)
  const handle = openUntouched(path)
  try {
    const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
    return { name, version, counts: countThings(handle), file: { name: file, path, bytes: statSync(path).size } }
  } finally {
    handle.close()
  }
}

function mediaWithRows(dataDir: string, folder: string, studio: KeptDatabase) {
  /** Rows without a file in one round, and still in the next: nobody is erasing them, they are gone. */
  let before = new Set<string>()
  for (let round = 1; ; round += 1) {
    rmSync(join(folder, studio.file), { force: true })
    const growing = nameAll(dataDir, folder, 'making', makingName)
    nameAll(dataDir, folder, 'media', mediaName)
    copyDatabase(dataDir, folder, studio)
    const { kept, making } = rowsOf(join(folder, studio.file))
    const missing = kept.filter((id) => !giveName(dataDir, folder, 'media', id))
    if (missing.every((id) => before.has(id)) || round === mostRounds) {
      const gone = new Set(missing)
      const files = kept.filter((id) => !gone.has(id)).map((id) => fileOf(dataDir, folder, `media/${id}`))
      const grown = growing.filter((name) => making.has(makingName.exec(name)?.[1] ?? ''))
      return { files: [...files, ...grown.map((name) => fileOf(dataDir, folder, `making/${name}`))], missing }
    }
    before = new Set(missing)
  }
}

/** Ids of kept files, and of what is being made: only their growing files are anybody's. Older schemas know neither. */
function rowsOf(path: string): { kept: string[]; making: Set<string> } {
  const handle = openUntouched(path)
  try {
    const tables = new Set(
      handle
        .prepare('SELECT name FROM sqlite_schema')
        .all()
        .map((row) => text(row, 'name')),
    )
    const ids = (table: string, where: string): string[] =>
      tables.has(table)
        ? handle
            .prepare(`SELECT id FROM ${table} ${where}`)
            .all()
            .map((row) => text(row, 'id'))
        : []
    const making = ['speeches', 'transcripts', 'drawings'].flatMap((table) => ids(table, "WHERE state = 'making'"))
    const recording = ids('recordings', "WHERE state = 'recording'")
    return { kept: ids('media', '').filter((id) => mediaName.test(id)), making: new Set([...making, ...recording]) }
  } finally {
    handle.close()
  }
}

function nameAll(dataDir: string, folder: string, kind: 'media' | 'making', form: RegExp): string[] {
  mkdirSync(join(folder, kind), { recursive: true, mode: 0o700 })
  return namesIn(join(dataDir, kind)).filter((name) => form.test(name) && giveName(dataDir, folder, kind, name))
}

/** False where the file is gone. */
function giveName(dataDir: string, folder: string, kind: 'media' | 'making', name: string): boolean {
  const [from, to] = [join(dataDir, kind, name), join(folder, kind, name)]
  try {
    linkSync(from, to)
    return true
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
    if (code === 'EEXIST') return true
    if (code === 'ENOENT') return false
    // Another disk, or a file system without second names. A growing file is copied, since it is gone once it has grown; a media file is read where it lies.
    if (kind === 'making') copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return existsSync(from)
  }
}

const fileOf = (dataDir: string, folder: string, name: string): SnapshotFile => {
  const held = join(folder, name)
  const path = existsSync(held) ? held : join(dataDir, name)
  return { name, path, bytes: bytesOf(path) }
}
