import type { App, GraceHours } from '../../../../src-preload/contract/apps.ts'
import type { AnswerOutcome, QuestionAnswer } from '../../../../src-preload/contract/questions.ts'
import { StudioError } from '../../errors.ts'
import type { Verified } from '../../ports/requests.ts'
import { type Feed, type FeedSource, feed, Listeners } from '../../shared/events.ts'
import { guarded } from '../../shared/unexpected.ts'
import type { StoredQuestion } from '../../store/appQuestions.ts'
import { openStoreReadOnly } from '../../store/openReadOnly.ts'
import { openStore, type Store } from '../../store/store.ts'
import { answerQuestion } from './answers.ts'
import type { AppChanges, NewApp } from './appSettings.ts'
import { type CachedKey, KeyCache } from './keyCache.ts'
import { addApp, pauseAllApps, pauseApp, revokeApp, rotateKey, updateApp } from './manageApps.ts'

/** How often changes of other processes are looked for. */
const pollMs = 300
/** Precision of "last used". */
const usedEveryMs = 60_000
const usedDelayMs = 250
/** Timers do not advance while a machine sleeps, so expiries are compared with the clock at least this often. */
const longestWaitMs = 30_000

const unknown: Verified = { good: false, why: 'unknown', app: null }

/** Why a key with the right secret is refused, or null. */
function fault({ app, expiresAt }: CachedKey): 'revoked' | 'expired' | 'paused' | null {
  if (app.revokedAt !== null) return 'revoked'
  if (expiresAt <= Date.now()) return 'expired'
  return app.pausedAt === null ? null : 'paused'
}

const isPreviousValid = ({ previousUntil }: CachedKey): boolean => Date.now() < previousUntil

const equal = (a: Uint8Array, b: Uint8Array | null): boolean => b !== null && Buffer.compare(a, b) === 0

/** The apps of a running core and their keys, for the procedures and the local API. */
export class Apps {
  /** A key was added, changed, paused, revoked or used, or it expired. */
  readonly changes = new Listeners()
  readonly #store: Store
  readonly #cache: KeyCache
  /** When each app's use was last noted, in milliseconds since 1970. */
  readonly #noted = new Map<string, number>()
  /** Instants of last use that are not written yet, by app. */
  readonly #pending = new Map<string, string>()
  #useTimer: NodeJS.Timeout | null = null
  #pollTimer: NodeJS.Timeout | null = null
  #expiryTimer: NodeJS.Timeout | null = null
  #watchers = 0
  /** Checked when a page starts to observe, because the database is no longer readable while the program closes. */
  #closed = false
  /** `data_version` at the last poll. */
  #seenVersion: number
  /** Expiries up to this instant (ms since 1970) were announced. */
  #announcedUntil = Date.now()

  constructor(store: Store) {
    this.#store = store
    this.#cache = new KeyCache(store)
    this.#seenVersion = store.dataVersion()
  }

  /** Newest first, revoked ones too. */
  list = (): App[] => [...this.#cache.contents.apps]

  /** @throws StudioError `no_such_item` */
  get(id: string): App {
    const row = this.#cache.contents.rows.get(id)
    if (!row) throw new StudioError('no_such_item', 'No app has this id.')
    return row.app
  }

  /** How many keys are valid now. */
  count = (): number => this.#cache.contents.rows.values().reduce((n, row) => n + Number(fault(row) === null), 0)

  /** Whether running requests of this app may continue. @param keyHash the key of the request; without it, any key of the app */
  isValid = (id: string, keyHash?: Uint8Array): boolean => {
    const row = this.#cache.contents.rows.get(id)
    if (row === undefined || fault(row) !== null) return false
    return (
      keyHash === undefined || equal(keyHash, row.hash) || (isPreviousValid(row) && equal(keyHash, row.previousHash))
    )
  }

  /** Checks a presented key against the database and the clock. Called before every request. */
  verify = (presented: string): Verified => {
    const found = this.#cache.find(presented)
    if (!found) return unknown
    const { row, isPrevious, keyHash } = found
    const why = fault(row) ?? (isPrevious && !isPreviousValid(row) ? 'replaced' : null)
    if (why !== null) return { good: false, why, app: row.app }
    return { good: true, app: row.app, keyHash }
  }

  /** `key` is returned only here. @throws StudioError `bad_input` */
  add(given: NewApp): { app: App; key: string } {
    return this.#changed(addApp(this.#store, given))
  }

  /** Takes effect with the next request. @throws StudioError `no_such_item`, `bad_input` */
  update(id: string, changes: AppChanges): App {
    return this.#changed(updateApp(this.#store, id, changes))
  }

  /** @throws StudioError `no_such_item`, `bad_input` for a revoked key */
  pause(id: string, paused: boolean): App {
    return this.#changed(pauseApp(this.#store, id, paused))
  }

  /** Pauses or resumes every app that is not revoked. */
  pauseAll(paused: boolean): { changed: number } {
    return this.#changed({ changed: pauseAllApps(this.#store, paused) })
  }

  /** Replaces the app's key. `key` is returned only here. @throws StudioError `no_such_item`, `bad_input` for a revoked app */
  rotate(id: string, graceHours: GraceHours): { app: App; key: string } {
    return this.#changed(rotateKey(this.#store, id, graceHours))
  }

  /** @throws StudioError `no_such_item` */
  revoke(id: string): App {
    return this.#changed(revokeApp(this.#store, id))
  }

  /** The first answer to a question holds. @throws StudioError `no_such_item`, `bad_input` */
  answer = (given: QuestionAnswer): AnswerOutcome => this.#changed(answerQuestion(this.#store, given))

  /** Notes that a request used this app's key. Written after the request has started. The last use is written within a minute. */
  touch(id: string): void {
    const now = Date.now()
    const isWritten = now - (this.#noted.get(id) ?? 0) < usedEveryMs
    this.#pending.set(id, new Date(now).toISOString())
    if (!isWritten) {
      this.#noted.set(id, now)
      this.#stopUseTimer()
    }
    this.#useTimer ??= setTimeout(this.#writeUses, isWritten ? usedEveryMs : usedDelayMs).unref()
  }

  /** When the app's key was last used, exact while the stored time is older. */
  lastUseOf({ id, lastUsedAt }: App): string | null {
    return this.#pending.get(id) ?? lastUsedAt
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

  /** Observes changes by this process and others, and expiries. The database is polled only while there are observers. */
  observe(listener: () => void): () => void {
    const stop = this.changes.add(listener)
    this.#watchers += 1
    if (this.#watchers === 1 && !this.#closed) {
      this.#pollTimer = setInterval(this.#poll, pollMs)
      this.#announcedUntil = Date.now()
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

  readonly #poll = guarded('Changes of app keys could not be read', () => {
    const version = this.#store.dataVersion()
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    this.#notify()
  })

  /** Sets one timer to the next expiry, so that running requests are cut when the key expires. */
  #awaitExpiry(): void {
    if (this.#expiryTimer) clearTimeout(this.#expiryTimer)
    this.#expiryTimer = null
    if (this.#watchers === 0 || this.#closed) return
    // When the clock is set back, an expired key becomes valid again and its expiry must be announced again.
    const announced = Math.min(this.#announcedUntil, Date.now())
    const next = this.#cache.contents.expiries.find((at) => at > announced)
    if (next === undefined) return
    const wait = Math.min(Math.max(next - Date.now(), 0), longestWaitMs)
    const check = guarded('The expiry of an app key could not be read', () => {
      const now = Date.now()
      if (now < next) return this.#awaitExpiry()
      this.#announcedUntil = now
      this.#notify()
    })
    this.#expiryTimer = setTimeout(check, wait)
  }

  #stopWatching(): void {
    if (this.#pollTimer) clearInterval(this.#pollTimer)
    if (this.#expiryTimer) clearTimeout(this.#expiryTimer)
    this.#pollTimer = null
    this.#expiryTimer = null
  }

  #stopUseTimer(): void {
    if (this.#useTimer) clearTimeout(this.#useTimer)
    this.#useTimer = null
  }

  readonly #writeUses = (): void => {
    this.#stopUseTimer()
    if (this.#pending.size === 0) return
    this.#store.pending.write('app uses', 'The last use of an app key', () => {
      this.#store.appKeys.markUsed(this.#pending)
      this.#pending.clear()
      this.#changed(undefined)
    })
  }
}

/**
 * The apps for commands that only read, also while a core runs. An empty list when there is no database yet. Writes nothing to the folder.
 */
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
      return store?.appKeys.list() ?? []
    },
    close: (): void => store?.close(),
  }
}

/** The apps for commands that change them, also while a core runs. The core applies each change from the next request on. */
export function openApps(dataDir: string) {
  const store = openStore(dataDir)
  return {
    list: (): App[] => store.appKeys.list(),
    add: (given: NewApp) => addApp(store, given),
    update: (id: string, changes: AppChanges): App => updateApp(store, id, changes),
    pause: (id: string, paused: boolean): App => pauseApp(store, id, paused),
    pauseAll: (paused: boolean): { changed: number } => ({ changed: pauseAllApps(store, paused) }),
    rotate: (id: string, graceHours: GraceHours) => rotateKey(store, id, graceHours),
    revoke: (id: string): App => revokeApp(store, id),
    /** Deletes an app whose key was never shown to anyone. An app that was in use is revoked instead, so that its log rows keep a name. */
    remove: (id: string): void => store.appKeys.remove(id),
    /** Questions of apps that wait for an answer, oldest first. */
    questions: (): StoredQuestion[] => store.appQuestions.open(),
    answer: (given: QuestionAnswer): AnswerOutcome => answerQuestion(store, given),
    close: (): void => store.close(),
  }
}
