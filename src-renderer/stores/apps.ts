import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { App, AppUse } from '../../src-preload/contract/apps.ts'

export interface AppsStore {
  /** Apps, newest first. Null until the first event. Never contains a key. */
  apps: App[] | null
  /** Current use and cost by app id. Absent: nothing reported yet. */
  use: Readonly<Record<string, AppUse>>
}

export const firstAppsStore: AppsStore = { apps: null, use: {} }

export const appsStore = createStore<AppsStore>(() => firstAppsStore)
export const useApps = (): App[] | null => useStore(appsStore, ({ apps }) => apps)
/** The use of one app. Renders the component again only when the figures of this app change. */
export const useAppUse = (id: string): AppUse | null => useStore(appsStore, ({ use }) => use[id] ?? null)

/** Applies new figures. Unchanged figures keep their object identity. */
export function withUse(store: AppsStore, round: readonly AppUse[]): AppsStore {
  const use: Record<string, AppUse> = {}
  for (const next of round) {
    const before = store.use[next.id]
    use[next.id] = before && sameUse(before, next) ? before : next
  }
  return { ...store, use }
}

function sameUse(a: AppUse, b: AppUse): boolean {
  return (
    a.active === b.active &&
    a.waiting === b.waiting &&
    a.spentDay === b.spentDay &&
    a.spentMonth === b.spentMonth &&
    a.spentTotal === b.spentTotal &&
    a.reserved === b.reserved &&
    a.short === b.short &&
    a.allowed.day === b.allowed.day &&
    a.allowed.month === b.allowed.month &&
    a.allowed.open.join() === b.allowed.open.join() &&
    a.estimated === b.estimated &&
    a.unpricedToday === b.unpricedToday &&
    a.requestsToday === b.requestsToday &&
    a.tokensToday === b.tokensToday &&
    a.perMinute.length === b.perMinute.length &&
    a.perMinute.every((count, minute) => count === b.perMinute[minute])
  )
}

export const inUse = (app: App, now: number): boolean =>
  app.revokedAt === null && !(app.expiresAt !== null && Date.parse(app.expiresAt) <= now)

/** Splits apps into usable ones (now, or after one action such as resuming) and those with a revoked key. */
export function splitApps(apps: readonly App[]): { alive: App[]; ended: App[] } {
  const alive: App[] = []
  const ended: App[] = []
  for (const app of apps) (app.revokedAt === null ? alive : ended).push(app)
  return { alive, ended }
}
