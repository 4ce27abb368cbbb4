import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Alert, AlertSettings, Alerts } from '../../src-preload/contract/alerts.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'

export interface AlertsStore {
  /** Those that nobody dismissed, the newest first; null until the core told. */
  alerts: readonly Alert[] | null
  settings: AlertSettings | null
  /** Whether the program shows notifications of the system by itself. */
  notifies: boolean
  problem: Problem | null
  /** Whether the list is open. */
  shown: boolean
  /** What came since this window was opened, the last one last; read out and, where wanted, told by the browser. */
  news: readonly Alert[]
}

export const firstAlerts: AlertsStore = {
  ...{ alerts: null, settings: null, notifies: false, problem: null, shown: false, news: [] },
}
export const alertsStore = createStore<AlertsStore>(() => firstAlerts)
export const useAlerts = <T>(select: (store: AlertsStore) => T): T => useStore(alertsStore, select)

/** What the core told. The first time all is old; then what was not there before is news. */
export function withAlerts(store: AlertsStore, { alerts, settings, notifies }: Alerts): AlertsStore {
  const known = new Set(store.alerts?.map(({ id }) => id))
  // What a lost link brings back may have been over for days.
  const fresh = store.alerts === null ? [] : alerts.filter(({ id, endedAt }) => !known.has(id) && endedAt === null)
  return { ...store, alerts, settings, notifies, problem: null, news: [...store.news, ...fresh.reverse()].slice(-20) }
}

/** How many hold: what is over by itself calls for nobody. */
export const holding = ({ alerts }: Pick<AlertsStore, 'alerts'>): number =>
  alerts?.filter(({ endedAt }) => endedAt === null).length ?? 0

/** What stops work is told in red, what is on its way there in amber. */
export function isGrave({ facts }: Alert): boolean {
  if (facts.kind === 'ban') return true
  if (facts.kind === 'budget') return facts.usedUp
  return facts.kind === 'key' && facts.why !== 'low'
}
