import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { asBuffer, markLength } from './bytes.ts'
import { hasEscapedLetters, membersOf, parseBetween, skipSpace } from './json.ts'
import { countOrNull, type Fields, isFields, textOrNull } from './values.ts'

export { askForUsage } from './askForUsage.ts'
export { FormReader, openForm } from './multipart.ts'

export interface AskedFor {
  /** Null where it names none, or two different ones (a repeated or differently cased key): then nobody knows which one counts. */
  model: string | null
  /** It names a model in some way: with `model` null, one that can't be told, so that no default may stand in for it. */
  namesModel: boolean
  stream: boolean
  /** `stream_options.include_usage`; null counts as absent. */
  usage: 'asked' | 'declined' | 'absent'
  /** Whether `stream_options` stands there at all: `askForUsage` needn't look for it where it doesn't. */
  streamOptions: boolean
  /** Estimate. */
  tokensIn: number
  /** The larger of `max_tokens` and `max_completion_tokens`, at other paths of `max_output_tokens` too. */
  maxTokens: number | null
  /** `n`, else 1. */
  count: number
  /** It was a JSON object. */
  json: boolean
}

/** A picture of ordinary size in the usual tiling costs 765 to 1,105 tokens; sounds and files are counted alike. */
const tokensOfAttachment = 1_000
const bytesOfToken = 4

/** Text below this depth is not counted: no real request is nested so far. */
const deepest = 64

/** What a JSON request asks for, from its whole body. Never throws: what can't be read is null or false. One JSON.parse, no tokenizer. */
export function readAsked(endpoint: Endpoint, body: Uint8Array): AskedFor {
  const bytes = asBuffer(body)
  const asked = parseBetween(bytes, markLength(bytes), bytes.length)
  if (!isFields(asked)) {
    return nothingAsked
  }
  const clear = !namesModelOtherwise(asked) && namedOnce(asked, bytes)
  return {
    model: clear ? textOrNull(asked.model) : null,
    namesModel: !clear || (asked.model ?? null) !== null,
    stream: asked.stream === true,
    usage: usageWish(asked.stream_options),
    streamOptions: Object.hasOwn(asked, 'stream_options'),
    tokensIn: tokensIn(endpoint, asked),
    maxTokens: larger(
      larger(countOrNull(asked.max_tokens), countOrNull(asked.max_completion_tokens)),
      endpoint === 'other' ? countOrNull(asked.max_output_tokens) : null,
    ),
    count: Math.max(1, countOrNull(asked.n) ?? 1),
    json: true,
  }
}

/** What a body asks for that was not read. */
export const nothingAsked: Readonly<AskedFor> = {
  model: null,
  namesModel: false,
  stream: false,
  usage: 'absent',
  streamOptions: false,
  tokensIn: 0,
  maxTokens: null,
  count: 1,
  json: false,
}

function usageWish(options: unknown): AskedFor['usage'] {
  const wish = isFields(options) ? options.include_usage : undefined
  if (wish === true) return 'asked'
  return wish === undefined || wish === null ? 'absent' : 'declined'
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** Some parsers (Go's) take `Model` for `model`. */
function namesModelOtherwise(asked: Fields): boolean {
  for (const key in asked) if (key.length === 5 && key !== 'model' && key.toLowerCase() === 'model') return true
  return false
}

/**
 * Parsers differ in which of two equal keys counts: a limit by model must not be passed by naming two. One `"model"` in all the
 * bytes and no escaped letters is the common case and proves it at native speed.
 */
function namedOnce(asked: Fields, bytes: Buffer): boolean {
  if (asked.model === undefined) return true
  const first = bytes.indexOf('"model"')
  const once = first === -1 || bytes.indexOf('"model"', first + 7) === -1
  if (once && !hasEscapedLetters(bytes)) return true
  const members = membersOf(bytes, skipSpace(bytes, markLength(bytes)), ['model'])
  const values = new Set(members?.found.map(({ from, to }) => parseBetween(bytes, from, to)))
  return members !== null && values.size <= 1
}

/** Bytes of the texts that the service will read, divided by 4; pictures and sounds at a flat rate, their base64 not at all. */
function tokensIn(endpoint: Endpoint, asked: Fields): number {
  const size = { bytes: 0, attachments: 0 }
  // A path that the specification does not know may take either.
  if (endpoint === 'chat' || endpoint === 'other') {
    measure(asked.messages, size, 0)
    measure(asked.tools, size, 0)
    measure(asked.functions, size, 0)
    measure(asked.response_format, size, 0)
  }
  if (endpoint !== 'chat') {
    measure(asked.prompt, size, 0)
    measure(asked.input, size, 0)
  }
  return Math.ceil(size.bytes / bytesOfToken) + size.attachments * tokensOfAttachment
}

function measure(value: unknown, size: { bytes: number; attachments: number }, depth: number): void {
  if (typeof value === 'string') {
    size.bytes += Buffer.byteLength(value)
  } else if (Array.isArray(value)) {
    if (depth < deepest) for (const item of value) measure(item, size, depth + 1)
  } else if (isFields(value) && depth < deepest) {
    for (const key in value) {
      if (isAttachment(key, value)) size.attachments++
      else {
        size.bytes += key.length
        measure(value[key], size, depth + 1)
      }
    }
  }
}

function isAttachment(key: string, part: Fields): boolean {
  if (key !== 'image_url' && key !== 'input_audio' && key !== 'file') return false
  return part.type === key || (key === 'image_url' && part.type === undefined)
}
