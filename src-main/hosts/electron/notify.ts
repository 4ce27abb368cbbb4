import { Notification } from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import type { Notice } from '../../core/host.ts'

/**
 * Maximum number of referenced notifications. Without a reference, garbage collection would remove the click listener. Systems show about
 * this many.
 */
const maxHeld = 20
const held: Notification[] = []

/** Returns a function that shows a silent system notification whose click opens its place in the window. Null when unsupported. */
export function notifier(goTo: (place: AlertPlace) => void): ((notice: Notice) => void) | null {
  if (!Notification.isSupported()) return null
  return ({ title, body, place }) => {
    const notification = new Notification({ title, body, silent: true })
    const forget = (): void => void held.splice(0, held.length, ...held.filter((one) => one !== notification))
    notification.on('click', () => {
      forget()
      goTo(place)
    })
    notification.on('close', forget)
    held.push(notification)
    if (held.length > maxHeld) held.shift()
    notification.show()
  }
}
