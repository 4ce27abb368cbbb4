import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestFilter, RequestRow } from '../../../../src-preload/contract/requests.ts'
import {
  bounded,
  indexOf,
  loadedRows,
  maxLoadedRows,
  missingPage,
  oldestKnown,
  rowAt,
  rowById,
} from '../../../../src-renderer/stores/requestPages.ts'
import {
  firstRequests,
  listed,
  newestRows,
  outcomeOf,
  pageRows,
  type RequestsStore,
  selectedRow,
  watchedFilter,
  withEvent,
  withFilter,
  withFollowing,
  withInspected,
  withOlderRows,
  withoutFollowing,
  withPageAgain,
  withSelected,
} from '../../../../src-renderer/stores/requests.ts'
import { row } from './rows.ts'

/** `count` rows ending at id `newest`, newest first. */
const rowsTo = (newest: number, count: number): RequestRow[] =>
  Array.from({ length: count }, (_, at) => row(newest - at))

const shown = (store: RequestsStore): number[] => [...loadedRows(store.held)].map(({ id }) => id)
const start = (rows: RequestRow[], filter: RequestFilter = {}): RequestsStore =>
  withEvent(withFilter(firstRequests, filter), { type: 'snapshot', rows })
const counted = (store: RequestsStore, kept: number): RequestsStore => ({
  ...store,
  counts: { stored: kept, refusedToday: 0, bodyBytes: 0 },
})

/** Reads the log of `total` rows until `index` is known, as the page does. */
function readTo(store: RequestsStore, index: number): RequestsStore {
  let now = store
  while (now.older !== 'end' && now.held.count <= index) {
    const before = oldestKnown(now.held)
    now = withOlderRows(now, rowsTo(before - 1, Math.min(pageRows, before - 1)), pageRows)
    now = { ...now, held: bounded(now.held, index, index + 20) }
  }
  return now
}

describe('the live log', () => {
  it('moves a repeated refusal up, and it stays selected', () => {
    const before = withSelected(counted(start(rowsTo(3, 3)), 3), 1)
    const after = withEvent(before, { type: 'rows', rows: [row(4, { times: 2 })], moved: [{ from: 1, to: 4 }] })
    expect(shown(after)).toEqual([4, 3, 2])
    expect([after.counts?.stored, after.selected, selectedRow(after)?.times]).toEqual([3, 4, 2])
    // The reader has scrolled away: nothing new appears until the newest rows are followed again.
    const away = withEvent(withoutFollowing(before), {
      type: 'rows',
      rows: [row(5, { times: 3 })],
      moved: [
        { from: 1, to: 4 },
        { from: 4, to: 5 },
      ],
    })
    expect([shown(away), away.freshCount]).toEqual([[3, 2], 1])
    const later = withEvent(away, { type: 'rows', rows: [row(6, { times: 4 })], moved: [{ from: 5, to: 6 }] })
    expect(later.freshCount).toBe(1)
    expect(shown(withFollowing(later) || later)).toEqual([6, 3, 2])
  })
  it('has each row once and newest first, however new rows, changes and batches are mixed', () => {
    const batches = fc.array(fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 30 }), { maxLength: 30 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 250 }), batches, (kept, updates) => {
        const first = rowsTo(kept, Math.min(kept, newestRows))
        let store = start(first)
        const known = new Map(first.map((one) => [one.id, one]))
        let bytes = 0
        for (const ids of updates) {
          const rows = [...new Set(ids)].map((id) => row(id, { bytesDown: ++bytes }))
          // Rows below the known ones belong to an older page, unless there is none.
          for (const one of rows) if (store.older === 'end' || one.id >= (first.at(-1)?.id ?? 0)) known.set(one.id, one)
          store = withEvent(store, { type: 'rows', rows })
        }
        const expected = [...known.values()].sort((a, b) => b.id - a.id)
        expect([...loadedRows(store.held)]).toEqual(expected)
        expected.forEach((one, at) => {
          expect(rowAt(store.held, at)).toBe(one)
          expect(indexOf(store.held, one.id)).toBe(at)
        })
      }),
    )
  })

  it('preserves the objects of unchanged rows, so that only changed ones render again', () => {
    const before = start(rowsTo(150, 150))
    const after = withEvent(before, { type: 'rows', rows: [row(100, { bytesDown: 7 }), row(151)] })
    for (const id of [150, 101, 99, 1]) expect(rowById(after.held, id)).toBe(rowById(before.held, id))
    expect(rowById(after.held, 100)?.bytesDown).toBe(7)
  })

  it('never has more than 5,000 rows loaded, also when hundreds of thousands stream in', () => {
    let store = counted(start(rowsTo(200, 200)), 200)
    for (let newest = 300; newest <= 100_000; newest += 100)
      store = withEvent(store, { type: 'rows', rows: rowsTo(newest, 100) })
    expect(shown(store).length).toBeLessThanOrEqual(maxLoadedRows)
    expect(shown(store).slice(0, 3)).toEqual([100_000, 99_999, 99_998])
    expect(store.held.pages.length).toBeLessThanOrEqual(60)
    expect(listed(store)).toBe(100_000)
  })

  it('does not move while the reader is away from the newest rows, and counts the new ones', () => {
    let store = withoutFollowing(counted(start(rowsTo(150, 150)), 150))
    store = withEvent(store, { type: 'rows', rows: [row(151), row(152), row(120, { state: 'cut' })] })
    expect(shown(store)[0]).toBe(150)
    expect(listed(store)).toBe(150)
    expect(store.freshCount).toBe(2)
    expect(rowById(store.held, 120)?.state).toBe('cut')
    store = withEvent(store, { type: 'rows', rows: [row(152, { bytesDown: 9 }), row(153)] })
    const again = withFollowing(store)
    if (!again) throw new Error('Three new rows are few enough to be taken over.')
    expect(shown(again).slice(0, 4)).toEqual([153, 152, 151, 150])
    expect(rowById(again.held, 152)?.bytesDown).toBe(9)
    expect(again.freshCount).toBe(0)
  })

  it('loads the newest rows again instead of appending when too many rows arrived', () => {
    let store = withoutFollowing(start(rowsTo(10, 10)))
    for (let newest = 110; newest <= 2_010; newest += 100)
      store = withEvent(store, { type: 'rows', rows: rowsTo(newest, 100) })
    expect(store.freshCount).toBe(2_000)
    expect(store.fresh.length).toBeLessThanOrEqual(1_000)
    expect(withFollowing(store)).toBe(false)
  })

  it('removes a row from “in progress” when it ends, and adds one that starts', () => {
    const open = (id: number) => row(id, { state: 'streaming', status: null, durationMs: null })
    let store = start([open(5), row(4), open(3)], { outcome: 'open' })
    expect(shown(store)).toEqual([5, 3])
    store = withEvent(store, { type: 'rows', rows: [row(5), open(6), row(7)] })
    expect(shown(store)).toEqual([6, 3])
    expect(watchedFilter({ outcome: 'open', who: 't1' })).toEqual({ who: 't1' })
    expect(watchedFilter({ outcome: 'failed', who: 't1' })).toEqual({ outcome: 'failed', who: 't1' })
  })

  it('gives every row exactly one outcome, matching the filter', () => {
    expect(outcomeOf(row(1))).toBe('ok')
    expect(outcomeOf(row(1, { status: 404 }))).toBe('failed')
    for (const state of ['failed', 'cut', 'unknown'] as const) expect(outcomeOf(row(1, { state }))).toBe('failed')
    for (const state of ['waiting', 'backing_off', 'sent', 'streaming'] as const)
      expect(outcomeOf(row(1, { state, status: null }))).toBe('open')
    for (const state of ['refused', 'cancelled'] as const) expect(outcomeOf(row(1, { state }))).toBe(state)
  })

  it("keeps the reader's place when a snapshot of the newest rows arrives again", () => {
    let store = withoutFollowing(readTo(counted(start(rowsTo(2_000, 200)), 2_000), 700))
    store = withEvent(store, { type: 'rows', rows: [row(2_001)] })
    const newest = rowsTo(2_003, 200).filter(({ id }) => id !== 1_990)
    const again = withEvent(store, { type: 'snapshot', rows: [...newest, row(1_803)] })
    expect(again.held.count).toBe(store.held.count - 1)
    expect(rowById(again.held, 1_990)).toBeNull()
    expect(rowAt(again.held, 699)).toBe(rowAt(store.held, 700))
    expect(again.freshCount).toBe(3)
    expect(again.fresh.map(({ id }) => id)).toEqual([2_003, 2_002, 2_001])
  })

  it('starts over when the newest rows do not overlap the known ones', () => {
    const again = withEvent(start(rowsTo(300, 200)), { type: 'snapshot', rows: rowsTo(1_000, 200) })
    expect(shown(again)).toEqual(rowsTo(1_000, 200).map(({ id }) => id))
    expect(again.older).toBe('more')
  })

  it('reads rows again after bodies were deleted, those at the top at once', () => {
    const store = readTo(start(rowsTo(2_000, 200)), 700)
    const erased = withEvent(store, { type: 'erased' })
    expect(erased.held.count).toBe(store.held.count)
    expect(shown(erased)).toEqual(rowsTo(2_000, 200).map(({ id }) => id))
    expect(missingPage(erased.held, 300, 310)).not.toBeNull()
  })

  it('inserts a row that starts to match a filter at its own place', () => {
    let store = start([row(9), row(5), row(1)], { outcome: 'ok' })
    store = withEvent(store, { type: 'rows', rows: [row(7)] })
    expect(shown(store)).toEqual([9, 7, 5, 1])
  })
})

describe('reading on through 100,000 rows', () => {
  const total = 100_000
  const all = counted(start(rowsTo(total, newestRows)), total)

  it('lists all rows from the start, and loads only the visible ones', () => {
    expect(listed(all)).toBe(total)
    const far = readTo(all, 60_000)
    expect(rowAt(far.held, 60_000)?.id).toBe(total - 60_000)
    expect(shown(far).length).toBeLessThanOrEqual(maxLoadedRows)
    expect(rowAt(far.held, 0)?.id).toBe(total)
    expect(listed(far)).toBe(total)
  })

  it('reads only the released page again', () => {
    const far = readTo(all, 60_000)
    const gap = missingPage(far.held, 30_000, 30_020)
    if (!gap) throw new Error('Row 30,000 was given up.')
    const back = withPageAgain(far, gap.before, rowsTo(gap.before - 1, gap.count + 100))
    expect(rowAt(back.held, 30_000)?.id).toBe(total - 30_000)
    expect(back.held.count).toBe(far.held.count)
    expect(missingPage(back.held, 30_000, 30_020)).toBeNull()
  })

  it('ends at the oldest row', () => {
    const end = readTo(all, total)
    expect(end.older).toBe('end')
    expect(listed(end)).toBe(total)
    expect(rowAt(end.held, total - 1)?.id).toBe(1)
  })
})

describe('the shown request', () => {
  it("is the log's row while loaded, otherwise the row of its details", () => {
    const detail = {
      row: row(3, { bytesDown: 1 }),
      requestHeaders: null,
      replyHeaders: null,
      requestBody: null,
      replyBody: null,
      againOf: null,
    }
    let store = withSelected(start([row(4), row(3)]), 3)
    expect(selectedRow(store)?.bytesDown).toBe(1_000)
    store = withInspected(store, { id: 3, state: 'ready', detail, problem: null })
    store = withEvent(store, { type: 'rows', rows: [row(3, { bytesDown: 2_000 })] })
    expect(selectedRow(store)?.bytesDown).toBe(2_000)
    expect(selectedRow(withFilter(store, { text: 'x' }))?.bytesDown).toBe(1)
  })

  it('is not overwritten by a late answer about another request', () => {
    const store = withSelected(start([row(4), row(3)]), 4)
    expect(withInspected(store, { id: 3, state: 'failed', detail: null, problem: null })).toBe(store)
  })
})
