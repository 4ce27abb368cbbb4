import type { Profile } from '../../../src-preload/contract/app.ts'
import { AlertsFeature } from '../features/alerts/alerts.ts'
import type { Session } from '../features/connections/session.ts'
import { LimitsFeature } from '../features/limits/limits.ts'
import { RateLimitPoller } from '../features/limits/rateLimitStatus.ts'
import { createUsage, type UsageFeature } from '../features/usage/usage.ts'
import { UsageWorkerClient } from '../features/usage/workerClient.ts'
import type { Apps } from '../gateway/apps/apps.ts'
import type { RequestScheduler } from '../gateway/scheduler/requestScheduler.ts'
import { SchedulerWatcher } from '../gateway/scheduler/schedulerWatcher.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { inBackground } from '../shared/unexpected.ts'
import type { AccountStore } from '../store/account/open.ts'
import type { Store } from '../store/store.ts'

export interface AccountDependencies {
  host: Pick<Host, 'dataDir' | 'notify' | 'log'>
  store: Store
  accountStore: AccountStore
  requestLog: SqliteRequestLog
  tools: Apps
  scheduler: RequestScheduler
  session: Session
  /** Whose account it is was told: what shows it is another now. */
  changed: () => void
}

/** What is known of the account behind the connection, and follows it: its books, its limits, and the lines that a person drew. */
export function composeAccount({
  host,
  store,
  accountStore,
  requestLog,
  tools,
  scheduler,
  session,
  changed,
}: AccountDependencies) {
  const usage: UsageFeature = createUsage({
    accountStore,
    local: {
      usedByDay: (accountId, from, to) => requestLog.usedByDay(accountId, from, to),
      firstDayOf: (accountId) => requestLog.firstDayOf(accountId),
      belongsTo(accountId) {
        requestLog.belongsTo(accountId)
        limits.known()
        changed()
      },
    },
    tools: () => tools.list(),
    learn: (usage, { baseUrl, profile }) => requestLog.learn(usage, baseUrl, profile),
    requests: () => requestLog.size,
    log: host.log,
  })
  const beside = new UsageWorkerClient({
    dataDir: host.dataDir,
    tools: () => tools.list().map(({ id, name, colour }) => ({ id, name, colour })),
    flush: () => requestLog.flush(),
    settled: () => requestLog.settledDays,
  })
  const bucket = new RateLimitPoller()
  const schedulerWatcher = new SchedulerWatcher(scheduler, bucket)
  const limits = new LimitsFeature({ scheduler, gauge: bucket, requestLog, stored: usage.limits })
  const alerts = new AlertsFeature({
    table: store.alerts,
    pending: store.pending,
    usage: {
      changes: usage.changes,
      current: usage.current,
      today: usage.today,
      callingKey: (accountId) => usage.reading.keys({ accountId }).find(({ calling }) => calling) ?? null,
    },
    connection: () => session.connection,
    statuses: bucket.asked,
    tools: { list: tools.list, observe: (listener) => tools.observe(listener) },
    settled: requestLog.settled,
    spent: (id) => requestLog.spent(id),
    notify: host.notify,
  })

  /** The newest connection alone counts, whenever the database takes it. */
  const follow = (...to: Parameters<UsageFeature['follow']>): void =>
    accountStore.pending.write('follow', 'Whose account is connected', () => usage.follow(...to))

  session.changes.add(() => {
    const { profile, state: standing } = session.connection
    if (session.current === null) {
      bucket.follow(null)
      follow(null, profile && placeOf(profile))
      limits.follow(false)
      alerts.follow(null)
      inBackground('The limits of the key could not be forgotten', schedulerWatcher.connect(null))
    } else if (standing === 'connected') usage.reachable()
    alerts.connectionChanged(session.current)
  })
  session.opened.add((upstream) => {
    const { profile } = session.connection
    requestLog.connectedTo(upstream.base.url, profile?.id)
    alerts.follow(upstream)
    // Both ask whose key it is: one request answers them.
    const getCurrentKey = onceGood(() => upstream.getCurrentKey({ feature: 'account' }))
    inBackground('The limits of the key could not be asked for', schedulerWatcher.connect({ getCurrentKey }))
    bucket.follow(upstream)
    follow({ ...upstream, getCurrentKey }, profile && placeOf(profile))
    limits.follow(true)
    inBackground('The rate limit could not be asked for', bucket.ask())
  })
  session.returned.add((upstream) => {
    inBackground('The limits of the key could not be asked for', schedulerWatcher.learn(upstream))
    inBackground('The rate limit could not be asked for', bucket.ask())
  })
  session.forgotten.add((id) => usage.forgotten(id))
  // Without a core running, the command line forgets them in the store alone.
  usage.forgottenBut(store.profiles.all().map(({ id }) => id))

  return {
    usage,
    beside,
    bucket,
    limits,
    alerts,
    async close(): Promise<void> {
      alerts.close()
      await usage.close()
      await beside.close()
      schedulerWatcher.close()
      limits.close()
      bucket.close()
    },
  }
}

export const placeOf = ({ id, kind, baseUrl, name }: Profile) => ({ profile: id, kind, baseUrl, name })

/** Asks until it was answered well, and then no more. */
function onceGood<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  return () => {
    answer ??= ask().catch((thrown: unknown) => {
      answer = null
      throw thrown
    })
    return answer
  }
}
