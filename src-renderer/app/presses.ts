/** How far a pointer may move between the press and the release of a click, px. */
const still = 4

/**
 * Clicks the element that was pressed, also when the page has moved it away from under a pointer that kept still: a list whose newest row
 * has just arrived, or a card that grew. The browser would click the common ancestor of both elements, or nothing.
 */
export function followPresses(signal: AbortSignal): void {
  let press: { path: EventTarget[]; x: number; y: number } | null = null
  /** Whether the browser's own click of this release is not wanted. */
  let replaces = false
  const onPress = (event: PointerEvent): void => {
    const isClick = event.isPrimary && event.button === 0
    press = isClick ? { path: event.composedPath(), x: event.clientX, y: event.clientY } : null
  }
  const onRelease = (event: PointerEvent): void => {
    const was = press
    press = null
    const { clientX: x, clientY: y, target } = event
    if (!was || Math.hypot(x - was.x, y - was.y) > still) return
    // The innermost part may have been drawn anew, such as an icon of a button.
    const pressed = was.path.find((one) => one instanceof Element && one.isConnected)
    if (!(pressed instanceof Element) || !(target instanceof Node) || pressed.contains(target)) return
    const { left, right, top, bottom } = pressed.getBoundingClientRect()
    // Covered, such as by a menu that opened.
    if (x >= left && x < right && y >= top && y < bottom) return
    replaces = true
    const click = new MouseEvent('click', event)
    // After the browser's own events of the release.
    setTimeout(() => {
      replaces = false
      pressed.dispatchEvent(click)
    })
  }
  const onClick = (event: MouseEvent): void => {
    if (!replaces || !event.isTrusted) return
    event.stopImmediatePropagation()
    event.preventDefault()
  }
  const options = { capture: true, signal }
  addEventListener('pointerdown', onPress, options)
  addEventListener('pointerup', onRelease, options)
  addEventListener('click', onClick, options)
}
