import { constants, copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { codeOf } from '../../shared/diskProblem.ts'
import { asStoreError, newer } from '../../store/databaseErrors.ts'
import { openReadOnly } from '../../store/readOnly.ts'
import { text } from '../../store/rows.ts'
import { addCounts, countThings, databasesIn, type KnownDatabase } from '../databases.ts'
import { bytesOnDisk, namesIn, openUntouched } from '../disk.ts'
import { type About, makingName, mediaName } from './manifest.ts'

/** A file of the backup. Its size is known and its bytes no longer change. */
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
  /** An empty folder for the copies. Media files get hard links in it when it is on the same disk as the data folder. */
  folder: string
  /** Reports copied bytes of databases. */
  copied(bytes: number): void
}

/** Number of attempts before the copy is corrected instead. Each copies the whole database again. */
const mostRounds = 5

/**
 * Makes a consistent copy of a data folder, whether or not a core is writing in it. Databases are copied with VACUUM INTO: one read
 * transaction that blocks no writer. It omits free pages, so the copy contains no deleted data. Media files never change, so a hard link is
 * a copy.
 *
 * Existing media files are linked first, then the database is copied. A file exists before its row and is deleted after it, so each row of
 * the copy normally has its link. The exception is rows that were written between the two steps; their files are linked afterwards. If one
 * of those files has been deleted by then, the next round starts. A program that deletes files all the time makes every round fail. Then
 * `followErased` deletes the rows of deleted files from the last copy.
 * @throws StudioError `store_damaged`, `store_newer`, `no_such_item` when there is nothing to back up
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
export function mustHaveData(dataDir: string): KnownDatabase {
  const [first] = databasesIn(dataDir)
  if (first?.name === 'studio') return first
  throw new StudioError('no_such_item', `There is nothing to back up in ${dataDir}.`)
}

function copyDatabase(dataDir: string, folder: string, database: KnownDatabase): void {
  if (copyOnce(dataDir, folder, database)) return
  // Another process writes the file. With its locks the copy is consistent.
  rmSync(join(folder, database.file), { force: true })
  copyOnce(dataDir, folder, database, true)
}

/** Returns false when another process changed the file during the copy, so that the copy may be inconsistent. */
function copyOnce(dataDir: string, folder: string, { pathIn, file, kind }: KnownDatabase, isInUse?: true): boolean {
  const path = pathIn(dataDir)
  let wasChanged = (): boolean => false
  try {
    const opened = openReadOnly(path, isInUse)
    wasChanged = opened.wasChanged
    try {
      if (opened.version > kind.migrations.length) throw newer(path, opened.version, kind)
      opened.copyTo(join(folder, file))
      return !wasChanged()
    } finally {
      opened.close()
    }
  } catch (thrown) {
    if (wasChanged()) return false
    throw asStoreError(thrown, path)
  }
}

function factsOf(folder: string, { name, file }: KnownDatabase) {
  const path = join(folder, file)
  const handle = openUntouched(path)
  try {
    const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
    return { name, version, counts: countThings(handle), file: { name: file, path, bytes: statSync(path).size } }
  } finally {
    handle.close()
  }
}

function mediaWithRows(dataDir: string, folder: string, studio: KnownDatabase) {
  /** Rows without a file in one round that are still there in the next: they are not being deleted, their files are lost. */
  let before = new Set<string>()
  for (let round = 1; ; round += 1) {
    rmSync(join(folder, studio.file), { force: true })
    const growing = nameAll(dataDir, folder, 'making', makingName)
    nameAll(dataDir, folder, 'media', mediaName)
    copyDatabase(dataDir, folder, studio)
    const { named, making } = rowsOf(join(folder, studio.file))
    const missing = named.filter((id) => !giveName(dataDir, folder, 'media', id))
    if (missing.every((id) => before.has(id)) || round === mostRounds) {
      const media = followErased(dataDir, folder, studio, { named, missing })
      const gone = new Set(media.missing)
      const files = media.named.filter((id) => !gone.has(id)).map((id) => fileOf(dataDir, folder, `media/${id}`))
      const grown = growing.filter((name) => making.has(makingName.exec(name)?.[1] ?? ''))
      return {
        files: [...files, ...grown.map((name) => fileOf(dataDir, folder, `making/${name}`))],
        missing: media.missing,
      }
    }
    before = new Set(missing)
  }
}

/**
 * Deletes from the copy every row of `missing` that the live database no longer has. A file is then listed as missing only when its row
 * still exists. Rows that refer to such a file get their state in the live database: deleted, or with the replacement file, whose row is
 * copied too.
 */
function followErased(
  dataDir: string,
  folder: string,
  studio: KnownDatabase,
  found: { named: string[]; missing: string[] },
): { named: string[]; missing: string[] } {
  let { named, missing } = found
  // A replacement file can itself be replaced before it is linked. The limit is for a program that never stops doing that.
  for (let round = 1; missing.length > 0 && round <= mostRounds; round += 1) {
    if (!deleteErased(join(folder, studio.file), studio.pathIn(dataDir), missing)) break
    named = rowsOf(join(folder, studio.file)).named
    missing = named.filter((id) => !giveName(dataDir, folder, 'media', id))
  }
  return { named, missing }
}

/** Whether the live database still has all rows of `missing`. */
function areAllThere(live: string, missing: readonly string[]): boolean {
  const { handle, close } = openReadOnly(live)
  try {
    const row = handle
      .prepare('SELECT count(*) AS n FROM media WHERE id IN (SELECT value FROM json_each(?))')
      .get(JSON.stringify(missing))
    return Number(row?.n) === missing.length
  } finally {
    close()
  }
}

/** Returns false when the live database still has all rows of `missing`. */
function deleteErased(copy: string, live: string, missing: readonly string[]): boolean {
  // Attaching creates files beside the live database. A backup may do that only when another process is already writing there.
  if (areAllThere(live, missing)) return false
  const attached = pathToFileURL(live)
  attached.search = 'mode=ro'
  try {
    // Opened by a URL, so that SQLite treats the attached name as a URL too.
    const handle = new DatabaseSync(pathToFileURL(copy), { timeout: 5000 })
    try {
      // No other process reads the copy, and after a crash it is never used. Deleted content is overwritten, as in the live database.
      handle.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON')
      handle.prepare('ATTACH ? AS live').run(attached.href)
      handle.exec('BEGIN; PRAGMA defer_foreign_keys = ON; CREATE TEMP TABLE erased (id TEXT PRIMARY KEY)')
      const { changes } = handle
        .prepare(
          'INSERT INTO temp.erased SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM live.media)',
        )
        .run(JSON.stringify(missing))
      for (const { table, key } of keysTo(handle, 'media')) bringUpToDate(handle, table, key)
      handle.exec('DELETE FROM main.media WHERE id IN (SELECT id FROM temp.erased); COMMIT')
      return changes > 0
    } finally {
      handle.close()
    }
  } catch (thrown) {
    throw asStoreError(thrown, live)
  }
}

/**
 * Updates rows of `table` whose `key` names an erased file to their state in the live database. Every table here has its primary key in
 * `id`.
 */
function bringUpToDate(handle: DatabaseSync, table: string, key: string): void {
  const stale = `${key} IN (SELECT id FROM temp.erased)`
  for (const { parent, key: toParent } of parentsOf(handle, table)) {
    handle.exec(
      `DELETE FROM main.${parent} WHERE id IN (SELECT ${toParent} FROM main.${table} WHERE ${stale}) AND id NOT IN (SELECT id FROM live.${parent})`,
    )
  }
  handle.exec(`DELETE FROM main.${table} WHERE ${stale} AND id NOT IN (SELECT id FROM live.${table})`)
  const columns = handle
    .prepare("SELECT name FROM pragma_table_info(?, 'main')")
    .all(table)
    .map((row) => text(row, 'name'))
    .join()
  handle.exec(
    `UPDATE main.${table} SET (${columns}) = (SELECT ${columns} FROM live.${table} AS now WHERE now.id = ${table}.id) WHERE ${stale}`,
  )
  handle.exec(
    `INSERT INTO main.media SELECT * FROM live.media WHERE id IN (SELECT ${key} FROM main.${table}) AND id NOT IN (SELECT id FROM main.media)`,
  )
}

/** Foreign keys to `parent` whose rows are not deleted together with it. */
function keysTo(handle: DatabaseSync, parent: string): { table: string; key: string }[] {
  return handle
    .prepare(
      `SELECT tables.name AS "table", keys."from" AS "key"
         FROM main.sqlite_schema AS tables, pragma_foreign_key_list(tables.name, 'main') AS keys
        WHERE tables.type = 'table' AND keys."table" = ? AND keys.on_delete <> 'CASCADE'`,
    )
    .all(parent)
    .map((row) => ({ table: text(row, 'table'), key: text(row, 'key') }))
}

/** The parents that the rows of `table` are deleted with. */
function parentsOf(handle: DatabaseSync, table: string): { parent: string; key: string }[] {
  return handle
    .prepare(
      `SELECT "table" AS parent, "from" AS "key" FROM pragma_foreign_key_list(?, 'main') WHERE on_delete = 'CASCADE'`,
    )
    .all(table)
    .map((row) => ({ parent: text(row, 'parent'), key: text(row, 'key') }))
}

/** Ids of complete media files, and of files that are still growing. Older schemas have neither table. */
function rowsOf(path: string): { named: string[]; making: Set<string> } {
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
    return { named: ids('media', '').filter((id) => mediaName.test(id)), making: new Set([...making, ...recording]) }
  } finally {
    handle.close()
  }
}

function nameAll(dataDir: string, folder: string, kind: 'media' | 'making', form: RegExp): string[] {
  mkdirSync(join(folder, kind), { recursive: true, mode: 0o700 })
  return namesIn(join(dataDir, kind)).filter((name) => form.test(name) && giveName(dataDir, folder, kind, name))
}

/** Creates a hard link. Returns false when the file is gone and has no link from an earlier call. */
function giveName(dataDir: string, folder: string, kind: 'media' | 'making', name: string): boolean {
  const [from, to] = [join(dataDir, kind, name), join(folder, kind, name)]
  if (existsSync(to)) return true
  try {
    linkSync(from, to)
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false
    // Another disk, or a file system without hard links. A growing file is copied, because it gets another name when it is complete. A
    // media file is read in place.
    if (kind === 'making') copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return existsSync(from)
  }
}

const fileOf = (dataDir: string, folder: string, name: string): SnapshotFile => {
  const held = join(folder, name)
  const path = existsSync(held) ? held : join(dataDir, name)
  return { name, path, bytes: bytesOnDisk(path) }
}
