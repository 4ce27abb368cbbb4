import { asBuffer } from './bytes.ts'

/** Longer than any model's name. Bytes. */
const longestModel = 512
/** Headers of one part. Bytes. */
const longestHead = 8192
/** Different models of one form: more are nobody's mistake. */
const mostModels = 16

const headEnd = Buffer.from('\r\n\r\n')
const nothing = Buffer.alloc(0)
const cr = 0x0d
const lf = 0x0a
const dash = 0x2d

/** Characters that need no quotes, of those that a boundary may hold (RFC 2046, 5.1.1). */
const plainBoundary = /^[0-9A-Za-z'+_\-.]{1,70}$/
/** Quoted without an escaped quote: parsers differ in whether `\"` ends the value. */
const parameter = /[ \t]*;[ \t]*([A-Za-z0-9*_-]+)=(?:"((?:[^"\\]|\\(?!"))*)"|([^\s;"]+))/y
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/
const plainName = /^[\w.-]+(?:\[[\w.-]*\])*$/
const dispositionParameters: ReadonlySet<string> = new Set(['name', 'filename', 'filename*'])

/** The parameters behind a header's first value; null where one stands twice, or where anything is left that is none. */
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

/** Headers of a part by name, in lower case; null where one stands twice, or where a line is none. */
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

/** The parameters of `form-data`; null where parsers could read them in two ways. */
function dispositionOf(value: string): Map<string, string> | null {
  const type = /^form-data(?=[\s;])/i.exec(value)
  const parameters = type && parametersOf(value.slice(type[0].length))
  if (!parameters) return null
  for (const name of parameters.keys()) if (!dispositionParameters.has(name)) return null
  return parameters
}

/** What the head of a part says; null where two parsers could read it in two ways. */
function readHead(head: string): { name: string; file: boolean } | null {
  const headers = headersOf(head)
  const parameters = dispositionOf(headers?.get('content-disposition') ?? '')
  if (headers === null || parameters === null) return null
  // Go decodes quoted-printable by itself; some parsers descend into a multipart of its own.
  if (!/^(?:7bit|8bit|binary)\s*$/i.test(headers.get('content-transfer-encoding') ?? 'binary')) return null
  if (/^\s*multipart\//i.test(headers.get('content-type') ?? '')) return null
  const name = parameters.get('name') ?? ''
  const file = parameters.has('filename') || parameters.has('filename*')
  if (!plainName.test(name)) return null
  // `Model`, `model[]`, and a model that is sent as a file: a field called `model` to some parsers, and not to others.
  const looksLikeModel = name.toLowerCase().split('[', 1)[0] === 'model'
  return looksLikeModel && (name !== 'model' || file) ? null : { name, file }
}

type Place = 'start' | 'delimiter' | 'head' | 'content' | 'epilogue' | 'unclear'

/**
 * Reads `model` (and nothing else) out of a multipart upload while it streams past, in bounded memory. What a push has completed is known when it returns.
 *
 * Strict, because a limit by model hangs on it: a form that two parsers could read in two ways is `unclear`. Above all, each occurrence of the boundary in the
 * upload must be a delimiter as RFC 2046 (5.1.1) writes it, so that no parser finds a part that this one does not.
 */
export class FormReader {
  /** What the `model` fields said, each value once. */
  readonly models = new Set<string>()
  /** The contents of a file have begun. */
  fileBegun = false
  readonly #dashBoundary: Buffer
  #place: Place = 'start'
  /** Bytes that can't be judged before more have come. */
  #pending: Buffer = nothing
  /** The value of the `model` field that is being read; null inside of other parts. */
  #value: Buffer | null = null

  constructor(boundary: string) {
    this.#dashBoundary = Buffer.from(`--${boundary}`, 'latin1')
  }

  /** Two parsers could read it in two ways; nothing more is read. */
  get unclear(): boolean {
    return this.#place === 'unclear'
  }

  /** The closing delimiter has come: there are no more fields. */
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
    // A copy, since the chunk itself may be large and is not ours.
    this.#pending = this.unclear ? nothing : Buffer.from(data)
  }

  /** How many bytes are done with; null until more have come. */
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

  /** No preamble, but the line end that some clients begin with. */
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
    // A part without headers has no name that all parsers agree on.
    if (data[0] === cr) return this.#fail()
    const end = data.indexOf(headEnd)
    if (end > longestHead || (end === -1 && data.length > longestHead)) return this.#fail()
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
    // What may still be the start of a delimiter stays: a line end and all but one byte of the boundary.
    const end = found === -1 ? data.length - this.#dashBoundary.length - 1 : found - 2
    if (found === -1 && end <= 0) return null
    if (end < 0 || (found !== -1 && (data[end] !== cr || data[end + 1] !== lf))) return this.#fail()
    if (this.#value !== null) this.#value = Buffer.concat([this.#value, data.subarray(0, end)])
    if (this.#value !== null && this.#value.length > longestModel) return this.#fail()
    if (found === -1) return end
    if (this.#value !== null) this.models.add(this.#value.toString('utf8'))
    if (this.models.size > mostModels) return this.#fail()
    this.#place = 'delimiter'
    return found + this.#dashBoundary.length
  }
}

/** Null where the content type is no `multipart/form-data` with one plain boundary. */
export function openForm(contentType: string): FormReader | null {
  const boundary = boundaryOf(contentType)
  return boundary === null ? null : new FormReader(boundary)
}
