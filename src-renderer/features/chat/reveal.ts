/** What the view does after another message has taken the place of one: it stays, or it follows the end of the chat. */
export type Then = 'stay' | 'follow'

interface MessageList {
  /** Scrolls a message of the path to the top of the view. */
  reveal: (id: string) => boolean
  /** Ends the hold on the place of `reveal`, which lasts while sizes change: the caller scrolls within the message. */
  leave: () => void
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

/** Call before scrolling within the message of `scrollToMessage`. Text that is drawn later would scroll back to its top. */
export const leaveMessageTop = (): void => list?.leave()

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
