import { composerField } from '../composerField.ts'

/** Whether no element outside `closing` has the focus. The body counts as none: it has the focus after the focused element's removal. */
function isFocusFree(closing: EventTarget | null): boolean {
  const focused = document.activeElement
  return focused === null || focused === document.body || (closing instanceof Node && closing.contains(focused))
}

/**
 * Returns the focus when a popover or menu closes, for Radix's `onCloseAutoFocus`. Radix sends that event in a timer after closing. By
 * then the person may have opened another popover, which closes when it loses the focus. So a focus that has moved on stays.
 *
 * @param to the element that gets the focus. Without it, Radix focuses the trigger.
 */
export function returnFocus(event: Event, to?: () => HTMLElement | null | undefined): void {
  const isFree = isFocusFree(event.currentTarget)
  if (!isFree || to) event.preventDefault()
  if (isFree) to?.()?.focus({ preventScroll: true })
}

type TextField = HTMLTextAreaElement | HTMLInputElement

/** Whether typed letters become text in an element. */
const takesText = (element: Element | null): element is TextField =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button', 'file'].includes(element.type))

let origin: Element | null = null

/**
 * The element that a command is about: the focused one. While a dialog with the command closes, the element that had the focus before
 * the dialog.
 */
export const commandOrigin = (): Element | null => origin ?? document.activeElement

/**
 * Moves the focus to the message field, if the page has one, or to the field of an edited message, after a modal dialog has closed. On a button, the next letters would be
 * lost, and the next space would press it. A field for text keeps the focus, and so does everything while another dialog is open.
 */
export function leaveDialog(): void {
  const focused = document.activeElement
  const field = takesText(focused) ? focused : document.querySelector('dialog[open]') ? null : fieldFor(focused)
  field?.focus({ preventScroll: true })
  placeCaret(field)
  origin = focused
  // The palette runs a command in a timer that is set before this one.
  setTimeout(() => {
    origin = null
  })
}

/** The field of the message that is edited, if its buttons had the focus. Otherwise the message field. */
const fieldFor = (focused: Element | null): TextField | null =>
  focused?.closest('.chat-edit')?.querySelector('textarea') ?? composerField()

/** Chromium returns the focus to a field without its caret when the content of the dialog is gone. Letters would be lost. */
function placeCaret(field: TextField | null): void {
  const { selectionStart = null, selectionEnd = null } = field ?? {}
  if (selectionStart !== null) field?.setSelectionRange(selectionStart, selectionEnd)
}
