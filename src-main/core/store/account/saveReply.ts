import type { clockTable } from './clock.ts'
import type { DayRow, DayTable, UndatedRow } from './days.ts'
import type { Fetch, FetchTable } from './fetches.ts'
import type { VersionTable } from './versions.ts'

interface Tables {
  fetches: FetchTable
  days: DayTable
  versions: VersionTable
  clock: ReturnType<typeof clockTable>
}

/** The content of one reply of a report. */
export interface AccountReply extends Fetch {
  /** The report, as `fetches.what`. */
  what: string
  rows?: readonly DayRow[]
  undated?: readonly UndatedRow[]
  /** Complete values by name, as canonical JSON text. */
  values?: readonly { what: string; value: string }[]
  /** All values with this prefix are in the reply, so that a missing one no longer exists. */
  listed?: string
}

/**
 * Returns a function that stores a reply; call it in a transaction. The same replies in any order, or repeated, lead to the same result.
 * `now` is the current time: stored replies from the future were written while the clock was ahead, and are corrected first.
 */
export function replySaver({ fetches, days, versions, clock }: Tables) {
  return (account: number, reported: AccountReply, now?: number): void => {
    const { what, at, rows = [], undated = [], values = [], listed } = reported
    if (now !== undefined) clock.putBack(account, reported, now)
    if (!fetches.add(account, what, reported)) return
    days.save(account, what, reported, rows)
    days.saveUndated(account, what, at, undated)
    for (const value of values) versions.save(account, what, { ...value, at })
    if (listed === undefined) return
    const named = new Set(values.map((value) => value.what))
    for (const missing of versions.known(account, listed)) {
      if (!named.has(missing)) versions.save(account, what, { what: missing, at, value: 'null' })
    }
  }
}
