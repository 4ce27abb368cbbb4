import type { Database } from './database.ts'
import type { ListPlace } from './modelLists.ts'
import { number, numberOrNull, type Row, readOrNull, text, textOrNull } from './rows.ts'

/** Whether a model can do something: a reply showed it, or the service refused it. Null: not known. */
export type Ability = 'works' | 'refused' | null

export interface ModelNote {
  model: string
  favourite: boolean
  /** Its last reply in a chat, or null. */
  repliedAt: string | null
  images: Ability
  tools: Ability
  /** Context length in tokens that the person set, or null. */
  contextSet: number | null
  /** Context length in tokens that the service stated, or null. */
  contextLearned: number | null
}

/** What one reply showed about its model. Absent members stay as they are. */
export interface ModelFinding {
  repliedAt?: string
  images?: Ability
  tools?: Ability
  contextLearned?: number
}

/** Marks and findings about the models of each profile. */
export function modelNoteTable({ handle, transaction }: Database) {
  const all = handle.prepare('SELECT * FROM model_notes WHERE profile = ? AND base_url = ?')
  const one = handle.prepare('SELECT * FROM model_notes WHERE profile = ? AND base_url = ? AND model = ?')
  const mark = handle.prepare(
    `INSERT INTO model_notes (profile, base_url, model, favourite) VALUES (:profile, :baseUrl, :model, :favourite)
     ON CONFLICT (profile, base_url, model) DO UPDATE SET favourite = :favourite`,
  )
  const learn = handle.prepare(
    `INSERT INTO model_notes (profile, base_url, model, replied_at, images, tools, context_learned)
     VALUES (:profile, :baseUrl, :model, :repliedAt, :images, :tools, :contextLearned)
     ON CONFLICT (profile, base_url, model) DO UPDATE SET replied_at = coalesce(:repliedAt, replied_at),
       images = coalesce(:images, images), tools = coalesce(:tools, tools),
       context_learned = coalesce(:contextLearned, context_learned)`,
  )
  const setContext = handle.prepare(
    `INSERT INTO model_notes (profile, base_url, model, context_set) VALUES (:profile, :baseUrl, :model, :tokens)
     ON CONFLICT (profile, base_url, model) DO UPDATE SET context_set = :tokens`,
  )
  return {
    of: ({ profile, baseUrl }: ListPlace): ModelNote[] => all.all(profile, baseUrl).map(read),
    find: ({ profile, baseUrl }: ListPlace, model: string): ModelNote | null =>
      readOrNull(one.get(profile, baseUrl, model), read),
    setFavourite: ({ profile, baseUrl }: ListPlace, model: string, favourite: boolean): void =>
      transaction(() => void mark.run({ profile, baseUrl, model, favourite: favourite ? 1 : 0 })),
    /** Sets the context length, in tokens; null removes it. */
    setContext: ({ profile, baseUrl }: ListPlace, model: string, tokens: number | null): void =>
      transaction(() => void setContext.run({ profile, baseUrl, model, tokens })),
    learn: ({ profile, baseUrl }: ListPlace, model: string, found: ModelFinding): void => {
      const { repliedAt = null, images = null, tools = null, contextLearned = null } = found
      transaction(() => void learn.run({ profile, baseUrl, model, repliedAt, images, tools, contextLearned }))
    },
  }
}

function read(row: Row): ModelNote {
  return {
    model: text(row, 'model'),
    favourite: number(row, 'favourite') === 1,
    repliedAt: textOrNull(row, 'replied_at'),
    images: ability(row, 'images'),
    tools: ability(row, 'tools'),
    contextSet: numberOrNull(row, 'context_set'),
    contextLearned: numberOrNull(row, 'context_learned'),
  }
}

function ability(row: Row, column: string): Ability {
  const value = row[column]
  return value === 'works' || value === 'refused' ? value : null
}
