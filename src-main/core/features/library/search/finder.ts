import { role } from '../../../../../src-preload/contract/chat.ts'
import type { SearchHit } from '../../../../../src-preload/contract/library.ts'
import { asMatch, matches, readQuery, type SearchQuery } from '../../../shared/text/query.ts'
import { indexable } from '../../../shared/text/splitWords.ts'
import type { FoundMessage, MessageOfHit, SearchReader } from '../../../store/search.ts'
import { snippet } from './snippet.ts'
import { partStart } from './textParts.ts'

/** A search: the typed text, one conversation or all (null), and the maximum number of hits. */
export interface SearchAsk {
  text: string
  conversationId: string | null
  limit: number
}

/** Hits, and whether there are more. */
export interface SearchAnswer {
  hits: SearchHit[]
  more: boolean
}

interface Title {
  id: string
  title: string
  archived: boolean
  at: string
  /** Folded, with a space before and after. */
  words: string
}

/** Time limit of a search whose matches are mostly hidden, ms. The search then returns its hits so far, with `more`. */
const timeLimitMs = 1000

/** Finds titles first, then messages, each newest first. Caches folded titles between searches. */
export function createFinder(reader: SearchReader) {
  const folded = new Map<string, { title: string; words: string }>()
  let titles: { version: number; all: Title[] } = { version: -1, all: [] }

  return function find({ text, conversationId, limit }: SearchAsk): SearchAnswer {
    const query = readQuery(text)
    if (query === null) return { hits: [], more: false }
    // A search within one conversation does not include titles.
    const named = conversationId === null ? inTitles(query) : []
    const { found, more } = inMessages(query, conversationId, limit)
    // Reserves half of the hits for messages, so that a letter that occurs in every title does not hide all messages.
    const maxTitles = Math.max(Math.ceil(limit / 2), limit - found.length)
    const shown = named.slice(0, maxTitles)
    const messages = found.slice(0, limit - shown.length)
    const cut = more || shown.length < named.length || messages.length < found.length
    return { hits: [...shown.map((title) => titleHit(title, query)), ...messageHits(messages, query)], more: cut }
  }

  function inTitles(query: SearchQuery): Title[] {
    const version = reader.version()
    if (version !== titles.version) {
      titles = { version, all: reader.titles().map(readTitle) }
      if (folded.size > titles.all.length * 2 + 1000) folded.clear()
    }
    return titles.all.filter(({ words }) => matches(words, query))
  }

  /** Folds each title once: reading and folding 10,000 titles takes some ms. */
  function readTitle(title: Omit<Title, 'words'>): Title {
    const known = folded.get(title.id)
    if (known?.title === title.title) return { ...title, words: known.words }
    const words = ` ${indexable(title.title)} `
    folded.set(title.id, { title: title.title, words })
    return { ...title, words }
  }

  function inMessages(query: SearchQuery, conversationId: string | null, limit: number) {
    const found: FoundMessage[] = []
    const until = performance.now() + timeLimitMs
    for (const place of reader.places(asMatch(query), conversationId)) {
      const last = found.at(-1)
      // Parts of one message are consecutive, last part first. The snippet begins in the first part, so it overwrites the others.
      if (last?.seq === place.seq) last.part = place.part
      else if (found.length === limit || (found.length > 0 && performance.now() > until)) return { found, more: true }
      else found.push(place)
    }
    return { found, more: false }
  }

  function messageHits(found: readonly FoundMessage[], query: SearchQuery): SearchHit[] {
    const messages = found.flatMap(({ seq, part }) => {
      const message = reader.message(seq)
      return message ? [{ ...message, part }] : []
    })
    const onPath = pathsOf(messages)
    return messages
      .map(({ seq, id, conversationId, title, archived, role: said, at, text, part }) => ({
        conversationId,
        title,
        archived,
        messageId: id,
        role: role.parse(said),
        at,
        snippet: snippet(text, query, { from: partStart(part), isMarkdown: true }),
        onPath: onPath.has(seq),
      }))
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  }

  function pathsOf(messages: readonly MessageOfHit[]): Set<number> {
    const all = new Set<number>()
    const byConversation = Map.groupBy(messages, ({ conversationId }) => conversationId)
    for (const [, of] of byConversation) {
      const seqs = of.map(({ seq }) => seq)
      for (const seq of reader.onPath(of[0]?.leafId ?? null, seqs)) all.add(seq)
    }
    return all
  }
}

function titleHit({ id, title, archived, at }: Title, query: SearchQuery): SearchHit {
  return {
    conversationId: id,
    title,
    archived,
    messageId: null,
    role: null,
    at,
    snippet: snippet(title, query),
    onPath: true,
  }
}
