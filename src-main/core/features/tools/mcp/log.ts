import { stripVTControlCharacters } from 'node:util'
import { guarded } from '../../../shared/unexpected.ts'
import { limits } from '../limits.ts'

/** Takes secrets out of words that others will read. Very short values are left: they would match everywhere, and hide nothing. */
export function redactor(values: readonly string[]): (words: string) => string {
  const secrets = values
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.length >= 4)
    .sort((one, other) => other.length - one.length)
  return (words) => secrets.reduce((text, secret) => text.replaceAll(secret, '•••'), words)
}

/** New lines are told together: the state that goes with them may be large, and a server can write without end. */
const tellMs = 250

/** The last lines of a stream of text. */
export class LogTail {
  readonly #redact: (words: string) => string
  readonly #lines: string[] = []
  readonly #decoder = new TextDecoder()
  readonly #notify: () => void
  #partial = ''
  #telling = false

  constructor(redact: (words: string) => string, notify: () => void = () => undefined) {
    this.#redact = redact
    this.#notify = notify
  }

  get lines(): string[] {
    return this.#partial ? [...this.#lines.slice(1 - limits.logLines), this.#shown(this.#partial)] : [...this.#lines]
  }

  push(chunk: Uint8Array): void {
    const pieces = (this.#partial + this.#decoder.decode(chunk, { stream: true })).split(/\r?\n/)
    // A line without an end is kept long enough for a secret in it to be whole.
    this.#partial = (pieces.pop() ?? '').slice(0, 50 * limits.logLineLength)
    for (const line of pieces.slice(-limits.logLines)) this.#lines.push(this.#shown(line))
    this.#lines.splice(0, this.#lines.length - limits.logLines)
    if (this.#telling) return
    this.#telling = true
    const notify = guarded('The log of a server could not be told', this.#notify)
    setTimeout(() => {
      this.#telling = false
      notify()
    }, tellMs).unref()
  }

  #shown(line: string): string {
    const bare = stripVTControlCharacters(this.#redact(line)).replace(/\p{Cc}/gu, ' ')
    return bare.length > limits.logLineLength ? `${bare.slice(0, limits.logLineLength).toWellFormed()}…` : bare
  }
}
