import * as z from 'zod'
import { type Model, model } from '../../../src-preload/contract/models.ts'
import type { Database } from './database.ts'
import { json, text } from './rows.ts'

const models = z.array(model)

/** The model list of each address as it was last fetched, so that it shows without a network, with its age. */
export function modelListTable({ handle, transaction }: Database) {
  const one = handle.prepare('SELECT models, as_of FROM model_lists WHERE base_url = ?')
  const set = handle.prepare(
    `INSERT INTO model_lists (base_url, models, as_of) VALUES (:baseUrl, :models, :asOf)
     ON CONFLICT (base_url) DO UPDATE SET models = :models, as_of = :asOf`,
  )
  return {
    find(baseUrl: string): { models: Model[]; asOf: string } | null {
      const row = one.get(baseUrl)
      return row ? { models: json(row, 'models', models), asOf: text(row, 'as_of') } : null
    },
    save(baseUrl: string, list: Model[], asOf: string): void {
      transaction(() => set.run({ baseUrl, models: JSON.stringify(list), asOf }))
    },
  }
}
