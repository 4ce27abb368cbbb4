import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import type { SpendTotals } from '../../ports/requests.ts'
import { fromNano, type Nano } from '../../shared/money.ts'
import type { Grants } from './answers.ts'

/** Where the figures of an app are read: its key, the request log, its limits. */
interface AppUseSources {
  apps: { list(): App[]; lastUseOf(app: App): string | null }
  requestLog: {
    spent(appId: string): SpendTotals
    /** Running requests, and how many of them wait in the queue. */
    liveOf(appId: string): { active: number; waiting: number }
  }
  allowance: {
    /** `reserved` for running requests, in nano-SC. */
    use(appId: string): { reserved: Nano }
    /** The budget that the app's last request did not fit into. */
    shortBudget(app: App): AppUse['short']
  }
  /** What answers of a person allow an app now. */
  grants(appId: string): Grants
}

/** What each app whose key is not revoked does now and has spent. */
export function appUses(sources: AppUseSources): AppUse[] {
  return sources.apps.list().flatMap((app) => (app.revokedAt === null ? [readUse(sources, app)] : []))
}

function readUse({ apps, requestLog, allowance, grants }: AppUseSources, app: App): AppUse {
  const { id } = app
  const { day, month, total, ...figures } = requestLog.spent(id)
  return {
    id,
    ...requestLog.liveOf(id),
    spentDay: fromNano(day),
    spentMonth: fromNano(month),
    spentTotal: fromNano(total),
    reserved: fromNano(allowance.use(id).reserved),
    short: allowance.shortBudget(app),
    allowed: app.atBudget === 'ask' ? allowedBy(grants(id)) : nothing,
    lastUsedAt: apps.lastUseOf(app),
    ...figures,
  }
}

const windows = ['day', 'month', 'total'] as const
const nothing: AppUse['allowed'] = { day: '0', month: '0', open: [] }

const allowedBy = ({ extra, open }: Grants): AppUse['allowed'] => ({
  day: fromNano(extra.day),
  month: fromNano(extra.month),
  open: windows.filter((window) => open.has(window)),
})
