const mask = '[key]'

/** An occurrence of the key, escapes included. */
export type Span = [start: number, end: number]

/** Result of one scan. All positions are offsets in the scanned bytes. */
export interface Findings {
  /** Ascending, without overlap. */
  spans: Span[]
  /** Offset where an occurrence may begin that ends in the next chunk; else the length of the data. */
  pendingFrom: number
  /** Offset from which the data is held back until the next chunk is known. At least `pendingFrom`. */
  holdFrom: number
  /** At least half of a form has arrived: too much of the key to pass on, even if the data ends here. */
  mostlyThere: boolean
}

/** Finds the key in bytes. Null when there is nothing to mask or to hold back. */
export type Scan = (bytes: Uint8Array) => Findings | null

/** Masks the key in the chunks of a body. */
export interface ChunkRedactor {
  /** Returns what can be passed on, or null for nothing yet. */
  push(chunk: Uint8Array): Uint8Array | null
  /** Call when the body has ended or broken off. Returns the bytes that were held back, unless they are most of the key. */
  end(): Uint8Array | null
}

/** Masks the key in one body, wherever its chunks are split. Chunks without the key pass as the same objects. */
export class BodyRedactor implements ChunkRedactor {
  readonly #scan: Scan
  /** The end of the data so far, where an occurrence may begin. The first `#passed` bytes of it were passed on. */
  #tail: Uint8Array = nothing
  #passed = 0
  #mostlyThere = false

  constructor(scan: Scan) {
    this.#scan = scan
  }

  push(chunk: Uint8Array): Uint8Array | null {
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const found = this.#scan(bytes)
    if (found === null && bytes === chunk) return chunk
    const passed = this.#passed
    this.#tail = nothing
    this.#passed = 0
    if (found === null) return bytes.subarray(passed)
    const { spans, pendingFrom, holdFrom } = unmaskedRest(found, passed)
    this.#tail = Buffer.from(bytes.subarray(pendingFrom))
    this.#passed = holdFrom - pendingFrom
    this.#mostlyThere = found.mostlyThere
    if (holdFrom === passed) return null
    return spans.length === 0 ? bytes.subarray(passed, holdFrom) : masked(bytes, spans, passed, holdFrom)
  }

  end(): Uint8Array | null {
    const tail = this.#tail
    const passed = this.#passed
    this.#tail = nothing
    if (tail.length === passed) return null
    return this.#mostlyThere ? masked(tail, [[0, tail.length]], passed, tail.length) : tail.subarray(passed)
  }
}

/** Masks the key in a text that arrives in pieces, with `[key]`. */
export class PiecesRedactor {
  readonly #scan: Scan
  #tail = ''
  #passed = 0
  #mostlyThere = false

  constructor(scan: Scan) {
    this.#scan = scan
  }

  /** Returns the text that is safe to pass on; it may be empty. */
  push(piece: string): string {
    const text = this.#tail + piece
    const passed = this.#passed
    const found = this.#scan(Buffer.from(text, 'latin1'))
    this.#tail = ''
    this.#passed = 0
    if (found === null) return text.slice(passed)
    const { spans, pendingFrom, holdFrom } = unmaskedRest(found, passed)
    this.#tail = text.slice(pendingFrom)
    this.#passed = holdFrom - pendingFrom
    this.#mostlyThere = found.mostlyThere
    return replaced(text, spans, passed, holdFrom)
  }

  end(): string {
    const held = this.#tail.slice(this.#passed)
    this.#tail = ''
    this.#passed = 0
    return held !== '' && this.#mostlyThere ? mask : held
  }
}

const nothing = new Uint8Array()

/** Text that was passed on stays, and masked text can't begin another occurrence. */
export function unmaskedRest(found: Findings, passed: number): Omit<Findings, 'mostlyThere'> {
  const end = Math.max(passed, found.spans.at(-1)?.[1] ?? 0)
  const pendingFrom = found.spans.length === 0 ? found.pendingFrom : Math.max(found.pendingFrom, end)
  return { spans: found.spans, pendingFrom, holdFrom: Math.max(found.holdFrom, end) }
}

/** Copies `bytes[from, to)` with the spans overwritten. */
function masked(bytes: Uint8Array, spans: Span[], from: number, to: number): Uint8Array {
  const copy = Buffer.from(bytes.subarray(from, to))
  for (const [start, end] of spans) {
    const first = Math.max(start, from)
    if (first < end) maskRange(copy, first - from, end - from, first === start)
  }
  return copy
}

/** Overwrites `bytes[start, end)`. @param isStart whether the key begins there, so that the mask begins with its name */
export function maskRange(bytes: Buffer, start: number, end: number, isStart: boolean): void {
  // A key of digits may be a JSON number, where only digits keep the JSON valid.
  const fill = bytes.subarray(start, end).every((byte) => byte >= 0x30 && byte <= 0x39) ? '1' : '*'
  bytes.fill(fill, start, end)
  if (fill === '*' && isStart && end - start >= mask.length) bytes.write(mask, start, 'latin1')
}

/** The part of a text from `from` to `to`, with the spans replaced. */
export function replaced(text: string, spans: Span[], from: number, to: number): string {
  let out = ''
  let at = from
  for (const [start, end] of spans) {
    if (end <= at) continue
    out += text.slice(at, Math.max(at, start)) + mask
    at = end
  }
  return out + text.slice(at, to)
}
