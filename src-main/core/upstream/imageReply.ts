import type { z } from 'zod'
import { asBuffer, ByteStore } from './meter/bytes.ts'
import { JsonScan, maxParsedValues } from './meter/jsonScan.ts'
import type { imageReply } from './schemas.ts'

/** The decoded bytes of an image in pieces, or `invalid` for text that is not base64. */
export type ImageContent = readonly Uint8Array[] | 'invalid'

/** An image of a reply: its bytes, its URL, or both. */
export interface ReplyImage {
  url: string | null
  content: ImageContent | null
}

const maxKeyBytes = 256
const itemDepth = 3

/**
 * Decodes the images of a reply (`data[].b64_json`) while it arrives. A parse of the whole reply would block the program for tens of
 * milliseconds. `rest` is the same JSON with the number of its image in place of each base64 text.
 */
export class ImageReplyScan extends JsonScan {
  readonly rest = new ByteStore()
  readonly #contents: (ImageContent | null)[] = []
  /** The last key of each open object. */
  readonly #keys: (string | null)[] = []
  #decoder: Base64Decoder | null = null
  #chunk: Buffer = Buffer.alloc(0)
  /** Bytes of the chunk before this offset are in `rest` or in the decoder. */
  #taken = 0

  constructor() {
    super({ maxValues: maxParsedValues, anyBytes: true })
  }

  override push(given: Uint8Array): void {
    this.#chunk = asBuffer(given)
    this.#taken = 0
    super.push(given)
    this.#take(this.#chunk.length)
  }

  /** The images of a parsed `rest`, in the order of the reply. */
  imagesOf({ data }: z.infer<typeof imageReply>): ReplyImage[] {
    return (data ?? []).map(({ url, b64_json: index }) => ({
      url: url ?? null,
      content: (index ? this.#contents[Number(index)] : null) ?? null,
    }))
  }

  protected override stringBegan(isKey: boolean, at: number): void {
    if (isKey) this.startCapture(at, maxKeyBytes)
    else if (this.depth === itemDepth && this.#keys[itemDepth] === 'b64_json' && this.#keys[1] === 'data') {
      this.#take(at + 1)
      this.#decoder = new Base64Decoder()
    }
  }

  protected override stringEnded(isKey: boolean, bytes: Buffer, at: number): void {
    if (isKey) this.#keys[this.depth] = asKey(this.stopCapture(bytes, at))
    else if (this.#decoder) {
      this.#take(at - 1)
      const index = Buffer.from(String(this.#contents.push(this.#decoder.end()) - 1))
      this.#decoder = null
      this.rest.append(index, 0, index.length)
    }
  }

  #take(to: number): void {
    if (this.#decoder) this.#decoder.push(this.#chunk.toString('latin1', this.#taken, to))
    else this.rest.append(this.#chunk, this.#taken, to)
    this.#taken = to
  }
}

function asKey(quoted: Buffer | null): string | null {
  try {
    return quoted && JSON.parse(quoted.toString())
  } catch {
    return null
  }
}

const letters = /^[A-Za-z\d+/]*$/
/** JSON writers may escape `/`, and some escape `+` too. */
const escaped = /\\(?:u([\dA-Fa-f]{4})|\/)/g
const unfinishedEscape = /\\(?:u[\dA-Fa-f]{0,3})?$/

/** Decodes base64 from the inside of a JSON string, in pieces cut anywhere. */
class Base64Decoder {
  readonly #bytes: Uint8Array[] = []
  /** Characters that wait for the next piece: of an escape, and of a group of four. */
  #escape = ''
  #group = ''
  #padding = 0
  #any = false
  #isValid = true

  push(piece: string): void {
    if (piece.length === 0 || !this.#isValid) return
    this.#any = true
    let text = this.#escape + piece
    this.#escape = ''
    if (text.includes('\\')) {
      this.#escape = unfinishedEscape.exec(text)?.[0] ?? ''
      text = text
        .slice(0, text.length - this.#escape.length)
        .replace(escaped, (_, code?: string) => (code === undefined ? '/' : String.fromCharCode(parseInt(code, 16))))
    }
    this.#decode(text)
  }

  /** The decoded bytes; null for an empty text. */
  end(): ImageContent | null {
    if (!this.#any) return null
    if (!this.#isValid || this.#escape !== '' || (this.#bytes.length === 0 && this.#group === '')) return 'invalid'
    return [...this.#bytes, Buffer.from(this.#group, 'base64')]
  }

  #decode(text: string): void {
    const end = text.indexOf('=')
    const found = end === -1 ? text : text.slice(0, end)
    // Buffer.from skips invalid characters, which would corrupt the image. Padding is at the end alone.
    this.#isValid = letters.test(found) && (found === '' || this.#padding === 0)
    if (end !== -1) this.#pad(text.slice(end))
    const all = this.#group + found
    const whole = all.length - (all.length % 4)
    if (whole > 0) this.#bytes.push(Buffer.from(all.slice(0, whole), 'base64'))
    this.#group = all.slice(whole)
  }

  #pad(text: string): void {
    this.#padding += text.length
    if (this.#padding > 2 || !/^=+$/.test(text)) this.#isValid = false
  }
}
