export type JsonExpected = 'value' | 'name' | 'colon' | 'commaOrEnd' | 'end' | 'string' | 'number' | 'escape' | 'word'

export interface JsonFault {
  /** Line and column of the fault, from 1. Columns count UTF-16 units. */
  line: number
  column: number
  /** The expected token. `end`: nothing more. `string`: a string that ends on its line. */
  expected: JsonExpected
  /** Whether the fault is at the end of the text. */
  atEnd: boolean
}

type Container = 'object' | 'array'
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /[A-Za-z]+/y

/**
 * Finds the first JSON syntax error of a text (RFC 8259), or returns null for valid JSON. Needed because browsers report errors
 * differently, some without a position. Not recursive, so the nesting depth is unlimited.
 */
export function jsonFault(text: string): JsonFault | null {
  const scan = new Scan(text)
  const found = scan.run()
  return found === null ? null : { ...placeOf(text, scan.at), expected: found, atEnd: scan.at >= text.length }
}

/** Line and column, from 1, of an offset in a text. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: at - lineStart + 1 }
}

class Scan {
  at = 0
  readonly #text: string
  readonly #open: Container[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** What was expected at the fault. Null for valid JSON. */
  run(): JsonExpected | null {
    for (;;) {
      const fault = this.#value()
      if (fault === 'opened') continue
      if (fault) return fault
      const after = this.#after()
      if (after === 'done') return null
      if (after !== 'next') return after
    }
  }

  /** Reads one value, or the start of a container that is not empty. */
  #value(): JsonExpected | 'opened' | null {
    this.#space()
    const first = this.#text[this.at]
    if (first === '{' || first === '[') return this.#enter(first === '{' ? 'object' : 'array')
    if (first === '"') return this.#string()
    if (first === '-' || (first !== undefined && first >= '0' && first <= '9')) return this.#number()
    return this.#word()
  }

  #enter(kind: Container): JsonExpected | 'opened' | null {
    this.at += 1
    this.#space()
    if (this.#text[this.at] === (kind === 'object' ? '}' : ']')) {
      this.at += 1
      return null
    }
    this.#open.push(kind)
    return kind === 'array' ? 'opened' : (this.#name() ?? 'opened')
  }

  /** Reads what follows a value: the end of its container, or a comma and the next member. */
  #after(): JsonExpected | 'done' | 'next' {
    for (;;) {
      this.#space()
      const kind = this.#open.at(-1)
      const next = this.#text[this.at]
      if (kind === undefined) return next === undefined ? 'done' : 'end'
      if (next === ',') {
        this.at += 1
        return kind === 'array' ? 'next' : (this.#name() ?? 'next')
      }
      if (next !== (kind === 'object' ? '}' : ']')) return 'commaOrEnd'
      this.at += 1
      this.#open.pop()
    }
  }

  #name(): JsonExpected | null {
    this.#space()
    if (this.#text[this.at] !== '"') return 'name'
    const fault = this.#string()
    if (fault) return fault
    this.#space()
    if (this.#text[this.at] !== ':') return 'colon'
    this.at += 1
    return null
  }

  #string(): JsonExpected | null {
    this.at += 1
    for (;;) {
      const next = this.#text[this.at]
      if (next === '"') {
        this.at += 1
        return null
      }
      if (next === undefined || next < ' ') return 'string'
      if (next === '\\') {
        if (!/^\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/.test(this.#text.slice(this.at, this.at + 6))) return 'escape'
        this.at += 2
      } else this.at += 1
    }
  }

  #number(): JsonExpected | null {
    number.lastIndex = this.at
    const found = number.exec(this.#text)
    if (!found) return 'number'
    this.at += found[0].length
    return null
  }

  #word(): JsonExpected | null {
    word.lastIndex = this.at
    const found = word.exec(this.#text)?.[0]
    if (found === undefined) return 'value'
    if (found !== 'true' && found !== 'false' && found !== 'null') return 'word'
    this.at += found.length
    return null
  }

  #space(): void {
    while (this.at < this.#text.length && ' \t\n\r'.includes(this.#text.charAt(this.at))) this.at += 1
  }
}
