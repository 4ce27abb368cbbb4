import type { Notification } from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import type { Host } from '../../core/host.ts'
import { t } from './words.ts'

/**
 * Maximum number of referenced notifications. Without a reference, garbage collection would remove the click listener. Systems show about
 * this many.
 */
const maxHeld = 20
/** Longest wait for the system's answer, ms. Linux gives none when no notification service runs. */
const answerMs = 3000
const held: Notification[] = []

interface NotifierOptions {
  Notification: typeof Notification

  goTo(place: AlertPlace): void
  log: Host['log']
  platform?: NodeJS.Platform
}

/**
 * Returns a function that shows a silent system notification whose click opens its place in the window, and reports whether the system has
 * shown it. Null when unsupported.
 */
export function notifier(options: NotifierOptions): Host['notify'] {
  const { Notification: Shown, goTo, log, platform = process.platform } = options
  if (!Shown.isSupported()) return null
  return async (notice) => {
    const { title, body, place } = notice
    const failure = await show(new Shown({ title, body, silent: true }), () => goTo(place))
    if (failure === null) return null
    const reason = reasonOf(failure, platform)
    log('warn', `A notification was not shown. ${reason}`)
    return reason
  }
}

/** Resolves with null, or the system's own words, which may be empty. */
function show(notification: Notification, clicked: () => void): Promise<string | null> {
  const forget = (): void => void held.splice(0, held.length, ...held.filter((one) => one !== notification))
  notification.on('click', () => {
    forget()
    clicked()
  })
  notification.on('close', forget)
  held.push(notification)
  if (held.length > maxHeld) held.shift()
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(''), answerMs)
    const end = (failure: string | null): void => {
      clearTimeout(timer)
      resolve(failure)
    }
    notification.once('show', () => end(null))
    notification.once('failed', (_event, error) => {
      forget()
      end(error)
    })
    notification.show()
  })
}

/** One sentence for a person: the system's words, and what usually helps. */
export function reasonOf(failure: string, platform: NodeJS.Platform): string {
  const reason = failure.trim().slice(0, 300)
  const said = reason === '' ? t('desktop:notification.unconfirmed') : t('desktop:notification.systemSays', { reason })
  const help =
    platform === 'darwin'
      ? t('desktop:notification.helpMac')
      : platform === 'win32'
        ? t('desktop:notification.helpWindows')
        : t('desktop:notification.helpLinux')
  return `${said} ${help}`
}
