import type { KeyboardEvent as ReactKeyboardEvent } from 'react'

/**
 * Whether a key press belongs to an input method: it chooses, commits or drops what is being composed, and means nothing to the window. Every
 * listener for keys in a field asks this first.
 *
 * - Chromium (Linux, macOS, Windows) and Firefox: `keydown` has `isComposing`, and code 229. `compositionend` follows.
 * - Safari: `compositionend` comes first. The `keydown` has `isComposing: false`, and code 229.
 *
 * A real Enter has code 13 in all of them, also directly after `compositionend`. So no time and no memory of earlier events is needed, with
 * which a real Enter could be lost. Korean input methods of macOS send both: the first ends the composition, the second is a real Enter.
 * @see UI Events, 5.1 (keyCode 229); WebKit bug 165004 (order of events in Safari)
 */
export function isComposing(event: KeyboardEvent | ReactKeyboardEvent): boolean {
  const native = 'nativeEvent' in event ? event.nativeEvent : event
  return native.isComposing || native.keyCode === 229
}
