import type { MenuItemConstructorOptions } from 'electron'
import { showSc } from '../../../src-preload/contract/amountText.ts'
import type { ProxyState } from '../../../src-preload/contract/app.ts'
import { type AppQuestion, modelsOf } from '../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../src-preload/contract/requests.ts'
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
  questions: readonly AppQuestion[]
}

/** What the entries of the tray do. */
export interface TrayActions {
  open(): void
  quickPrompt(): void
  pauseApps(paused: boolean): void
  answer(question: AppQuestion, answer: AnswerKind): void
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

/** An ampersand in a label would underline the next character. */
const label = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 120)
    .replaceAll('&', '&&')

/** A question of an app with its answers. */
function questionEntries(question: AppQuestion, answer: TrayActions['answer']): MenuItemConstructorOptions[] {
  const { app, requests, cost, spentToday, suggested } = question
  const count = requests.length === 1 ? '1 request' : `${requests.length} requests`
  const most = cost === null ? 'cost unknown' : `at most ${showSc(cost)} SC`
  const to = modelsOf(question).join(', ')
  const entry = (text: string, kind: AnswerKind): MenuItemConstructorOptions => ({
    label: text,
    click: () => answer(question, kind),
  })
  return [
    { type: 'separator' },
    {
      label: label(`${app.name} asks: ${count}, ${most}`),
      submenu: [
        ...(to === '' ? [] : [{ label: label(to), enabled: false }]),
        { label: `Spent today: ${showSc(spentToday)} SC`, enabled: false },
        entry('Allow once', 'once'),
        ...(suggested === null ? [] : [entry(`Add ${showSc(suggested)} SC to the budget`, 'more')]),
        entry('Allow until tomorrow', 'tomorrow'),
        entry('Refuse', 'refuse'),
      ],
    },
  ]
}

/** The menu of the tray. Facts come first, as entries that can't be chosen. */
export function trayMenu(facts: TrayFacts, actions: TrayActions): MenuItemConstructorOptions[] {
  const { apps, pausedApps, spentToday } = facts
  const allPaused = apps > 0 && pausedApps === apps
  return [
    { label: proxyLine(facts.proxy), enabled: false },
    { label: workLine(facts), enabled: false },
    ...(spentToday === null ? [] : [{ label: spendLine(spentToday), enabled: false }]),
    ...facts.questions.flatMap((question) => questionEntries(question, actions.answer)),
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
