import type * as z from 'zod'
import type { MakingState } from '../../../src-preload/contract/createdItems.ts'
import { type Problem, problem } from '../../../src-preload/contract/problem.ts'
import type { Certainty } from '../../../src-preload/contract/requests.ts'
import { type SpeechPart, speechPart, speechRequest } from '../../../src-preload/contract/speech.ts'
import { StudioError } from '../errors.ts'
import { folded, foldedWords } from '../shared/text/caseFolding.ts'
import { readCreatedItem, readMadeBy, readMakingCost } from './createdItems.ts'
import type { Database } from './database.ts'
import { json, jsonOrNull, number, numberOrNull, type Row, readOrNull, text, textOrNull, toJson } from './rows.ts'
import { prepareAll } from './statements.ts'

const settings = speechRequest.omit({ text: true })
/** Parameters of the speech. The text is a column of its own. */
export type SpeechSettings = z.infer<typeof settings>

export interface StoredSpeech {
  id: string
  /** Name of the app that made it. */
  app?: string
  createdAt: string
  state: MakingState
  problem: Problem | null
  /** The first 200 characters. */
  excerpt: string
  textBytes: number
  settings: SpeechSettings
  mime: string
  mediaId: string | null
  /** Size of the joined audio; 0 when there is none. */
  mediaBytes: number
  seconds: number | null
  fromId: string | null
  favourite: boolean
  removed: boolean
}

export interface NewSpeech {
  id: string
  createdAt: string
  text: string
  settings: SpeechSettings
  mime: string
  fromId: string | null
  /** Name of the app that makes it; null: a person does. */
  app: string | null
  places: readonly { from: number; to: number; bytes: number }[]
}

/** Sums of earlier parts, for estimates. */
interface SpokenBefore {
  bytes: number
  seconds: number
}

/** Number of earlier parts that are considered. */
const lookBack = 200

const speech = `SELECT s.id, s.created_at, s.state, s.problem, substr(s.text, 1, 200) AS excerpt, octet_length(s.text) AS text_bytes,
    s.wish, s.mime, s.media_id, s.seconds, s.from_id, s.favourite, s.removed_at, s.app, ifnull(m.bytes, 0) AS media_bytes
  FROM speeches AS s LEFT JOIN media AS m ON m.id = s.media_id`
const matching = `s.removed_at IS NULL AND (:favourites = 0 OR s.favourite = 1)
  AND NOT EXISTS (SELECT 1 FROM json_each(:words) AS w WHERE instr(s.search, w.value) = 0)`

/** Speeches that are complete or in progress, with their parts. */
export function speechTable({ handle, transaction, journal }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO speeches (id, created_at, state, text, search, wish, mime, from_id, app)
     VALUES (:id, :createdAt, 'making', :text, :search, :wish, :mime, :fromId, :app)`,
    insertPart: `INSERT INTO speech_parts (speech_id, part, text_from, text_to, text_bytes, state)
     VALUES (:id, :part, :from, :to, :bytes, 'waiting')`,
    one: `${speech} WHERE s.id = ?`,
    textOf: 'SELECT text FROM speeches WHERE id = ?',
    page: `${speech} WHERE ${matching}
       AND (:before IS NULL OR (s.created_at, s.rowid) < (SELECT created_at, rowid FROM speeches WHERE id = :before))
     ORDER BY s.created_at DESC, s.rowid DESC LIMIT :limit`,
    count: `SELECT count(*) AS n FROM speeches AS s WHERE ${matching}`,
    parts: 'SELECT * FROM speech_parts WHERE speech_id = ? ORDER BY part',
    unsettled: `SELECT id FROM speeches AS s WHERE state = 'making' OR (media_id IS NULL AND EXISTS
       (SELECT 1 FROM speech_parts WHERE speech_id = s.id AND audio_bytes > 0)) ORDER BY rowid`,
    setState: 'UPDATE speeches SET state = :state, problem = :problem WHERE id = :id',
    setAudio: 'UPDATE speeches SET media_id = :mediaId, seconds = :seconds, mime = :mime WHERE id = :id',
    setPart: `UPDATE speech_parts SET state = :state, problem = :problem, audio_bytes = :audioBytes, seconds = :seconds
     WHERE speech_id = :id AND part = :part`,
    addRow: `UPDATE speech_parts SET request_rows = json_insert(request_rows, '$[#]', :row) WHERE speech_id = :id AND part = :part`,
    setCost: 'UPDATE speech_parts SET cost = :cost, cost_is = :costIs WHERE speech_id = :id AND part = :part',
    setFavourite: 'UPDATE speeches SET favourite = :favourite WHERE id = :id',
    setRate: `UPDATE speeches SET seconds = seconds * (wish ->> '$.pcmRate') / :rate, wish = json_set(wish, '$.pcmRate', :rate) WHERE id = :id`,
    setPartLengths: `UPDATE speech_parts SET seconds = seconds * (SELECT wish ->> '$.pcmRate' FROM speeches WHERE id = :id) / :rate
     WHERE speech_id = :id`,
    setRemoved: `UPDATE speeches SET removed_at = :at WHERE id IN (SELECT value FROM json_each(:ids)) AND (removed_at IS NULL) = (:at IS NOT NULL)
     RETURNING id`,
    lengths: `SELECT sum(bytes) AS bytes, sum(seconds) AS seconds FROM (
       SELECT p.text_bytes AS bytes, p.seconds AS seconds FROM speech_parts AS p JOIN speeches AS s ON s.id = p.speech_id
        WHERE p.state = 'done' AND p.seconds IS NOT NULL AND s.wish ->> '$.voice' IS :voice AND s.wish ->> '$.speed' IS :speed
        ORDER BY s.rowid DESC LIMIT ${lookBack})`,
  })

  const find = (id: string): StoredSpeech | null => readOrNull(sql.one.get(id), readSpeech)

  return {
    insert(added: NewSpeech): void {
      const { places, settings: wish, text: spoken, ...rest } = added
      const search = folded(`${spoken}\n${wish.voice ?? ''}\n${wish.model ?? ''}\n${added.app ?? ''}`)
      transaction(() => {
        sql.insert.run({ ...rest, text: spoken, search, wish: JSON.stringify(wish) })
        for (const [index, place] of places.entries()) sql.insertPart.run({ id: added.id, part: index + 1, ...place })
      })
    },
    find,
    /** A speech that is not removed. @throws StudioError `no_such_item` */
    get(id: string): StoredSpeech {
      const found = find(id)
      if (!found || found.removed) throw new StudioError('no_such_item', 'That speech no longer exists.')
      return found
    },
    /** A speech, removed or not. @throws StudioError `no_such_item` */
    row(id: string): StoredSpeech {
      const found = find(id)
      if (!found) throw new StudioError('no_such_item', 'That speech no longer exists.')
      return found
    },
    text(id: string): string {
      const row = sql.textOf.get(id)
      return row ? text(row, 'text') : ''
    },
    parts: (id: string): SpeechPart[] => sql.parts.all(id).map(readPart),
    /** Newest first, after `before`. */
    page(filter: { search: string; favourites: boolean; before: string | null; limit: number }): StoredSpeech[] {
      const { before, limit } = filter
      return sql.page.all({ ...filterOf(filter), before, limit }).map(readSpeech)
    },
    count: (filter: { search: string; favourites: boolean }): number =>
      number(sql.count.get(filterOf(filter)) ?? {}, 'n'),
    /** Speeches that were in progress or not joined when the program ended. */
    unsettled: (): string[] => sql.unsettled.all().map((row) => text(row, 'id')),
    setState: (id: string, state: MakingState, why: Problem | null): void =>
      transaction(() => void sql.setState.run({ id, state, problem: toJson(why) })),
    /** Stores which file has the audio. */
    setAudio: (id: string, audio: { mediaId: string; seconds: number | null; mime: string }): void =>
      void sql.setAudio.run({ id, ...audio }),
    setPart(id: string, part: Pick<SpeechPart, 'part' | 'state' | 'problem' | 'audioBytes' | 'seconds'>): void {
      const { part: number_, state, audioBytes, seconds } = part
      journal(() => sql.setPart.run({ id, part: number_, state, problem: toJson(part.problem), audioBytes, seconds }))
    },
    /** Records the row of the request log for a request of this part. */
    addRow: (id: string, part: number, row: number): void => journal(() => void sql.addRow.run({ id, part, row })),
    setCost: (id: string, part: number, spent: { cost: string | null; costIs: Certainty }): void =>
      journal(() => void sql.setCost.run({ id, part, cost: spent.cost, costIs: spent.costIs })),
    setFavourite: (id: string, favourite: boolean): void =>
      transaction(() => void sql.setFavourite.run({ id, favourite: favourite ? 1 : 0 })),
    /** Stores the sample rate, and the durations that follow from it. */
    setRate: (id: string, rate: number): void =>
      transaction(() => {
        sql.setPartLengths.run({ id, rate })
        sql.setRate.run({ id, rate })
      }),
    /** Removes speeches (`at`) or restores them (null), and returns which changed. */
    setRemoved: (ids: readonly string[], at: string | null): string[] =>
      transaction(() => sql.setRemoved.all({ ids: JSON.stringify(ids), at }).map((row) => text(row, 'id'))),
    /** Sums of the complete earlier parts with this voice and speed. */
    before({ voice, speed }: Pick<SpeechSettings, 'voice' | 'speed'>): SpokenBefore {
      const length = sql.lengths.get({ voice, speed }) ?? {}
      return {
        bytes: numberOrNull(length, 'bytes') ?? 0,
        seconds: numberOrNull(length, 'seconds') ?? 0,
      }
    },
  }
}
export type SpeechTable = ReturnType<typeof speechTable>

function filterOf({ search, favourites }: { search: string; favourites: boolean }) {
  return { words: JSON.stringify(foldedWords(search)), favourites: favourites ? 1 : 0 }
}

function readSpeech(row: Row): StoredSpeech {
  return {
    ...readCreatedItem(row),
    ...readMadeBy(row),
    excerpt: text(row, 'excerpt'),
    textBytes: number(row, 'text_bytes'),
    settings: json(row, 'wish', settings),
    mime: text(row, 'mime'),
    mediaId: textOrNull(row, 'media_id'),
    mediaBytes: number(row, 'media_bytes'),
    seconds: numberOrNull(row, 'seconds'),
    fromId: textOrNull(row, 'from_id'),
    favourite: row.favourite === 1,
    removed: row.removed_at !== null,
  }
}

function readPart(row: Row): SpeechPart {
  return {
    part: number(row, 'part'),
    from: number(row, 'text_from'),
    to: number(row, 'text_to'),
    bytes: number(row, 'text_bytes'),
    state: speechPart.shape.state.parse(row.state),
    problem: jsonOrNull(row, 'problem', problem),
    audioBytes: number(row, 'audio_bytes'),
    seconds: numberOrNull(row, 'seconds'),
    ...readMakingCost(row),
  }
}
