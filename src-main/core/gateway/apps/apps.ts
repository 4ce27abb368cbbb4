import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import type { Verified } from '../../ports/requests.ts'
import { type Feed, type FeedSource, feed, Listeners } from '../../shared/events.ts'
import { guarded } from '../../shared/unexpected.ts'
import { openStoreReadOnly } from '../../store/openReadOnly.ts'
import { openStore, type Store } from '../../store/store.ts'
import { rowOf } from './appKeys.ts'
import type { AppChanges, NewApp } from './appSettings.ts'
import { type CachedKey, KeyCache } from './keyCache.ts'
import { addApp, pauseAllApps, pauseApp, revokeApp, updateApp } from './manageApps.ts'

const pollMs = 300
/** How exact "last used" is. */
const usedEveryMs = 60_000
const usedDelayMs = 250
/** Timers don't count the time that a machine sleeps, so the clock is looked at again at least this often. */
const longestWaitMs = 30_000

const unknown: Verified = { good: false, why: 'unknown', tool: null }

/** Why a key is refused although its secret is right; null while it is good. */
function fault({ tool, expiresAt }: CachedKey): 'revoked' | 'expired' | 'paused' | null {
  if (tool.revokedAt !== null) return 'revoked'
  if (expiresAt <= Date.now()) return 'expired'
  return tool.pausedAt === null ? null : 'paused'
}

/** Tool keys of a running core: what the procedures and the local /v1 need of them. */
export class Apps {
  /** A key was made, changed, paused, revoked or used, or expired just now. */
  readonly changes = new Listeners()
  readonly #store: Store
  readonly #cache: KeyCache
  readonly #noted = new Map<string, number>()
  readonly #pending = new Map<string, string>()
  #useTimer: NodeJS.Timeout | null = null
  #pollTimer: NodeJS.Timeout | null = null
  #expiryTimer: NodeJS.Timeout | null = null
  #watchers = 0
  /** A page may begin to watch while the program closes: there is nothing to look into any more. */
  #closed = false
  #seen: number
  /** Until when (ms since 1970) expiries were told. */
  #expiriesTold = Date.now()

  constructor(store: Store) {
    this.#store = store
    this.#cache = new KeyCache(store)
    this.#seen = store.dataVersion()
  }

  /** Newest first, revoked ones too. */
  list = (): App[] => [...this.#cache.contents.tools]

  /** @throws StudioError `no_such_item` */
  get(id: string): App {
    const row = this.#cache.contents.rows.get(id)
    if (!row) throw new StudioError('no_such_item', 'There is no tool key with this id.')
    return row.tool
  }

  /** Keys that are good now. */
  count = (): number => this.#cache.contents.rows.values().reduce((n, row) => n + Number(fault(row) === null), 0)

  /** Whether what runs with this key may go on. */
  isGood = (id: string): boolean => {
    const row = this.#cache.contents.rows.get(id)
    return row !== undefined && fault(row) === null
  }

  /** What a presented key is, by the database and the clock as they are now. Stands before every request. */
  verify = (presented: string): Verified => {
    const row = rowOf(presented, this.#cache.contents.rows)
    if (!row) return unknown
    const why = fault(row)
    return why === null ? row.good : { good: false, why, tool: row.tool }
  }

  /** `key` is answered here and never again. @throws StudioError `bad_input` */
  add(given: NewApp): { tool: App; key: string } {
    return this.#changed(addApp(this.#store, given))
  }

  /** Holds from the next request on. @throws StudioError `no_such_item`, `bad_input` */
  update(id: string, changes: AppChanges): App {
    return this.#changed(updateApp(this.#store, id, changes))
  }

  /** @throws StudioError `no_such_item`, `bad_input` for a key that was revoked */
  pause(id: string, paused: boolean): App {
    return this.#changed(pauseApp(this.#store, id, paused))
  }

  /** Every key that is not revoked. */
  pauseAll(paused: boolean): { changed: number } {
    return this.#changed({ changed: pauseAllApps(this.#store, paused) })
  }

  /** @throws StudioError `no_such_item` */
  revoke(id: string): App {
    return this.#changed(revokeApp(this.#store, id))
  }

  /** A request used this key. Written a little later and at most once a minute a key, never while a request waits. */
  touch(id: string): void {
    const now = Date.now()
    if (now - (this.#noted.get(id) ?? 0) < usedEveryMs) return
    this.#noted.set(id, now)
    this.#pending.set(id, new Date(now).toISOString())
    this.#useTimer ??= setTimeout(this.#writeUses, usedDelayMs)
  }

  watch(signal?: AbortSignal): Feed<App[]> {
    let stale = true
    const source: FeedSource<App[]> = {
      take: () => {
        if (!stale) return null
        stale = false
        return this.list()
      },
      subscribe: (wake) =>
        this.observe(() => {
          stale = true
          wake()
        }),
    }
    return feed(source, signal)
  }

  /** Changes of ours, expiries, and those of the command line beside us: looked for only while somebody observes. */
  observe(listener: () => void): () => void {
    const stop = this.changes.add(listener)
    this.#watchers += 1
    if (this.#watchers === 1 && !this.#closed) {
      this.#pollTimer = setInterval(this.#poll, pollMs)
      this.#expiriesTold = Date.now()
      this.#awaitExpiry()
    }
    return () => {
      stop()
      this.#watchers -= 1
      if (this.#watchers === 0) this.#stopWatching()
    }
  }

  close(): void {
    this.#closed = true
    this.#stopWatching()
    this.#writeUses()
  }

  #changed<T>(result: T): T {
    this.#cache.drop()
    this.#notify()
    return result
  }

  #notify(): void {
    this.#awaitExpiry()
    this.changes.notify()
  }

  readonly #poll = guarded('Changes of app keys could not be looked for', () => {
    const version = this.#store.dataVersion()
    if (version === this.#seen) return
    this.#seen = version
    this.#notify()
  })

  /** One timer to the next expiry: what runs with that key is cut when its time comes, not when it next asks. */
  #awaitExpiry(): void {
    if (this.#expiryTimer) clearTimeout(this.#expiryTimer)
    this.#expiryTimer = null
    if (this.#watchers === 0 || this.#closed) return
    // A clock that was set back brings a key back, and its expiry with it.
    const reported = Math.min(this.#expiriesTold, Date.now())
    const next = this.#cache.contents.expiries.find((at) => at > reported)
    if (next === undefined) return
    const wait = Math.min(Math.max(next - Date.now(), 0), longestWaitMs)
    const look = guarded('The expiry of an app key could not be read', () => {
      const now = Date.now()
      if (now < next) return this.#awaitExpiry()
      this.#expiriesTold = now
      this.#notify()
    })
    this.#expiryTimer = setTimeout(look, wait)
  }

  #stopWatching(): void {
    if (this.#pollTimer) clearInterval(this.#pollTimer)
    if (this.#expiryTimer) clearTimeout(this.#expiryTimer)
    this.#pollTimer = null
    this.#expiryTimer = null
  }

  readonly #writeUses = (): void => {
    if (this.#useTimer) clearTimeout(this.#useTimer)
    this.#useTimer = null
    if (this.#pending.size === 0) return
    this.#store.pending.write('tool uses', 'The last use of an app key', () => {
      this.#store.toolKeys.markUsed(this.#pending)
      this.#pending.clear()
      this.#changed(undefined)
    })
  }
}

/** The keys for commands that only read, also beside a running core. None where there is no database yet. Changes nothing in the folder. */
export function openAppsReadOnly(dataDir: string) {
  let store = openStoreReadOnly(dataDir)
  return {
    /** Newest first, revoked ones too. */
    list(): App[] {
      if (store?.isOutdated()) {
        store.close()
        store = openStoreReadOnly(dataDir, true)
      }
      store ??= openStoreReadOnly(dataDir)
      return store?.toolKeys.list() ?? []
    },
    close: (): void => store?.close(),
  }
}

/** The same keys for the command line, also beside a running core, which honours each change with the next request. */
export function openApps(dataDir: string) {
  const store = openStore(dataDir)
  return {
    list: (): App[] => store.toolKeys.list(),
    add: (given: NewApp) => addApp(store, given),
    update: (id: string, changes: AppChanges): App => updateApp(store, id, changes),
    pause: (id: string, paused: boolean): App => pauseApp(store, id, paused),
    pauseAll: (paused: boolean): { changed: number } => ({ changed: pauseAllApps(store, paused) }),
    revoke: (id: string): App => revokeApp(store, id),
    /** Deletes a key that nobody has seen, with no trace of it. One that was in use is revoked instead. */
    remove: (id: string): void => store.toolKeys.remove(id),
    close: (): void => store.close(),
  }
}
