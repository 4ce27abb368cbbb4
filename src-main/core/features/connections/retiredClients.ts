import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'

/** Clients that others have replaced, until what they have sent is over. */
export class RetiredClients {
  readonly #clients = new Map<Upstream, string>()

  /** It takes nothing new from now on, and is closed when what runs has ended. */
  add(profile: string, upstream: Upstream): void {
    this.#clients.set(upstream, profile)
    const retired = upstream.retire().then(() => this.#clients.delete(upstream))
    inBackground('A former connection could not be closed', retired)
  }

  /** Ends what still runs over a profile that is forgotten. */
  cut(profile: string): void {
    for (const [upstream, of] of this.#clients)
      if (of === profile) inBackground('A former connection could not be closed', upstream.close())
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((upstream) => upstream.close()))
  }
}
