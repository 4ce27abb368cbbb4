import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { StoredApp } from '../../store/apps.ts'
import type { Store } from '../../store/store.ts'

/** An app with everything that the check of each request needs. */
export interface CachedKey {
  readonly app: App
  /** SHA-256 of the key's secret. */
  readonly hash: Uint8Array
  /** SHA-256 of the secret before the last rotation, which is accepted until `previousUntil`; or null. */
  readonly previousHash: Uint8Array | null
  /** Milliseconds since 1970. */
  readonly previousUntil: number
  /** Milliseconds since 1970, or Infinity for a key that never expires. */
  readonly expiresAt: number
}

/** `isk_ID_SECRET`: the id finds the row and 32 random bytes prove it. The widths are fixed because base64url may contain `_`. */
const keyFormat = /^isk_([a-z0-9]{8,32})_([A-Za-z0-9_-]{43})$/
/** Used for the comparison when no app has the id, so that an unknown id takes the same time as a wrong secret. */
const placeholderHash = randomBytes(32)

interface CachedApps {
  readonly rows: ReadonlyMap<string, CachedKey>
  /** Newest first, revoked ones too. */
  readonly apps: readonly App[]
  /** When keys that are not revoked expire or stop after a rotation, in milliseconds since 1970, soonest first. */
  readonly expiries: readonly number[]
}

/**
 * All apps in memory. They are read again after `drop`, and when `PRAGMA data_version` shows that another process wrote (about 1 us).
 * The whole table is cached, so that an unknown id needs no query either.
 */
export class KeyCache {
  readonly #store: Pick<Store, 'appKeys' | 'dataVersion'>
  #cached: CachedApps | null = null
  #version = -1

  constructor(store: Pick<Store, 'appKeys' | 'dataVersion'>) {
    this.#store = store
  }

  get contents(): CachedApps {
    const version = this.#store.dataVersion()
    if (this.#cached !== null && version === this.#version) return this.#cached
    this.#version = version
    this.#cached = cacheOf(this.#store.appKeys.all())
    return this.#cached
  }

  /** The app whose current or previous key was presented, with the hash of that key, or undefined. Takes the same time in all cases. */
  find(presented: string): { row: CachedKey; isPrevious: boolean; keyHash: Uint8Array } | undefined {
    const parts = keyFormat.exec(presented)
    const row = this.contents.rows.get(parts?.[1] ?? '')
    const presentedHash = hash('sha256', parts?.[2] ?? '', 'buffer')
    const isCurrent = timingSafeEqual(presentedHash, row?.hash ?? placeholderHash)
    const isPrevious = timingSafeEqual(presentedHash, row?.previousHash ?? placeholderHash)
    return row && (isCurrent || isPrevious) ? { row, isPrevious: !isCurrent, keyHash: presentedHash } : undefined
  }

  /** Call after each change of this process. */
  drop(): void {
    this.#cached = null
  }
}

function cacheOf(stored: readonly StoredApp[]): CachedApps {
  const rows = new Map<string, CachedKey>()
  for (const { app, hash: secretHash, previousHash } of stored)
    rows.set(app.id, {
      app,
      hash: secretHash,
      previousHash,
      previousUntil: endOf(app.previousKeyUntil),
      expiresAt: endOf(app.expiresAt),
    })
  const expiries = [...rows.values()]
    .filter(({ app }) => app.revokedAt === null)
    .flatMap(({ expiresAt, previousUntil }) => [expiresAt, previousUntil])
    .filter((at) => at !== Number.POSITIVE_INFINITY)
  return { rows, apps: stored.map(({ app }) => app), expiries: expiries.sort((a, b) => a - b) }
}

/** Milliseconds since 1970. Infinity for null, which means no end. */
const endOf = (instant: string | null): number => (instant === null ? Number.POSITIVE_INFINITY : Date.parse(instant))
