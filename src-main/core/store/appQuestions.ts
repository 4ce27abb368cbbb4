import * as z from 'zod'
import { type AnswerOutcome, type AskedRequest, askedRequest } from '../../../src-preload/contract/questions.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { json, numberOrNull, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

export interface StoredQuestion {
  id: string
  appId: string
  askedAt: string
  endsAt: string
  /** SC. */
  spentToday: string
  /** The requests that wait, or that waited when the question was answered. */
  requests: AskedRequest[]
  /** Null while the question is open. */
  answer: AnswerOutcome['answer'] | null
  /** SC, for `more`. */
  amount: string | null
  /** The number of the last request that the answer is about. */
  seen: number | null
  answeredAt: string | null
}

/** How many of the newest questions stay although nobody answered them. They grant nothing; an app can ask any number. */
const mostUnanswered = 200

const asking = z.array(askedRequest)
const answers = z.enum(['once', 'more', 'tomorrow', 'refuse', 'none']).nullable()

/** The read statements of `appQuestionTable`. */
export function appQuestionReader(handle: ReadHandle) {
  const open = handle.prepare('SELECT * FROM app_questions WHERE answer IS NULL ORDER BY asked_at, rowid')
  return { open: (): StoredQuestion[] => open.all().map(read) }
}

/** Questions to a person about requests of apps. */
export function appQuestionTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    one: 'SELECT * FROM app_questions WHERE id = ?',
    granted: `SELECT * FROM app_questions WHERE app_id = ? AND answered_at >= ? AND answer IN ('more', 'tomorrow') ORDER BY answered_at`,
    insert: `INSERT INTO app_questions (id, app_id, asked_at, ends_at, spent_today, asking)
      VALUES (:id, :appId, :askedAt, :endsAt, :spentToday, :asking)`,
    refresh: 'UPDATE app_questions SET ends_at = :endsAt, asking = :asking WHERE id = :id AND answer IS NULL',
    answer: `UPDATE app_questions SET answer = :answer, amount = :amount, seen = :seen, answered_at = :at
      WHERE id = :id AND answer IS NULL`,
    closeOpen: "UPDATE app_questions SET answer = 'none', answered_at = ? WHERE answer IS NULL",
    trim: `DELETE FROM app_questions WHERE asked_at < ?
      OR answer = 'none' AND rowid <= (SELECT max(rowid) FROM app_questions) - ${mostUnanswered}`,
  })
  return {
    ...appQuestionReader(handle),
    find: (id: string): StoredQuestion | null => readOrNull(sql.one.get(id), read),
    /** Answers that allow more than the requests that waited, from an instant on. */
    granted: (appId: string, since: string): StoredQuestion[] => sql.granted.all(appId, since).map(read),
    insert({ requests, ...row }: Omit<StoredQuestion, 'answer' | 'amount' | 'seen' | 'answeredAt'>): void {
      sql.insert.run({ ...row, asking: JSON.stringify(requests) })
    },
    /** Other requests wait now. Without effect once there is an answer. */
    refresh({ id, endsAt, requests }: Pick<StoredQuestion, 'id' | 'endsAt' | 'requests'>): void {
      sql.refresh.run({ id, endsAt, asking: JSON.stringify(requests) })
    },
    /** False when there is an answer already, which stays. */
    answer(given: {
      id: string
      answer: AnswerOutcome['answer']
      amount: string | null
      seen: number | null
      at: string
    }): boolean {
      return sql.answer.run(given).changes > 0
    },
    /** Ends the questions of a core that was killed. */
    closeOpen: (at: string): void => void sql.closeOpen.run(at),
    /** Deletes questions from before an instant, and all but the newest that nobody answered. */
    trim: (before: string): void => void sql.trim.run(before),
  }
}

const read = (row: Row): StoredQuestion => ({
  id: text(row, 'id'),
  appId: text(row, 'app_id'),
  askedAt: text(row, 'asked_at'),
  endsAt: text(row, 'ends_at'),
  spentToday: text(row, 'spent_today'),
  requests: json(row, 'asking', asking),
  answer: answers.parse(textOrNull(row, 'answer')),
  amount: textOrNull(row, 'amount'),
  seen: numberOrNull(row, 'seen'),
  answeredAt: textOrNull(row, 'answered_at'),
})
