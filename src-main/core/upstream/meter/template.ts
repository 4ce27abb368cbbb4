import { isUtf8 } from 'node:buffer'
import { stepSize } from './outputText.ts'

/** Longer events are always parsed. Bytes. */
const maxFrameBytes = 4096

/** Maximum number of templates. More than one is needed, because choices, reasoning and text may alternate. */
const maxTemplates = 4

/** After this many unknown events in a row, only every 64th becomes a template. */
const patience = 8

/**
 * The chunks of a stream differ in only one string. Once an event was parsed, the bytes before and after that string are a template. An
 * event that equals them, with a valid JSON string between, needs no JSON.parse. `T` is what the reader knows of such an event.
 */
export class EventTemplates<T> {
  /** What was learned with the template of the last match. */
  value: T | null = null
  /** Offsets of the undecoded text of the last match, without its quotes. */
  textFrom = 0
  textTo = 0
  #templates: EventTemplate<T>[] = []
  /** Index of the template that matched last. */
  #fitted = 0
  #misses = 0

  /** Matches the event at `at` and returns its end. -1 for an event that is incomplete, or without a template. */
  match(bytes: Buffer, at: number): number {
    const templates = this.#templates
    let end = this.#matchOne(templates[this.#fitted], bytes, at)
    for (let i = 0; end === -1 && i < templates.length; i++) {
      if (i === this.#fitted) continue
      end = this.#matchOne(templates[i], bytes, at)
      if (end !== -1) this.#fitted = i
    }
    if (end !== -1) this.#misses = 0
    return end
  }

  /**
   * Makes a template of an event that was parsed (`from` to `to`, blank line included).
   * @param key key of the only string in which later events may differ
   */
  learn(bytes: Buffer, from: number, to: number, key: string, value: T): void {
    this.#misses++
    // In a stream whose events differ in other places too, comparisons are not worth their cost.
    if (this.#misses === patience) this.#templates = []
    if (this.#misses >= patience && this.#misses % 64 !== 0) return
    const template = templateOf(bytes, from, to, key, value)
    if (template === null) return
    this.#fitted = this.#templates.length < maxTemplates ? this.#templates.length : (this.#fitted + 1) % maxTemplates
    this.#templates[this.#fitted] = template
  }

  #matchOne(template: EventTemplate<T> | undefined, bytes: Buffer, at: number): number {
    if (template === undefined) return -1
    const { before, after } = template
    const textFrom = at + before.length
    if (textFrom + after.length >= bytes.length + 1) return -1
    if (before.compare(bytes, at, textFrom) !== 0) return -1
    const textTo = endOfText(bytes, textFrom)
    if (textTo === -1 || textTo === textFrom) return -1
    const end = textTo + after.length
    if (end > bytes.length || after.compare(bytes, textTo, end) !== 0) return -1
    this.value = template.value
    this.textFrom = textFrom
    this.textTo = textTo
    return end
  }
}

interface EventTemplate<T> {
  /** Bytes up to the text, and from its closing quote on. */
  before: Buffer
  after: Buffer
  value: T
}

/** Null when the place of the string is not certain. */
function templateOf<T>(bytes: Buffer, from: number, to: number, name: string, value: T): EventTemplate<T> | null {
  if (name === '' || to - from > maxFrameBytes) return null
  const event = bytes.subarray(from, to)
  // These bytes can't be inside a string, where the quotes would be escaped. So they are a key, and its only occurrence.
  const key = `"${name}":`
  const keyAt = event.indexOf(key)
  if (keyAt === -1 || event.indexOf(key, keyAt + 1) !== -1) return null
  let textAt = keyAt + key.length
  while (event[textAt] === 0x20) textAt++
  if (event[textAt] !== 0x22) return null
  textAt++
  const textEnd = endOfText(event, textAt)
  // Without a backslash outside the text, every key is spelled as it looks.
  if (textEnd === -1 || event.lastIndexOf(0x5c, textAt - 1) !== -1 || event.indexOf(0x5c, textEnd) !== -1) return null
  // A copy that is not from Node's pool, because it lives as long as the stream.
  const copy = Buffer.allocUnsafeSlow(event.length)
  event.copy(copy)
  return { before: copy.subarray(0, textAt), after: copy.subarray(textEnd), value }
}

/**
 * The offset of the quote that ends the string whose content begins at `from`. -1 when the string is too long for one step or invalid. Also
 * -1 when it is spelled differently than by JSON.stringify (\u and \/), because a reading must not depend on how an event was read.
 */
function endOfText(bytes: Buffer, from: number): number {
  const end = Math.min(bytes.length, from + stepSize + 1)
  let ascii = true
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x22) return ascii || isUtf8(bytes.subarray(from, at)) ? at : -1
    if (byte < 0x20) return -1
    if (byte >= 0x80) ascii = false
    if (byte === 0x5c && !shortEscapes.has(bytes[++at] ?? 0)) return -1
  }
  return -1
}

/** " \\ b f n r t */
const shortEscapes: ReadonlySet<number> = new Set([0x22, 0x5c, 0x62, 0x66, 0x6e, 0x72, 0x74])
