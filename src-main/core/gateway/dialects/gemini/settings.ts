import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { hasValue, type IgnoredFields, list, object, optionalFlag, optionalText, text } from '../fields.ts'
import type { JsonObject } from '../types.ts'
import { enumAt, numberAt, optionalMembers } from './members.ts'
import { jsonSchema } from './schema.ts'

const known = new Set([
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'responseModalities',
  'thinkingConfig',
])
const thinkingFields = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel'])

/** Parameters that are numbers with the same meaning in both APIs. */
const numbers = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['seed', 'seed'],
] as const

/** Largest `thinkingBudget` of an effort. Above the last, the effort is high. */
const lowBudget = 4_096
const mediumBudget = 16_384

/** Most candidates. The official API has at most 8. */
const maxCandidates = 8

/** What the reply needs of the settings. */
export interface ReplySettings {
  /** Leave out thoughts, which this API returns only when they are asked for. */
  hideThoughts: boolean
  candidates: number
}

/** Translates `generationConfig`. @throws DialectError for a value of the wrong type */
export function applySettings(value: unknown, chat: ChatRequest, ignored: IgnoredFields): ReplySettings {
  const config = optionalMembers(value, 'generationConfig') ?? {}
  ignored.addUnknown(config, known, 'generationConfig')
  for (const [field, parameter] of numbers) {
    const number = numberAt(config[field], `generationConfig.${field}`)
    if (number !== null) chat[parameter] = number
  }
  const maxTokens = countAt(config.maxOutputTokens, 'generationConfig.maxOutputTokens')
  if (maxTokens !== null) chat.max_tokens = maxTokens
  const candidates = countAt(config.candidateCount, 'generationConfig.candidateCount', maxCandidates) ?? 1
  if (candidates > 1) chat.n = candidates
  const stops = list(config.stopSequences ?? [], 'generationConfig.stopSequences')
  if (stops.length > 0) chat.stop = stops.map((stop, at) => text(stop, `generationConfig.stopSequences[${at}]`))
  const modalities = list(config.responseModalities ?? [], 'generationConfig.responseModalities')
  if (modalities.some((modality) => modality !== 'TEXT')) ignored.add('generationConfig.responseModalities')
  const format = formatOf(config, ignored)
  if (format !== null) chat.response_format = format
  return { hideThoughts: !applyThinking(config.thinkingConfig, chat, ignored), candidates }
}

/** A whole number from 1 on. 0 says nothing in this API. @throws DialectError */
function countAt(value: unknown, param: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const count = numberAt(value, param)
  if (count === null || count === 0) return null
  if (Number.isSafeInteger(count) && count > 0 && count <= most) return count
  const upTo = most === Number.MAX_SAFE_INTEGER ? 'from 1 on' : `from 1 to ${most}`
  throw new DialectError(param, `${param} must be a whole number ${upTo}.`)
}

function formatOf(config: JsonObject, ignored: IgnoredFields): JsonObject | null {
  const type = optionalText(config.responseMimeType, 'generationConfig.responseMimeType') ?? ''
  const given = config.responseJsonSchema ?? config._responseJsonSchema
  const schema = hasValue(given) ? given : jsonSchema(config.responseSchema ?? undefined)
  if (type === 'application/json' || (type === '' && hasValue(schema))) {
    if (!hasValue(schema)) return { type: 'json_object' }
    return {
      type: 'json_schema',
      json_schema: { name: 'output', schema: object(schema, 'generationConfig.responseSchema') },
    }
  }
  // `text/x.enum` is a text that is one of the values of a schema.
  if (type !== '' && type !== 'text/plain') ignored.add('generationConfig.responseMimeType')
  if (hasValue(schema)) ignored.add('generationConfig.responseSchema')
  return null
}

/** Returns whether thoughts are part of the reply. */
function applyThinking(value: unknown, chat: ChatRequest, ignored: IgnoredFields): boolean {
  const path = 'generationConfig.thinkingConfig'
  const thinking = optionalMembers(value, path)
  if (thinking === null) return false
  ignored.addUnknown(thinking, thinkingFields, path)
  const effort = effortOf(enumAt(thinking.thinkingLevel, `${path}.thinkingLevel`), ignored)
  const budget = numberAt(thinking.thinkingBudget, `${path}.thinkingBudget`)
  if (effort !== null) chat.reasoning_effort = effort
  // -1 lets the model decide. Chat completions have no common way to turn reasoning off.
  if (budget === 0 || (budget !== null && effort !== null)) ignored.add(`${path}.thinkingBudget`)
  else if (budget !== null && budget > 0) {
    chat.reasoning_effort = budget <= lowBudget ? 'low' : budget <= mediumBudget ? 'medium' : 'high'
  }
  return optionalFlag(thinking.includeThoughts, `${path}.includeThoughts`) === true
}

/** Chat completions have no common effort below `low`. */
function effortOf(level: string | null, ignored: IgnoredFields): string | null {
  if (level === null) return null
  if (level === 'LOW' || level === 'MEDIUM' || level === 'HIGH') return level.toLowerCase()
  const path = 'generationConfig.thinkingConfig.thinkingLevel'
  if (level !== 'MINIMAL') throw new DialectError(path, 'The level must be MINIMAL, LOW, MEDIUM or HIGH.')
  ignored.add(`${path}.MINIMAL`)
  return 'low'
}
