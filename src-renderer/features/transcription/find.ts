import { looseSource } from '../../shared/looseText.ts'

/** The matches of a search text, regardless of case and accents, as UTF-16 offsets. */
export function hitsIn(text: string, needle: string): [from: number, to: number][] {
  const wanted = needle.trim()
  if (wanted === '') return []
  const pattern = new RegExp(looseSource(wanted, '\\s'), 'giu')
  return Array.from(text.matchAll(pattern), ({ index, 0: hit }) => [index, index + hit.length])
}

/** Index of the cue that plays at a time, s: the last one that has started, -1 before the first. Cues are sorted by start. */
export function cueAt(cues: readonly { from: number }[], time: number): number {
  let low = 0
  let high = cues.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cues[middle]?.from ?? 0) <= time + 0.02) low = middle + 1
    else high = middle
  }
  return low - 1
}
