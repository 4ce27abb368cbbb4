import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../errors.ts'
import type { SandboxChatRequest } from './request.ts'

/** Length and speed of an answer. */
export interface Pace {
  /** Null: as fast as the socket accepts. */
  tokensPerSecond: number | null
  firstTokenMs: number
  /** Exact length in tokens if requested. Null: the model decides. */
  tokens: number | null
  reasoningTokens: number | null
}

const HEADERS = {
  tokens_per_second: 'x-sandbox-tokens-per-second',
  tokens: 'x-sandbox-tokens',
  reasoning_tokens: 'x-sandbox-reasoning-tokens',
  first_token_ms: 'x-sandbox-first-token-ms',
} as const

/**
 * Reads the pace from the body's `sandbox` object, else from `X-Sandbox-...` headers, else from the model.
 * A reply without streaming is immediate unless a pace was requested, because its tokens are not visible one by one.
 */
export function paceOf(request: SandboxChatRequest, headers: IncomingHttpHeaders, ownTokensPerSecond: number): Pace {
  const wanted = (name: keyof typeof HEADERS): number | null => {
    const inBody = request.sandbox?.[name]
    if (inBody !== undefined) return inBody
    const header = headers[HEADERS[name]]
    if (header === undefined) return null
    const value = Number(header)
    if (!Number.isFinite(value) || value < 0 || value > 1_000_000) {
      throw new ServiceError(400, 'invalid_request', `${HEADERS[name]} must be a number from 0 to 1000000.`)
    }
    return value
  }
  const speed = wanted('tokens_per_second') ?? (request.stream ? ownTokensPerSecond : 0)
  return {
    tokensPerSecond: speed === 0 ? null : speed,
    firstTokenMs: wanted('first_token_ms') ?? 0,
    tokens: wanted('tokens'),
    reasoningTokens: wanted('reasoning_tokens'),
  }
}

/** Delays tokens to the requested speed. Later waits are shorter after a delay, so that the average speed is right. */
export class Metronome {
  readonly #pace: Pace
  readonly #start = performance.now()
  readonly #signal: AbortSignal

  constructor(pace: Pace, signal: AbortSignal) {
    this.#pace = pace
    this.#signal = signal
  }

  /** @throws AbortError when the signal is aborted during the wait */
  async waitFor(tokens: number): Promise<void> {
    const { tokensPerSecond, firstTokenMs } = this.#pace
    const due = this.#start + firstTokenMs + (tokensPerSecond === null ? 0 : (tokens / tokensPerSecond) * 1000)
    const ahead = due - performance.now()
    if (ahead >= 1) await sleep(ahead, null, { signal: this.#signal })
  }
}
