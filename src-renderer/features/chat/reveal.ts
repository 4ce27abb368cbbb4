type Reveal = (id: string) => boolean

let reveal: Reveal | null = null

/** Offered by the list of messages that is in the page; the answer ends it. */
export function offerReveal(given: Reveal): () => void {
  reveal = given
  return () => {
    if (reveal === given) reveal = null
  }
}

/** Brings a message of the path to the top of the view, also one that is not in the page; the view no longer follows the end. */
export const scrollToMessage = (id: string): boolean => reveal?.(id) ?? false
