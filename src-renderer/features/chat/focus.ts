/** What is looked for may be drawn a few frames later: the core answers first, then the list puts it into the page. In ms. */
const waits = 1_500

/**
 * Puts the focus on what `find` answers as soon as it is there, unless the person has taken it elsewhere meanwhile. The page's body and
 * what has left the page count as nowhere.
 */
export function focusSoon(find: () => HTMLElement | null): void {
  const before = document.activeElement
  const until = performance.now() + waits
  const look = (): void => {
    const now = document.activeElement
    if (now !== before && now !== document.body && now !== null) return
    const found = find()
    if (found) found.focus()
    else if (performance.now() < until) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

export const composerField = (): HTMLTextAreaElement | null =>
  document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')

export const focusComposer = (): void => focusSoon(composerField)

const article = (id: string): string => `[data-message-id="${CSS.escape(id)}"]`

/** A button of a message, by its `data-action`. */
export const actionOf = (id: string, action: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`${article(id)} [data-action="${action}"]`)

/** The same button of the sibling that now stands in a message's place. */
export const siblingAction = (parentId: string | null, sibling: number, action: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(
    `[data-parent="${CSS.escape(parentId ?? '')}"][data-sibling="${sibling}"] [data-action="${action}"]`,
  )

/** What is selected within one message; empty where nothing is, or it reaches beyond. */
export function selectedIn(id: string): string {
  const selection = getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return ''
  const holder = document.querySelector(article(id))
  const range = selection.getRangeAt(0)
  return holder?.contains(range.commonAncestorContainer) ? selection.toString().trim() : ''
}
