import type { Counts, DatabaseName, DataKind } from '../../../src-preload/contract/data.ts'
import { asStudioError } from '../errors.ts'
import { accountFile } from '../store/account/open.ts'
import { accountDatabase } from '../store/account/schema.ts'
import { type DatabaseKind, studioDatabase } from '../store/database.ts'
import { isDatabaseThere } from '../store/databaseFile.ts'
import { type ReadHandle, readDatabase } from '../store/readOnly.ts'
import { bodiesFile, requestLogFile } from '../store/requestLog/open.ts'
import { bodyDatabase, requestLogDatabase } from '../store/requestLog/schema.ts'
import { number } from '../store/rows.ts'
import { databaseFile } from '../store/store.ts'
import { makingName, mediaName } from './backup/manifest.ts'

export interface KnownDatabase {
  name: DatabaseName
  /** File name in the data folder. */
  file: string
  kind: DatabaseKind
  pathIn(dataDir: string): string
}

/** The databases of a data folder. Rows of the first one refer to the others, so it is copied and checked first. */
export const databases: readonly KnownDatabase[] = [
  { name: 'studio', file: 'studio.sqlite', kind: studioDatabase, pathIn: databaseFile },
  { name: 'ledger', file: 'ledger.sqlite', kind: requestLogDatabase, pathIn: requestLogFile },
  { name: 'bodies', file: 'bodies.sqlite', kind: bodyDatabase, pathIn: bodiesFile },
  { name: 'account', file: 'account.sqlite', kind: accountDatabase, pathIn: accountFile },
]

/** The write-ahead log of a database and the log's index. They are part of the database. */
export const sideFiles = (file: string): string[] => [`${file}-wal`, `${file}-shm`]

const databaseNames: ReadonlySet<string> = new Set(
  databases.flatMap(({ file }) => [file, ...sideFiles(file), `${file}-journal`]),
)

/** Whether this program gives the relative path to a copy of the data: a database, a complete media file or a growing media file. */
export function isCopiedFile(path: string): boolean {
  const [first = '', second, ...more] = path.split('/')
  if (more.length > 0) return false
  if (first === 'media') return second === undefined || mediaName.test(second)
  if (first === 'making') return second === undefined || makingName.test(second)
  return second === undefined && databaseNames.has(first)
}

const things: Readonly<Record<string, DataKind>> = {
  conversations: 'conversations',
  messages: 'messages',
  media: 'media',
  speeches: 'speeches',
  images: 'images',
  recordings: 'recordings',
  transcripts: 'transcripts',
  profiles: 'connections',
  settings: 'settings',
  folders: 'library',
  prompts: 'library',
  presets: 'library',
  tool_keys: 'tools',
  connected_programs: 'tools',
  function_tools: 'tools',
  mcp_servers: 'tools',
  requests: 'requests',
  use_days: 'sums',
  spend: 'sums',
  bodies: 'bodies',
  responses: 'bodies',
  books: 'accounts',
  days: 'accounts',
  versions: 'accounts',
  closed: 'accounts',
  undated: 'accounts',
}

/** The kind of thing, in a person's terms, that a row of a table is. */
export const thingOf = (table: string): DataKind => things[table] ?? 'other'

/** Counts the things in a database by kind. @throws what SQLite throws */
export function countThings(handle: ReadHandle): Counts {
  const counted = new Map<DataKind, number>()
  for (const { name } of handle.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
    const thing = thingOf(String(name))
    if (thing === 'other') continue
    const { n } = handle.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get() ?? {}
    counted.set(thing, (counted.get(thing) ?? 0) + number({ n: n ?? 0 }, 'n'))
  }
  return asCounts(counted)
}

/** The counts without those of 0. */
export const asCounts = (counted: ReadonlyMap<DataKind, number>): Counts =>
  [...counted].filter(([, count]) => count > 0).map(([thing, count]) => ({ thing, count }))

/** The sum of each kind of data. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = new Map<DataKind, number>()
  for (const { thing, count } of all.flat()) sum.set(thing, (sum.get(thing) ?? 0) + count)
  return asCounts(sum)
}

/** The databases that exist in the folder. @throws StudioError `store_damaged` when a database's name belongs to something that is not a file */
export const databasesIn = (dataDir: string): KnownDatabase[] =>
  databases.filter(({ pathIn }) => isDatabaseThere(pathIn(dataDir)))

/** Why a database of the folder can't be opened, or null. Reads its first page only, and changes nothing. */
export function databaseProblem(dataDir: string): string | null {
  for (const { pathIn, kind } of databases) {
    try {
      readDatabase(pathIn(dataDir), kind, { isInUse: undefined, whenOlder: () => null }, () => null)
    } catch (thrown) {
      const { kind: problem, message } = asStudioError(thrown)
      // Another process may have locked it for a moment.
      if (problem === 'store_damaged' || problem === 'store_newer') return message
    }
  }
  return null
}
