import type { z } from 'zod'
import { asBuffer, ByteStore } from '../json/bytes.ts'
import { JsonScan } from '../json/jsonScan.ts'
import { imageEntry, type imageReply } from './schemas.ts'

/** The bytes of an image in pieces. With `isText`, the reply’s text is not base64, and these are the bytes of that text. */
export interface ImageContent {
  bytes: readonly Uint8Array[]
  isText: boolean
}

/** An entry of `data`: its bytes, its URL, or both. An entry that is no object has neither. */
export interface ReplyImage {
  /** Never a `data:` URL, whose bytes are in `content`. */
  url: string | null
  content: ImageContent | null
}

const maxKeyBytes = 256
/** Most values of a reply, its `rest` included. Real replies have fewer than a hundred. Reading this many takes about 15 ms. */
const maxImageValues = 20_000
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
    super({ maxValues: maxImageValues, anyBytes: true })
  }

  override push(given: Uint8Array): void {
    this.#chunk = asBuffer(given)
    this.#taken = 0
    super.push(given)
    this.#take(this.#chunk.length)
  }

  /** The images of a parsed `rest`, in the order of the reply. An odd entry affects no other. */
  imagesOf({ data }: z.infer<typeof imageReply>): ReplyImage[] {
    return (data ?? []).map((entry) => {
      const { url = null, b64_json: index = null } = imageEntry.safeParse(entry).data ?? {}
      const content = (index ? this.#contents[Number(index)] : null) ?? null
      const isData = url !== null && dataUrl.test(url)
      return { url: isData ? null : url, content: content ?? (isData ? contentOf(url) : null) }
    })
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

const dataUrl = /^\s*data:/i

/** The bytes of a `data:` URL (RFC 2397). */
function contentOf(url: string): ImageContent | null {
  const comma = url.indexOf(',')
  if (comma !== -1 && !/;\s*base64\s*$/i.test(url.slice(0, comma))) {
    return { bytes: [Buffer.from(percentDecoded(url.slice(comma + 1)))], isText: false }
  }
  const decoder = new Base64Decoder()
  decoder.push(percentDecoded(url))
  return decoder.end()
}

function percentDecoded(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    // A lone percent sign is no escape.
    return text
  }
}

/** The alphabet of RFC 4648, section 4, and the URL-safe one of section 5, which `Buffer.from` reads as well. */
const letters = /^[A-Za-z\d+/_-]*$/
/** JSON writers may escape `/`, and some escape `+` too. Line breaks (RFC 2045) are always escaped. */
const escaped = /\\(?:u([\dA-Fa-f]{4})|([/nrt]))/g
const unfinishedEscape = /\\(?:u[\dA-Fa-f]{0,3})?$/
/** Longest beginning of a `data:` URL, up to its comma. */
const maxPrefix = 300

/** Decodes base64 from the inside of a JSON string, in pieces cut anywhere. Ignores white space and the beginning of a `data:` URL. */
class Base64Decoder {
  readonly #bytes: Buffer[] = []
  /** Text from the first invalid piece on. */
  readonly #text: string[] = []
  /** Characters that wait for the next piece: of an escape, and of a group of four. */
  #escape = ''
  #group = ''
  /** The beginning of the text; null as soon as it is known whether it is that of a `data:` URL. */
  #start: string | null = ''
  #padding = 0

  push(piece: string): void {
    let text = this.#escape + piece
    this.#escape = ''
    if (text.includes('\\')) {
      this.#escape = unfinishedEscape.exec(text)?.[0] ?? ''
      text = text
        .slice(0, text.length - this.#escape.length)
        .replace(escaped, (_, code?: string, letter?: string) => unescaped(code, letter))
    }
    this.#take(/\s/.test(text) ? text.replace(/\s+/g, '') : text)
  }

  /** The decoded bytes, or the text that is not base64; null for an empty text. */
  end(): ImageContent | null {
    const rest = (this.#start ?? '') + this.#escape
    this.#start = null
    this.#decode(rest)
    if (this.#text.length > 0) {
      // Whole groups: their base64 is the text that arrived.
      const before = this.#bytes.map((bytes) => Buffer.from(bytes.toString('base64')))
      return { bytes: [...before, Buffer.from(this.#group + this.#text.join(''))], isText: true }
    }
    if (this.#bytes.length === 0 && this.#group === '') {
      return this.#padding === 0 ? null : { bytes: [Buffer.from('='.repeat(this.#padding))], isText: true }
    }
    return { bytes: [...this.#bytes, Buffer.from(this.#group, 'base64')], isText: false }
  }

  /** Holds the beginning back until it is known whether a `data:` URL begins there. */
  #take(text: string): void {
    const start = this.#start === null ? null : this.#start + text
    if (start === null) {
      this.#decode(text)
      return
    }
    const isData = /^data:/i.test(start)
    if (!isData && start.length < 'data:'.length) this.#start = start
    else if (isData && !start.includes(',') && start.length <= maxPrefix) this.#start = start
    else {
      this.#start = null
      this.#decode(isData ? start.slice(start.indexOf(',') + 1) : start)
    }
  }

  #decode(text: string): void {
    if (text === '') return
    if (this.#text.length > 0) return void this.#text.push(text)
    const end = text.indexOf('=')
    const found = end === -1 ? text : text.slice(0, end)
    const padding = end === -1 ? '' : text.slice(end)
    // Buffer.from skips invalid characters, which would corrupt the image. Padding is at the end alone.
    const isValid = letters.test(found) && (found === '' || this.#padding === 0) && /^=*$/.test(padding)
    if (!isValid || this.#padding + padding.length > 2) {
      return void this.#text.push('='.repeat(this.#padding) + text)
    }
    this.#padding += padding.length
    const all = this.#group + found
    const whole = all.length - (all.length % 4)
    if (whole > 0) this.#bytes.push(Buffer.from(all.slice(0, whole), 'base64'))
    this.#group = all.slice(whole)
  }
}

function unescaped(code: string | undefined, letter: string | undefined): string {
  if (code !== undefined) return String.fromCharCode(parseInt(code, 16))
  return letter === '/' ? '/' : '\n'
}
