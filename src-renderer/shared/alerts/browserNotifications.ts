import type { Alert } from '../../../src-preload/contract/alerts.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { navigate } from '../navigation.ts'
import { localStore } from '../storage.ts'
import { alertTexts } from './messages.ts'

/** Each browser is asked for itself: what one person allows on one machine says nothing of another. */
const kept = 'alerts.browser'

export type BrowserNotices = 'on' | 'off' | 'denied' | 'missing'

/** Whether this browser tells of alerts by notifications of its own. */
export function browserNotices(): BrowserNotices {
  if (typeof Notification === 'undefined') return 'missing'
  if (Notification.permission === 'denied') return 'denied'
  return localStore.get(kept) === 'on' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** Switches them; where the browser has not been asked yet, it asks the person now. */
export async function switchBrowserNotices(on: boolean): Promise<BrowserNotices> {
  if (on && browserNotices() !== 'missing') await Notification.requestPermission()
  localStore.set(kept, on ? 'on' : 'off')
  return browserNotices()
}

/** The same alert in two windows of one browser is one notification: they share its tag. */
export function showBrowserNotice(title: string, body: string, tag: string, onClick: () => void): boolean {
  try {
    const notice = new Notification(title, { body, tag, silent: true })
    notice.onclick = () => {
      window.focus()
      notice.close()
      onClick()
    }
    return true
  } catch {
    // Some browsers (on phones) have the name and no way to use it from a page: the list in the window stands.
    return false
  }
}

/** Tells what comes from now on, while it is wanted and the program does not do so itself. */
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
