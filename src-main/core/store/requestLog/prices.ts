import type { ProfileLocation } from '../../ports/requests.ts'
import type { Database } from '../database.ts'
import { number, text } from '../rows.ts'

/** Estimated price of one model, in 1e-18 SC per token or request. */
export interface StoredPrice {
  model: string
  how: string
  /** Per prompt token that was not cached. */
  fresh: bigint
  cached: bigint
  out: bigint
  request: bigint
  /** Number of daily rows that the estimate is based on. */
  days: number
  /** ms since 1970 */
  asOf: number
}

export function priceTable({ handle }: Pick<Database, 'handle'>) {
  const put = handle.prepare(
    `INSERT OR REPLACE INTO prices (profile, base_url, model, how, fresh, cached, out, request, days, as_of)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const of = handle.prepare('SELECT * FROM prices WHERE profile = ? AND base_url = ?')
  const adopt = handle.prepare("UPDATE prices SET profile = ? WHERE profile = '' AND base_url = ?")
  const newest = handle.prepare('SELECT profile, base_url FROM prices ORDER BY as_of DESC LIMIT 1')
  return {
    put: ({ profile, baseUrl }: ProfileLocation, p: StoredPrice): void =>
      void put.run(
        ...[profile, baseUrl, p.model, p.how, `${p.fresh}`, `${p.cached}`, `${p.out}`, `${p.request}`, p.days, p.asOf],
      ),
    /** Assigns prices that were estimated at that address before there were profiles to this profile. */
    adopt: ({ profile, baseUrl }: ProfileLocation): void => void adopt.run(profile, baseUrl),
    of: ({ profile, baseUrl }: ProfileLocation): StoredPrice[] =>
      of.all(profile, baseUrl).map((row) => ({
        model: text(row, 'model'),
        how: text(row, 'how'),
        fresh: BigInt(text(row, 'fresh')),
        cached: BigInt(text(row, 'cached')),
        out: BigInt(text(row, 'out')),
        request: BigInt(text(row, 'request')),
        days: number(row, 'days'),
        asOf: number(row, 'as_of'),
      })),
    /** Where prices were estimated last. */
    newest(): ProfileLocation | null {
      const row = newest.get()
      return row ? { profile: text(row, 'profile'), baseUrl: text(row, 'base_url') } : null
    },
  }
}
export type PriceTable = ReturnType<typeof priceTable>
