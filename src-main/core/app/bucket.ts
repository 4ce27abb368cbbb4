import type { MinuteBucket } from '../../../src-preload/contract/app.ts'
import { Listeners } from '../feed.ts'
import type { Upstream } from '../upstream/client.ts'

/** The status call is itself a counted request: at most this often, and only while somebody looks. */
const askEveryMs = 60_000

type Source = Pick<Upstream, 'onRateLimit' | 'getRateLimit'>

/** The general minute bucket, from reply headers or the status call, whichever is newer. */
export class Bucket {
  readonly changes = new Listeners()
  #value: MinuteBucket | null = null
  #upstream: Source | null = null
  #unlisten: (() => void) | null = null
  #askedAt = 0
  #stale = false
  #watchers = 0
  #timer: NodeJS.Timeout | null = null

  get value(): MinuteBucket | null {
    return this.#value
  }

  follow(upstream: Source | null): void {
    this.#unlisten?.()
    this.#upstream = upstream
    this.#value = null
    this.#unlisten =
      upstream?.onRateLimit(({ limit, remaining }) => {
        this.#stale = true
        this.#plan()
        if (limit === null && remaining === null) return
        const { banned = false, bannedUntil = null } = this.#value ?? {}
        const known = limit ?? this.#value?.limit ?? null
        this.#set({ limit: known, remaining, resetSeconds: null, banned, bannedUntil, asOf: new Date().toISOString() })
      }) ?? null
  }

  watch(): () => void {
    this.#watchers += 1
    this.#plan()
    return () => {
      this.#watchers -= 1
      if (this.#watchers === 0) this.#clear()
    }
  }

  /** Asks the service. A failure leaves what was known: this is a gauge, and the connection has its own words. */
  async ask(): Promise<void> {
    const upstream = this.#upstream
    if (!upstream) return
    this.#askedAt = Date.now()
    this.#stale = false
    const value = await upstream.getRateLimit().then(
      (reply) => reply.value,
      () => null,
    )
    // Its own reply's headers are no news: without this the gauge would keep itself going.
    this.#stale = false
    this.#clear()
    if (!value || this.#upstream !== upstream) return
    this.#set({
      limit: value.limit_rpm ?? null,
      remaining: value.remaining_rpm ?? null,
      resetSeconds: value.reset_seconds ?? null,
      banned: value.banned ?? false,
      bannedUntil: value.banned_until ?? null,
      asOf: new Date().toISOString(),
    })
  }

  /** Asks, unless it was asked within the last minute. */
  async askIfDue(): Promise<void> {
    if (Date.now() - this.#askedAt >= askEveryMs) await this.ask()
  }

  close(): void {
    this.#clear()
    this.#unlisten?.()
  }

  #plan(): void {
    if (this.#watchers === 0 || !this.#stale || this.#timer) return
    this.#timer = setTimeout(() => void this.ask(), Math.max(0, this.#askedAt + askEveryMs - Date.now()))
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #set(value: MinuteBucket): void {
    this.#value = value
    this.changes.tell()
  }
}
