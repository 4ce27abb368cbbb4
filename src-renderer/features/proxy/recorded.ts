import type { LoggedBody } from '../../../src-preload/contract/requests.ts'

/** A tool call of a chat's reply. `arguments` is JSON text, indented if it is valid. */
export interface RecordedCall {
  name: string
  arguments: string
}

/** What a logged reply of a chat says, in its first choice. */
export interface RecordedReply {
  text: string
  reasoning: string
  calls: readonly RecordedCall[]
}

type Json = Record<string, unknown>
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The object in a text of JSON, or null. */
export function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The JSON object of a request body, or why there is none. */
export function recordedRequest(body: LoggedBody | null): Json | 'none' | 'capped' | 'noJson' {
  if (!body) return 'none'
  if (body.capped) return 'capped'
  return (body.text === null ? null : parsed(body.text)) ?? 'noJson'
}

/** The JSON objects in the data lines of an event stream. */
const dataOf = (stream: string): Json[] =>
  stream.split(/\r\n|\r|\n/).flatMap((line) => {
    const data = line.startsWith('data:') ? parsed(line.slice(5)) : null
    return data ? [data] : []
  })

/** Null for a reply that is no chat's. Reads event streams and JSON documents, also as far as they are stored. */
export function recordedReply(body: LoggedBody | null): RecordedReply | null {
  if (!body?.text) return null
  const whole = parsed(body.text)
  const events = whole ? [whole] : dataOf(body.text)
  const reply = { text: '', reasoning: '' }
  const calls = new Map<unknown, RecordedCall>()
  let isChat = false
  for (const choice of events.flatMap(({ choices }) => objectsIn(choices))) {
    isChat = true
    const part = choice.delta ?? choice.message
    if ((choice.index ?? 0) !== 0 || !isObject(part)) continue
    reply.text += textIn(part.content) + textIn(part.refusal)
    reply.reasoning += textIn(part.reasoning_content) || textIn(part.reasoning)
    for (const [at, call] of objectsIn(part.tool_calls).entries()) {
      if (!isObject(call.function)) continue
      const key = call.index ?? at
      const known = calls.get(key) ?? { name: '', arguments: '' }
      known.name += textIn(call.function.name)
      known.arguments += textIn(call.function.arguments)
      calls.set(key, known)
    }
  }
  if (!isChat) return null
  const indented = ({ name, arguments: given }: RecordedCall): RecordedCall => {
    const value = parsed(given)
    return { name, arguments: value ? JSON.stringify(value, null, 2) : given }
  }
  return { ...reply, calls: [...calls.values()].map(indented) }
}
