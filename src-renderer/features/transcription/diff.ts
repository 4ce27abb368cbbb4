import { diffArrays } from 'diff'

/** A word with the spaces and punctuation that follow it. */
export interface DiffPiece {
  text: string
  /** True when the other text lacks this word here. */
  differs: boolean
}

export interface TextDifference {
  left: DiffPiece[]
  right: DiffPiece[]
  /** The number of differing words, of the text with more of them. Null when the texts differ too much for a comparison. */
  words: number | null
}

/** Limit of changed words for a comparison. The cost of the search grows with the square of this number. */
const maxChangedWords = 1500

interface Word {
  /** Lower case, without spaces and punctuation: the form that is compared. Empty for spaces and punctuation before the first word. */
  key: string
  text: string
}

/**
 * Compares two transcripts of one recording word by word. Case, spaces and punctuation do not count.
 * @param language BCP 47, for the boundaries of words in scripts without spaces
 */
export function difference(left: string, right: string, language = 'en'): TextDifference {
  const [a, b] = [wordsOf(left, language), wordsOf(right, language)]
  const keysOf = (words: readonly Word[]): string[] => words.map(({ key }) => key)
  const changes = diffArrays(keysOf(a), keysOf(b), { maxEditLength: maxChangedWords })
  const result: TextDifference = { left: [], right: [], words: null }
  if (!changes) {
    const unmarked = ({ text }: Word): DiffPiece => ({ text, differs: false })
    return { left: a.map(unmarked), right: b.map(unmarked), words: null }
  }
  for (const { added, removed, count } of changes) {
    const piece = ({ text, key }: Word): DiffPiece => ({ text, differs: (added || removed) && key !== '' })
    // One by one: a transcript may have more words than a call may have arguments.
    if (!added)
      for (const word of a.slice(result.left.length, result.left.length + count)) result.left.push(piece(word))
    if (!removed)
      for (const word of b.slice(result.right.length, result.right.length + count)) result.right.push(piece(word))
  }
  const marked = (pieces: readonly DiffPiece[]): number => pieces.filter(({ differs }) => differs).length
  return { ...result, words: Math.max(marked(result.left), marked(result.right)) }
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
