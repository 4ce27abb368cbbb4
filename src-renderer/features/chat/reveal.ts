/** What the view does after another message has taken the place of one: it stays, or it follows the end of the chat. */
export type Then = 'stay' | 'follow'

interface MessageList {
  /** Scrolls a message of the path to the top of the view. */
  reveal: (id: string) => boolean
  /** Keeps the place of a message on the screen when another message takes its place. Returns the function that gives up. */
  hold: (id: string, then: Then) => () => void
}

let list: MessageList | null = null

/** Registered by the mounted message list. Returns the function that removes it. */
export function offerMessageList(given: MessageList): () => void {
  list = given
  return () => {
    if (list === given) list = null
  }
}

/** Scrolls a message of the path to the top of the view, also one that is not in the page. The view no longer follows the end. */
export const scrollToMessage = (id: string): boolean => list?.reveal(id) ?? false

/**
 * Makes a change that replaces a message with a sibling, which then stands where the message stood on the screen.
 * @param change returns null or false when it fails
 */
export async function keepPlace<T>(id: string, then: Then, change: () => Promise<T>): Promise<T> {
  const release = list?.hold(id, then)
  const done = await change()
  if (!done) release?.()
  return done
}
