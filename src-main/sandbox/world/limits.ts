import { ServiceError } from '../errors.ts'
import type { ApiKey, SandboxAccount } from './accounts.ts'
import { DAY } from './seed.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

/** A counter that restarts at each whole minute, hour or day (UTC). */
class Window {
  readonly #length: number
  #start = 0
  #used = 0

  constructor(length: number) {
    this.#length = length
  }

  used(now: number): number {
    const start = now - (now % this.#length)
    if (start !== this.#start) {
      this.#start = start
      this.#used = 0
    }
    return this.#used
  }

  add(now: number, amount: number): void {
    this.#used = this.used(now) + amount
  }

  /** Whole seconds until the counter restarts, at least 1. */
  resetSeconds(now: number): number {
    return Math.max(1, Math.ceil((this.#length - (now % this.#length)) / 1000))
  }
}

interface AccountWindows {
  minute: Window
  freeHour: Window
  freeDay: Window
  freeTokensHour: Window
  freeTokensDay: Window
}

interface KeyWindows {
  requests: Window
  tokens: Window
  /** Running inference requests. */
  running: number
}

/** All limits of the service: the general minute limit, the limits of free models, and those of each key. */
export class SandboxLimits {
  readonly #accounts = new Map<string, AccountWindows>()
  readonly #keys = new Map<string, KeyWindows>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  #ofAccount(account: SandboxAccount): AccountWindows {
    const known = this.#accounts.get(account.id)
    if (known) return known
    const fresh: AccountWindows = {
      minute: new Window(MINUTE),
      freeHour: new Window(HOUR),
      freeDay: new Window(DAY),
      freeTokensHour: new Window(HOUR),
      freeTokensDay: new Window(DAY),
    }
    this.#accounts.set(account.id, fresh)
    return fresh
  }

  #ofKey(key: ApiKey): KeyWindows {
    const known = this.#keys.get(key.id)
    if (known) return known
    const fresh: KeyWindows = { requests: new Window(MINUTE), tokens: new Window(MINUTE), running: 0 }
    this.#keys.set(key.id, fresh)
    return fresh
  }

  /** Headers of the general request limit. The current request is already counted. */
  headers(key: ApiKey): Record<string, string> {
    const { rpm } = key.account.limits
    const used = this.#ofAccount(key.account).minute.used(this.#now())
    return { 'X-RateLimit-Limit': String(rpm), 'X-RateLimit-Remaining': String(Math.max(0, rpm - used)) }
  }

  /** Counts one request of any kind. Throws 429 if the minute of the account or of the key is used up. */
  countRequest(key: ApiKey): void {
    const now = this.#now()
    const general = this.#ofAccount(key.account).minute
    const own = this.#ofKey(key).requests
    if (general.used(now) >= key.account.limits.rpm) {
      throw tooMany('rate_limit_exceeded', 'Too many requests this minute.', general.resetSeconds(now))
    }
    if (key.rpm !== null && own.used(now) >= key.rpm) {
      const words = `This key may make ${key.rpm} requests a minute.`
      throw tooMany('key_rate_limit_exceeded', words, own.resetSeconds(now))
    }
    general.add(now, 1)
    own.add(now, 1)
  }

  /** Throws 429 if the prompt exceeds the key's remaining tokens of this minute. */
  checkTokens(key: ApiKey, promptTokens: number): void {
    if (key.tpm === null) return
    const now = this.#now()
    const { tokens } = this.#ofKey(key)
    if (tokens.used(now) + promptTokens > key.tpm) {
      const words = `This key may use ${key.tpm} tokens a minute; ${tokens.used(now)} are used.`
      throw tooMany('key_token_limit_exceeded', words, tokens.resetSeconds(now))
    }
  }

  /** Counts a request to a free model. Throws 429 if an hourly or daily limit is used up. */
  countFreeRequest(account: SandboxAccount): void {
    const now = this.#now()
    const { rph, rpd, tph, tpd } = account.limits
    const windows = this.#ofAccount(account)
    const full = [
      { window: windows.freeDay, limit: rpd, words: `${rpd} requests a day` },
      { window: windows.freeTokensDay, limit: tpd, words: `${tpd} tokens a day` },
      { window: windows.freeHour, limit: rph, words: `${rph} requests an hour` },
      { window: windows.freeTokensHour, limit: tph, words: `${tph} tokens an hour` },
    ].find(({ window, limit }) => window.used(now) >= limit)
    if (full) {
      throw tooMany('free_limit_exceeded', `Free models: ${full.words} are used up.`, full.window.resetSeconds(now))
    }
    windows.freeHour.add(now, 1)
    windows.freeDay.add(now, 1)
  }

  /** Counts the tokens of completed work. Their number is not known earlier. */
  addTokens(key: ApiKey, tokens: number, free: boolean): void {
    const now = this.#now()
    this.#ofKey(key).tokens.add(now, tokens)
    if (!free) return
    const windows = this.#ofAccount(key.account)
    windows.freeTokensHour.add(now, tokens)
    windows.freeTokensDay.add(now, tokens)
  }

  /** Takes one of the key's slots and returns its release function, which may be called repeatedly. Throws 429 if no slot is free. */
  takeSlot(key: ApiKey): () => void {
    const windows = this.#ofKey(key)
    if (key.maxConcurrent !== null && windows.running >= key.maxConcurrent) {
      throw tooMany('concurrency_limit_exceeded', `This key may run ${key.maxConcurrent} at once.`, 1)
    }
    windows.running += 1
    let held = true
    return () => {
      if (held) windows.running -= 1
      held = false
    }
  }

  /** The reply of `GET /v1/rate-limit`. */
  status(account: SandboxAccount) {
    const now = this.#now()
    const windows = this.#ofAccount(account)
    const { limits } = account
    const of = (suffix: string, window: Window, limit: number) => ({
      [`limit_${suffix}`]: limit,
      [`used_${suffix}`]: window.used(now),
      [`remaining_${suffix}`]: Math.max(0, limit - window.used(now)),
    })
    return {
      ...of('rpm', windows.minute, limits.rpm),
      ...of('rph', windows.freeHour, limits.rph),
      ...of('rpd', windows.freeDay, limits.rpd),
      ...of('tph', windows.freeTokensHour, limits.tph),
      ...of('tpd', windows.freeTokensDay, limits.tpd),
      reset_seconds: windows.minute.resetSeconds(now),
      banned: account.bannedUntil !== null,
      ...(account.bannedUntil === null ? {} : { banned_until: account.bannedUntil }),
    }
  }
}

const tooMany = (code: string, message: string, retryAfterSeconds: number) =>
  new ServiceError(429, code, message, { 'Retry-After': String(retryAfterSeconds) })
