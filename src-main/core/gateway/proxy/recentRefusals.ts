import type { RefusalSeen } from '../../../../src-preload/contract/requests.ts'
import type { GateRefusal } from '../../ports/requests.ts'

/** What happened at the gate, with the origin that could be allowed by hand, where that is what stood in the way. */
export type SeenRefusal = GateRefusal & { origin: string | null }

/** Different refusals that are kept; the one that was seen last longest ago makes room. */
const mostKept = 200

const tried: Record<string, string> = {
  web_page: 'tried to use the local /v1',
  preflight: 'asked for a method or headers that are not allowed',
  wrong_host: 'tried to use the local /v1: another name for this machine is how DNS rebinding looks',
  tool_key_missing: 'tried to use the local /v1',
  tool_key_unknown: 'tried to use the local /v1',
  tool_key_revoked: 'tried to use its revoked key',
  tool_key_expired: 'tried to use its expired key',
  tool_key_paused: 'tried to go on while it is paused',
  key_elsewhere: 'sent its key outside the Authorization header',
  no_websocket: 'tried to open a WebSocket',
  method_refused: 'tried a method that is not relayed',
  not_under_v1: 'asked for a path that is not relayed',
  path_refused: 'spelled a path in a way that servers read differently',
  too_many_connections: 'opened more connections than are served',
  too_many_pipelined: 'sent too many requests at once on one connection',
  slow_headers: 'did not send the head of its request in time',
}

const inWords = ({ code, from }: GateRefusal): string =>
  `${from} ${tried[code] ?? 'sent a request that could be read in two ways'}`

/**
 * Refusals since start that a person should hear of: the same from the same place counts up. Bounded, so that a flood of made-up
 * names fills nothing.
 */
export class RecentRefusals {
  /** In the order in which they were seen last: newest at the end. */
  readonly #seen = new Map<string, RefusalSeen>()

  note(refusal: SeenRefusal): void {
    const { code, from, origin } = refusal
    const key = `${code} ${from}`
    const now = new Date().toISOString()
    const known = this.#seen.get(key)
    this.#seen.delete(key)
    if (known) this.#seen.set(key, { ...known, times: known.times + 1, lastAt: now })
    else this.#seen.set(key, { code, from, message: inWords(refusal), times: 1, firstAt: now, lastAt: now, origin })
    if (this.#seen.size <= mostKept) return
    const [oldest] = this.#seen.keys()
    if (oldest !== undefined) this.#seen.delete(oldest)
  }

  /** Newest first. */
  newest(most: number): RefusalSeen[] {
    return [...this.#seen.values()].slice(-most).reverse()
  }
}
