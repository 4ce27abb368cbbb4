import { DialectError } from '../dialectError.ts'
import {
  hasValue,
  type IgnoredFields,
  list,
  name,
  object,
  optionalFlag,
  optionalNumber,
  optionalObject,
  optionalText,
  text,
} from '../fields.ts'
import type { JsonObject } from '../types.ts'
import type { InputEntry } from './inputItems.ts'

/** The request without its input and tools. */
export interface RequestSettings {
  chat: JsonObject & { model: string }
  /** Members of the Response object that repeat the request. A setting without effect shows what is in effect. */
  echo: JsonObject
  instructions: string | null
  stream: boolean
  store: boolean
  previousResponseId: string | null
  /** Whether reasoning is returned as a summary, because the request asked for one. */
  summarizes: boolean
  allReasoning: boolean
  /** Whether reasoning is returned sealed too. */
  seals: boolean
}

/** The value of `include` that asks for sealed reasoning. */
const sealedReasoningField = 'reasoning.encrypted_content'

/** Read in other places, or only checked. */
const readFields = [
  ...[
    'background',
    'conversation',
    'frequency_penalty',
    'include',
    'input',
    'instructions',
    'max_output_tokens',
    'metadata',
  ],
  ...[
    'model',
    'moderation',
    'parallel_tool_calls',
    'presence_penalty',
    'previous_response_id',
    'prompt',
    'prompt_cache_key',
  ],
  ...['prompt_cache_options', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options'],
  ...['temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
]
const knownFields: ReadonlySet<string> = new Set(readFields)
const reasoningFields = new Set(['effort', 'summary', 'generate_summary', 'context'])
const textFields = new Set(['format', 'verbosity'])
const formatFields = new Set(['type', 'name', 'description', 'schema', 'strict'])

/**
 * Reads everything but input and tools.
 * @throws DialectError
 */
export function readSettings(
  body: JsonObject,
  entries: readonly InputEntry[],
  ignored: IgnoredFields,
): RequestSettings {
  refuseUnavailable(body)
  ignored.addUnknown(body, knownFields, '')
  noteIgnored(body, ignored)
  const model = name(body.model, 'model')
  const stream = optionalFlag(body.stream, 'stream') ?? false
  const sampling = samplingOf(body)
  const reasoning = reasoningOf(body, entries, ignored)
  const output = outputOf(body, entries, ignored)
  const names = namesOf(body)
  const maxTokens = maxTokensOf(body.max_output_tokens)
  const store = optionalFlag(body.store, 'store') ?? true
  const instructions = optionalText(body.instructions, 'instructions')
  const previousResponseId = optionalText(body.previous_response_id, 'previous_response_id')
  return {
    chat: {
      model,
      ...(stream && { stream, stream_options: { include_usage: true } }),
      ...(maxTokens !== null && { max_tokens: maxTokens }),
      ...sampling,
      ...(reasoning.effort !== null && { reasoning_effort: reasoning.effort }),
      ...output.chat,
      ...names.chat,
    },
    echo: {
      background: false,
      instructions,
      max_output_tokens: maxTokens,
      max_tool_calls: null,
      metadata: metadataOf(body.metadata),
      parallel_tool_calls: optionalFlag(body.parallel_tool_calls, 'parallel_tool_calls') ?? true,
      previous_response_id: previousResponseId,
      reasoning: { effort: reasoning.effort, summary: reasoning.summary },
      store,
      temperature: sampling.temperature ?? 1,
      top_p: sampling.top_p ?? 1,
      presence_penalty: sampling.presence_penalty ?? 0,
      frequency_penalty: sampling.frequency_penalty ?? 0,
      text: output.echo,
      tool_choice: body.tool_choice ?? 'auto',
      top_logprobs: 0,
      truncation: 'disabled',
      ...names.echo,
    },
    instructions,
    stream,
    store,
    previousResponseId,
    summarizes: reasoning.summary !== null,
    allReasoning: reasoning.all,
    seals: Array.isArray(body.include) && body.include.includes(sealedReasoningField),
  }
}

/** Why requests with these fields are refused. */
const unavailable: Readonly<Record<string, string>> = {
  conversation: 'Conversations are not available here. Send the items as input, or use previous_response_id.',
  prompt: 'Prompts by id are stored at OpenAI and not available here. Send their text as instructions and input.',
  moderation: 'The service has no moderation, so input and output would not be checked. Leave out moderation.',
}

/**
 * Refuses what would change the meaning of the request or of its cost if it were left out.
 * @throws DialectError
 */
export function refuseUnavailable(body: JsonObject): void {
  if (optionalFlag(body.background, 'background') === true) {
    throw new DialectError(
      'background',
      'Background mode is not available here. Leave out background and wait for the reply or its stream.',
    )
  }
  for (const [field, message] of Object.entries(unavailable)) {
    if (hasValue(body[field])) throw new DialectError(field, message)
  }
  const cache = optionalObject(body.prompt_cache_options, 'prompt_cache_options')
  if (cache?.prewarm === true) {
    throw new DialectError(
      'prompt_cache_options.prewarm',
      'The service has no request without output, so a cache can’t be prepared.',
    )
  }
}

function noteIgnored(body: JsonObject, ignored: IgnoredFields): void {
  if (optionalText(body.truncation, 'truncation') === 'auto') ignored.add('truncation')
  if ((optionalNumber(body.top_logprobs, 'top_logprobs') ?? 0) > 0) ignored.add('top_logprobs')
  ignored.addUnknown(
    optionalObject(body.prompt_cache_options, 'prompt_cache_options') ?? {},
    new Set(['prewarm']),
    'prompt_cache_options',
  )
  // Streams of this program have no padding.
  ignored.addUnknown(optionalObject(body.stream_options, 'stream_options') ?? {}, new Set(), 'stream_options')
  for (const [at, value] of list(body.include ?? [], 'include').entries()) {
    const included = text(value, `include[${at}]`)
    // Stored input items have their image addresses in any case.
    if (included !== 'message.input_image.image_url' && included !== sealedReasoningField) {
      ignored.add(`include.${included}`)
    }
  }
}

interface Sampling {
  temperature?: number
  top_p?: number
  presence_penalty?: number
  frequency_penalty?: number
}

function samplingOf(body: JsonObject): Sampling {
  const sampling: Sampling = {}
  for (const field of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const) {
    const value = optionalNumber(body[field], field)
    if (value !== null) sampling[field] = value
  }
  return sampling
}

function maxTokensOf(value: unknown): number | null {
  const max = optionalNumber(value, 'max_output_tokens')
  if (max === null || (Number.isSafeInteger(max) && max >= 1)) return max
  throw new DialectError('max_output_tokens', 'max_output_tokens must be a whole number from 1 on.')
}

function metadataOf(value: unknown): JsonObject {
  const metadata = optionalObject(value, 'metadata') ?? {}
  for (const key of Object.keys(metadata)) text(metadata[key], `metadata.${key}`)
  return metadata
}

/** The last `configuration_update` item with this member wins over the request's own. */
function updated(
  body: JsonObject,
  entries: readonly InputEntry[],
  member: 'reasoning' | 'text',
): { value: JsonObject; param: string } {
  // One map for all updates: a copy of the members for each update would be quadratic.
  const value = new Map(Object.entries(optionalObject(body[member], member) ?? {}))
  let param: string = member
  for (const entry of entries) {
    if (entry.type !== 'configuration_update') continue
    const update = optionalObject(entry.item[member], `${entry.param}.${member}`)
    if (update === null) continue
    for (const [name, updatedValue] of Object.entries(update)) value.set(name, updatedValue)
    param = `${entry.param}.${member}`
  }
  return { value: Object.fromEntries(value), param }
}

function reasoningOf(body: JsonObject, entries: readonly InputEntry[], ignored: IgnoredFields) {
  const { value, param } = updated(body, entries, 'reasoning')
  ignored.addUnknown(value, reasoningFields, 'reasoning')
  const effort = optionalText(value.effort, `${param}.effort`)
  const summary =
    optionalText(value.summary, `${param}.summary`) ?? optionalText(value.generate_summary, `${param}.generate_summary`)
  const all = optionalText(value.context, `${param}.context`) === 'all_turns'
  return { effort, summary, all }
}

function outputOf(body: JsonObject, entries: readonly InputEntry[], ignored: IgnoredFields) {
  const { value, param } = updated(body, entries, 'text')
  ignored.addUnknown(value, textFields, 'text')
  const verbosity = optionalText(value.verbosity, `${param}.verbosity`)
  const format = optionalObject(value.format, `${param}.format`)
  const responseFormat = format === null ? null : responseFormatOf(format, `${param}.format`, ignored)
  return {
    chat: {
      ...(responseFormat !== null && { response_format: responseFormat }),
      ...(verbosity !== null && { verbosity }),
    },
    echo: { format: format ?? { type: 'text' }, ...(verbosity !== null && { verbosity }) },
  }
}

function responseFormatOf(format: JsonObject, param: string, ignored: IgnoredFields): JsonObject | null {
  ignored.addUnknown(format, formatFields, 'text.format')
  const type = text(format.type, `${param}.type`)
  if (type === 'text') return null
  if (type === 'json_object') return { type }
  if (type !== 'json_schema') {
    throw new DialectError(`${param}.type`, `${param}.type must be text, json_object or json_schema.`)
  }
  const description = optionalText(format.description, `${param}.description`)
  const strict = optionalFlag(format.strict, `${param}.strict`)
  return {
    type,
    json_schema: {
      name: name(format.name, `${param}.name`),
      schema: object(format.schema, `${param}.schema`),
      ...(description !== null && { description }),
      ...(strict !== null && { strict }),
    },
  }
}

/** Parameters of chat completions with the same name and meaning. A service may ignore them. */
function namesOf(body: JsonObject): { chat: JsonObject; echo: JsonObject } {
  const chat: JsonObject = {}
  const echo: JsonObject = {}
  for (const field of ['prompt_cache_key', 'safety_identifier', 'user', 'service_tier']) {
    const value = optionalText(body[field], field)
    echo[field] = value
    if (value !== null) chat[field] = value
  }
  // `auto` claims nothing: the service does not say which tier it used.
  echo.service_tier ??= 'auto'
  return { chat, echo }
}
