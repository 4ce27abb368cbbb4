import type { ProxyState } from '../../../../src-preload/contract/app.ts'
import type { ShownRefusal } from '../../../../src-preload/contract/requests.ts'
import type { GateRefusal } from '../../ports/requests.ts'

/** A refused request, and the origin that a person could allow to let such requests pass, or null. */
export type RefusalWithOrigin = GateRefusal & { origin: string | null }

/** How many different refusals are remembered. A new one replaces the least recent. */
const maxRemembered = 200

/** What the sender did, by the code of the refusal. */
const attempts: Record<string, string> = {
  web_page: 'tried to use the local API',
  preflight: 'asked for a method or headers that are not allowed',
  wrong_host: 'tried to use the local API under another host name, as DNS rebinding does',
  tool_key_missing: 'tried to use the local API',
  tool_key_unknown: 'tried to use the local API',
  no_websocket: 'tried to open a WebSocket',
  method_refused: 'tried a method that is not relayed',
  not_under_v1: 'asked for a path that is not relayed',
  path_refused: 'sent a path that servers interpret in different ways',
  too_many_connections: 'opened too many connections',
  too_many_websockets: 'opened too many WebSockets',
  too_many_pipelined: 'sent too many requests at once on one connection',
  slow_headers: 'did not send its request headers in time',
}

const describe = ({ code, from }: GateRefusal): string =>
  `${from} ${attempts[code] ?? 'sent a request that servers could interpret in different ways'}`

/**
 * Refusals of callers without a valid app key since the start, for the Proxy page. Repetitions from the same sender are counted, and memory
 * is bounded.
 */
export class RecentRefusals {
  /** Ordered by the last occurrence, newest at the end. */
  readonly #seen = new Map<string, ShownRefusal>()
  /** All of them, also those that are no longer remembered. */
  #total: ProxyState['refusedUnknown'] = { count: 0, since: null }

  note(refusal: RefusalWithOrigin): void {
    const { code, from, origin } = refusal
    const key = `${code} ${from}`
    const now = new Date().toISOString()
    this.#total = { count: this.#total.count + 1, since: this.#total.since ?? now }
    const known = this.#seen.get(key)
    this.#seen.delete(key)
    if (known) this.#seen.set(key, { ...known, times: known.times + 1, lastAt: now })
    else this.#seen.set(key, { code, from, message: describe(refusal), times: 1, firstAt: now, lastAt: now, origin })
    if (this.#seen.size <= maxRemembered) return
    const [oldest] = this.#seen.keys()
    if (oldest !== undefined) this.#seen.delete(oldest)
  }

  get total(): ProxyState['refusedUnknown'] {
    return this.#total
  }

  /** Newest first. */
  newest(count: number): ShownRefusal[] {
    return [...this.#seen.values()].slice(-count).reverse()
  }
}
