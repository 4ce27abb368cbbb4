import { create } from 'zustand'

/** Looking for something in the open conversation. */
export interface ChatFind {
  shown: boolean
  text: string
  matchCase: boolean
  /** Looked for each by itself, where a search over everything led here; null: the text as it stands. */
  words: readonly string[] | null
  /** The match that the reader stands at, from 0 in the order of the path. */
  at: number
  /** The message that holds it; what is folded of that message opens. */
  inMessage: string | null
  /** Grows by one when the match is to be brought into sight. */
  asked: number
  /** Grows by one when the field is to take the focus. */
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

/** What is looked for, or null where that is nothing. */
export function patternOf({ text, words, matchCase }: Pick<ChatFind, 'text' | 'words' | 'matchCase'>): RegExp | null {
  const terms = (words ?? [text]).filter((term) => term.trim() !== '')
  if (terms.length === 0) return null
  // The longest first: of two words that begin alike, the longer one is the match.
  const sources = [...terms].sort((a, b) => b.length - a.length).map(escaped)
  return new RegExp(sources.join('|'), matchCase ? 'gu' : 'giu')
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
