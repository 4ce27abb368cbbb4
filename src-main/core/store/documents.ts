import * as z from 'zod'
import { documentKind, documentUnit, readPages, type StudioDocument } from '../../../src-preload/contract/documents.ts'
import { sentence } from '../../../src-preload/contract/note.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { json, number, type Row, readOrNull, text } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A converted document, with the size of its original in bytes. */
export type DocumentRow = Omit<StudioDocument, 'name'>

/** The text of a page, slide, sheet or chapter. */
export interface DocumentPart {
  /** Such as `Page 3`. Empty for a document with one part. */
  label: string
  tokens: number
  text: string
}

type Conversion = Omit<DocumentRow, 'mediaId' | 'bytes'>

const sentences = z.array(sentence)
/** The members of a stored reference that are needed to read its text. */
const references = z.array(z.object({ mediaId: z.string(), parts: z.number(), pages: z.string().nullable() }))

/** The read statements of `documentTable`. */
export function documentReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    one: `SELECT d.*, m.bytes FROM documents AS d JOIN media AS m ON m.id = d.media_id WHERE d.media_id = ? AND d.converted = 1`,
    parts: 'SELECT label, tokens, text FROM document_parts WHERE media_id = ? AND part BETWEEN ? AND ? ORDER BY part',
    empty: `SELECT min(part) AS first, max(part) AS last FROM (SELECT part, part - row_number() OVER (ORDER BY part) AS run
      FROM document_parts WHERE media_id = ? AND text = '') GROUP BY run ORDER BY first`,
    size: 'SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(length(text)), 0) AS characters FROM document_parts WHERE media_id = ? AND part BETWEEN ? AND ?',
  })

  /** The chosen parts of a document, in order; all for null. */
  function parts({
    mediaId,
    parts: count,
    pages,
  }: {
    mediaId: string
    parts: number
    pages: string | null
  }): DocumentPart[] {
    const ranges = pages === null ? [{ from: 1, to: count }] : (readPages(pages, count) ?? [])
    return ranges.flatMap(({ from, to }) => sql.parts.all(mediaId, from, to).map(readPart))
  }

  return {
    /** A completely converted document. */
    find: (mediaId: string): DocumentRow | null => readOrNull(sql.one.get(mediaId), readDocument),
    parts,
    /** The parts without text, as ascending ranges. */
    emptyParts: (mediaId: string): { from: number; to: number }[] =>
      sql.empty.all(mediaId).map((row) => ({ from: number(row, 'first'), to: number(row, 'last') })),
    /** Tokens and length (characters) of the chosen parts. */
    size({ mediaId, parts: count, pages }: { mediaId: string; parts: number; pages: string | null }) {
      const ranges = pages === null ? [{ from: 1, to: count }] : (readPages(pages, count) ?? [])
      const total = { tokens: 0, characters: 0 }
      for (const { from, to } of ranges) {
        const row = sql.size.get(mediaId, from, to) ?? {}
        total.tokens += number(row, 'tokens')
        total.characters += number(row, 'characters')
      }
      return total
    },
    /** The text of all documents of a message, for the search index. @param stored the column `documents` of the message */
    textOf(stored: string): string {
      if (stored === '[]') return ''
      const all = references.safeParse(JSON.parse(stored))
      return all.success ? all.data.flatMap((one) => parts(one).map((part) => part.text)).join('\n') : ''
    },
  }
}

/** Converted documents and their text. Deleting the row of the original in `media` deletes them too. */
export function documentTable(database: Database) {
  const { handle, transaction, journal } = database
  const sql = prepareAll(handle, {
    remove: 'DELETE FROM documents WHERE media_id = ?',
    begin: `INSERT INTO documents (media_id, kind, mime, unit, parts, tokens, notes) VALUES (?, 'text', '', 'text', 0, 0, '[]')`,
    part: 'INSERT INTO document_parts (media_id, part, label, tokens, text) VALUES (?, ?, ?, ?, ?)',
    removeParts: 'DELETE FROM document_parts WHERE media_id = ?',
    // The passages of a pinned file are written again after the old ones were deleted in small steps (store/passages.ts).
    outdatePassages: 'UPDATE passage_files SET next_part = 0 WHERE media_id = ?',
    finish: `UPDATE documents SET kind = :kind, mime = :mime, unit = :unit, parts = :parts, tokens = :tokens, notes = :notes, converted = 1
      WHERE media_id = :mediaId`,
  })

  const insertParts = (mediaId: string, from: number, parts: readonly DocumentPart[]): void => {
    for (const [at, { label, tokens, text }] of parts.entries()) sql.part.run(mediaId, from + at, label, tokens, text)
  }

  return {
    ...documentReader(handle),
    /** Begins to store a conversion. Deletes what an interrupted one left. */
    begin: (mediaId: string): void =>
      transaction(() => {
        sql.remove.run(mediaId)
        sql.begin.run(mediaId)
      }),
    /** Stores some parts, of which the first has the number `from`, counted from 1. */
    addParts: (mediaId: string, from: number, parts: readonly DocumentPart[]): void =>
      journal(() => insertParts(mediaId, from, parts)),
    /** Completes a conversion. */
    finish: (mediaId: string, { notes, ...facts }: Conversion): void =>
      transaction(() => void sql.finish.run({ mediaId, ...facts, notes: JSON.stringify(notes) })),
    /** Replaces the text of a converted document, which stays pinned to its projects. Wake the indexer of passages afterwards. */
    replace: (mediaId: string, { notes, ...facts }: Conversion, parts: readonly DocumentPart[]): void =>
      transaction(() => {
        sql.removeParts.run(mediaId)
        insertParts(mediaId, 1, parts)
        sql.finish.run({ mediaId, ...facts, notes: JSON.stringify(notes) })
        sql.outdatePassages.run(mediaId)
      }),
  }
}

/** A row of `documents` with the column `bytes` of its original. */
export function readDocument(row: Row): DocumentRow {
  return {
    mediaId: text(row, 'media_id'),
    kind: documentKind.parse(row.kind),
    mime: text(row, 'mime'),
    bytes: number(row, 'bytes'),
    unit: documentUnit.parse(row.unit),
    parts: number(row, 'parts'),
    tokens: number(row, 'tokens'),
    notes: json(row, 'notes', sentences),
  }
}

const readPart = (row: Row): DocumentPart => ({
  label: text(row, 'label'),
  tokens: number(row, 'tokens'),
  text: text(row, 'text'),
})
