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
