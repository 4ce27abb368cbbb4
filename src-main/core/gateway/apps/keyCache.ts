import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Verified } from '../../ports/requests.ts'
import type { StoredApp } from '../../store/apps.ts'
import type { Store } from '../../store/store.ts'

/** A row with what is asked of it before every request worked out. */
export interface CachedKey extends StoredApp {
  /** Milliseconds since 1970; Infinity where it never expires. */
  readonly expiresAt: number
  /** Answered as it is: no allocation before each request. */
  readonly good: Verified & { good: true }
}

/** Many requests of one moment share a look: it costs as much as the rest of the check, and no other process is that quick. */
const lookEveryMs = 1

interface Contents {
  readonly rows: ReadonlyMap<string, CachedKey>
  /** Newest first, revoked ones too. */
  readonly tools: readonly App[]
  /** The expiries of keys that are not revoked, soonest first. */
  readonly expiries: readonly number[]
}

/**
 * All tool keys, read once and again after each change: another connection's is seen by `PRAGMA data_version` (about a
 * microsecond), our own is told by `drop`. The whole table, so that an id which is not there costs no reading either.
 */
export class KeyCache {
  readonly #store: Pick<Store, 'toolKeys' | 'dataVersion'>
  #contents: Contents | null = null
  #version = -1
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Store, 'toolKeys' | 'dataVersion'>) {
    this.#store = store
  }

  get contents(): Contents {
    const now = performance.now()
    if (this.#contents !== null && now - this.#lookedAt < lookEveryMs) return this.#contents
    this.#lookedAt = now
    const version = this.#store.dataVersion()
    if (this.#contents !== null && version === this.#version) return this.#contents
    this.#version = version
    this.#contents = contentsOf(this.#store.toolKeys.all())
    return this.#contents
  }

  drop(): void {
    this.#contents = null
  }
}

function contentsOf(stored: readonly StoredApp[]): Contents {
  const rows = new Map<string, CachedKey>()
  for (const { tool, hash } of stored) {
    const expiresAt = tool.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(tool.expiresAt)
    rows.set(tool.id, { tool, hash, expiresAt, good: { good: true, tool } })
  }
  const expiries = [...rows.values()].flatMap(({ tool, expiresAt }) =>
    tool.revokedAt === null && expiresAt !== Number.POSITIVE_INFINITY ? [expiresAt] : [],
  )
  return { rows, tools: stored.map(({ tool }) => tool), expiries: expiries.sort((a, b) => a - b) }
}
