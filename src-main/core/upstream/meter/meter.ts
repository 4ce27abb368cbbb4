import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { Reading } from '../../traffic.ts'
import { EncodedMeter } from './encoded.ts'
import { EventMeter } from './events.ts'
import { WholeMeter } from './whole.ts'

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
  reading(): Reading
  /** Events: a stream that ended with [DONE] or with every begun choice finished. False for everything else. */
  readonly complete: boolean
  /** The reply's own model, if it said so. */
  readonly model: string | null
}

export function openMeter(options: MeterOptions): Meter {
  const { endpoint, status, contentEncoding, stripUsage, tokensIn = null } = options
  if (status < 200 || status > 299 || endpoint === 'models' || endpoint === 'account' || endpoint === 'files') {
    return new ByteMeter(false)
  }
  if (endpoint === 'speech' || endpoint === 'transcription' || endpoint === 'images') return new ByteMeter(true)
  const plain = contentEncoding === null || /^\s*(?:identity)?\s*$/i.test(contentEncoding)
  const type = contentType(options.contentType)
  const isJson = type === 'application/json' || type.endsWith('+json')
  // A mislabelled stream is read as one all the same: most clients do so too.
  if (type === 'text/event-stream' || (options.stream && !isJson)) {
    if (plain) return new EventMeter(stripUsage, tokensIn)
    return new EncodedMeter(contentEncoding, () => new EventMeter(false, tokensIn))
  }
  if (!isJson) return new ByteMeter(endpoint !== 'other')
  return plain ? new WholeMeter(tokensIn) : new EncodedMeter(contentEncoding, () => new WholeMeter(tokensIn))
}

function contentType(header: string | null): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Reads nothing: whether any byte came is all that there is to know. */
class ByteMeter implements Meter {
  readonly #isOutput: boolean
  #any = false

  constructor(isOutput: boolean) {
    this.#isOutput = isOutput
  }

  readonly complete = false
  readonly model = null

  push(bytes: Uint8Array): Uint8Array {
    if (bytes.length > 0) this.#any = true
    return bytes
  }

  end(): null {
    return null
  }

  reading(): Reading {
    return { usage: null, measured: false, output: this.#isOutput && this.#any }
  }
}
