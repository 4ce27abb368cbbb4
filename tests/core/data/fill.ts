import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databases } from '../../../src-main/core/data/databases.ts'
import { claimFolder } from '../../../src-main/core/store/dataFolder.ts'
import { seededRandom } from '../../helpers/seededRandom.ts'
import { freshFolder } from '../helpers/core.ts'

/** Sizes that lead to trees of several levels, with texts in overflow pages. */
export interface Filling {
  conversations: number
  /** For each conversation. */
  messages: number
  requests: number
  days: number
}
const little: Filling = { conversations: 3, messages: 4, requests: 20, days: 5 }

const random = seededRandom(1)
/** An id. The same in each run, because the order of ids decides which pages of a database its rows are on. */
function newId(): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

const at = (seconds: number): string => new Date(1_700_000_000_000 + seconds * 1000).toISOString()

/** A data folder of an earlier schema version: all four databases, created by the migrations of that version, with rows in every table. */
export function filledFolder(filling: Partial<Filling> = {}, versions: Partial<Record<string, number>> = {}): string {
  const dataDir = freshFolder()
  fillFolder(dataDir, { ...little, ...filling }, versions)
  return dataDir
}

export function fillFolder(dataDir: string, filling: Filling, versions: Partial<Record<string, number>> = {}): void {
  claimFolder(dataDir)
  mkdirSync(join(dataDir, 'media'), { recursive: true, mode: 0o700 })
  for (const { name, kind, pathIn } of databases) {
    const version = versions[name] ?? kind.migrations.length
    if (version === 0) continue
    const handle = new DatabaseSync(pathIn(dataDir))
    handle.exec(`${kind.pragmas ?? ''}; PRAGMA journal_mode = WAL; BEGIN`)
    for (const sql of kind.migrations.slice(0, version)) handle.exec(sql)
    fill[name](handle, filling, dataDir)
    handle.exec(`PRAGMA application_id = ${kind.applicationId}; PRAGMA user_version = ${version}; COMMIT`)
    handle.close()
  }
}

const fill = { studio: fillStudio, ledger: fillLedger, bodies: fillBodies, account: fillAccount }

const has = (handle: DatabaseSync, table: string): boolean =>
  handle.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined

/** Rows by column name. Only the columns that the schema version has are inserted. */
function inserting(handle: DatabaseSync, table: string) {
  const known = has(handle, table)
    ? handle
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map((row) => String(row.name))
    : []
  return (row: Record<string, string | number | null | Uint8Array>): void => {
    const names = Object.keys(row).filter((name) => known.includes(name))
    if (names.length === 0) return
    const values = names.map((name) => row[name] ?? null)
    handle.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`).run(...values)
  }
}

function fillStudio(handle: DatabaseSync, { conversations, messages }: Filling, dataDir: string): void {
  const into = (table: string) => inserting(handle, table)
  const [conversation, message, media, folder] = ['conversations', 'messages', 'media', 'folders'].map(into)
  const folderId = newId()
  folder?.({ id: folderId, name: 'Work', created_at: at(0) })
  const file = (kind: 'image' | 'audio', mime: string): string => {
    const id = newId()
    const bytes = Buffer.from(`${kind} ${id}`.repeat(40))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (has(handle, 'media')) writeFileSync(join(dataDir, 'media', id), bytes, { mode: 0o600 })
    media?.({ id, kind, mime, bytes: bytes.length, sha256, created_at: at(1), name: `A ${kind}` })
    return id
  }
  for (let no = 0; no < conversations; no += 1) {
    const id = newId()
    conversation?.({
      id,
      title: `Conversation ${no}`,
      created_at: at(no),
      updated_at: at(no + 1),
      folder_id: folderId,
      setup: '',
    })
    let parent: string | null = null
    for (let turn = 0; turn < messages; turn += 1) {
      const one = newId()
      // Every seventh needs overflow pages.
      const text = `Message ${turn} of ${no} `.repeat(turn % 7 === 6 ? 600 : 3)
      const attachments =
        turn === 0
          ? JSON.stringify([
              {
                mediaId: file('image', 'image/png'),
                name: 'x.png',
                mime: 'image/png',
                width: 1,
                height: 1,
                bytes: 10,
                detail: 'auto',
              },
            ])
          : '[]'
      const row = { id: one, conversation_id: id, parent_id: parent, role: turn % 2 === 0 ? 'user' : 'assistant', text }
      message?.({
        ...row,
        status: 'complete',
        created_at: at(no * 100 + turn),
        usage: null,
        attachments,
        cost: turn % 2 ? '0.25' : null,
        request_row: turn % 2 ? turn : null,
      })
      parent = one
    }
    handle.prepare('UPDATE conversations SET leaf_id = ?, path_length = ? WHERE id = ?').run(parent, messages, id)
  }
  fillShelves(handle)
  fillMade(handle, file)
}

function fillShelves(handle: DatabaseSync): void {
  const into = (table: string) => inserting(handle, table)
  into('settings')({ key: 'theme', value: '"dark"' })
  const profile = newId()
  into('profiles')({
    id: profile,
    name: 'Mine',
    kind: 'service',
    base_url: 'https://service.invalid',
    key_kept: 'keychain',
    active: 1,
    updated_at: at(0),
  })
  into('model_lists')({ profile, base_url: 'https://service.invalid', models: '[]', as_of: at(0) })
  into('model_notes')({
    profile,
    base_url: 'https://service.invalid',
    model: 'm',
    favourite: 1,
    replied_at: at(0),
    images: 'works',
    tools: 'refused',
  })
  const tool = { id: '01c3ad37f0', name: 'An editor' }
  const facts = JSON.stringify({ kind: 'budget', tool, window: 'day', spent: '1', budget: '1', usedUp: true })
  into('alerts')({
    id: newId(),
    at: at(0),
    watch: 'budget',
    mark: '1',
    level: 1,
    facts,
    ended_at: at(9),
    dismissed_at: at(9),
  })
  into('tool_keys')({ id: '01c3ad37f0', name: 'An editor', hash: new Uint8Array(32), created_at: at(0) })
  into('prompts')({ id: newId(), name: 'A prompt', text: 'Do it', updated_at: at(0) })
  into('presets')({ id: newId(), name: 'A preset', params: '{}', updated_at: at(0) })
}

function fillMade(handle: DatabaseSync, file: (kind: 'image' | 'audio', mime: string) => string): void {
  const into = (table: string) => inserting(handle, table)
  const speech = newId()
  into('speeches')({
    id: speech,
    created_at: at(0),
    state: 'done',
    text: 'Hello',
    search: 'hello',
    wish: '{"model":null,"voice":null}',
    mime: 'audio/mpeg',
    media_id: has(handle, 'speeches') ? file('audio', 'audio/mpeg') : null,
    seconds: 2,
  })
  into('speech_parts')({
    speech_id: speech,
    part: 0,
    text_from: 0,
    text_to: 5,
    text_bytes: 5,
    state: 'done',
    cost: '0.5',
    cost_is: 'measured',
  })
  const recording = newId()
  into('recordings')({
    id: recording,
    created_at: at(0),
    name: 'A talk',
    search: 'a talk',
    source: 'microphone',
    state: 'kept',
    mime: 'audio/webm',
    bytes: 10,
    seconds: 1.5,
    media_id: has(handle, 'recordings') ? file('audio', 'audio/webm') : null,
  })
  into('transcripts')({
    id: newId(),
    recording_id: recording,
    created_at: at(0),
    state: 'done',
    wish: '{}',
    text: 'What was said',
    search: 'what was said',
  })
  const drawing = newId()
  into('drawings')({
    id: drawing,
    created_at: at(0),
    state: 'done',
    wish: JSON.stringify({ prompt: 'A cat', n: 1, model: null, size: null, responseFormat: null }),
    search: 'a cat',
    slots: '[]',
  })
  if (has(handle, 'images'))
    into('images')({
      id: newId(),
      drawing_id: drawing,
      created_at: at(0),
      slot: 0,
      media_id: file('image', 'image/png'),
    })
}

function fillLedger(handle: DatabaseSync, { requests, days }: Filling): void {
  const into = (table: string) => inserting(handle, table)
  const [caller, request, spend, use] = ['callers', 'requests', 'spend', 'use_days'].map(into)
  for (let id = 1; id <= 4; id += 1) caller?.({ id, who: `studio:room${id}`, model: `model-${id}`, many: 0 })
  for (let id = 1; id <= requests; id += 1) {
    const row = {
      id,
      at: 1_700_000_000_000 + id * 1000,
      caller: 1 + (id % 4),
      endpoint: 1,
      outcome: id % 5 === 0 ? 1 : 0,
    }
    request?.({
      ...row,
      status: 200,
      tokens_in: id,
      tokens_out: 2,
      tokens_cached: 0,
      cost: id * 1_000_000,
      cost_is: 0,
      request_id: `r${id}`,
      problem_message: id % 50 === 0 ? 'x'.repeat(9000) : null,
    })
  }
  for (let day = 0; day < days; day += 1) {
    const sums = {
      day: 18_000 + day,
      requests: 3,
      tokens_in: 5,
      tokens_out: 6,
      tokens_cached: 0,
      cost: 7,
      estimated: 0,
      unpriced: 0,
    }
    spend?.({ who: 'tool:x', ...sums })
    use?.({ account: 1, caller: 1, failed: 0, ...sums })
  }
  // Sums like the program's: one for each day, account and caller with rows.
  if (has(handle, 'use_days')) {
    handle.exec(`INSERT INTO use_days SELECT 1, at / 86400000, caller, count(*), sum(tokens_in), sum(tokens_out), sum(tokens_cached), sum(cost), 0, 0,
      sum(outcome = 1) FROM requests GROUP BY 2, 3`)
  }
  into('prices')({
    profile: '',
    base_url: 'https://service.invalid',
    model: 'm',
    how: 'list',
    fresh: '1',
    cached: '0',
    out: '2',
    request: '0',
    days: 1,
    as_of: 0,
  })
  into('facts')({ name: 'floor', value: 1 })
}

function fillBodies(handle: DatabaseSync, { requests }: Filling): void {
  const body = inserting(handle, 'bodies')
  for (let id = 1; id <= requests; id += 10) {
    body({
      id,
      who: 'tool:x',
      at: id,
      size: 100,
      request_bytes: 100,
      request_text: 'ask '.repeat(id % 3 === 0 ? 3000 : 10),
      reply_text: 'said',
    })
  }
}

function fillAccount(handle: DatabaseSync, { days }: Filling): void {
  const into = (table: string) => inserting(handle, table)
  into('books')({
    no: 1,
    id: newId(),
    kind: 'service',
    base_url: 'https://service.invalid',
    user_id: 'u',
    name: 'Mine',
    used_at: 1,
  })
  into('fetches')({ book: 1, what: 'usage', at: 5, from_day: 19_000, to_day: 19_030 })
  const [day, coverage] = ['days', 'coverage'].map(into)
  for (let no = 0; no < days; no += 1) {
    const sums = { requests: no, tokens_in: 2, tokens_out: 3, tokens_cached: null, cost_millionths: 4, cost_below: 5 }
    const first = Object.fromEntries(Object.entries(sums).map(([name, value]) => [`first_${name}`, value]))
    day?.({ book: 1, what: 'usage', day: 19_000 + no, model: 'm', ...sums, ...first, first_at: 5, date: '2023-01-01' })
    coverage?.({ book: 1, what: 'usage', day: 19_000 + no, first_at: 5, last_at: 5, closed_at: null })
  }
  into('versions')({ book: 1, what: 'account', at: 5, value: '{"balance":"1","spent":"2"}' })
  into('limits')({ book: 1, at: 5, value: '{}' })
}

/** Every row of every ordinary table, as text, by table. `without`: columns that recovery may change. */
export function contentsOf(path: string, without: readonly string[] = []): Map<string, string[]> {
  const handle = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = handle
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_text%'",
      )
      .all()
      .map(({ name }) => String(name))
    return new Map(tables.map((table) => [table, rowsOf(handle, table, without)]))
  } finally {
    handle.close()
  }
}

function rowsOf(handle: DatabaseSync, table: string, without: readonly string[]): string[] {
  const statement = handle.prepare(`SELECT * FROM "${table}"`)
  statement.setReadBigInts(true)
  const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)
  return statement
    .all()
    .map((row) =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(row)
            .filter(([name]) => !without.includes(name))
            .map(([name, value]) => [name, plain(value)]),
        ),
      ),
    )
    .sort()
}

/** Integrity and foreign keys of a database. */
export function soundness(path: string): { integrity: unknown; foreign: number } {
  const handle = new DatabaseSync(path)
  try {
    const { integrity_check: integrity } = handle.prepare('PRAGMA integrity_check').get() ?? {}
    return { integrity, foreign: handle.prepare('PRAGMA foreign_key_check').all().length }
  } finally {
    handle.close()
  }
}

/** Adds so many rows to the request log; 100,000 take half a second. */
export function moreRequests(dataDir: string, rows: number): void {
  const handle = new DatabaseSync(join(dataDir, 'ledger.sqlite'))
  handle.exec(`
    WITH RECURSIVE many (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM many WHERE no < ${rows})
    INSERT INTO requests (at, caller, endpoint, outcome, path, model, status, tokens_in, tokens_out, cost)
      SELECT 1700000000000 + no * 1000, 1, 1, 0, '/v1/chat/completions', 'writer-' || (no % 7), 200, no % 900, no % 300, no FROM many`)
  handle.close()
}

/** Overwrites the header of a file, so that no program recognizes it as a database. */
export function behead(path: string): void {
  const file = openSync(path, 'r+')
  writeSync(file, new Uint8Array(100), 0, 100, 0)
  closeSync(file)
}
