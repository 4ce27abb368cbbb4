import { create } from 'zustand'
import { looseSource } from '../shared/looseText.ts'

/** The state of "Find in chat". */
export interface ChatFind {
  shown: boolean
  text: string
  matchCase: boolean
  /** Terms of a global search, each searched separately. Null: searches `text` as a whole. */
  words: readonly string[] | null
  /** The current match, from 0, in the order of the path. */
  at: number
  /** The message with the current match. Its collapsed parts are opened. */
  inMessage: string | null
  /** Incremented to scroll to the current match. */
  asked: number
  /** Incremented to focus the field. 0: a hit of the search opened the bar, so the message field has the focus. */
  focused: number
}

export const noFind: ChatFind = {
  shown: false,
  text: '',
  matchCase: false,
  words: null,
  at: 0,
  inMessage: null,
  asked: 0,
  focused: 0,
}

export const useFind = create<ChatFind>(() => noFind)

/** The pattern to search for, or null when the search is empty. */
export function patternOf({ text, words, matchCase }: Pick<ChatFind, 'text' | 'words' | 'matchCase'>): RegExp | null {
  const terms = (words ?? [text]).filter((term) => term.trim() !== '')
  if (terms.length === 0) return null
  // Longest first: of two terms with the same start, the longer one matches.
  const sources = [...terms]
    .sort((a, b) => b.length - a.length)
    .map((term) => (matchCase ? escaped(term) : looseSource(term)))
  return new RegExp(sources.join('|'), matchCase ? 'gu' : 'giu')
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
