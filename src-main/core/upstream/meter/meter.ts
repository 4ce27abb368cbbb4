import type { MeterReading } from '../../ports/requests.ts'
import { EncodedMeter } from './encoded.ts'
import { EventMeter } from './events.ts'
import type { Meter, MeterOptions } from './types.ts'
import { WholeMeter } from './whole.ts'

export type { Meter, MeterOptions } from './types.ts'

/** Creates the reader for a reply, chosen by endpoint, status, content type and encoding. */
export function openMeter(options: MeterOptions): Meter {
  const { endpoint, status, contentEncoding, stripUsage, tokensIn = null } = options
  if (status < 200 || status > 299 || endpoint === 'models' || endpoint === 'account' || endpoint === 'files') {
    return new ByteMeter(false)
  }
  if (endpoint === 'speech' || endpoint === 'transcription' || endpoint === 'images') return new ByteMeter(true)
  const plain = contentEncoding === null || /^\s*(?:identity)?\s*$/i.test(contentEncoding)
  const type = contentType(options.contentType)
  const isJson = type === 'application/json' || type.endsWith('+json')
  // A stream with a wrong content type is read as a stream, as most clients do.
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

/** Only records whether any byte arrived. */
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

  reading(): MeterReading {
    return { usage: null, measured: false, output: this.#isOutput && this.#any }
  }
}
