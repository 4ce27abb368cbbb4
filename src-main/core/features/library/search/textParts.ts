import { maxParts } from '../../../store/search.ts'

/**
 * Length of one part, and its overlap with the previous part, UTF-16 units. Most messages are one part. A long message is indexed in
 * several steps, none of which blocks the thread for long. The words of a query must match within one part.
 */
const partLength = 8192
const overlap = 256

/** Start of part `index`, UTF-16 units. */
export const partStart = (index: number): number => Math.max(0, index * partLength - overlap)

/** Part `index` of a text, or null after its end. Text after 4 million characters is not indexed. */
export function partOf(text: string, index: number): string | null {
  if (index > 0 && (index * partLength >= text.length || index >= maxParts)) return null
  return text.slice(partStart(index), (index + 1) * partLength)
}
