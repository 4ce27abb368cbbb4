import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Alert, AlertSettings, Alerts } from '../../src-preload/contract/alerts.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'

export interface AlertsStore {
  /** Alerts that are not dismissed, newest first. Null until the first event. */
  alerts: readonly Alert[] | null
  settings: AlertSettings | null
  /** Whether the host shows system notifications, so that the page does not. */
  notifies: boolean
  problem: Problem | null
  /** Whether the list is open. */
  shown: boolean
  /** Alerts since this window opened, newest last. They are announced, and shown as browser notifications where enabled. */
  news: readonly Alert[]
}

export const firstAlerts: AlertsStore = {
  alerts: null,
  settings: null,
  notifies: false,
  problem: null,
  shown: false,
  news: [],
}
export const alertsStore = createStore<AlertsStore>(() => firstAlerts)
export const useAlerts = <T>(select: (store: AlertsStore) => T): T => useStore(alertsStore, select)

/** Applies an event. Alerts of the first event are never news. In later events, active alerts that were absent before are news. */
export function withAlerts(store: AlertsStore, { alerts, settings, notifies }: Alerts): AlertsStore {
  const known = new Set(store.alerts?.map(({ id }) => id))
  // Skips ended alerts: after a reconnect, an alert can have ended days ago.
  const fresh = store.alerts === null ? [] : alerts.filter(({ id, endedAt }) => !known.has(id) && endedAt === null)
  return { ...store, alerts, settings, notifies, problem: null, news: [...store.news, ...fresh.reverse()].slice(-20) }
}

/** The number of active alerts. Ended alerts need no attention. */
export const holding = ({ alerts }: Pick<AlertsStore, 'alerts'>): number =>
  alerts?.filter(({ endedAt }) => endedAt === null).length ?? 0

/** Whether the alert stops work. Such alerts are red, warnings are amber. */
export function isGrave({ facts }: Alert): boolean {
  if (facts.kind === 'ban' || facts.kind === 'tokens') return true
  if (facts.kind === 'budget') return !facts.asks && (facts.usedUp || facts.short === 'refused')
  return facts.kind === 'key' && facts.why !== 'low'
}
