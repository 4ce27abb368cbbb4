import type { MeterReading } from '../../ports/requests.ts'
import { asBuffer, markLength } from './bytes.ts'
import { parseBetween } from './json.ts'
import { maxReplyValues } from './jsonScan.ts'
import { ReplyReader } from './replyReader.ts'
import { TopLevel } from './topLevel.ts'
import type { Meter } from './types.ts'
import { isFields } from './values.ts'

/** Largest reply that is parsed whole, when its reading is requested. In a larger one only usage and model are read. Bytes. */
const parsedWhole = 1024 * 1024

/** Reads one JSON document that passes. */
export class WholeMeter implements Meter {
  readonly #tokensIn: number | null
  #chunks: Uint8Array[] = []
  #size = 0
  #large: TopLevel | null = null
  #reply: ReplyReader | null = null

  constructor(tokensIn: number | null) {
    this.#tokensIn = tokensIn
  }

  readonly complete = false

  get model(): string | null {
    return this.#read().model
  }

  push(bytes: Uint8Array): Uint8Array {
    this.#size += bytes.length
    this.#reply = null
    if (this.#large !== null) {
      this.#large.push(asBuffer(bytes))
    } else {
      this.#chunks.push(bytes)
      if (this.#size > parsedWhole || this.#chunks.length > 4096) this.#becomeLarge()
    }
    return bytes
  }

  end(): null {
    return null
  }

  reading(): MeterReading {
    return this.#read().reading(this.#tokensIn)
  }

  #becomeLarge(): void {
    this.#large = new TopLevel(['usage', 'model'])
    for (const chunk of this.#chunks) this.#large.push(asBuffer(chunk))
    this.#chunks = []
  }

  #read(): ReplyReader {
    if (this.#reply !== null) return this.#reply
    const reply = new ReplyReader()
    this.#reply = reply
    if (this.#large === null) {
      const [first] = this.#chunks
      if (first === undefined) return reply
      const bytes = this.#chunks.length === 1 ? asBuffer(first) : Buffer.concat(this.#chunks)
      const document = parseBetween(bytes, markLength(bytes), bytes.length, maxReplyValues)
      reply.readWhole(document)
      // The reply was cut. The bytes that arrived count as output.
      if (document === undefined) this.#unread(reply)
    } else {
      const usage = this.#large.value('usage')
      const model = this.#large.value('model')
      if (isFields(usage)) reply.takeUsage(usage)
      if (typeof model === 'string') reply.model = model
      this.#unread(reply)
    }
    return reply
  }

  #unread(reply: ReplyReader): void {
    reply.output = this.#size > 0
    reply.text.unread = this.#size
  }
}
