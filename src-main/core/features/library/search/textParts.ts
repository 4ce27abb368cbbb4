import { maxParts } from '../../../store/search.ts'

/**
 * Characters of one part (UTF-16 units). A text of usual length is one; a long one goes into the index in several steps, none of which holds
 * the thread for long. Words of a query must meet within one part, and a part begins with the last words of the one before.
 */
const partLength = 8192
const overlap = 256

/** Where part `index` begins. */
export const partStart = (index: number): number => Math.max(0, index * partLength - overlap)

/** Part `index` of a text, or null behind its end. What lies behind 4 million characters is not indexed. */
export function partOf(text: string, index: number): string | null {
  if (index > 0 && (index * partLength >= text.length || index >= maxParts)) return null
  return text.slice(partStart(index), (index + 1) * partLength)
}
