import * as z from 'zod'
import { type Model, model } from '../../../src-preload/contract/models.ts'
import type { Database } from './database.ts'
import { json, text } from './rows.ts'

const models = z.array(model)

/** The profile and address that a list belongs to. It is valid for no other. */
export interface ListPlace {
  profile: string
  baseUrl: string
}

/** The model list of each profile as last fetched, so that it can be shown offline, with its age. */
export function modelListTable({ handle, transaction }: Database) {
  const one = handle.prepare('SELECT models, as_of FROM model_lists WHERE profile = ? AND base_url = ?')
  const set = handle.prepare(
    `INSERT INTO model_lists (profile, base_url, models, as_of) VALUES (:profile, :baseUrl, :models, :asOf)
     ON CONFLICT (profile) DO UPDATE SET base_url = :baseUrl, models = :models, as_of = :asOf`,
  )
  return {
    find({ profile, baseUrl }: ListPlace): { models: Model[]; asOf: string } | null {
      const row = one.get(profile, baseUrl)
      return row ? { models: json(row, 'models', models), asOf: text(row, 'as_of') } : null
    },
    save({ profile, baseUrl }: ListPlace, list: Model[], asOf: string): void {
      transaction(() => set.run({ profile, baseUrl, models: JSON.stringify(list), asOf }))
    },
  }
}
