import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'

/** Replaced clients that still finish sent requests. */
export class RetiredClients {
  readonly #clients = new Map<Upstream, string>()

  /** Retires a client: it accepts no new request and closes when running ones have ended. */
  add(profile: string, upstream: Upstream): void {
    this.#clients.set(upstream, profile)
    const retired = upstream.retire().then(() => this.#clients.delete(upstream))
    inBackground('A former connection could not be closed', retired)
  }

  /** Ends the running requests of a deleted profile. */
  cut(profile: string): void {
    for (const [upstream, of] of this.#clients)
      if (of === profile) inBackground('A former connection could not be closed', upstream.close())
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((upstream) => upstream.close()))
  }
}
