import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { type Edit, edited, type UsageWish, usageAtStart, usageWish } from './askForUsage.ts'
import { parseBetween } from './json.ts'
import { JsonScan } from './jsonScan.ts'
import { textOrNull } from './values.ts'

export { FormReader, openForm } from './multipart.ts'

export interface AskedFor {
  /** Null where it names none, or two different ones (a repeated or differently cased key): then nobody knows which one counts. */
  model: string | null
  /** It names a model in some way: with `model` null, one that can't be told, so that no default may stand in for it. */
  namesModel: boolean
  stream: boolean
  /** `stream_options.include_usage`; null counts as absent. */
  usage: UsageWish['usage']
  /** The change that asks for the usage; null where it can't be made safely or the request says already whether it wants the usage. */
  usageEdit: Edit | null
  /** Estimate. */
  tokensIn: number
  /** The largest `max_tokens` or `max_completion_tokens`, however often they occur; at other paths of `max_output_tokens` too. Numbers beyond `mostTokens` count as that. */
  maxTokens: number | null
  /** The largest `n`, else 1. */
  count: number
  /** It was one JSON object in UTF-8, nested at most `maxDepth` deep. */
  json: boolean
}

/** A picture of ordinary size in the usual tiling costs 765 to 1,105 tokens; sounds and files are counted alike. */
const tokensOfAttachment = 1_000
const bytesOfToken = 4

/** Larger than any model's context: what is asked for beyond it can't be produced. */
const mostTokens = 1_000_000_000
const mostChoices = 1_000_000

/** `max_completion_tokens` */
const longestName = 21
/** Bytes of a key that may be one of ours: each of its letters may be written as \uXXXX. */
const longestKey = 160
/** Bytes of a value of ours. A longer model name is none; longer `stream_options` are left as they are. */
const longestValue = 64 * 1024

const attachments = ['image_url', 'input_audio', 'file'] as const
/** Lengths of these names, and of `type`. */
const attachmentLengths: ReadonlySet<number> = new Set([...attachments, 'type'].map(({ length }) => length))
/** The place of `image_url`, which some clients send without a `type`. */
const imageUrl = 0

const measuredInChat: ReadonlySet<string> = new Set(['messages', 'tools', 'functions', 'response_format'])
const measuredElsewhere: ReadonlySet<string> = new Set(['prompt', 'input'])
/** A path that the specification does not know may take either. */
const measuredAtOther: ReadonlySet<string> = new Set([...measuredInChat, ...measuredElsewhere])
const read: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
])
const readAtOther: ReadonlySet<string> = new Set([...read, 'max_output_tokens'])

/** What a JSON request asks for, from its whole body. Never throws: what can't be read is null or false. */
export function readAsked(endpoint: Endpoint, body: Uint8Array): AskedFor {
  const scan = new RequestScan(endpoint)
  scan.push(body)
  return scan.asked()
}

/**
 * The same body with `stream_options.include_usage: true` put in, every other byte as it was. Null where it can't be put in safely: no JSON
 * object, already there (true or declined), named twice, or of another type.
 */
export function askForUsage(body: Uint8Array, { usageEdit } = readAsked('chat', body)): Uint8Array | null {
  return usageEdit && edited(body, usageEdit)
}

/** Text of one array or object inside what is measured, as far as it has come. */
interface Level {
  size: Size
  /** Sizes of members that may be an attachment, which depends on `type`: that may stand behind them. */
  pending: (Size | null)[]
  /** The member that is being read may be an attachment: its place in `attachments`, else -1. */
  candidate: number
  /** The member that is being read is `type`. */
  atType: boolean
  /** Undefined without a `type`; -1 where it names no attachment. */
  type: number | undefined
}

interface Size {
  bytes: number
  attachments: number
}

/**
 * Reads what a JSON request asks for while its body comes in, split anywhere. No value of it is built: memory does not grow with the body,
 * and no chunk takes long.
 *
 * Parsers differ in which of two equal keys counts, and some (Go's) take `Model` for `model`. A limit must hold for every reading: two
 * models are none, and of several `max_tokens` or `n` the largest counts.
 */
export class RequestScan extends JsonScan {
  readonly #measuredKeys: ReadonlySet<string>
  readonly #readKeys: ReadonlySet<string>
  /** The member of the top-level object that is being read: its name in lower case, where it is one of ours. */
  #member: string | null = null
  /** Its name was written in that case. */
  #exact = false
  #isObject = false
  #isEmpty = true
  /** Where the top-level object's brace stands. */
  #brace = 0
  #valueFrom = 0
  #model: { value: unknown; clear: boolean } | null = null
  #stream = false
  #options: UsageWish | null = null
  #maxTokens: number | null = null
  #count = 1
  #size: Size = { bytes: 0, attachments: 0 }
  #isMeasuring = false
  /** Arrays and objects inside a measured member, `#open` of them open; the others are kept for the next ones. */
  readonly #levels: Level[] = []
  #open = 0

  constructor(endpoint: Endpoint) {
    super()
    this.#measuredKeys =
      endpoint === 'chat' ? measuredInChat : endpoint === 'other' ? measuredAtOther : measuredElsewhere
    this.#readKeys = endpoint === 'other' ? readAtOther : read
  }

  /** After the last byte. */
  asked(): AskedFor {
    if (!this.end() || !this.#isObject) return nothingAsked
    const model = this.#model
    const { bytes, attachments: attached } = this.#size
    const options = this.#options ?? { usage: 'absent' as const, edit: usageAtStart(this.#brace, this.#isEmpty) }
    return {
      model: model?.clear === true ? textOrNull(model.value) : null,
      namesModel: model !== null && (!model.clear || model.value !== null),
      stream: this.#stream,
      usage: options.usage,
      usageEdit: options.edit,
      tokensIn: Math.ceil(bytes / bytesOfToken) + attached * tokensOfAttachment,
      maxTokens: this.#maxTokens,
      count: this.#count,
      json: true,
    }
  }

  protected override opened(isObject: boolean, at: number): void {
    if (this.depth === 1) {
      this.#isObject = isObject
      this.#brace = this.offset + at
    } else if (this.#isMeasuring) {
      const kept = this.#levels[this.#open]
      if (kept) reset(kept)
      else this.#levels.push(newLevel())
      this.#open++
    }
  }

  protected override closed(isObject: boolean): void {
    if (!this.#isMeasuring || this.#open === 0) return
    const level = this.#level()
    this.#open--
    if (level === undefined) return
    if (isObject) settle(level)
    const outer = this.#level()
    const size = outer === undefined ? this.#size : sizeAt(outer)
    size.bytes += level.size.bytes
    size.attachments += level.size.attachments
  }

  protected override stringBegan(isKey: boolean, at: number): void {
    if (isKey) {
      if (this.depth === 1 || this.#isMeasuring) this.startCapture(at, longestKey)
    } else if (this.#isMeasuring && this.#level()?.atType === true) this.startCapture(at, longestKey)
  }

  protected override stringEnded(isKey: boolean, bytes: Buffer, at: number): void {
    if (this.depth === 1) {
      if (isKey) this.#memberBegins(textOf(this.stopCapture(bytes, at)))
      else if (this.#isMeasuring) this.#size.bytes += this.stringBytes
    } else if (this.#isMeasuring) {
      const level = this.#level()
      if (level === undefined) return
      if (isKey) this.#keyOf(level, this.stopCapture(bytes, at))
      else {
        if (level.atType) level.type = attachments.indexOf(attachmentOf(textOf(this.stopCapture(bytes, at))))
        sizeAt(level).bytes += this.stringBytes
      }
    }
  }

  protected override valueBegan(at: number): void {
    if (this.depth === 1 && this.#member !== null) {
      this.#valueFrom = this.offset + at
      if (this.#measuredKeys.has(this.#member)) this.#isMeasuring = true
      else this.startCapture(at, longestValue)
    } else if (this.#isMeasuring) {
      const level = this.#level()
      if (level?.atType === true) level.type = -1
    }
  }

  protected override valueEnded(bytes: Buffer, at: number): void {
    if (this.depth !== 1 || this.#member === null) return
    if (this.#isMeasuring) this.#isMeasuring = false
    else this.#take(this.#member, this.stopCapture(bytes, at), this.offset + at)
    this.#member = null
  }

  #memberBegins(name: string | null): void {
    this.#isEmpty = false
    this.#member = name !== null && this.#isOurs(name) ? name : null
    this.#exact = this.#member !== null
    if (name === null || this.#exact || name.length > longestName) return
    // Upper case first: it leads the long s and the sign for kelvin, which Go takes for s and k, back to those letters.
    const folded = name.toUpperCase().toLowerCase()
    if (this.#isOurs(folded)) this.#member = folded
  }

  #isOurs(name: string): boolean {
    return this.#readKeys.has(name) || this.#measuredKeys.has(name)
  }

  #take(name: string, raw: Buffer | null, to: number): void {
    const value = raw === null ? undefined : parseBetween(raw, 0, raw.length)
    switch (name) {
      case 'model': {
        const known = this.#model
        const clear = this.#exact && value !== undefined && (known === null || (known.clear && known.value === value))
        this.#model = { value, clear }
        break
      }
      case 'stream':
        if (this.#exact) this.#stream = value === true
        break
      case 'stream_options':
        this.#options = this.#optionsAt(raw, value, to)
        break
      case 'n':
        this.#count = Math.max(this.#count, largestCount(value, mostChoices) ?? 1)
        break
      default: {
        const tokens = largestCount(value, mostTokens)
        if (tokens !== null) this.#maxTokens = Math.max(this.#maxTokens ?? 0, tokens)
      }
    }
  }

  #optionsAt(raw: Buffer | null, value: unknown, to: number): UsageWish {
    const wish = usageWish(raw, value, this.#valueFrom, to)
    // Which of two counts is not known.
    return this.#exact && this.#options === null ? wish : { usage: wish.usage, edit: null }
  }

  #keyOf(level: Level, raw: Buffer | null): void {
    const key = attachmentLengths.has(this.stringBytes) ? textOf(raw) : null
    level.atType = key === 'type'
    level.candidate = attachments.indexOf(attachmentOf(key))
    if (level.candidate < 0) level.size.bytes += this.stringBytes
    else level.pending[level.candidate] ??= { bytes: 0, attachments: 0 }
  }

  #level(): Level | undefined {
    return this.#levels[this.#open - 1]
  }
}

const newLevel = (): Level => ({
  size: { bytes: 0, attachments: 0 },
  pending: [],
  candidate: -1,
  atType: false,
  type: undefined,
})

function reset(level: Level): void {
  level.size.bytes = 0
  level.size.attachments = 0
  level.pending.length = 0
  level.candidate = -1
  level.atType = false
  level.type = undefined
}

/** Where the value that is being read is counted. */
const sizeAt = ({ candidate, pending, size }: Level): Size => pending[candidate] ?? size

/** At the end of an object: pictures, sounds and files count at a flat rate, their base64 not at all; a member of such a name without its `type` is text. */
function settle({ pending, size, type }: Level): void {
  for (const [place, name] of attachments.entries()) {
    const found = pending[place]
    if (!found) continue
    if (type === place || (place === imageUrl && type === undefined)) size.attachments += 1
    else {
      size.bytes += found.bytes + name.length
      size.attachments += found.attachments
    }
  }
}

type Attachment = (typeof attachments)[number]
const attachmentOf = (name: string | null): Attachment => name as Attachment

/** A string with its quotes as a text; null where it was too long to be copied. */
function textOf(raw: Buffer | null): string | null {
  if (raw === null) return null
  return raw.includes(0x5c) ? textOrNull(parseBetween(raw, 0, raw.length)) : raw.toString('utf8', 1, raw.length - 1)
}

/** What a body asks for that was not read. */
export const nothingAsked: Readonly<AskedFor> = {
  model: null,
  namesModel: false,
  stream: false,
  usage: 'absent',
  usageEdit: null,
  tokensIn: 0,
  maxTokens: null,
  count: 1,
  json: false,
}

/**
 * The largest count that a tolerant service could read here; null where there is none. Fractions, numbers beyond all sense and numbers in
 * quotes are refused by the specification, but a limit must not depend on that.
 */
function largestCount(value: unknown, most: number): number | null {
  // Too long to be copied: a number of thousands of digits.
  if (value === undefined) return most
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number) || number < 0) return null
  return Math.min(most, Math.ceil(number))
}
