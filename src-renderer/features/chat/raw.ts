import type { LoggedBody } from '../../../src-preload/contract/requests.ts'

/** The displayable forms of a body. */
export interface RawForms {
  raw: string
  /** Formatted JSON, or the JSON of each event of a stream. Null for others. */
  pretty: string | null
  /** Number of events of a stream. Null for others. */
  events: number | null
}

/** Null when the body is not text. */
export function formsOf(body: LoggedBody): RawForms | null {
  const { text } = body
  if (text === null) return null
  const lines = /^(?:event|data|id|retry|):/m.test(text.slice(0, 200)) ? text.split(/\r\n|\r|\n/) : null
  if (lines === null) return { raw: text, pretty: indented(text), events: null }
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim())
  const pretty = data.map((one) => indented(one) ?? one).join('\n\n')
  return { raw: text, pretty, events: data.filter((one) => one !== '[DONE]').length }
}

function indented(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Text, or truncated JSON: shown unchanged.
    return null
  }
}
