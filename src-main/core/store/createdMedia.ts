import type { ReadHandle } from './readOnly.ts'
import { number, parseJson, type Row, text, textOrNull } from './rows.ts'

/** Something that was generated or recorded and can be exported: a file of `media/`, or the text of a transcript. */
export interface CreatedItem {
  kind: 'speech' | 'recording' | 'image' | 'transcript'
  id: string
  /** For a transcript: the id of its recording. */
  of: string | null
  createdAt: string
  /** The spoken text, the name of a recording, or the prompt of an image. */
  words: string
  /** The parameters of the request; null for a recording. */
  wish: unknown
  file: { mediaId: string; mime: string; bytes: number; sha256: string } | null
  /** For a transcript only. */
  text: string | null
}

// Without removed and unfinished items. Images of one request have an id each.
const all = `
  SELECT 'speech' AS kind, s.id, NULL AS of_id, s.created_at, s.text AS words, s.wish, s.media_id, NULL AS text
    FROM speeches AS s WHERE s.media_id IS NOT NULL AND s.removed_at IS NULL
  UNION ALL SELECT 'recording', r.id, NULL, r.created_at, r.name, NULL, r.media_id, NULL
    FROM recordings AS r WHERE r.media_id IS NOT NULL AND r.removed_at IS NULL
  UNION ALL SELECT 'image', i.id, NULL, i.created_at, coalesce(d.wish ->> '$.prompt', ''), d.wish, i.media_id, NULL
    FROM images AS i JOIN drawings AS d ON d.id = i.drawing_id WHERE i.removed_at IS NULL
  UNION ALL SELECT 'transcript', t.id, t.recording_id, t.created_at, r.name, t.wish, NULL, t.text
    FROM transcripts AS t JOIN recordings AS r ON r.id = t.recording_id
   WHERE t.state <> 'making' AND t.text <> '' AND r.removed_at IS NULL`

/** Speech, recordings with their transcripts, and images, the oldest first, one at a time. */
export function createdItemReader(handle: ReadHandle) {
  const rows = handle.prepare(
    `SELECT a.*, m.mime, m.bytes, m.sha256 FROM (${all}) AS a LEFT JOIN media AS m ON m.id = a.media_id ORDER BY a.created_at, a.id`,
  )
  return {
    *items(): Generator<CreatedItem> {
      for (const row of rows.iterate()) yield readItem(row)
    },
  }
}

const kinds = ['speech', 'recording', 'image', 'transcript'] as const

function readItem(row: Row): CreatedItem {
  const mediaId = textOrNull(row, 'media_id')
  const wish = textOrNull(row, 'wish')
  return {
    kind: kinds.find((one) => one === row.kind) ?? 'image',
    id: text(row, 'id'),
    of: textOrNull(row, 'of_id'),
    createdAt: text(row, 'created_at'),
    words: text(row, 'words'),
    wish: wish === null ? null : parseJson(wish),
    file:
      mediaId === null
        ? null
        : { mediaId, mime: text(row, 'mime'), bytes: number(row, 'bytes'), sha256: text(row, 'sha256') },
    text: textOrNull(row, 'text'),
  }
}
