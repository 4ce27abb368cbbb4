import { plainText } from '../../../shared/ui/plainText.ts'

/** Characters that are displayed. The rest is counted, and copied with the whole. */
export const maxShown = 20_000

export interface Shown {
  text: string
  /** Characters that are omitted. */
  more: number
}

export function bounded(text: string, most = maxShown): Shown {
  return { text: plainText(text.slice(0, most)), more: Math.max(0, text.length - most) }
}

export interface ShownArguments extends Shown {
  /** Whether the arguments are JSON. */
  json: boolean
  /** Whether the arguments are an empty object, or absent. */
  empty: boolean
}

/** The arguments of a call: formatted when they are JSON, otherwise as the model wrote them. */
export function showArguments(written: string): ShownArguments {
  if (written.trim() === '') return { text: '', more: 0, json: false, empty: true }
  try {
    const value: unknown = JSON.parse(written)
    const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    return { ...bounded(JSON.stringify(value, null, 2)), json: true, empty }
  } catch {
    return { ...bounded(written), json: false, empty: false }
  }
}

/** A result for display: JSON is formatted, other text is unchanged. */
export function showResult(text: string): Shown {
  const trimmed = text.trimStart()
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) {
    try {
      const value: unknown = JSON.parse(text)
      return bounded(JSON.stringify(value, null, 2))
    } catch {
      return bounded(text)
    }
  }
  return bounded(text)
}
