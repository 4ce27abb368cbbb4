import { makingState } from '../../../src-preload/contract/createdItems.ts'
import { type Recording, recording } from '../../../src-preload/contract/transcription.ts'
import { StudioError } from '../errors.ts'
import { readMadeBy } from './createdItems.ts'
import type { Database } from './database.ts'
import { number, numberOrNull, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

export interface StoredRecording extends Recording {
  removed: boolean
}

/** `search` is the name in the folded form that searches use. */
export type NewRecording = Omit<Recording, 'transcript' | 'transcripts'> & { search: string }

/** How a recording ended, or was continued. */
export type RecordingEnd = Pick<Recording, 'id' | 'state' | 'bytes' | 'seconds' | 'mediaId'>

/** Characters of a transcript that are shown in a list. */
const excerptLength = 200

const select = `SELECT r.*, t.id AS t_id, t.state AS t_state, substr(t.text, 1, ${excerptLength}) AS t_text, t.edited AS t_edited,
    (SELECT count(*) FROM transcripts WHERE recording_id = r.id) AS transcripts
  FROM recordings AS r
  LEFT JOIN transcripts AS t ON t.rowid = (SELECT max(rowid) FROM transcripts WHERE recording_id = r.id)`

/** Recordings and files that can be transcribed. They are ordered by the order in which they were added, not by the clock. */
export function recordingTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO recordings (id, created_at, name, search, source, state, mime, bytes, seconds, media_id, from_id, app)
     VALUES (:id, :createdAt, :name, :search, :source, :state, :mime, :bytes, :seconds, :mediaId, :fromId, :app)`,
    one: `${select} WHERE r.id = ?`,
    page: `${select} WHERE r.removed_at IS NULL
       AND (:before IS NULL OR r.rowid < (SELECT rowid FROM recordings WHERE id = :before))
     ORDER BY r.rowid DESC LIMIT :limit`,
    count: 'SELECT count(*) AS n FROM recordings WHERE removed_at IS NULL',
    loose: `${select} WHERE r.media_id IS NULL ORDER BY r.rowid`,
    settle:
      'UPDATE recordings SET state = :state, bytes = :bytes, seconds = :seconds, media_id = :mediaId WHERE id = :id',
    name: 'UPDATE recordings SET name = :name, search = :search WHERE id = :id',
    seconds: 'UPDATE recordings SET seconds = :seconds WHERE id = :id',
    remove: 'UPDATE recordings SET removed_at = :now WHERE id = :id AND removed_at IS NULL',
    restore: 'UPDATE recordings SET removed_at = NULL WHERE id = :id AND removed_at IS NOT NULL',
    erase: 'DELETE FROM recordings WHERE id = ?',
  })

  const find = (id: string): StoredRecording | null => readOrNull(sql.one.get(id), read)

  const condition = (
    index: number,
  ): string => `(instr(r.search, ?${index}) > 0 OR EXISTS (SELECT 1 FROM transcripts AS t
      WHERE t.recording_id = r.id AND instr(t.search, ?${index}) > 0))`

  return {
    insert: ({ app, ...row }: NewRecording): void => void sql.insert.run({ ...row, app: app ?? null }),
    /** Including removed ones. */
    find,
    /** A recording that is not removed. @throws StudioError `no_such_item` */
    get(id: string): StoredRecording {
      const found = find(id)
      if (!found || found.removed) throw new StudioError('no_such_item', 'That recording no longer exists.')
      return found
    },
    /** Newest first. `before`: the last id of the previous page. */
    page({ before, limit }: { before: string | null; limit: number }): {
      recordings: StoredRecording[]
      total: number
    } {
      const recordings = sql.page.all({ before, limit }).map(read)
      return { recordings, total: number(sql.count.get() ?? {}, 'n') }
    },
    /**
     * Recordings that are not removed and whose name or transcript contains all needles (shared/text/query.ts), newest first. Works in
     * steps. Each step reads the transcripts of at most 32 recordings, which takes some milliseconds for transcripts of an hour.
     */
    *matching(needles: readonly string[]): Generator<string[], undefined> {
      const step = handle.prepare(
        `SELECT r.rowid AS place, r.id, ${needles.map((_, index) => condition(index + 2)).join(' AND ')} AS hit
           FROM recordings AS r WHERE r.removed_at IS NULL AND r.rowid < ?1 ORDER BY r.rowid DESC LIMIT 32`,
      )
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = step.all(before, ...needles)
        const last = rows.at(-1)
        if (!last) return
        before = number(last, 'place')
        yield rows.filter(({ hit }) => hit === 1).map((row) => text(row, 'id'))
      }
    },
    /** Recordings whose bytes are not stored as media yet, oldest first. */
    loose: (): StoredRecording[] => sql.loose.all().map(read),
    settle: ({ id, state, bytes, seconds, mediaId }: RecordingEnd): void =>
      void sql.settle.run({ id, state, bytes, seconds, mediaId }),
    setName: (id: string, value: string, search: string): void => void sql.name.run({ id, name: value, search }),
    setSeconds: (id: string, value: number): void => void sql.seconds.run({ id, seconds: value }),
    /** Returns the ids of the recordings that were not removed before. */
    remove: (ids: readonly string[], now: string): string[] =>
      transaction(() => ids.filter((id) => sql.remove.run({ id, now }).changes > 0)),
    /** Returns the ids of the recordings that were restored. */
    restore: (ids: readonly string[]): string[] =>
      transaction(() => ids.filter((id) => sql.restore.run({ id }).changes > 0)),
    /** Deletes a recording permanently, with its transcripts. */
    erase: (id: string): void => void sql.erase.run(id),
  }
}

function read(row: Row): StoredRecording {
  const transcriptId = textOrNull(row, 't_id')
  return {
    id: text(row, 'id'),
    createdAt: text(row, 'created_at'),
    name: text(row, 'name'),
    ...readMadeBy(row),
    source: recording.shape.source.parse(row.source),
    state: recording.shape.state.parse(row.state),
    mime: text(row, 'mime'),
    bytes: number(row, 'bytes'),
    seconds: numberOrNull(row, 'seconds'),
    mediaId: textOrNull(row, 'media_id'),
    transcript:
      transcriptId === null
        ? null
        : {
            id: transcriptId,
            state: makingState.parse(row.t_state),
            excerpt: text(row, 't_text').replace(/\s+/g, ' ').trim(),
            edited: number(row, 't_edited') === 1,
          },
    transcripts: number(row, 'transcripts'),
    fromId: textOrNull(row, 'from_id'),
    removed: row.removed_at !== null,
  }
}
