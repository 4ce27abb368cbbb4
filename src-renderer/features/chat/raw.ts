import type { LoggedBody } from '../../../src-preload/contract/requests.ts'

/** A body in the forms in which it can be read. */
export interface RawForms {
  raw: string
  /** JSON with indents, or the JSON of each event of a stream; null where it is neither. */
  pretty: string | null
  /** Events of a stream; null for anything else. */
  events: number | null
}

/** Null where the body is no text. */
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
    // Text, or JSON that was capped: it is shown as it came.
    return null
  }
}
