import { createStore } from 'zustand/vanilla'

/** A message that the view shall go to as soon as it has come. `quiet`: the focus stays where it is, such as in a search field. */
export const jumpStore = createStore<{ to: string | null; quiet: boolean }>(() => ({ to: null, quiet: false }))

/**
 * Brings a message of the open conversation to the top of the view, and unless it is `quiet` the focus to it. One that has not come yet, because a long
 * conversation comes from its end, is gone to when it does; a scroll of the reader's own takes that back.
 */
export function scrollToMessage(id: string, { quiet = false } = {}): void {
  jumpStore.setState({ to: id, quiet })
}

/** Focus and, for a moment, light for the message that was gone to. False where it is not in the page yet. */
export function pointAt(box: HTMLElement, id: string): boolean {
  const article = box.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(id)}"]`)
  if (!article) return false
  article.tabIndex = -1
  article.focus({ preventScroll: true })
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return true
  const light = getComputedStyle(article).getPropertyValue('--pick') || 'transparent'
  article.animate([{ backgroundColor: light }, { backgroundColor: 'transparent' }], {
    duration: 1_200,
    easing: 'ease-in',
  })
  return true
}
