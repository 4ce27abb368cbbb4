/** Where a needle stands in a text, without regard to case, as UTF-16 places. */
export function hitsIn(text: string, needle: string): [from: number, to: number][] {
  const wanted = needle.trim()
  if (wanted === '') return []
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+'), 'giu')
  return Array.from(text.matchAll(pattern), ({ index, 0: hit }) => [index, index + hit.length])
}

/** The cue that is heard at a time, in s: the last that has begun; -1 before the first. Cues are sorted by their beginnings. */
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
