import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Counts, DataKind } from '../../../../src-preload/contract/data.ts'
import { number, text } from '../../store/rows.ts'
import { asCounts, thingOf } from '../databases.ts'

/** Type and size of a file of `media/`; null when it does not exist. */
export interface MediaFacts {
  kind: 'image' | 'audio'
  mime: string
  bytes: number
  width: number | null
  height: number | null
  sha256: string
}
export interface Looking {
  mediaFacts(id: string): MediaFacts | null
  /** Called from time to time with the number of rows recovered so far. */
  counted?(rows: number): void
}

/**
 * Makes the foreign keys of the recovered rows valid. Rows that lost their parent get a new one, so that a message is not lost with the row
 * of its conversation. Rows for which no parent can be made are deleted. Works with the schema of any version.
 * @param holed tables that lost rows
 * @returns how many rows got a new parent, by kind
 */
export function relate(handle: DatabaseSync, looking: Looking, holed: ReadonlySet<string>): Counts {
  const mended = new Map<DataKind, number>()
  const note = (thing: DataKind, count: number | bigint): void => {
    if (count > 0) mended.set(thing, (mended.get(thing) ?? 0) + Number(count))
  }
  const has = (table: string): boolean =>
    handle.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined
  if (has('messages')) note('messages', relateMessages(handle))
  if (has('images')) {
    note('media', relateMedia(handle, looking))
    note('images', relateImages(handle))
  }
  if (has('transcripts')) note('transcripts', relateTranscripts(handle))
  if (has('requests')) note('requests', relateRequests(handle))
  if (has('use_days')) relateUse(handle, holed)
  if (has('books')) note('accounts', restoreAccounts(handle))
  for (const [thing, count] of letGo(handle)) note(thing, count)
  return asCounts(mended)
}

const now = (): string => new Date().toISOString()

/** Creates a conversation for messages without one, a parent for messages whose parent is gone, and a leaf for paths that lost theirs. */
function relateMessages(handle: DatabaseSync): number {
  const homeless = handle
    .prepare(
      `SELECT conversation_id AS id, count(*) AS n, min(created_at) AS first, max(created_at) AS last FROM messages
        WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY 1`,
    )
    .all()
  const insert = handle.prepare(
    "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?, 'Recovered conversation', ?, ?)",
  )
  for (const row of homeless) insert.run(text(row, 'id'), text(row, 'first'), text(row, 'last'))
  const orphans = handle.prepare(
    `UPDATE messages SET parent_id = (SELECT p.id FROM messages AS p WHERE p.conversation_id = messages.conversation_id
       AND p.seq < messages.seq ORDER BY p.seq DESC LIMIT 1)
      WHERE parent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages AS p
        WHERE p.id = messages.parent_id AND p.conversation_id = messages.conversation_id AND p.seq < messages.seq)`,
  )
  const moved = orphans.run().changes
  handle.exec(`
    UPDATE conversations SET leaf_id = (SELECT m.id FROM messages AS m WHERE m.conversation_id = conversations.id ORDER BY m.seq DESC LIMIT 1)
     WHERE NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.id = conversations.leaf_id AND m.conversation_id = conversations.id);
    UPDATE conversations SET path_length = (
      WITH RECURSIVE up (id, parent_id) AS (
        SELECT id, parent_id FROM messages WHERE id = conversations.leaf_id
        UNION ALL SELECT m.id, m.parent_id FROM up JOIN messages AS m ON m.id = up.parent_id)
      SELECT count(*) FROM up);
  `)
  return Number(moved) + homeless.reduce((sum, row) => sum + number(row, 'n'), 0)
}

/** Creates rows for existing files that something names. */
function relateMedia(handle: DatabaseSync, { mediaFacts }: Looking): number {
  const named = handle.prepare(
    `SELECT id, min(name) AS name, max(document) AS document FROM (
       SELECT media_id AS id, NULL AS name, 0 AS document FROM images UNION ALL SELECT thumb_id, NULL, 0 FROM images
       UNION ALL SELECT media_id, NULL, 0 FROM speeches UNION ALL SELECT media_id, name, 0 FROM recordings
       UNION ALL SELECT a.value ->> '$.mediaId', a.value ->> '$.name', 0 FROM messages AS m, json_each(m.attachments) AS a WHERE m.attachments <> '[]'
       UNION ALL SELECT d.value ->> '$.mediaId', d.value ->> '$.name', 1 FROM messages AS m, json_each(m.documents) AS d WHERE m.documents <> '[]')
      WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM media) GROUP BY id`,
  )
  const insert = handle.prepare(
    `INSERT INTO media (id, kind, mime, bytes, width, height, name, sha256, created_at)
      VALUES (:id, :kind, :mime, :bytes, :width, :height, :name, :sha256, :at)`,
  )
  let made = 0
  for (const row of named.all()) {
    const id = text(row, 'id')
    const facts = mediaFacts(id)
    if (!facts) continue
    const document = { kind: 'document', mime: 'application/octet-stream', width: null, height: null }
    insert.run({
      id,
      ...facts,
      ...(row.document === 1 ? document : {}),
      name: typeof row.name === 'string' ? row.name : null,
      at: now(),
    })
    made += 1
  }
  return made
}

function relateImages(handle: DatabaseSync): number {
  const wish = { prompt: 'Recovered', n: 1, model: null, size: null, responseFormat: null }
  const made = handle
    .prepare(
      `INSERT INTO drawings (id, created_at, state, wish, search, slots)
        SELECT drawing_id, min(created_at), 'done', ?, 'recovered', '[]' FROM images
         WHERE drawing_id NOT IN (SELECT id FROM drawings) GROUP BY drawing_id`,
    )
    .run(JSON.stringify(wish)).changes
  return Number(made)
}

/** Creates recordings for transcripts whose recording is lost. Returns how many. */
function relateTranscripts(handle: DatabaseSync): number {
  const made = handle
    .prepare(
      `INSERT INTO recordings (id, created_at, name, search, source, state, mime, bytes)
        SELECT recording_id, min(created_at), 'Recovered', 'recovered', 'file', 'kept', 'application/octet-stream', 0 FROM transcripts
         WHERE recording_id NOT IN (SELECT id FROM recordings) GROUP BY recording_id`,
    )
    .run().changes
  return Number(made)
}

/** The caller of these requests is unknown, so they belong to a stranger. */
function relateRequests(handle: DatabaseSync): number {
  const made = handle
    .prepare(
      `INSERT INTO callers (id, who, model, many) SELECT DISTINCT caller, 'stranger', NULL, 1 FROM requests
        WHERE caller NOT IN (SELECT id FROM callers)`,
    )
    .run().changes
  return Number(made)
}

/** Adds up lost sums of a day from the rows of that day. Existing sums stay, even when their rows were deleted. */
function relateUse(handle: DatabaseSync, holed: ReadonlySet<string>): void {
  handle.exec(`
    INSERT OR IGNORE INTO accounts (id, base_url) SELECT DISTINCT account, '' FROM use_days UNION SELECT account, '' FROM links;
    INSERT OR IGNORE INTO accounts (id, base_url) VALUES (1, '');
    INSERT OR IGNORE INTO links (first_row, account) SELECT 0, min(id) FROM accounts;
  `)
  if (!holed.has('use_days')) return
  handle.exec(`
    INSERT OR IGNORE INTO use_days (account, day, caller, requests, tokens_in, tokens_out, tokens_cached, cost, estimated, unpriced, failed)
      SELECT (SELECT l.account FROM links AS l WHERE l.first_row <= requests.id ORDER BY l.first_row DESC LIMIT 1) AS account,
        at / 86400000, caller, count(*), sum(coalesce(tokens_in, 0)), sum(coalesce(tokens_out, 0)), sum(coalesce(tokens_cached, 0)),
        CAST(min(9.2e18, total(coalesce(cost, 0))) AS INTEGER), sum(cost IS NOT NULL AND cost_is = 1), sum(cost IS NULL), sum(outcome = 1)
      FROM requests WHERE outcome IS NOT NULL AND outcome <> 2 GROUP BY 1, 2, 3;
  `)
}

/** Preserves the data that the service reported of an account, although the account is unknown. */
function restoreAccounts(handle: DatabaseSync): number {
  const children = ['fetches', 'coverage', 'days', 'closed', 'versions', 'undated', 'limits']
  const all = children.map((table) => `SELECT book FROM ${table}`).join(' UNION ')
  const lost = handle.prepare(`SELECT book FROM (${all}) WHERE book NOT IN (SELECT no FROM books)`).all()
  const insert = handle.prepare(
    "INSERT INTO books (no, id, kind, base_url, name, used_at) VALUES (?, ?, 'service', ?, 'Recovered account', 0)",
  )
  for (const row of lost) {
    const no = number(row, 'book')
    insert.run(no, randomUUID(), `https://recovered-${no}.invalid`)
  }
  return lost.length
}

/** Clears references to lost rows. Deletes rows that must have such a reference. */
function letGo(handle: DatabaseSync): Map<DataKind, number> {
  const changed = new Map<DataKind, number>()
  for (;;) {
    const broken = handle.prepare('SELECT "table" AS name, rowid AS row, fkid FROM pragma_foreign_key_check').all()
    if (broken.length === 0) return changed
    for (const one of broken) {
      const table = text(one, 'name')
      if (one.row === null) {
        dropWithoutRowid(handle, table)
        continue
      }
      const row = number(one, 'row')
      const key = handle
        .prepare('SELECT "from" AS name FROM pragma_foreign_key_list(?) WHERE id = ?')
        .get(table, number(one, 'fkid'))
      const column = text(key ?? {}, 'name')
      const { strict } =
        handle.prepare('SELECT "notnull" AS strict FROM pragma_table_info(?) WHERE name = ?').get(table, column) ?? {}
      if (strict === 0) {
        handle.prepare(`UPDATE "${table}" SET "${column}" = NULL WHERE rowid = ?`).run(row)
        changed.set(thingOf(table), (changed.get(thingOf(table)) ?? 0) + 1)
      } else handle.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run(row)
    }
  }
}

function dropWithoutRowid(handle: DatabaseSync, table: string): void {
  for (const key of handle
    .prepare('SELECT "table" AS parent, "from" AS child, "to" AS name FROM pragma_foreign_key_list(?)')
    .all(table)) {
    const [parent, child, name] = [text(key, 'parent'), text(key, 'child'), text(key, 'name')]
    handle.exec(
      `DELETE FROM "${table}" WHERE "${child}" IS NOT NULL AND "${child}" NOT IN (SELECT "${name}" FROM "${parent}")`,
    )
  }
}
