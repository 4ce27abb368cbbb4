/** Maximum length of a displayed JSON text, characters. */
export const maxJsonChars = 2_000_000
const deepestOpen = 500

export type JsonReading = { value: unknown } | { fault: string }

/** Reads a JSON text. One that is still being written is read up to its last complete value. */
export function readJson(text: string, open: boolean): JsonReading {
  try {
    return { value: JSON.parse(text) }
  } catch (thrown) {
    const closed = open ? closedJson(text) : null
    if (closed !== null) {
      try {
        return { value: JSON.parse(closed) }
      } catch {
        // Not JSON even so far.
      }
    }
    return { fault: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

/** The text up to its last complete value, with everything closed that is open there. Null when nothing is complete. */
export function closedJson(text: string): string | null {
  let complete = 0
  walk(text, (char, at) => {
    // A value is complete after a bracket, and before a comma.
    complete = char === ',' ? at : at + 1
  })
  if (complete === 0) return null
  const open = walk(text.slice(0, complete), () => undefined)
  return text.slice(0, complete) + open.toReversed().join('')
}

/** Calls `visit` for each bracket and comma outside of strings. Returns what closes the brackets that are open at the end. */
function walk(text: string, visit: (char: string, at: number) => void): string[] {
  const open: string[] = []
  for (let at = 0; at < text.length && open.length <= deepestOpen; at++) {
    const char = text.charAt(at)
    if (char === '"') at = stringEnd(text, at + 1)
    else if ('{[]},'.includes(char)) {
      if (char === '{') open.push('}')
      else if (char === '[') open.push(']')
      else if (char !== ',') open.pop()
      visit(char, at)
    }
  }
  return open
}

function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at++
    else if (char === '"') return at
  }
  return text.length
}
