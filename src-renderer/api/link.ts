import type { StandardLinkClient } from '@orpc/client/standard'

/**
 * `connecting`: the first try. `open`: calls go through. `lost`: trying again, with pauses.
 * `unauthorized`: this page has not been let in (or the program was restarted): only its printed address helps.
 */
export type LinkState = 'connecting' | 'open' | 'lost' | 'unauthorized'

/** The way to the core as a page sees it: a state to show, and to wait for. Fits `useSyncExternalStore`. */
export interface CoreLink {
  get(): LinkState
  subscribe(listener: () => void): () => void
  /** Resolves when calls go through. Rejects with the signal's reason. */
  opened(signal: AbortSignal): Promise<void>
}

/** A transport of one connection, as oRPC's adapters make it. */
export type CoreTransport = Pick<StandardLinkClient<object>, 'call'>

export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** A link whose connection may be replaced under the client that calls through it. */
export class ReplaceableLink implements CoreLink, StandardLinkClient<object> {
  #state: LinkState = 'connecting'
  #transport: CoreTransport | null = null
  readonly #listeners = new Set<() => void>()

  get = (): LinkState => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  opened(signal: AbortSignal): Promise<void> {
    return this.#until(signal, () => this.#state === 'open')
  }

  /** `carrier` is given with `open` alone. */
  change(state: LinkState, transport: CoreTransport | null = null): void {
    this.#transport = transport
    if (this.#state === state) return
    this.#state = state
    for (const listener of [...this.#listeners]) listener()
  }

  /**
   * Waits for the first connection, but not for a lost one to come back: a call that a person made some time ago must not
   * happen out of nowhere.
   */
  call: CoreTransport['call'] = async (request, options, path, input) => {
    if (this.#state === 'connecting') {
      const { signal = new AbortController().signal } = request
      await this.#until(signal, () => this.#state !== 'connecting')
    }
    const transport = this.#transport
    if (!transport) throw new TransportError('Inference Studio does not answer: the connection to it is lost.')
    try {
      return await transport.call(request, options, path, input)
    } catch (thrown) {
      if (request.signal?.aborted || transport === this.#transport) throw thrown
      const words = 'The connection to Inference Studio was lost before it answered.'
      throw new TransportError(words, { cause: thrown })
    }
  }

  #until(signal: AbortSignal, reached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        if (!signal.aborted && !reached()) return
        stop()
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(signal.reason)
        else resolve()
      }
      const stop = this.subscribe(settle)
      signal.addEventListener('abort', settle)
      settle()
    })
  }
}
