type Reveal = (id: string) => boolean

let reveal: Reveal | null = null

/** Registered by the mounted message list. Returns the function that removes it. */
export function offerReveal(given: Reveal): () => void {
  reveal = given
  return () => {
    if (reveal === given) reveal = null
  }
}

/** Scrolls a message of the path to the top of the view, also one that is not in the page. The view no longer follows the end. */
export const scrollToMessage = (id: string): boolean => reveal?.(id) ?? false
