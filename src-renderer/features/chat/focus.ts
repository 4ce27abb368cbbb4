import type { Message } from '../../../src-preload/contract/chat.ts'
import { composerField } from '../../shared/composerField.ts'

/** Maximum wait for the target, ms. The list renders only after the core's answer. */
const waits = 1_500

/**
 * Focuses the result of `find` as soon as it exists, unless the person has moved the focus. A focus on the body or on a removed element
 * does not count as moved.
 */
export function focusSoon(find: () => HTMLElement | null, options?: FocusOptions): void {
  const before = document.activeElement
  const until = performance.now() + waits
  const look = (): void => {
    const now = document.activeElement
    if (now !== before && now !== document.body && now !== null) return
    const found = find()
    if (found) found.focus(options)
    else if (performance.now() < until) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

export const focusComposer = (): void => focusSoon(composerField)

/** The attributes by which this file and others find a message in the page. Set them on its element. */
export const messageAttributes = ({ id, parentId, sibling }: Pick<Message, 'id' | 'parentId' | 'sibling'>) => ({
  'data-message-id': id,
  'data-parent': parentId ?? '',
  'data-sibling': sibling,
})

const article = (id: string): string => `[data-message-id="${CSS.escape(id)}"]`

/** A button, by its `data-action`, of the sibling that replaced a message. The buttons of a whole reply come after those of its parts. */
export const siblingAction = (parentId: string | null, sibling: number, action: string): HTMLElement | null =>
  [
    ...document.querySelectorAll<HTMLElement>(
      `[data-parent="${CSS.escape(parentId ?? '')}"][data-sibling="${sibling}"] [data-action="${action}"]`,
    ),
  ].at(-1) ?? null

/** The selection within one message. Empty when there is none, or when it spans several messages. */
export function selectedIn(id: string): string {
  const selection = getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return ''
  const holder = document.querySelector(article(id))
  const range = selection.getRangeAt(0)
  return holder?.contains(range.commonAncestorContainer) ? selection.toString().trim() : ''
}
