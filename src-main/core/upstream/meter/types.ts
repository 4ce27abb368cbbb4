import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { MeterReading } from '../../ports/requests.ts'

/** Facts of a reply that determine its reader. */
export interface MeterOptions {
  endpoint: Endpoint
  /** The request asked for a stream. */
  stream: boolean
  status: number
  contentType: string | null
  contentEncoding: string | null
  /** Cut out events that only have the usage, because this program asked for it and the client did not. */
  stripUsage: boolean
  /** Estimated tokens of the prompt, for a reply without a usage. */
  tokensIn?: number | null
}

/** Reads the usage of one reply from its passing bytes. */
export interface Meter {
  /**
   * Reads the next bytes of the reply and returns the bytes that may be passed on. Returns the very same object unless bytes are cut out or
   * held back, and null for nothing. Never throws.
   */
  push(bytes: Uint8Array): Uint8Array | null
  /** Call when the reply ended well. Returns bytes that were held back. */
  end(): Uint8Array | null
  /** Works at any moment, also after a cut. Tokens that the service did not report are counted with the tokenizer, only by this call. */
  reading(): MeterReading
  /** Whether an event stream ended with [DONE] or with every choice finished. False for other replies. */
  readonly complete: boolean
  /** The model that the reply names, or null. */
  readonly model: string | null
}
