import { stripVTControlCharacters } from 'node:util'
import { guarded } from '../../../shared/unexpected.ts'
import { limits } from '../limits.ts'

/**
 * Returns a function that removes these secrets from text. Ignores values under 4 characters, which would match everywhere and are not
 * secret.
 */
export function redactor(values: readonly string[]): (words: string) => string {
  const secrets = values
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.length >= 4)
    .sort((one, other) => other.length - one.length)
  return (words) => secrets.reduce((text, secret) => text.replaceAll(secret, '•••'), words)
}

/**
 * Delay before subscribers are notified, ms. Batches lines, because the published state may be large and a server can
 * write endlessly.
 */
const notifyDelayMs = 250

/** The last lines of a text stream. */
export class LogTail {
  readonly #redact: (words: string) => string
  readonly #lines: string[] = []
  readonly #decoder = new TextDecoder()
  readonly #notify: () => void
  #partial = ''
  #notifying = false

  constructor(redact: (words: string) => string, notify: () => void = () => undefined) {
    this.#redact = redact
    this.#notify = notify
  }

  get lines(): string[] {
    return this.#partial ? [...this.#lines.slice(1 - limits.logLines), this.#shown(this.#partial)] : [...this.#lines]
  }

  push(chunk: Uint8Array): void {
    const pieces = (this.#partial + this.#decoder.decode(chunk, { stream: true })).split(/\r?\n/)
    // The stored part of an unfinished line is long enough to contain a whole secret.
    this.#partial = (pieces.pop() ?? '').slice(0, 50 * limits.logLineLength)
    for (const line of pieces.slice(-limits.logLines)) this.#lines.push(this.#shown(line))
    this.#lines.splice(0, this.#lines.length - limits.logLines)
    if (this.#notifying) return
    this.#notifying = true
    const notify = guarded('Subscribers could not be notified of the log of a server', this.#notify)
    setTimeout(() => {
      this.#notifying = false
      notify()
    }, notifyDelayMs).unref()
  }

  #shown(line: string): string {
    const bare = stripVTControlCharacters(this.#redact(line)).replace(/\p{Cc}/gu, ' ')
    return bare.length > limits.logLineLength ? `${bare.slice(0, limits.logLineLength).toWellFormed()}…` : bare
  }
}
