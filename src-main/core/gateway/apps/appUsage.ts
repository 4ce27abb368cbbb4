import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import type { SpendTotals } from '../../ports/requests.ts'
import { fromNano, type Nano } from '../../shared/money.ts'

/** Where the figures of an app are read: its key, the request log, its limits. */
export interface AppUseSources {
  apps(): App[]
  spent(appId: string): SpendTotals
  /** Running requests, and how many of them wait in the queue. */
  live(appId: string): { active: number; waiting: number }
  /** Reserved for running requests, in nano-SC. */
  reserved(appId: string): Nano
}

/** What each app whose key is not revoked does now and has spent. */
export function appUses(sources: AppUseSources): AppUse[] {
  return sources.apps().flatMap((app) => (app.revokedAt === null ? [readUse(sources, app)] : []))
}

function readUse(sources: AppUseSources, { id }: App): AppUse {
  const { day, month, total, ...figures } = sources.spent(id)
  return {
    id,
    ...sources.live(id),
    spentDay: fromNano(day),
    spentMonth: fromNano(month),
    spentTotal: fromNano(total),
    reserved: fromNano(sources.reserved(id)),
    ...figures,
  }
}
