import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { MeterReading } from '../../ports/requests.ts'

export interface MeterOptions {
  endpoint: Endpoint
  /** The request asked for a stream. */
  stream: boolean
  status: number
  contentType: string | null
  contentEncoding: string | null
  /** This program asked for the usage and the client did not: events that only bring it are cut out. */
  stripUsage: boolean
  /** What the prompt was estimated at, for a reply that tells nothing. */
  tokensIn?: number | null
}

export interface Meter {
  /**
   * Takes the next bytes of the reply and gives what may go on now: the very same object wherever nothing is cut out or held.
   * Null: nothing to pass on now. Never throws.
   */
  push(bytes: Uint8Array): Uint8Array | null
  /** The end came well: what was held goes on. */
  end(): Uint8Array | null
  /** At any moment, also after a cut. Tokens where none were told are counted with a tokenizer, only when asked here. */
  reading(): MeterReading
  /** Events: a stream that ended with [DONE] or with every begun choice finished. False for everything else. */
  readonly complete: boolean
  /** The reply's own model, if it said so. */
  readonly model: string | null
}
