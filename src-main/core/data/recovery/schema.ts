import type { DatabaseSync } from 'node:sqlite'
import { number, text } from '../../store/rows.ts'
import type { Cell, Value } from './cells.ts'

export interface RecoveredColumn {
  name: string
  type: 'INTEGER' | 'REAL' | 'TEXT' | 'BLOB'
  notNull: boolean
  /** Null when the column has no default. */
  fallback: string | null
  /** Form of the content beyond its type, for columns whose readers throw at anything else. */
  form: 'id' | 'json' | 'decimal' | null
}

/** A table of our migrations, with its columns in their order on the disk. */
export interface Table {
  name: string
  columns: RecoveredColumn[]
  /** Index of the column that is the row id; null when none is. */
  rowidColumn: number | null
  withoutRowid: boolean
}

const jsonColumns = new Set(
  [
    'setup',
    'tool_calls',
    'problem',
    'usage',
    'attachments',
    'documents',
    'passages',
    'notes',
    'run',
    'params',
    'json_faults',
    'wish',
    'slots',
    'cues',
  ].concat(['request_rows', 'asking', 'models', 'endpoints', 'transport', 'schema', 'value', 'without']),
)
const isDecimal = /^(?:cost|budget_\w+|ask_above|busy_spend)$/
const decimal = /^-?\d+(?:\.\d+)?$/
const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
/** Tables whose ids are sent to pages, which accept only ids of this form. */
const withIds = new Set(
  ['conversations', 'messages', 'speeches', 'recordings', 'transcripts', 'drawings', 'images', 'media'].concat([
    'folders',
    'prompts',
    'presets',
    'function_tools',
    'mcp_servers',
    'queued_messages',
  ]),
)

/** The tables of ordinary rows in our database. The tables of the search index are rebuilt instead. */
export function tablesOf(handle: DatabaseSync): Table[] {
  return handle
    .prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map((row) => tableOf(handle, text(row, 'name'), number(row, 'wr') === 1))
    .sort((a, b) => a.name.localeCompare(b.name))
}

function tableOf(handle: DatabaseSync, name: string, withoutRowid: boolean): Table {
  const rows = handle.prepare('SELECT * FROM pragma_table_info(?) ORDER BY cid').all(name)
  const keys = rows.filter((row) => number(row, 'pk') > 0).sort((a, b) => number(a, 'pk') - number(b, 'pk'))
  // Without row ids, the key's columns are first, in the key's order (https://sqlite.org/fileformat2.html, 2.4).
  const ordered = withoutRowid ? [...keys, ...rows.filter((row) => number(row, 'pk') === 0)] : rows
  const only = keys[0]
  const isRowid = !withoutRowid && keys.length === 1 && only !== undefined && text(only, 'type') === 'INTEGER'
  return {
    name,
    columns: ordered.map((row) => ({
      name: text(row, 'name'),
      type: typeOf(text(row, 'type')),
      notNull: number(row, 'notnull') === 1 || (withoutRowid && number(row, 'pk') > 0),
      fallback: typeof row.dflt_value === 'string' ? row.dflt_value.replace(/^'(.*)'$/, '$1') : null,
      form: formOf(name, text(row, 'name')),
    })),
    rowidColumn: isRowid ? ordered.indexOf(only) : null,
    withoutRowid,
  }
}

function formOf(table: string, name: string): RecoveredColumn['form'] {
  if (name === 'id') return withIds.has(table) ? 'id' : null
  // The values of marks and of the sync state are ids and flags.
  if (jsonColumns.has(name) && !table.startsWith('sync_')) return 'json'
  return isDecimal.test(name) ? 'decimal' : null
}

function typeOf(type: string): RecoveredColumn['type'] {
  if (type === 'INTEGER' || type === 'REAL' || type === 'BLOB') return type
  return 'TEXT'
}

/** Whether a row can belong to this table: strict tables contain only values of their types. Rows from before a column was added are shorter. */
export function fits({ columns, rowidColumn, withoutRowid }: Table, { rowid, values }: Cell): boolean {
  if (values.length > columns.length || (rowid === null) !== withoutRowid) return false
  return columns.every((column, at) => {
    if (at === rowidColumn) return values[at] === null
    if (at >= values.length) return !column.notNull || column.fallback !== null
    return isOfType(values[at] ?? null, column)
  })
}

function isOfType(value: Value, { type, notNull }: RecoveredColumn): boolean {
  if (value === null) return !notNull
  if (typeof value === 'string') return type === 'TEXT'
  if (value instanceof Uint8Array) return type === 'BLOB'
  if (type === 'REAL') return true
  return type === 'INTEGER' && (typeof value === 'bigint' || Number.isInteger(value))
}

/**
 * Replaces a value that its readers would reject: otherwise a flipped byte in a document or a number would prevent a whole feature from
 * opening. Null when the row is useless without the value.
 */
export function readable(column: RecoveredColumn, value: Value, freshId: () => string): { value: Value } | null {
  if (typeof value !== 'string' || column.form === null) return { value }
  if (column.form === 'id') return { value: uuid.test(value) ? value : freshId() }
  const isGood = column.form === 'decimal' ? decimal.test(value) : value === '' || isJson(value)
  if (isGood) return { value }
  if (!column.notNull) return { value: null }
  return column.fallback === null ? null : { value: column.fallback }
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

const isInstant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** How well a row matches this table beyond types: the number of columns with a known form that have it, minus those that do not. */
export function resemblance({ columns }: Table, { values }: Cell): number {
  const likes = columns.map((column, at) => likeness(column, values[at]))
  return likes.reduce((sum, like) => sum + like, values.length === columns.length ? 1 : 0)
}

/** Ids that other programs assign (of a request, of a user) have no known form. */
const isReference = (name: string): boolean =>
  name.endsWith('_id') && !['request_id', 'user_id', 'tool_id'].includes(name)

/** Columns that have ids, among other values. */
const mayBeId = new Set(['value', 'parent'])
const isTime = (name: string): boolean => name === 'at' || name.endsWith('_at') || name === 'as_of'

function likeness({ name, form }: RecoveredColumn, value: Value | undefined): number {
  if (typeof value !== 'string') return 0
  if (isTime(name)) return isInstant.test(value) ? 1 : -1
  if (name === 'base_url') return value.startsWith('http') ? 1 : -1
  if (form === 'id' || name === 'profile' || isReference(name)) return uuid.test(value) ? 1 : -1
  if (form === 'json') return isJson(value) ? 1 : -1
  if (uuid.test(value)) return likenessOfId(name)
  return isInstant.test(value) ? -1 : 0
}

function likenessOfId(name: string): number {
  if (name === 'id' || name === 'item') return 1
  return mayBeId.has(name) ? 0 : -1
}
