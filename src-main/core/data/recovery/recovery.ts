import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Damage, Opening } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { isRealFile } from '../../shared/ownFiles.ts'
import { applySchema, type CheckDepth, checkFile } from '../../store/database.ts'
import { newer } from '../../store/databaseErrors.ts'
import { isDatabaseThere, leastDatabaseBytes } from '../../store/databaseFile.ts'
import { text } from '../../store/rows.ts'
import { makingName, mediaName } from '../backup/manifest.ts'
import { databases, type KnownDatabase, sideFiles } from '../databases.ts'
import { asDiskError, bytesOnDisk, checkFreeSpace, freeStamp, namesIn, openUntouched, toDisk } from '../disk.ts'
import { dropStaging, freshStaging, swapNow } from '../restore/swap.ts'
import { readTreePage } from './cells.ts'
import { openPages } from './pages.ts'
import { recoverDatabase } from './recoverDatabase.ts'
import type { MediaFacts } from './restoreReferences.ts'
import { fits, tablesOf } from './schema.ts'

export interface RecoveryOptions {
  dataDir: string
  /** How much of each database is checked: `pages` after an owner that was killed, `everything` after one that met damage. */
  how: CheckDepth
  /** Identifies a media file by its bytes. */
  typeOf(bytes: Uint8Array): Pick<MediaFacts, 'kind' | 'mime' | 'width' | 'height'>
  log(level: 'warn', line: string): void
  /** How long to wait for a database that another process has locked, ms. Default: `patientBusyMs`. */
  busyMs?: number | undefined
  /** Reports progress. Called often; the receiver throttles. */
  notify?(work: Opening): void
}

/**
 * Recovers damaged databases. Call it before any database is opened, as the owner of the folder. Each damaged file is moved to `damaged/`
 * unchanged, and a new file with its readable rows replaces it. A file of another program, or of a newer version, stays.
 * @throws StudioError `store_damaged` (another program's file), `store_newer`, `database_locked`
 */
export function recoverFolder(parts: RecoveryOptions): void {
  const { dataDir, how, busyMs, notify } = parts
  dropUnnamed(dataDir)
  for (const database of databases) {
    if (how !== 'head') notify?.({ stage: 'checking', database: database.name, rows: null })
    const fault = faultOf(dataDir, database, how, busyMs)
    if (fault !== null) recover(parts, database, fault)
  }
}

/**
 * Why a database must be recovered, as a sentence. Null when it is good, and when it does not exist and nothing refers to it.
 * @param busyMs as `checkFile`
 * @throws StudioError `store_damaged` (another program's file), `store_newer`, `database_locked`
 */
export function faultOf(dataDir: string, database: KnownDatabase, how: CheckDepth, busyMs?: number): string | null {
  const path = database.pathIn(dataDir)
  const isMissed = (): boolean => database.name === 'studio' && mediaIn(dataDir).length + makingIn(dataDir).length > 0
  if (!isDatabaseThere(path)) return isMissed() ? 'The file is gone, but files that it referred to exist.' : null
  const found = checkFile(path, database.kind, how, busyMs)
  if (found.is === 'good') {
    return isMissed() && isBlank(path) ? 'The file is empty, but files that it referred to exist.' : null
  }
  if (found.is === 'newer') throw newer(path, found.version, database.kind)
  if (found.is === 'foreign' || !isOurs(path, database)) {
    throw new StudioError('store_damaged', `${path} is another program's database. It was not changed.`)
  }
  return found.why
}

/**
 * Checks that `studio.sqlite` was not lost, for commands that write it without owning the folder. Otherwise such a command would create a
 * new file, which would hide the loss from the next start.
 * @throws StudioError `store_damaged`, `store_newer`
 */
export function mustNotBeLost(dataDir: string): void {
  const [studio] = databases
  const fault = studio ? faultOf(dataDir, studio, 'head') : null
  if (fault === null) return
  const message = `${studio?.pathIn(dataDir)} is damaged: ${fault} It was not changed. Start Inference Studio in this folder to recover what can be read.`
  throw new StudioError('store_damaged', message)
}

function recover(parts: RecoveryOptions, database: KnownDatabase, why: string): void {
  const { dataDir, log } = parts
  log('warn', `${database.file} is damaged (${why}). The file is set aside, and its readable rows are recovered.`)
  try {
    recoverInPlace(parts, database, why)
  } catch (thrown) {
    // Nothing is changed before the swap, and the next start completes a swap that began. Files written so far are deleted, because they
    // use the space that is missing.
    dropStaging(dataDir)
    const met = asDiskError(thrown)
    if (!(met instanceof StudioError)) throw met
    const message = `${database.file} is damaged and can't be recovered now. It was not changed. ${met.message}`
    throw new StudioError(met.kind, message, {}, { cause: thrown })
  }
}

function recoverInPlace(parts: RecoveryOptions, database: KnownDatabase, why: string): void {
  const { dataDir } = parts
  const { name, file, pathIn } = database
  const notify = (rows: number): void => parts.notify?.({ stage: 'mending', database: name, rows })
  notify(0)
  const path = pathIn(dataDir)
  const isThere = existsSync(path)
  checkFreeSpace(dataDir, isThere ? [path, ...sideFiles(path)].reduce((sum, one) => sum + bytesOnDisk(one), 0) : 0)
  const stamp = freeStamp(join(dataDir, 'damaged'), new Date())
  const to = freshStaging(dataDir)
  const fresh = join(to, file)
  const recovered = isThere
    ? recoverDatabase(path, fresh, database, { mediaFacts: (id) => factsOf(parts, id), counted: notify })
    : { recovered: [], lost: [{ thing: 'other' as const, count: null }], mended: [] }
  const loose = name === 'studio' ? looseFiles(dataDir, isThere ? fresh : null) : []
  if (isThere) toDisk(fresh)
  const damage: Damage = {
    id: `damaged/${stamp}/${name}`,
    at: new Date().toISOString(),
    database: name,
    why,
    ...recovered,
    keptAt: join(dataDir, 'damaged', stamp),
    mediaSetAside: loose.length,
    acknowledged: false,
  }
  swapNow(dataDir, {
    at: damage.at,
    aside: `damaged/${stamp}`,
    leave: [file, ...sideFiles(file), ...loose],
    come: isThere ? [file] : [],
    report: { what: 'damage', damage },
  })
}

const mediaIn = (dataDir: string): string[] => namesIn(join(dataDir, 'media')).filter((name) => mediaName.test(name))
const makingIn = (dataDir: string): string[] => namesIn(join(dataDir, 'making')).filter((name) => makingName.test(name))

/** Media files that no row of the recovered database names. They are set aside, because the next start would delete them as leftovers. */
function looseFiles(dataDir: string, fresh: string | null): string[] {
  const known = new Set<string>()
  if (fresh !== null) {
    const handle = openUntouched(fresh)
    try {
      for (const table of ['media', 'speeches', 'recordings', 'transcripts', 'drawings']) {
        const isThere = handle.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)
        if (isThere) for (const row of handle.prepare(`SELECT id FROM ${table}`).all()) known.add(text(row, 'id'))
      }
    } finally {
      handle.close()
    }
  }
  const media = mediaIn(dataDir).filter((name) => !known.has(name))
  const making = makingIn(dataDir).filter((name) => !known.has(makingName.exec(name)?.[1] ?? ''))
  return [...media.map((name) => `media/${name}`), ...making.map((name) => `making/${name}`)]
}

function factsOf({ dataDir, typeOf }: RecoveryOptions, id: string): MediaFacts | null {
  const path = join(dataDir, 'media', id)
  if (!mediaName.test(id) || !existsSync(path)) return null
  const bytes = readFileSync(path)
  return { ...typeOf(bytes), bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Whether a good database has no rows at all: a new file has replaced the one that was in use. */
function isBlank(path: string): boolean {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const tables = handle.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").all()
    return tables
      .map((row) => text(row, 'name'))
      .filter((name) => !name.startsWith('sqlite_'))
      .every((name) => handle.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined)
  } finally {
    handle.close()
  }
}

/**
 * Whether a file that SQLite cannot read is ours. It is if it is too short for a database, or if a page contains rows that only our tables
 * have.
 */
function isOurs(path: string, { kind }: KnownDatabase): boolean {
  if (statSync(path).size < leastDatabaseBytes) return true
  const handle = new DatabaseSync(':memory:')
  const pages = openPages(path)
  try {
    applySchema(handle, kind, 0, kind.migrations.length)
    const tables = tablesOf(handle)
    let isEmpty = true
    for (let no = 1; no <= pages.count; no += 1) {
      const page = pages.page(no)
      if (isEmpty && page.some((byte) => byte !== 0)) isEmpty = false
      const tree = readTreePage(pages, no)
      if (tree?.cells.some((cell) => tables.some((table) => fits(table, cell)) || isSchemaRow(cell.values))) return true
    }
    return isEmpty
  } finally {
    handle.close()
    pages.close()
  }
}

const isSchemaRow = ([type, name, table, root]: readonly unknown[]): boolean =>
  (type === 'table' || type === 'index') &&
  typeof name === 'string' &&
  typeof table === 'string' &&
  typeof root === 'number'

const unfinished =
  /^(?:(?:studio|ledger|bodies|account)\.sqlite\.new-\d+(?:-journal)?|studio\.folder\.json\.[\da-f]{8}\.new|README\.txt\.[\da-f]{8}\.part)$/

/** Deletes the files of a process that was killed while it created a database. */
function dropUnnamed(dataDir: string): void {
  for (const name of namesIn(dataDir))
    if (unfinished.test(name) && isRealFile(join(dataDir, name))) rmSync(join(dataDir, name), { force: true })
}
