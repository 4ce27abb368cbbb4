import type { PassageReader, StoredPassage } from '../../../store/passages.ts'
import { type QueryWord, queryWords } from './passageQuery.ts'

/** A search in files. */
export interface PassageSearch {
  /** The message of the person. */
  text: string
  mediaIds: string[]
  limit: number
}

/** At most this many words are searched, the rarest ones. */
const maxSearched = 16
/** A word that occurs in more passages than this, and in a larger share of all passages than this, finds nothing by itself. */
const common = { passages: 200, share: 0.1 }
/** How many words are searched when all words are that common. */
const maxCommon = 2

/** Finds the best passages for a message by BM25: any of its words may occur, rare words count more. */
export function createPassageFinder(reader: PassageReader) {
  const counts = new Map<string, number>()
  let version = -1

  /** Counting a frequent word takes milliseconds, so counts are cached until the index changes. */
  function occurrences(word: string): number {
    const known = counts.get(word)
    if (known !== undefined) return known
    if (counts.size > 10_000) counts.clear()
    const count = reader.occurrences(word)
    counts.set(word, count)
    return count
  }

  function chosen(all: readonly QueryWord[], passages: number): QueryWord[] {
    const most = Math.max(common.passages, passages * common.share)
    const counted = all.map((one) => ({ one, count: one.word === null ? 0 : occurrences(one.word) }))
    const useful = counted.filter(({ one, count }) => count > 0 || one.word === null || one.phrases.length > 1)
    const rare = useful.filter(({ count }) => count <= most)
    const sorted = (rare.length > 0 ? rare : useful).toSorted((a, b) => a.count - b.count)
    return sorted.slice(0, rare.length > 0 ? maxSearched : maxCommon).map(({ one }) => one)
  }

  return function find({ text, mediaIds, limit }: PassageSearch): StoredPassage[] {
    const now = reader.version()
    if (now !== version) counts.clear()
    version = now
    const searched = chosen(queryWords(text), reader.count(mediaIds))
    if (searched.length === 0) return []
    const match = searched.flatMap(({ phrases }) => phrases).join(' OR ')
    return reader.find(match, mediaIds, limit)
  }
}
