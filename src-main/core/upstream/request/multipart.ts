import { cr, lf } from '../json/ascii.ts'
import { asBuffer } from '../json/bytes.ts'
import { selectsModel } from './modelSelectors.ts'

/** Longer than any model name. Bytes. */
const maxModelBytes = 512
/** Headers of one part. Bytes. */
const maxHeadBytes = 8192
/** Maximum number of different models in one form. A form with more is not a mistake of a client. */
const maxModels = 16

const headEnd = Buffer.from('\r\n\r\n')
const nothing = Buffer.alloc(0)
const dash = 0x2d

/** The characters of a boundary that need no quotes (RFC 2046, 5.1.1). */
const plainBoundary = /^[0-9A-Za-z'+_\-.]{1,70}$/
/** Quoted values without an escaped quote: parsers differ in whether `\"` ends the value. */
const parameter = /[ \t]*;[ \t]*([A-Za-z0-9*_-]+)=(?:"((?:[^"\\]|\\(?!"))*)"|([^\s;"]+))/y
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/
const plainName = /^[\w.-]+(?:\[[\w.-]*\])*$/
const dispositionParameters: ReadonlySet<string> = new Set(['name', 'filename', 'filename*'])

/** The parameters after a header's first value. Null when one is repeated, or the rest is not a parameter list. */
function parametersOf(text: string): Map<string, string> | null {
  const found = new Map<string, string>()
  parameter.lastIndex = 0
  let end = 0
  for (let one = parameter.exec(text); one !== null; one = parameter.exec(text)) {
    const name = (one[1] ?? '').toLowerCase()
    if (found.has(name)) return null
    found.set(name, one[2] ?? one[3] ?? '')
    end = parameter.lastIndex
  }
  return text.slice(end).trim() === '' ? found : null
}

function boundaryOf(contentType: string): string | null {
  const type = /^multipart\/form-data(?=[\s;])/i.exec(contentType)
  const parameters = type && parametersOf(contentType.slice(type[0].length))
  if (!parameters) return null
  for (const name of parameters.keys()) if (name !== 'boundary' && name !== 'charset') return null
  if (!/^utf-?8$/i.test(parameters.get('charset') ?? 'utf-8')) return null
  const boundary = parameters.get('boundary') ?? ''
  return plainBoundary.test(boundary) ? boundary : null
}

/** Headers of a part by lower-case name. Null when one is repeated, or a line is no header. */
function headersOf(head: string): Map<string, string> | null {
  const found = new Map<string, string>()
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? []
    const lower = name.toLowerCase()
    if (lower === '' || found.has(lower) || /[\r\n\0]/.test(value)) return null
    found.set(lower, value)
  }
  return found
}

/** The parameters of `form-data`. Null when parsers could read them in two ways. */
function dispositionOf(value: string): Map<string, string> | null {
  const type = /^form-data(?=[\s;])/i.exec(value)
  const parameters = type && parametersOf(value.slice(type[0].length))
  if (!parameters) return null
  for (const name of parameters.keys()) if (!dispositionParameters.has(name)) return null
  return parameters
}

/** Name and kind of a part. Null when parsers could read its head in two ways. */
function readHead(head: string): { name: string; file: boolean } | null {
  const headers = headersOf(head)
  const parameters = dispositionOf(headers?.get('content-disposition') ?? '')
  if (headers === null || parameters === null) return null
  // Go decodes quoted-printable by itself, and some parsers read nested multipart bodies.
  if (!/^(?:7bit|8bit|binary)\s*$/i.test(headers.get('content-transfer-encoding') ?? 'binary')) return null
  if (/^\s*multipart\//i.test(headers.get('content-type') ?? '')) return null
  const name = parameters.get('name') ?? ''
  const file = parameters.has('filename') || parameters.has('filename*')
  if (!plainName.test(name)) return null
  // `Model`, `model[]`, and a model that is sent as a file: some parsers accept them as a field `model`, others do not.
  // Other fields that select a model are refused with them.
  return selectsModel(name.toLowerCase()) && (name !== 'model' || file) ? null : { name, file }
}

type Place = 'start' | 'delimiter' | 'head' | 'content' | 'epilogue' | 'unclear'

/**
 * Reads `model` from a multipart upload while it streams past, in bounded memory. The result is current when `push` returns. Strict,
 * because limits by model depend on it: a form that parsers could read in two ways is `unclear`. Each occurrence of the boundary must be a
 * delimiter as defined in RFC 2046 (5.1.1). No other parser can then find a part that this parser misses.
 */
export class FormReader {
  /** The values of the `model` fields, without repeats. */
  readonly models = new Set<string>()
  /** Whether the content of a file has begun. */
  fileBegun = false
  readonly #dashBoundary: Buffer
  #place: Place = 'start'
  /** Bytes that can't be judged before more arrive. */
  #pending: Buffer = nothing
  /** The value so far of a `model` field; null inside other parts. */
  #value: Buffer | null = null

  constructor(boundary: string) {
    this.#dashBoundary = Buffer.from(`--${boundary}`, 'latin1')
  }

  /** Whether parsers could read the form in two ways. Nothing more is read then. */
  get unclear(): boolean {
    return this.#place === 'unclear'
  }

  /** Whether the closing delimiter has arrived: no more fields follow. */
  get ended(): boolean {
    return this.#place === 'epilogue'
  }

  push(bytes: Uint8Array): void {
    if (this.#place === 'unclear') return
    const chunk = asBuffer(bytes)
    let data = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    for (let read: number | null = 0; read !== null; ) {
      read = this.#step(data)
      if (read !== null) data = data.subarray(read)
    }
    // A copy, since the chunk may be large and belongs to the caller.
    this.#pending = this.unclear ? nothing : Buffer.from(data)
  }

  /** Returns how many bytes were handled, or null until more arrive. */
  #step(data: Buffer): number | null {
    switch (this.#place) {
      case 'start':
        return this.#start(data)
      case 'delimiter':
        return this.#afterDelimiter(data)
      case 'head':
        return this.#head(data)
      case 'content':
        return this.#content(data)
      case 'epilogue':
        return data.every((byte) => byte === cr || byte === lf) ? this.#all(data) : this.#fail()
      default:
        return null
    }
  }

  #fail(): null {
    this.#place = 'unclear'
    return null
  }

  #all({ length }: Buffer): number | null {
    return length === 0 ? null : length
  }

  /** Refuses a preamble, except the line end that some clients send first. */
  #start(data: Buffer): number | null {
    const from = data[0] === cr ? 2 : 0
    if (from === 2 && data.length > 1 && data[1] !== lf) return this.#fail()
    const wanted = this.#dashBoundary
    const come = data.subarray(from, from + wanted.length)
    if (!wanted.subarray(0, come.length).equals(come)) return this.#fail()
    if (come.length < wanted.length) return null
    this.#place = 'delimiter'
    return from + wanted.length
  }

  #afterDelimiter(data: Buffer): number | null {
    if (data.length < 2) return null
    if (data[0] === cr && data[1] === lf) this.#place = 'head'
    else if (data[0] === dash && data[1] === dash) this.#place = 'epilogue'
    else return this.#fail()
    return 2
  }

  #head(data: Buffer): number | null {
    // Parsers do not agree on the name of a part without headers.
    if (data[0] === cr) return this.#fail()
    const end = data.indexOf(headEnd)
    if (end > maxHeadBytes || (end === -1 && data.length > maxHeadBytes)) return this.#fail()
    if (end === -1) return null
    const head = data.subarray(0, end)
    const part = head.includes(this.#dashBoundary) ? null : readHead(head.toString('latin1'))
    if (part === null) return this.#fail()
    this.#place = 'content'
    this.#value = part.name === 'model' ? nothing : null
    if (part.file) this.fileBegun = true
    return end + headEnd.length
  }

  #content(data: Buffer): number | null {
    const found = data.indexOf(this.#dashBoundary)
    // Retains what may begin a delimiter: a line end and all but one byte of the boundary.
    const end = found === -1 ? data.length - this.#dashBoundary.length - 1 : found - 2
    if (found === -1 && end <= 0) return null
    if (end < 0 || (found !== -1 && (data[end] !== cr || data[end + 1] !== lf))) return this.#fail()
    if (this.#value !== null) this.#value = Buffer.concat([this.#value, data.subarray(0, end)])
    if (this.#value !== null && this.#value.length > maxModelBytes) return this.#fail()
    if (found === -1) return end
    if (this.#value !== null) this.models.add(this.#value.toString('utf8'))
    if (this.models.size > maxModels) return this.#fail()
    this.#place = 'delimiter'
    return found + this.#dashBoundary.length
  }
}

/** Creates the reader of a form. Null when the content type is not `multipart/form-data` with one plain boundary. */
export function openForm(contentType: string): FormReader | null {
  const boundary = boundaryOf(contentType)
  return boundary === null ? null : new FormReader(boundary)
}
