import * as z from 'zod'
import type { MakingCost } from '../../../src-preload/contract/createdItems.ts'
import {
  cue,
  type Transcript,
  transcriptFormat,
  transcriptRequest,
} from '../../../src-preload/contract/transcription.ts'
import { readCreatedItem, readMakingCost, readRequestRows } from './createdItems.ts'
import type { Database } from './database.ts'
import { json, number, type Row, readOrNull, readOrThrow, text, textOrNull, toJson } from './rows.ts'
import { prepareAll } from './statements.ts'

/** The stored fields that are not part of the shown transcript, such as the raw reply. */
export interface TranscriptEnd
  extends Pick<Transcript, 'id' | 'state' | 'problem' | 'sentBytes' | 'came' | 'text' | 'cues'> {
  raw: string | null
  /** The text in the folded form that searches use. */
  search: string
}

const cues = z.array(cue)

/** Transcripts of recordings, complete or in progress. */
export function transcriptTable({ handle }: Database) {
  const select =
    'SELECT t.*, r.bytes AS total FROM transcripts AS t JOIN recordings AS r ON r.id = t.recording_id AND r.removed_at IS NULL'
  const sql = prepareAll(handle, {
    insert: `INSERT INTO transcripts (id, recording_id, created_at, state, wish)
     VALUES (:id, :recordingId, :createdAt, 'making', :wish)`,
    one: `${select} WHERE t.id = ?`,
    all: `${select} WHERE t.recording_id = ? ORDER BY t.rowid DESC`,
    unfinished: "SELECT id, request_rows FROM transcripts WHERE state = 'making'",
    asked: 'UPDATE transcripts SET request_rows = :rows WHERE id = :id',
    settle: `UPDATE transcripts SET state = :state, problem = :problem, sent_bytes = :sentBytes, came = :came, raw = :raw, text = :text,
       cues = :cues, search = :search WHERE id = :id`,
    cut: "UPDATE transcripts SET state = 'cut', problem = :problem WHERE id = :id",
    cost: 'UPDATE transcripts SET cost = :cost, cost_is = :costIs WHERE id = :id',
    words: 'UPDATE transcripts SET text = :text, cues = :cues, search = :search, edited = :edited WHERE id = :id',
    erase: 'DELETE FROM transcripts WHERE id = ?',
    raw: 'SELECT raw FROM transcripts WHERE id = ?',
  })

  return {
    insert({ id, recordingId, createdAt, wish }: NewTranscript): void {
      sql.insert.run({ id, recordingId, createdAt, wish: JSON.stringify(wish) })
    },
    /** Null when the transcript or its recording does not exist or is removed. */
    find(id: string): Transcript | null {
      return readOrNull(sql.one.get(id), read)
    },
    /** @throws StudioError `no_such_item` */
    get(id: string): Transcript {
      return readOrThrow(sql.one.get(id), read, 'That transcript no longer exists.')
    },
    /** Newest first. */
    of: (recordingId: string): Transcript[] => sql.all.all(recordingId).map(read),
    /** Transcripts that were in progress when the program ended, with their rows in the request log. */
    unfinished: (): { id: string; rows: number[] }[] =>
      sql.unfinished.all().map((row) => ({ id: text(row, 'id'), rows: readRequestRows(row) })),
    asked: (id: string, requestRows: readonly number[]): void =>
      void sql.asked.run({ id, rows: JSON.stringify(requestRows) }),
    settle({ problem, cues, ...end }: TranscriptEnd): void {
      sql.settle.run({ ...end, problem: toJson(problem), cues: JSON.stringify(cues) })
    },
    cut: (id: string, problem: Transcript['problem']): void => void sql.cut.run({ id, problem: toJson(problem) }),
    setCost: (id: string, { cost: value, costIs }: Pick<MakingCost, 'cost' | 'costIs'>): void =>
      void sql.cost.run({ id, cost: value, costIs }),
    setWords({
      id,
      text,
      cues,
      search,
      edited,
    }: Pick<Transcript, 'id' | 'text' | 'cues' | 'edited'> & Pick<TranscriptEnd, 'search'>): void {
      sql.words.run({ id, text, cues: JSON.stringify(cues), search, edited: Number(edited) })
    },
    erase: (id: string): void => void sql.erase.run(id),
    /** The raw reply; null when there was none. */
    raw(id: string): string | null {
      const row = sql.raw.get(id)
      return row ? textOrNull(row, 'raw') : null
    },
  }
}

export type NewTranscript = Pick<Transcript, 'id' | 'recordingId' | 'createdAt'> & {
  wish: z.infer<typeof transcriptRequest>
}

function read(row: Row): Transcript {
  return {
    ...readCreatedItem(row),
    ...readMakingCost(row),
    recordingId: text(row, 'recording_id'),
    ...json(row, 'wish', transcriptRequest),
    sentBytes: number(row, 'sent_bytes'),
    totalBytes: number(row, 'total'),
    came: transcriptFormat.nullable().parse(row.came),
    text: text(row, 'text'),
    cues: json(row, 'cues', cues),
    edited: number(row, 'edited') === 1,
  }
}
