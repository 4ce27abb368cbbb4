import type { LoggedBody } from '../../../src-preload/contract/requests.ts'

/** Prepares a body for display: formats JSON, leaves event streams and other text unchanged. */
export function readable(body: LoggedBody): { kind: 'json' | 'text'; text: string } | null {
  if (body.text === null) return null
  const start = body.text.trimStart()[0]
  if (!body.capped && (start === '{' || start === '[')) {
    try {
      return { kind: 'json', text: JSON.stringify(JSON.parse(body.text), null, 2) }
    } catch {
      return { kind: 'text', text: body.text }
    }
  }
  return { kind: 'text', text: body.text }
}
