import type { MenuItemConstructorOptions } from 'electron'
import { showSc } from '../../../src-preload/contract/amountText.ts'
import type { ProxyState } from '../../../src-preload/contract/app.ts'
import { type AppQuestion, modelsOf } from '../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../src-preload/contract/requests.ts'
import type { CurrentSpend } from '../../../src-preload/contract/usage.ts'
import { t, words } from './words.ts'

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
  if (state === 'on') {
    return baseUrl === null ? t('desktop:tray.proxyOn') : t('desktop:tray.proxyAt', { address: baseUrl })
  }
  if (state === 'waiting') return t('desktop:tray.proxyWaiting')
  return state === 'off' ? t('desktop:tray.proxyOff') : t('desktop:tray.proxyFailed')
}

/** Running work in one line. */
export function workLine({ requests, recordings }: Pick<TrayFacts, 'requests' | 'recordings'>): string {
  const ofRequests = t('desktop:tray.requests', { count: requests })
  const ofRecordings = t('desktop:tray.recordings', { count: recordings })
  if (requests > 0 && recordings > 0) {
    return t('desktop:tray.both', { requests: ofRequests, recordings: ofRecordings })
  }
  if (requests > 0) return ofRequests
  return recordings > 0 ? ofRecordings : t('desktop:tray.idle')
}

/** Rounded as in the window. */
const sc = (amount: string): string => showSc(amount, words.locale)

const spendLine = ({ amount, estimated }: NonNullable<TrayFacts['spentToday']>): string =>
  t(estimated ? 'desktop:tray.spentEstimated' : 'desktop:tray.spent', { amount: sc(amount) })

/** An ampersand in a label would underline the next character. */
const label = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 120)
    .replaceAll('&', '&&')

/** A question of an app in one line. */
function questionLine({ app, requests, cost }: AppQuestion): string {
  const asks = { app: app.name, count: requests.length, cost: sc(cost ?? '0') }
  return t(cost === null ? 'desktop:tray.asksUnpriced' : 'desktop:tray.asks', asks)
}

/** What the tray says when the pointer rests on it. Questions come first, because Windows shows 127 characters. */
export const trayTip = (facts: TrayFacts): string =>
  ['Inference Studio', ...facts.questions.map(questionLine), proxyLine(facts.proxy), workLine(facts)].join('\n')

/** A question of an app with its answers. */
function questionEntries(question: AppQuestion, answer: TrayActions['answer']): MenuItemConstructorOptions[] {
  const { spentToday, suggested } = question
  const to = modelsOf(question).join(', ')
  const entry = (text: string, kind: AnswerKind): MenuItemConstructorOptions => ({
    label: text,
    click: () => answer(question, kind),
  })
  return [
    { type: 'separator' },
    {
      label: label(questionLine(question)),
      submenu: [
        ...(to === '' ? [] : [{ label: label(to), enabled: false }]),
        { label: t('desktop:tray.appSpent', { amount: sc(spentToday) }), enabled: false },
        entry(t('desktop:tray.allowOnce'), 'once'),
        ...(suggested === null ? [] : [entry(t('desktop:tray.addToBudget', { amount: sc(suggested) }), 'more')]),
        entry(t('desktop:tray.allowUntilTomorrow'), 'tomorrow'),
        entry(t('desktop:tray.refuse'), 'refuse'),
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
      label: allPaused ? t('desktop:tray.resumeApps') : t('desktop:tray.pauseApps'),
      enabled: apps > 0,
      click: () => actions.pauseApps(!allPaused),
    },
    { type: 'separator' },
    { label: t('desktop:tray.open'), click: () => actions.open() },
    { label: t('desktop:quickPrompt'), click: () => actions.quickPrompt() },
    { type: 'separator' },
    { label: t('desktop:quit'), click: () => actions.quit() },
  ]
}
