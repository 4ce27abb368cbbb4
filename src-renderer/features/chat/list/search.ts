import type { SearchHit } from '../../../../src-preload/contract/library.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Client } from '../../../api/connect.ts'
import { problemOf } from '../../../api/problem.ts'

export interface SearchFound {
  /** The search text of these results. The typed text may already be different. */
  text: string
  hits: readonly SearchHit[]
  more: boolean
}

export interface SearchState {
  /** The latest results, which stay visible while the next search runs. Null before the first results. */
  found: SearchFound | null
  busy: boolean
  problem: Problem | null
}

/** The state without a search. */
export const noSearch: SearchState = { found: null, busy: false, problem: null }

/** Time without a key press before a search starts, ms. Fast typing searches once or twice per word. */
const pause = 50

/** Searches while a person types. Reports only the results of the latest search. Superseded searches are cancelled. */
export function searcher(ask: Client['library']['search'], notify: (state: SearchState) => void) {
  let state = noSearch
  let under: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const set = (next: SearchState): void => {
    state = next
    notify(state)
  }
  const stop = (): void => {
    clearTimeout(timer)
    under?.abort()
    under = null
  }
  const run = async (text: string, limit: number): Promise<void> => {
    const mine = new AbortController()
    under = mine
    try {
      const { hits, more } = await ask({ text, limit }, { signal: mine.signal })
      if (under === mine) set({ found: { text, hits, more }, busy: false, problem: null })
    } catch (thrown) {
      if (under === mine) set({ found: null, busy: false, problem: problemOf(thrown) })
    }
  }
  return {
    type(typed: string, limit = 50): void {
      stop()
      const text = typed.trim().slice(0, 500)
      if (text === '') set(noSearch)
      else {
        set({ ...state, busy: true, problem: null })
        timer = setTimeout(() => void run(text, limit), pause)
      }
    },
    stop,
  }
}

export interface SearchGroup {
  conversationId: string
  title: string | null
  archived: boolean
  hits: readonly SearchHit[]
}

/** Groups results by chat, in the order of each chat's first result. */
export function grouped(hits: readonly SearchHit[]): SearchGroup[] {
  const groups = new Map<string, SearchGroup & { hits: SearchHit[] }>()
  for (const hit of hits) {
    const { conversationId, title, archived } = hit
    const group = groups.get(conversationId)
    if (group) group.hits.push(hit)
    else groups.set(conversationId, { conversationId, title, archived, hits: [hit] })
  }
  return [...groups.values()]
}

/** The terms to mark in the message. */
export const wordsOf = (text: string): string[] => text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
