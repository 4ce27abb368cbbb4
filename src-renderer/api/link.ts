import type { StandardLinkClient } from '@orpc/client/standard'
import type { LinkStatus } from '../stores/app.ts'

/** The observable state of the connection to the core. Fits `useSyncExternalStore`. */
export interface CoreLink {
  get(): LinkStatus
  subscribe(listener: () => void): () => void
  /** Resolves when the state is `open`. Rejects with the signal's reason. */
  opened(signal: AbortSignal): Promise<void>
}

const links = new WeakMap<object, CoreLink>()

/** Records the link that `client` sends its calls through, for `linkOf`. */
export function setLink(client: object, link: CoreLink): void {
  links.set(client, link)
}

/** The link that `client` sends its calls through. Undefined for a client without a connection, for example in a test. */
export const linkOf = (client: object): CoreLink | undefined => links.get(client)

/** The transport of one connection, as created by oRPC's adapters. */
export type CoreTransport = Pick<StandardLinkClient<object>, 'call'>

/** A call failed because of the connection, not because the core refused it. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** A link whose connection can be replaced while a client calls through it. */
export class ReplaceableLink implements CoreLink, StandardLinkClient<object> {
  #state: LinkStatus = 'connecting'
  #transport: CoreTransport | null = null
  readonly #listeners = new Set<() => void>()

  get = (): LinkStatus => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  opened(signal: AbortSignal): Promise<void> {
    return this.#until(signal, () => this.#state === 'open')
  }

  /** @param transport only with `open` */
  change(state: LinkStatus, transport: CoreTransport | null = null): void {
    this.#transport = transport
    if (this.#state === state) return
    this.#state = state
    for (const listener of [...this.#listeners]) listener()
  }

  /**
   * Waits for the first connection, but never for a lost connection to return. Otherwise an old action would run later without warning.
   *
   * @throws TransportError when the connection is lost, before or during the call
   */
  call: CoreTransport['call'] = async (request, options, path, input) => {
    if (this.#state === 'connecting') {
      const { signal = new AbortController().signal } = request
      await this.#until(signal, () => this.#state !== 'connecting')
    }
    const transport = this.#transport
    if (!transport) throw new TransportError('The connection to Inference Studio is lost.')
    try {
      return await transport.call(request, options, path, input)
    } catch (thrown) {
      if (request.signal?.aborted || transport === this.#transport) throw thrown
      throw new TransportError('The connection to Inference Studio was lost before it answered.', { cause: thrown })
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
