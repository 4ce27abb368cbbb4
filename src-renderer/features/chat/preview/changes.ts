import { diffLines } from 'diff'

/** Limits of a comparison, so that it never blocks the page noticeably. */
const [maxChars, maxEdits, maxMs] = [400_000, 4_000, 250]
/** Unchanged lines shown around a change. */
const context = 3

export interface ChangeLine {
  is: 'same' | 'added' | 'removed'
  text: string
}
/** Lines of a comparison, or a number of unchanged lines that are not shown. */
export type ChangePart = ChangeLine | { is: 'skipped'; count: number }

export interface Changes {
  parts: readonly ChangePart[]
  added: number
  removed: number
}

/** Compares two texts line by line. Null when they are too long or too different. */
export function changesOf(before: string, after: string): Changes | null {
  if (before.length + after.length > maxChars) return null
  const found = diffLines(withEnd(before), withEnd(after), { maxEditLength: maxEdits, timeout: maxMs })
  if (!found) return null
  const changes = { parts: [] as ChangePart[], added: 0, removed: 0 }
  for (const [at, { value, added, removed }] of found.entries()) {
    const lines = value.replace(/\n$/, '').split('\n')
    const is = added ? 'added' : removed ? 'removed' : 'same'
    if (is === 'added') changes.added += lines.length
    if (is === 'removed') changes.removed += lines.length
    const all = lines.map((text): ChangePart => ({ is, text }))
    const head = at === 0 ? 0 : context
    const tail = at === found.length - 1 ? 0 : context
    if (is !== 'same' || lines.length <= head + tail + 1) changes.parts.push(...all)
    else {
      const count = lines.length - head - tail
      changes.parts.push(...all.slice(0, head), { is: 'skipped', count }, ...all.slice(lines.length - tail))
    }
  }
  return changes
}

/** A missing line break at the end is no change. */
const withEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
