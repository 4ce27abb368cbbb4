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

/** What one answer of a read-out said. */
export interface AccountReply extends Fetch {
  /** The read-out, as `fetches.what`. */
  what: string
  rows?: readonly DayRow[]
  undated?: readonly UndatedRow[]
  /** Things told whole, by name, as canonical JSON text. */
  values?: readonly { what: string; value: string }[]
  /** All things under this prefix are told, so that one which is missing is there no more. */
  listed?: string
}

/**
 * Writes an answer into the books; call it in a transaction. The same answers in any order, or twice, make the same books. `now` is the clock
 * as it is: what claims to be later was told by one that was ahead, and is put back first.
 */
export function replySaver({ fetches, days, versions, clock }: Tables) {
  return (account: number, reported: AccountReply, now?: number): void => {
    const { what, at, rows = [], undated = [], values = [], listed } = reported
    if (now !== undefined) clock.putBack(account, reported, now)
    if (!fetches.add(account, what, reported)) return
    days.keep(account, what, reported, rows)
    days.keepUndated(account, what, at, undated)
    for (const value of values) versions.keep(account, what, { ...value, at })
    if (listed === undefined) return
    const named = new Set(values.map((value) => value.what))
    for (const missing of versions.known(account, listed)) {
      if (!named.has(missing)) versions.keep(account, what, { what: missing, at, value: 'null' })
    }
  }
}
