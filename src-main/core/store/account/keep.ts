import type { DayRow, DayTable, UndatedRow } from './days.ts'
import type { Fetch, FetchTable } from './fetches.ts'
import type { VersionTable } from './versions.ts'

interface Tables {
  fetches: FetchTable
  days: DayTable
  versions: VersionTable
}

/** What one answer of a read-out said. */
export interface Told extends Fetch {
  /** The read-out, as `fetches.what`. */
  what: string
  rows?: readonly DayRow[]
  undated?: readonly UndatedRow[]
  /** Things told whole, by name, as canonical JSON text. */
  values?: readonly { what: string; value: string }[]
  /** All things under this prefix are told, so that one which is missing is there no more. */
  listed?: string
}

/** Writes an answer into the books; call it in a transaction. The same answers in any order, or twice, make the same books. */
export function keeping({ fetches, days, versions }: Tables) {
  return (book: number, told: Told): void => {
    const { what, at, rows = [], undated = [], values = [], listed } = told
    if (!fetches.add(book, what, told)) return
    days.keep(book, what, told, rows)
    days.keepUndated(book, what, at, undated)
    for (const value of values) versions.keep(book, what, { ...value, at })
    if (listed === undefined) return
    const named = new Set(values.map((value) => value.what))
    for (const missing of versions.known(book, listed)) {
      if (!named.has(missing)) versions.keep(book, what, { what: missing, at, value: 'null' })
    }
  }
}
