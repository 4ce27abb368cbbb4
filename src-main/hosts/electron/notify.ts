import { Notification } from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import type { Notice } from '../../core/host.ts'

/** A notification that nobody holds is collected, and its click with it. The system keeps about as many. */
const mostHeld = 20
const held: Notification[] = []

/** Shows a notification of the system, silently; a click goes to its place in the window. Null where the system has none. */
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
    if (held.length > mostHeld) held.shift()
    notification.show()
  }
}
