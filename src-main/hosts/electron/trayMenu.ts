import type { MenuItemConstructorOptions } from 'electron'
import { showSc } from '../../../src-preload/contract/amountText.ts'
import type { ProxyState } from '../../../src-preload/contract/app.ts'
import type { CurrentSpend } from '../../../src-preload/contract/usage.ts'

/** What the tray shows. */
export interface TrayFacts {
  proxy: Pick<ProxyState, 'state' | 'baseUrl'>
  requests: number
  recordings: number
  /** Spend of today (UTC), SC. Null when it is not known. */
  spentToday: CurrentSpend['today']
  /** Number of apps that are not revoked, and how many of them are paused. */
  apps: number
  pausedApps: number
}

/** What the entries of the tray do. */
export interface TrayActions {
  open(): void
  quickPrompt(): void
  pauseApps(paused: boolean): void
  quit(): void
}

/** The state of the local API in one line. */
export function proxyLine({ state, baseUrl }: TrayFacts['proxy']): string {
  if (state === 'on') return `Local API: ${baseUrl ?? 'on'}`
  if (state === 'waiting') return 'Local API: waiting for a connection'
  return state === 'off' ? 'Local API: off' : 'Local API: could not start'
}

/** Running work in one line. */
export function workLine({ requests, recordings }: Pick<TrayFacts, 'requests' | 'recordings'>): string {
  const parts = [
    requests > 0 && `${requests} ${requests === 1 ? 'request' : 'requests'} running`,
    recordings > 0 && `${recordings} ${recordings === 1 ? 'recording' : 'recordings'} running`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'No requests running' : parts.join(', ')
}

/** Rounded as in the window. */
const spendLine = ({ amount, estimated }: NonNullable<TrayFacts['spentToday']>): string =>
  `Today: ${showSc(amount)} SC${estimated ? ' est.' : ''}`

/** The menu of the tray. Facts come first, as entries that can't be chosen. */
export function trayMenu(facts: TrayFacts, actions: TrayActions): MenuItemConstructorOptions[] {
  const { apps, pausedApps, spentToday } = facts
  const allPaused = apps > 0 && pausedApps === apps
  return [
    { label: proxyLine(facts.proxy), enabled: false },
    { label: workLine(facts), enabled: false },
    ...(spentToday === null ? [] : [{ label: spendLine(spentToday), enabled: false }]),
    { type: 'separator' },
    {
      label: allPaused ? 'Resume all apps' : 'Pause all apps',
      enabled: apps > 0,
      click: () => actions.pauseApps(!allPaused),
    },
    { type: 'separator' },
    { label: 'Open Inference Studio', click: () => actions.open() },
    { label: 'Quick prompt', click: () => actions.quickPrompt() },
    { type: 'separator' },
    { label: 'Quit', click: () => actions.quit() },
  ]
}
