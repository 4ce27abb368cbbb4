import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { type IgnoredFields, list, name, object, optionalNumber, optionalText } from '../fields.ts'
import type { FunctionNames } from '../functionNames.ts'
import type { JsonObject } from '../types.ts'

const toolKeys = new Set(['type', 'function'])
const functionKeys = new Set(['name', 'description', 'parameters', 'strict'])

/** Options that chat completions have under the same name. */
const sameOptions = ['temperature', 'top_p', 'top_k', 'min_p', 'seed', 'presence_penalty', 'frequency_penalty'] as const
const knownOptions: ReadonlySet<string> = new Set([...sameOptions, 'num_predict', 'stop'])

/** Translates `options`. Those of the machine that runs a model, such as `num_ctx`, have no effect. @throws DialectError */
export function applyOptions(value: unknown, chat: ChatRequest, ignored: IgnoredFields): void {
  if (value === undefined || value === null) return
  const options = object(value, 'options')
  ignored.addUnknown(options, knownOptions, 'options')
  for (const key of sameOptions) {
    const number = optionalNumber(options[key], `options.${key}`)
    if (number !== null) chat[key] = number
  }
  const most = optionalNumber(options.num_predict, 'options.num_predict')
  // -1: no limit. -2: as much as the context holds.
  if (most !== null && most >= 1) chat.max_tokens = Math.min(Math.floor(most), Number.MAX_SAFE_INTEGER)
  else if (most === 0) throw new DialectError('options.num_predict', 'options.num_predict must be at least 1, or -1.')
  const stops = stopsOf(options.stop)
  if (stops.length > 0) chat.stop = stops
}

function stopsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const stops = typeof value === 'string' ? [value] : list(value, 'options.stop')
  return stops.map((stop, index) => name(stop, `options.stop[${index}]`))
}

/** Translates `format`: "json", or a JSON schema. @throws DialectError */
export function applyFormat(value: unknown, chat: ChatRequest): void {
  if (value === undefined || value === null || value === '') return
  if (value === 'json') chat.response_format = { type: 'json_object' }
  else if (typeof value === 'string') throw new DialectError('format', 'format must be "json" or a JSON schema.')
  else chat.response_format = { type: 'json_schema', json_schema: { name: 'output', schema: object(value, 'format') } }
}

/**
 * Translates `think`.
 * @returns whether the reasoning of the model is left out of the reply
 * @throws DialectError
 */
export function applyThink(value: unknown, chat: ChatRequest, ignored: IgnoredFields): boolean {
  switch (value ?? null) {
    case null:
      return false
    case false:
      // Chat completions have no common way to turn reasoning off.
      ignored.add('think.false')
      return true
    case true:
      chat.reasoning_effort = 'medium'
      return false
    case 'low':
    case 'medium':
    case 'high':
      chat.reasoning_effort = value
      return false
    case 'max':
      chat.reasoning_effort = 'high'
      ignored.add('think.max')
      return false
    default:
      throw new DialectError('think', 'think must be true, false, low, medium, high or max.')
  }
}

/** Translates `tools`. @throws DialectError */
export function applyTools(value: unknown, chat: ChatRequest, names: FunctionNames, ignored: IgnoredFields): void {
  if (value === undefined || value === null) return
  const tools = list(value, 'tools').flatMap((entry, index) => toolOf(entry, `tools[${index}]`, names, ignored) ?? [])
  if (tools.length > 0) chat.tools = tools
}

/** A tool of another type than `function` is left out: this API has none, and only its own server could run it. */
function toolOf(value: unknown, param: string, names: FunctionNames, ignored: IgnoredFields): JsonObject | null {
  const tool = object(value, param)
  const type = optionalText(tool.type, `${param}.type`) ?? 'function'
  if (type !== 'function') {
    ignored.add(`tools.${type}`)
    return null
  }
  ignored.addUnknown(tool, toolKeys, 'tools')
  const given = object(tool.function, `${param}.function`)
  ignored.addUnknown(given, functionKeys, 'tools.function')
  const description = optionalText(given.description, `${param}.function.description`)
  const wanted = name(given.name, `${param}.function.name`)
  const called: JsonObject = { name: names.nameOf(wanted, wanted) }
  if (description !== null) called.description = description
  called.parameters =
    given.parameters === undefined || given.parameters === null
      ? { type: 'object', properties: {} }
      : object(given.parameters, `${param}.function.parameters`)
  if (typeof given.strict === 'boolean') called.strict = given.strict
  return { type: 'function', function: called }
}
