import { setTimeout as pause } from 'node:timers/promises'
import type { RequestFilter, RequestRow } from '../../../src-preload/contract/requests.ts'
import { Callers } from '../store/requestLog/callers.ts'
import { openRequestLogReadOnly, type RequestLogReadOnly } from '../store/requestLog/open.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import { type AppName, AppNames } from './appNames.ts'
import { type CallerDay, CallerDays, usedBetween } from './dailyUsage.ts'
import { outcomeOfRow, readyFilter } from './filters.ts'
import { type LimitedRow, limitedOf, limitedRow, showRow } from './rows.ts'
import { StoredSessions } from './sessions/stored.ts'

/** Maximum number of rows of one read. A late reader continues with the next read. */
const maxAtOnce = 1000

/** Where `follow` starts. */
export interface FollowOptions {
  signal: AbortSignal
  /** Start with rows above this id. Default: rows from now on. */
  after?: number
  /** Rows below `after` that were in progress when they were last seen. They are sent again when they have ended. */
  open?: readonly number[]
  everyMs?: number
}

/** Read-only access to the log. Reads return the latest committed state. */
export interface RequestLogReader {
  /** Newest first, with ids below `before`. Requests in progress show as `sent`, because only the running core knows their progress. */
  page(filter: RequestFilter, before: number, limit: number): RequestRow[]
  /** Rows with ids above `after`, oldest first. */
  since(filter: RequestFilter, after: number, limit: number): RequestRow[]
  /** Yields each matching row when it exists, and again when it has ended, until the signal aborts. */
  follow(filter: RequestFilter, options: FollowOptions): AsyncGenerator<RequestRow, void>
  /** Same as `AccountUsageLog.usedByDay`. */
  usedByDay(accountId: string, fromDay: number, toDay: number): CallerDay[]
  firstDayOf(accountId: string): number | null
  /** Drops the cache of past days, because they changed. */
  forget(): void
  /** Returns a function from a row's id to its account id, as known now; null when unknown. */
  accounts(): (row: number) => string | null
  /** Requests that the service answered with 429, newest first. With `account`, only requests of that account. */
  limited(limit: number, account: string | null): LimitedRow[]
  /** The sessions of the log. Null before there is a log. */
  sessions(): StoredSessions | null
  close(): void
}

/**
 * Opens the log for reading, for the command line and the usage worker, with or without a running core. A folder without a log reads as
 * empty. `remember` caches past days until `forget`, for callers that learn of changes.
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openRequestLogReader(
  dataDir: string,
  apps: () => readonly AppName[] = () => [],
  { remember = false }: { remember?: boolean } = {},
): RequestLogReader {
  const callers = new Callers()
  const names = new AppNames(apps)
  let file: RequestLogReadOnly | null = null
  /** Changes after each write of another connection. */
  let version = ''
  let opened = 1
  let days: CallerDays | null = null

  /** Opens the log and reads the current apps. */
  function look(): RequestLogReadOnly | null {
    if (file?.isOutdated()) {
      // Another process writes now. From here on SQLite's locks apply, and its changes are visible at once.
      file.close()
      file = openRequestLogReadOnly(dataDir, true)
      days = null
      opened += 1
    }
    file ??= openRequestLogReadOnly(dataDir)
    const newest = `${opened} ${file?.dataVersion()}`
    if (file && newest !== version) {
      for (const caller of file.callers.after(callers.last)) callers.add(caller)
      version = newest
    }
    return file
  }

  function find(filter: RequestFilter, low: number, high: number, limit: number): RequestRow[] {
    const open = look()
    if (!open) return []
    const { search, since, until } = readyFilter(filter, callers, names)
    return open.search.find({ ...search, since, until }, { low, high }, limit, true).map(show)
  }

  const show = (row: StoredRequest): RequestRow => showRow(row, callers, names)

  function since(filter: RequestFilter, after: number, limit: number): RequestRow[] {
    const open = look()
    const last = open?.requests.last()?.id ?? 0
    const rows: RequestRow[] = []
    for (let low = after + 1; low <= last && rows.length < limit; low += maxAtOnce) {
      rows.push(...find(filter, low, Math.min(last, low + maxAtOnce - 1), maxAtOnce).reverse())
    }
    return rows.slice(0, limit)
  }

  /** Returns the rows of `open` that have ended, and removes their ids from `open`. */
  function endedOf(log: RequestLogReadOnly, open: Set<number>): RequestRow[] {
    return [...open].flatMap((id) => {
      const stored = log.requests.get(id)
      if (!stored || stored.outcome === null) return []
      open.delete(id)
      return show(stored)
    })
  }

  async function* follow(filter: RequestFilter, { signal, after, open: seenOpen = [], everyMs = 250 }: FollowOptions) {
    let last = after ?? look()?.requests.last()?.id ?? 0
    let seen = ''
    // Requests in progress are checked again even if they don't match yet, because the outcome is part of the filter.
    const open = new Set<number>(seenOpen)
    while (!signal.aborted) {
      const log = look()
      if (!log || seen === version) {
        await pause(everyMs, undefined, { signal }).catch(() => undefined)
        continue
      }
      const { matches } = readyFilter(filter, callers, names)
      const come = since({}, last, maxAtOnce)
      // A full read may have left rows for the next one.
      if (come.length < maxAtOnce) seen = version
      const rows = [...endedOf(log, open), ...come]
      for (const row of come) if (outcomeOfRow(row) === null) open.add(row.id)
      last = come.at(-1)?.id ?? last
      yield* rows.filter(matches)
    }
  }

  const accountsOf = (log: RequestLogReadOnly, accountId: string): number[] =>
    log.links.accounts().flatMap(({ id, account }) => (account === accountId ? [id] : []))

  function accounts(): (row: number) => string | null {
    const log = look()
    const links = log?.links.links() ?? []
    const known = new Map(log?.links.accounts().map(({ id, account }) => [id, account]))
    return (row) => {
      const link = links.findLast(({ firstRow }) => firstRow <= row)
      return (link && known.get(link.linkedAccount)) ?? null
    }
  }

  return {
    usedByDay(accountId, fromDay, toDay) {
      const log = look()
      if (!log) return []
      if (remember) days ??= new CallerDays(log.used, callers)
      const between = (linkedAccount: number) =>
        days?.between(linkedAccount, fromDay, toDay) ?? usedBetween(log.used, callers, linkedAccount, [fromDay, toDay])
      return accountsOf(log, accountId).flatMap(between)
    },
    firstDayOf(accountId) {
      const log = look()
      const days = log
        ? accountsOf(log, accountId).flatMap((linkedAccount) => log.used.firstDay(linkedAccount) ?? [])
        : []
      return days.length === 0 ? null : Math.min(...days)
    },
    accounts,
    forget: () => days?.moved(),
    limited(limit, account) {
      const log = look()
      if (!log) return []
      const accountOf = accounts()
      const isOf = (row: number): boolean => account === null || (accountOf(row) ?? account) === account
      return limitedOf(log.requests.limited, isOf, limit).map((stored) => limitedRow(stored, show(stored)))
    },
    sessions() {
      const log = look()
      return log && new StoredSessions({ store: log, callers, names, flush: () => undefined })
    },
    page: (filter, before, limit) => find(filter, 1, before - 1, limit),
    since,
    follow,
    close() {
      file?.close()
      file = null
    },
  }
}
