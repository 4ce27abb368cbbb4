import { type ChatParams, chatParams } from '../../../src-preload/contract/chat.ts'

/**
 * A numeric parameter. `slides`: the usual range, for a slider. The specification has no limits, so values outside are sent too, with a
 * note.
 */
export interface NumberSpec {
  name: 'temperature' | 'topP' | 'maxTokens' | 'presencePenalty' | 'frequencyPenalty' | 'n'
  min: number
  max: number
  step: number
  slides: boolean
}

export const numberSpecs: readonly NumberSpec[] = [
  { name: 'temperature', min: 0, max: 2, step: 0.05, slides: true },
  { name: 'topP', min: 0, max: 1, step: 0.05, slides: true },
  { name: 'maxTokens', min: 1, max: 10_000_000, step: 1, slides: false },
  { name: 'presencePenalty', min: -2, max: 2, step: 0.1, slides: true },
  { name: 'frequencyPenalty', min: -2, max: 2, step: 0.1, slides: true },
  { name: 'n', min: 1, max: 8, step: 1, slides: false },
]

export type NumberFault = 'number' | 'whole' | 'range'

/** Parses a typed number. Empty means not set. A comma counts as the decimal point. */
export function readNumber(typed: string, spec: NumberSpec): { value: number | undefined } | { fault: NumberFault } {
  const text = typed.trim().replace(',', '.')
  if (text === '') return { value: undefined }
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(text)) return { fault: 'number' }
  const value = Number(text)
  if (!Number.isFinite(value)) return { fault: 'number' }
  if (spec.step === 1 && !Number.isInteger(value)) return { fault: 'whole' }
  return !spec.slides && isOutside(value, spec) ? { fault: 'range' } : { value }
}

export const isOutside = (value: number, { min, max }: NumberSpec): boolean => value < min || value > max

const signs: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\' }
const written: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\' }

/** A stop sequence as typed on one line: `\n` is a line end, `\\` a backslash. */
export const readStop = (typed: string): string =>
  typed.replace(/\\([ntr\\])/g, (_, sign: string) => signs[sign] ?? sign)
/** A stop sequence as a person types it: line ends, tabs and backslashes are escaped. */
export const showStop = (text: string): string => text.replace(/[\n\t\r\\]/g, (sign) => written[sign] ?? sign)

/** Members of the request body that this program sets itself, with the parameter to use instead, if any. */
const ownMembers: Record<string, keyof ChatParams | 'tools' | null> = {
  model: null,
  messages: null,
  stream: null,
  stream_options: null,
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxTokens',
  stop: 'stop',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  n: 'n',
  response_format: 'responseFormat',
  tools: 'tools',
  tool_choice: 'tools',
  parallel_tool_calls: 'tools',
}

export type ExtraFault = { is: 'json' } | { is: 'object' } | { is: 'own'; names: string[] }

/**
 * Parses additional members, or returns what is wrong. Empty text means no members. A `response_format` that the format menu does not offer
 * is allowed as long as the menu has no format selected.
 */
export function readExtra(
  text: string,
  { responseFormat }: ChatParams = {},
): { value: ChatParams['extra'] } | { fault: ExtraFault } {
  if (text.trim() === '') return { value: undefined }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { fault: { is: 'json' } }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { fault: { is: 'object' } }
  const names = Object.keys(parsed).filter(
    (name) => Object.hasOwn(ownMembers, name) && (name !== 'response_format' || responseFormat !== undefined),
  )
  if (names.length > 0) return { fault: { is: 'own', names } }
  return { value: Object.keys(parsed).length === 0 ? undefined : chatParams.shape.extra.parse(parsed) }
}

/** The number of parameters that are set. */
export const countSet = (params: ChatParams): number => Object.values(params).filter((one) => one !== undefined).length
