/** A piece of a text: a word with what follows it up to the next, and whether the other text lacks it there. */
export interface DiffPiece {
  text: string
  differs: boolean
}

export interface Difference {
  left: DiffPiece[]
  right: DiffPiece[]
  /** Words of the left that the right lacks, or the other way round, whichever are more; null where marking was given up. */
  words: number | null
}

/** Beyond that many changes they are two texts, not two versions of one; the search would cost their square. */
const mostChanges = 1500

interface Word {
  /** As it is compared. */
  key: string
  text: string
}

/** What differs between two transcripts of one recording, by words; case, spaces and punctuation do not count. */
export function difference(left: string, right: string, language = 'en'): Difference {
  const [a, b] = [wordsOf(left, language), wordsOf(right, language)]
  const common = commonOf(a, b)
  const pieces = (words: Word[], same: ReadonlySet<number> | null): DiffPiece[] =>
    words.map(({ text, key }, at) => ({ text, differs: same !== null && key !== '' && !same.has(at) }))
  const result = { left: pieces(a, common?.a ?? null), right: pieces(b, common?.b ?? null) }
  const count = (list: DiffPiece[]): number => list.filter(({ differs }) => differs).length
  return { ...result, words: common === null ? null : Math.max(count(result.left), count(result.right)) }
}

function wordsOf(text: string, language: string): Word[] {
  const words: Word[] = []
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    const last = words.at(-1)
    if (isWordLike) words.push({ key: segment.normalize('NFC').toLowerCase(), text: segment })
    else if (last) last.text += segment
    else words.push({ key: '', text: segment })
  }
  return words
}

/** Furthest places in the left text by diagonal: `places[k + middle]`. */
interface Reach {
  places: Int32Array
  middle: number
}

/** Whether the way to diagonal `k` comes from the one above it (a word of the right alone) or below it (of the left alone). */
const comesDown = ({ places, middle }: Reach, k: number, changes: number): boolean =>
  k === -changes || (k !== changes && (places[k - 1 + middle] ?? -1) < (places[k + 1 + middle] ?? -1))

/** Places of the words that both have in order: Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). */
function commonOf(a: readonly Word[], b: readonly Word[]): { a: Set<number>; b: Set<number> } | null {
  const most = Math.min(mostChanges, a.length + b.length)
  const reach: Reach = { places: new Int32Array(2 * most + 3).fill(-1), middle: most + 1 }
  const { places, middle } = reach
  places[1 + middle] = 0
  const trace: Reach[] = []
  for (let changes = 0; changes <= most; changes++) {
    trace.push({ places: places.slice(middle - changes - 1, middle + changes + 2), middle: changes + 1 })
    for (let k = -changes; k <= changes; k += 2) {
      let x = comesDown(reach, k, changes) ? (places[k + 1 + middle] ?? 0) : (places[k - 1 + middle] ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x]?.key === b[x - k]?.key) x++
      places[k + middle] = x
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length)
    }
  }
  return null
}

function walkBack(trace: readonly Reach[], lengthA: number, lengthB: number) {
  const same = { a: new Set<number>(), b: new Set<number>() }
  let [x, y] = [lengthA, lengthB]
  for (const [step, reach] of [...trace.entries()].reverse()) {
    const k = x - y
    const before = comesDown(reach, k, step) ? k + 1 : k - 1
    const startX = step === 0 ? 0 : (reach.places[before + reach.middle] ?? 0)
    const startY = step === 0 ? 0 : startX - before
    while (x > startX && y > startY) {
      x--
      y--
      same.a.add(x)
      same.b.add(y)
    }
    x = startX
    y = startY
  }
  return same
}
