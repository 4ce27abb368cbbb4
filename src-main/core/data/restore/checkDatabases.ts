import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { diskProblem, sqliteCode } from '../../shared/diskProblem.ts'
import { applySchema, type DatabaseKind, faultIn } from '../../store/database.ts'
import { number, text, textOrNull } from '../../store/rows.ts'
import type { BackupManifest } from '../backup/manifest.ts'
import { notOurs } from '../backup/tar/layout.ts'
import { addCounts, countThings, databases, type KnownDatabase } from '../databases.ts'
import { openUntouched } from '../disk.ts'

/**
 * Checks that the unpacked databases are complete and ours: every page, every foreign key, and exactly the schema of our migrations. So no
 * trigger or view of a forged backup ever runs here. Each media row must have its file, with its size and checksum, in the manifest, which
 * `unpackBackup` has compared with the files.
 * @throws StudioError `bad_input`
 */
export function checkDatabases(folder: string, manifest: BackupManifest): void {
  const counted = databases.flatMap((database) => {
    const version = manifest.schemas[database.name]
    return version === undefined ? [] : [checkOne(folder, database, version, manifest)]
  })
  const order = (counts: BackupManifest['counts']): string =>
    JSON.stringify(counts.map(({ thing, count }) => `${thing} ${count}`).sort())
  if (order(addCounts(counted)) !== order(manifest.counts))
    throw notOurs('The number of its rows does not match its manifest.')
}

function checkOne(folder: string, { name, file, kind }: KnownDatabase, version: number, manifest: BackupManifest) {
  try {
    const handle = openUntouched(join(folder, file))
    try {
      const value = (pragma: string): number => number(handle.prepare(`PRAGMA ${pragma}`).get() ?? {}, pragma)
      if (value('application_id') !== kind.applicationId || value('user_version') !== version) {
        throw notOurs('It contains a database of another program.')
      }
      if (schemaOf(handle) !== expectedSchema(kind, version)) {
        throw notOurs('A database in it was changed.')
      }
      if (faultIn(join(folder, file), 'integrity_check') !== null) throw notOurs('A database in it is damaged.')
      if (name === 'studio') checkMedia(handle, manifest)
      return countThings(handle)
    } finally {
      handle.close()
    }
  } catch (thrown) {
    const known = diskProblem(thrown, 'A database of the backup', join(folder, file))
    if (known) throw known
    throw sqliteCode(thrown) === null ? thrown : notOurs('A database in it is damaged.')
  }
}

function checkMedia(handle: DatabaseSync, { missing, entries }: BackupManifest): void {
  const known = handle.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'media'").get()
  if (!known) return
  const missingIds = new Set(missing)
  const files = new Map(entries.map((entry) => [entry.name, entry]))
  for (const row of handle.prepare('SELECT id, bytes, sha256 FROM media').iterate()) {
    const id = text(row, 'id')
    if (missingIds.has(id)) continue
    const file = files.get(`media/${id}`)
    if (file === undefined) throw notOurs('A file is missing.')
    if (file.bytes !== number(row, 'bytes') || file.sha256 !== text(row, 'sha256'))
      throw notOurs('A file in it was changed.')
  }
}

/** SQLite's own tables (statistics), and those of a virtual table, may differ between versions of SQLite. */
const ownTables = /^(?:sqlite_|search_text_)/

/** The schema of a database as one text. */
function schemaOf(handle: DatabaseSync): string {
  return handle
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema')
    .all()
    .map((row) => [text(row, 'type'), text(row, 'name'), text(row, 'tbl_name'), textOrNull(row, 'sql')] as const)
    .filter(
      ([type, name, table]) =>
        !(type === 'table' && ownTables.test(name)) && !(type === 'index' && ownTables.test(table)),
    )
    .map(([type, name, table, sql]) => `${type} ${name} ${table} ${(sql ?? '').replaceAll(/\s+/g, ' ')}`)
    .sort()
    .join('\n')
}

function expectedSchema(kind: DatabaseKind, version: number): string {
  const handle = new DatabaseSync(':memory:')
  try {
    applySchema(handle, kind, 0, version)
    return schemaOf(handle)
  } finally {
    handle.close()
  }
}
