import type { Alert } from '../../../src-preload/contract/alerts.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { navigate } from '../navigation.ts'
import { localStore } from '../storage.ts'
import { alertTexts } from './messages.ts'

/** Stored per browser, not in the settings: each browser asks for permission separately. */
const kept = 'alerts.browser'

export type BrowserNotices = 'on' | 'off' | 'denied' | 'missing'

/** Whether this browser shows notifications for alerts. */
export function browserNotices(): BrowserNotices {
  if (typeof Notification === 'undefined') return 'missing'
  if (Notification.permission === 'denied') return 'denied'
  return localStore.get(kept) === 'on' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** Switches browser notifications. Asks for permission when the browser has not asked yet. */
export async function switchBrowserNotices(on: boolean): Promise<BrowserNotices> {
  if (on && browserNotices() !== 'missing') await Notification.requestPermission()
  localStore.set(kept, on ? 'on' : 'off')
  return browserNotices()
}

/**
 * Shows a notification, or returns null when the browser refuses. The tag makes the same one of two windows of one browser a single
 * notification.
 */
export function showBrowserNotice(title: string, body: string, tag: string, onClick: () => void): Notification | null {
  try {
    const notice = new Notification(title, { body, tag, silent: true })
    notice.onclick = () => {
      window.focus()
      notice.close()
      onClick()
    }
    return notice
  } catch {
    // Some mobile browsers define `Notification` but refuse it on pages. The list in the window still works.
    return null
  }
}

/** Shows notifications for new alerts, when enabled and when the host does not show them itself. */
export function followAlerts(): () => void {
  let reported = new Set(alertsStore.getState().news.map(({ id }) => id))
  return alertsStore.subscribe(({ news, notifies }) => {
    const fresh = news.filter(({ id }) => !reported.has(id))
    reported = new Set(news.map(({ id }) => id))
    if (notifies || fresh.length === 0 || browserNotices() !== 'on') return
    for (const alert of fresh) notify(alert)
  })
}

function notify({ id, facts, place }: Alert): void {
  const { title, body } = alertTexts(facts)
  showBrowserNotice(title, body, id, () => navigate(place))
}
