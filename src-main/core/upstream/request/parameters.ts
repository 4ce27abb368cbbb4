import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { JsonScan } from '../json/jsonScan.ts'
import { parseBetween } from '../json/offsets.ts'
import { textOrNull } from '../json/values.ts'
import { type Adaptation, adaptable, adaptationsOf, type ScannedMember } from './adapt.ts'
import { type Edit, editUsageOption, type UsageOption, usageAtStart } from './askForUsage.ts'
import { type ModelSelector, selectedModels, selectsModel } from './modelSelectors.ts'

export { FormReader, openForm } from './multipart.ts'

/** The parameters of a request body that limits and the request log need. */
export interface RequestParameters {
  /**
   * Null when the request names no model, or two different ones (a repeated key, or one in another case): the service could take either.
   */
  model: string | null
  /** Bytes of the model's name with its quotes, for a change of it. Null when `model` is null or its key is repeated. */
  modelAt: { from: number; to: number } | null
  /** The request names a model, even if `model` is null because it is ambiguous. A default model must not replace it. */
  namesModel: boolean
  /** Members besides `model` that may select a model: for the app's list of models. At most `maxSelectors` with different names. */
  selectors: readonly ModelSelector[]
  stream: boolean
  /** `stream_options.include_usage`; null counts as absent. */
  usage: UsageOption['usage']
  /** The change that asks for the usage. Null when it is unsafe, or the request already says whether it wants the usage. */
  usageEdit: Edit | null
  /** Changes of a chat request to what the service reads. */
  adaptations: readonly Adaptation[]
  /** Estimate of the prompt. */
  tokensIn: number
  /** The largest of all `max_tokens` and `max_completion_tokens`, at unknown paths of `max_output_tokens` too. At most `maxTokensPossible`. */
  maxTokens: number | null
  /** The largest `n`, else 1. */
  count: number
  /** Whether the body is one JSON object in UTF-8 of at most `maxDepth` levels. */
  json: boolean
}

/** A picture of ordinary size costs 765 to 1,105 tokens in the usual tiling. Audio and files count the same. */
export const tokensOfAttachment = 1_000
const bytesOfToken = 4

/** Larger than any model's context, so no service can produce more. */
const maxTokensPossible = 1_000_000_000
const maxChoices = 1_000_000

/** Length of `max_completion_tokens`. */
const maxNameLength = 21
/** Most members that may select a model. A request with more selects what can't be checked. */
const maxSelectors = 16
/** Maximum number of bytes of a key that is read: each of its letters may be written as \uXXXX. */
const maxKeyBytes = 160
/** The same for a member of the request: 64 letters. A longer name could be that of a member that selects a model. */
const maxMemberBytes = 2 + 64 * 6
const unreadName = 'with a very long name'
/** Maximum number of bytes of a value that is read. A longer model name counts as none; longer `stream_options` are not changed. */
const maxValueBytes = 64 * 1024

/** Members of a content part that count at a flat rate. */
export const attachments = ['image_url', 'input_audio', 'file'] as const
export type AttachmentName = (typeof attachments)[number]
/** Lengths of these names, and of `type`. */
const attachmentLengths: ReadonlySet<number> = new Set([...attachments, 'type'].map(({ length }) => length))
/** Index of `image_url`, which some clients send without a `type`. */
const imageUrl = 0

/** Members of a chat request that are the prompt. */
export const measuredInChat: ReadonlySet<string> = new Set(['messages', 'tools', 'functions', 'response_format'])
const measuredElsewhere: ReadonlySet<string> = new Set(['prompt', 'input'])
/** A path that the specification does not know may use either. */
const measuredAtOther: ReadonlySet<string> = new Set([...measuredInChat, ...measuredElsewhere])
const read: ReadonlySet<string> = new Set([
  'stop',
  'model',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
])
const readAtOther: ReadonlySet<string> = new Set([...read, 'max_output_tokens'])

/** Sizes of one array or object inside a measured member, so far. */
interface Level {
  size: Size
  /** Sizes of members that may be attachments. `type` decides, and may follow later. */
  pending: (Size | null)[]
  /** Index in `attachments` of the current member, or -1 when it can't be an attachment. */
  candidate: number
  /** Whether the current member is `type`. */
  atType: boolean
  /** Undefined without a `type`; -1 when it names no attachment. */
  type: number | undefined
}

interface Size {
  bytes: number
  attachments: number
}

/**
 * Reads the parameters of a JSON request while its body arrives, split anywhere. It builds no value: memory does not grow with the body,
 * and no chunk takes long.
 *
 * Parsers differ in which of two equal keys counts, and some (Go's) read `Model` as `model`. A limit must apply to every reading. Two
 * models therefore count as no model, and of several `max_tokens` or `n` the largest counts.
 */
export class RequestScan extends JsonScan {
  readonly #measuredKeys: ReadonlySet<string>
  readonly #readKeys: ReadonlySet<string>
  /** Lower-case name of the current top-level member, if it is read. */
  #member: string | null = null
  /** Whether the name was written in lower case. */
  #exact = false
  #isObject = false
  #isEmpty = true
  /** Offset of the top-level object's brace. */
  #brace = 0
  #valueFrom = 0
  /** The current member, which is not `model`, may select a model. Its name in lower case. */
  #selector: string | null = null
  #selectors: ModelSelector[] = []
  #model: { value: unknown; clear: boolean; at: RequestParameters['modelAt'] } | null = null
  #stream = false
  #options: UsageOption | null = null
  readonly #adaptable = new Map<string, ScannedMember | null>()
  #maxTokens: number | null = null
  #count = 1
  #size: Size = { bytes: 0, attachments: 0 }
  #isMeasuring = false
  /** The open arrays and objects inside a measured member. */
  readonly #levels: Level[] = []

  constructor(endpoint: Endpoint) {
    super()
    this.#measuredKeys =
      endpoint === 'chat' ? measuredInChat : endpoint === 'other' ? measuredAtOther : measuredElsewhere
    this.#readKeys = endpoint === 'other' ? readAtOther : read
  }

  /** Call after the last byte. */
  asked(): RequestParameters {
    if (!this.end() || !this.#isObject) return unknownParameters
    const model = this.#model
    const { bytes, attachments: attached } = this.#size
    const options = this.#options ?? { usage: 'absent' as const, edit: usageAtStart(this.#brace, this.#isEmpty) }
    return {
      model: model?.clear === true ? textOrNull(model.value) : null,
      modelAt: model?.clear === true && typeof model.value === 'string' ? model.at : null,
      namesModel: model !== null && (!model.clear || model.value !== null),
      selectors: this.#selectors,
      stream: this.#stream,
      usage: options.usage,
      usageEdit: options.edit,
      adaptations: adaptationsOf(this.#adaptable),
      tokensIn: promptTokens(bytes, attached),
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
      this.#levels.push({
        size: { bytes: 0, attachments: 0 },
        pending: [],
        candidate: -1,
        atType: false,
        type: undefined,
      })
    }
  }

  protected override closed(isObject: boolean): void {
    const level = this.#levels.pop()
    if (level === undefined) return
    if (isObject) settle(level)
    const outer = this.#level()
    const size = outer === undefined ? this.#size : sizeAt(outer)
    size.bytes += level.size.bytes
    size.attachments += level.size.attachments
  }

  protected override stringBegan(isKey: boolean, at: number): void {
    if (isKey) {
      if (this.depth === 1) this.startCapture(at, maxMemberBytes)
      else if (this.#isMeasuring) this.startCapture(at, maxKeyBytes)
    } else if (this.#isMeasuring && this.#level()?.atType === true) this.startCapture(at, maxKeyBytes)
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
    if (this.depth === 1 && this.#selector !== null) this.startCapture(at, maxValueBytes)
    else if (this.depth === 1 && this.#member !== null) {
      this.#valueFrom = this.offset + at
      if (this.#measuredKeys.has(this.#member)) this.#isMeasuring = true
      else this.startCapture(at, maxValueBytes)
    } else if (this.#isMeasuring) {
      const level = this.#level()
      if (level?.atType === true) level.type = -1
    }
  }

  protected override valueEnded(bytes: Buffer, at: number): void {
    if (this.depth === 1 && this.#selector !== null) this.#select(this.#selector, this.stopCapture(bytes, at))
    if (this.depth !== 1 || this.#member === null) return
    if (this.#isMeasuring) this.#isMeasuring = false
    else this.#take(this.#member, this.stopCapture(bytes, at), this.offset + at)
    this.#member = null
  }

  #memberBegins(name: string | null): void {
    this.#isEmpty = false
    this.#member = name !== null && this.#isOurs(name) ? name : null
    this.#exact = this.#member !== null
    if (name === null) this.#selector = unreadName
    if (name === null || this.#exact) return
    // Upper case first: it maps the long s and the kelvin sign, which Go reads as s and k, to those letters.
    const folded = name.toUpperCase().toLowerCase()
    if (name.length <= maxNameLength && this.#isOurs(folded)) this.#member = folded
    else if (selectsModel(folded)) this.#selector = folded
  }

  #select(field: string, raw: Buffer | null): void {
    this.#selector = null
    const value = raw === null ? undefined : parseBetween(raw, 0, raw.length)
    const models = field === unreadName ? null : selectedModels(field, value)
    if (models?.length === 0) return
    if (this.#selectors.length < maxSelectors) this.#selectors.push({ field, models })
    else this.#selectors[0] = { field, models: null }
  }

  #isOurs(name: string): boolean {
    return this.#readKeys.has(name) || this.#measuredKeys.has(name)
  }

  #take(name: string, raw: Buffer | null, to: number): void {
    const value = raw === null ? undefined : parseBetween(raw, 0, raw.length)
    if (adaptable.has(name)) {
      const isClear = this.#exact && !this.#adaptable.has(name)
      this.#adaptable.set(name, isClear ? { value, from: this.#valueFrom, to } : null)
    }
    switch (name) {
      case 'stop':
        break
      case 'model': {
        const known = this.#model
        const clear = this.#exact && value !== undefined && (known === null || (known.clear && known.value === value))
        this.#model = { value, clear, at: known === null ? { from: this.#valueFrom, to } : null }
        break
      }
      case 'stream':
        if (this.#exact) this.#stream = value === true
        break
      case 'stream_options':
        this.#options = this.#optionsAt(raw, value, to)
        break
      case 'n':
        this.#count = Math.max(this.#count, largestCount(value, maxChoices) ?? 1)
        break
      default: {
        const tokens = largestCount(value, maxTokensPossible)
        if (tokens !== null) this.#maxTokens = Math.max(this.#maxTokens ?? 0, tokens)
      }
    }
  }

  #optionsAt(raw: Buffer | null, value: unknown, to: number): UsageOption {
    const option = editUsageOption(raw, value, this.#valueFrom, to)
    // The body is not edited when it has two `stream_options`, because it is unknown which of them the service uses.
    return this.#exact && this.#options === null ? option : { usage: option.usage, edit: null }
  }

  #keyOf(level: Level, raw: Buffer | null): void {
    const key = attachmentLengths.has(this.stringBytes) ? textOf(raw) : null
    level.atType = key === 'type'
    level.candidate = attachments.indexOf(attachmentOf(key))
    if (level.candidate < 0) level.size.bytes += this.stringBytes
    else level.pending[level.candidate] ??= { bytes: 0, attachments: 0 }
  }

  #level(): Level | undefined {
    return this.#levels.at(-1)
  }
}

/** The size that the current value adds to. */
const sizeAt = ({ candidate, pending, size }: Level): Size => pending[candidate] ?? size

/**
 * Ends an object. Pictures, audio and files count at a flat rate instead of their base64. A member with such a name but without its `type`
 * counts as text.
 */
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

const attachmentOf = (name: string | null): AttachmentName => name as AttachmentName

/** Parses a captured string. Null when it was too long to be captured. */
function textOf(raw: Buffer | null): string | null {
  if (raw === null) return null
  return raw.includes(0x5c) ? textOrNull(parseBetween(raw, 0, raw.length)) : raw.toString('utf8', 1, raw.length - 1)
}

/** The result for a body that was not read. */
export const unknownParameters: Readonly<RequestParameters> = {
  model: null,
  modelAt: null,
  namesModel: false,
  selectors: [],
  stream: false,
  usage: 'absent',
  usageEdit: null,
  adaptations: [],
  tokensIn: 0,
  maxTokens: null,
  count: 1,
  json: false,
}

/** The estimate of a prompt with this much text and so many attachments. */
export const promptTokens = (bytes: number, attached: number): number =>
  Math.ceil(bytes / bytesOfToken) + attached * tokensOfAttachment

/** A model's name as the request log and limits know it: null for one that is too long to be read. */
export const readableModel = (name: string): string | null =>
  name.length * 6 + 2 <= maxValueBytes || Buffer.byteLength(JSON.stringify(name)) <= maxValueBytes ? name : null

/** The number of replies that `n` asks for. */
export const choicesIn = (n: unknown): number => Math.max(1, n === undefined ? 1 : (largestCount(n, maxChoices) ?? 1))

/** The largest of the limits of a reply that a tolerant service could read here, or null without any. */
export function largestTokens(values: readonly unknown[]): number | null {
  const counts = values.flatMap((value) => (value === undefined ? [] : (largestCount(value, maxTokensPossible) ?? [])))
  return counts.length === 0 ? null : Math.max(...counts)
}

/**
 * The largest count that a tolerant service could read here, or null. The specification refuses fractions, huge numbers and numbers in
 * quotes, but a limit must not depend on that.
 */
function largestCount(value: unknown, most: number): number | null {
  // Too long to be captured: a number with thousands of digits.
  if (value === undefined) return most
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number) || number < 0) return null
  return Math.min(most, Math.ceil(number))
}
