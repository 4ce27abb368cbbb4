import { parseText } from '../../../upstream/json/jsonScan.ts'
import { isFields } from '../../../upstream/json/values.ts'

/** The one argument of the function that replaces a custom tool. */
export const customArgument = 'input'
const argumentKey = `"${customArgument}"`

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** `wrapped`: the arguments are not `{"input":"` and what they mean is known only at their end. */
type DecoderState =
  | 'start'
  | 'key'
  | 'colon'
  | 'quote'
  | 'string'
  | 'escape'
  | 'unicode'
  | 'after'
  | 'plain'
  | 'wrapped'

/**
 * Decodes the arguments of a custom tool's function, `{"input":"…"}`, to the raw text as they arrive. Models make mistakes in JSON, and the
 * text matters more than its wrapping: invalid escapes and raw line ends are text, arguments without JSON are the text itself, and an
 * object with another single string has that string. The result does not depend on where the arguments are split.
 */
export class CustomInputDecoder {
  #state: DecoderState = 'start'
  #matched = 0
  #hex = ''
  /** All arguments, as long as they may have to be read as a whole. */
  #raw = ''

  /** Returns the text that the next arguments add. */
  push(args: string): string {
    if (!this.#beforeText()) return this.#state === 'plain' ? args : this.#readText(args, 0)
    this.#raw += args
    let at = 0
    while (at < args.length && this.#beforeText() && this.#state !== 'wrapped') this.#readStart(args.charAt(at++))
    if (this.#beforeText()) return ''
    const before = this.#raw
    this.#raw = ''
    // The first plain character showed that everything so far is text.
    return this.#state === 'plain' ? before : this.#readText(args, at)
  }

  /** Ends the arguments. Returns the text that remains. */
  end(): string {
    if (this.#state === 'escape') return '\\'
    if (this.#state === 'unicode') return `\\u${this.#hex}`
    return this.#beforeText() ? textOf(this.#raw) : ''
  }

  #beforeText(): boolean {
    const state = this.#state
    return state === 'start' || state === 'key' || state === 'colon' || state === 'quote' || state === 'wrapped'
  }

  #readStart(char: string): void {
    if (this.#matched === 0 && isBlank(char)) return
    switch (this.#state) {
      case 'start':
        this.#state = char === '{' ? 'key' : char === '"' ? 'wrapped' : 'plain'
        break
      case 'key':
        this.#readKey(char)
        break
      case 'colon':
        this.#state = char === ':' ? 'quote' : 'wrapped'
        break
      default:
        this.#state = char === '"' ? 'string' : 'wrapped'
    }
  }

  #readKey(char: string): void {
    if (char !== argumentKey.charAt(this.#matched)) this.#state = 'wrapped'
    else if (++this.#matched === argumentKey.length) {
      this.#state = 'colon'
      this.#matched = 0
    }
  }

  /** Reads what is inside the string, or after it. */
  #readText(args: string, from: number): string {
    let out = ''
    let at = from
    while (at < args.length && this.#state !== 'after') {
      if (this.#state === 'string') {
        const end = endOfPlain(args, at)
        out += args.slice(at, end)
        at = end
        if (at < args.length) this.#state = args.charAt(at++) === '"' ? 'after' : 'escape'
      } else
        out += this.#state === 'escape' ? this.#readEscape(args.charAt(at++)) : this.#readUnicode(args.charAt(at++))
    }
    return out
  }

  #readEscape(char: string): string {
    if (char === 'u') {
      this.#hex = ''
      this.#state = 'unicode'
      return ''
    }
    this.#state = 'string'
    return escapes.get(char) ?? `\\${char}`
  }

  #readUnicode(char: string): string {
    if (!/[\da-f]/i.test(char)) {
      // Not an escape after all. The character itself may be a quote, a backslash or text.
      const wrong = `\\u${this.#hex}`
      this.#state = char === '"' ? 'after' : char === '\\' ? 'escape' : 'string'
      return this.#state === 'string' ? wrong + char : wrong
    }
    this.#hex += char
    if (this.#hex.length < 4) return ''
    this.#state = 'string'
    return String.fromCharCode(Number.parseInt(this.#hex, 16))
  }
}

const isBlank = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t'

function endOfPlain(args: string, from: number): number {
  let at = from
  for (; at < args.length; at++) {
    const code = args.charCodeAt(at)
    if (code === 0x22 || code === 0x5c) break
  }
  return at
}

function textOf(raw: string): string {
  let value: unknown
  try {
    value = parseText(raw)
  } catch {
    return raw.trim() === '' ? '' : raw
  }
  if (typeof value === 'string') return value
  if (!isFields(value)) return raw
  const members = Object.values(value)
  if (members.length === 0) return ''
  const input = Object.hasOwn(value, customArgument) ? value[customArgument] : members[0]
  if (typeof input === 'string' && (members.length === 1 || Object.hasOwn(value, customArgument))) return input
  return raw
}
