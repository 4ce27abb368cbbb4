import type { Profile } from '../../../src-preload/contract/app.ts'
import { sandboxAddress } from '../../../src-preload/contract/usage.ts'
import { AlertsFeature } from '../features/alerts/alerts.ts'
import { sandboxId } from '../features/connections/profiles.ts'
import type { SandboxUse, Session } from '../features/connections/session.ts'
import { LimitsFeature } from '../features/limits/limits.ts'
import { RateLimitPoller } from '../features/limits/rateLimitStatus.ts'
import type { ModelsFeature } from '../features/models/listModels.ts'
import type { ModelFactsFeature } from '../features/models/modelFacts.ts'
import { createUsage, type UsageFeature } from '../features/usage/usage.ts'
import { UsageWorkerClient } from '../features/usage/workerClient.ts'
import type { RequestScheduler } from '../gateway/scheduler/requestScheduler.ts'
import { SchedulerWatcher } from '../gateway/scheduler/schedulerWatcher.ts'
import type { Host } from '../host.ts'
import { closeAll } from '../shared/closeAll.ts'
import { dayOfMs, dayText } from '../shared/days.ts'
import { inBackground } from '../shared/unexpected.ts'
import { locationOf } from '../store/profiles.ts'
import type { LinkedAccount } from '../store/requestLog/links.ts'
import type { OpenData } from './data.ts'

export interface AccountDependencies extends Omit<OpenData, 'settings'> {
  host: Pick<Host, 'dataDir' | 'notify' | 'log'>
  scheduler: RequestScheduler
  session: Session
  /** Called when the service has said which account the key belongs to. */
  changed: () => void
}

/** The features that read the connected account: usage, limits, alerts and models. Each follows changes of the connection. */
export interface ComposedAccount {
  usage: UsageFeature
  /** Usage queries on a worker thread. */
  usageWorker: UsageWorkerClient
  bucket: RateLimitPoller
  limits: LimitsFeature
  alerts: AlertsFeature
  models: ModelsFeature & ModelFactsFeature
  close(): Promise<void>
}

export function composeAccount(dependencies: AccountDependencies): ComposedAccount {
  const { host, store, words, accountStore, requestLog, apps, scheduler, session, changed } = dependencies
  const usage: UsageFeature = createUsage({
    accountStore,
    local: {
      usedByDay: (accountId, from, to) => requestLog.usage.usedByDay(accountId, from, to),
      firstDayOf: (accountId) => requestLog.usage.firstDayOf(accountId),
      spentSince: (accountId, at) => requestLog.usage.spentSince(accountId, at),
      settled: requestLog.settled,
      merge: (from, into) => requestLog.merge(into, ({ account }) => account === from),
      belongsTo(accountId) {
        requestLog.belongsTo(accountId)
        if (session.connection.profile?.kind === 'sandbox') adoptEarlierSandboxes(dependencies, accountId)
        limits.known()
        changed()
      },
    },
    apps: apps.list,
    learn: (found, { baseUrl, profile }) => requestLog.learn(found, baseUrl, profile),
    requests: () => requestLog.size,
    log: host.log,
  })
  const usageWorker = new UsageWorkerClient({
    dataDir: host.dataDir,
    apps: () => apps.list().map(({ id, name, colour }) => ({ id, name, colour })),
    flush: () => requestLog.flush(),
    settled: () => requestLog.usage.settledDays,
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
    apps,
    settled: requestLog.settled,
    blocked: requestLog.blocked,
    cacheRows: requestLog.sessions.rows,
    spent: (id) => requestLog.spent(id),
    lastHour: (id) => requestLog.lastHour(id),
    usual: (id) => requestLog.usualRequest(id),
    notify: host.notify,
    words,
  })
  const models: ModelsFeature & ModelFactsFeature = {
    store,
    place: () => session.connection.profile && placeOf(session.connection.profile),
    fetch: () => session.fetchModels(),
    prices: () => requestLog.prices.list,
  }
  session.sandboxUse = () => usedAtSandbox(dependencies, usage)
  followConnection({ ...dependencies, usage, bucket, schedulerWatcher, limits, alerts })
  // Without a running core, the command line deletes a profile from the store alone.
  usage.forgottenBut(store.profiles.all().map(({ id }) => id))

  return {
    usage,
    usageWorker,
    bucket,
    limits,
    alerts,
    models,
    close: () => closeAll([alerts, usage, usageWorker, schedulerWatcher, limits, bucket]),
  }
}

/** Days of use that a new sandbox is told: more than the service reports. */
const sandboxDays = 60

/** What the log of this computer knows about the use of the sandbox, by day and model. */
function usedAtSandbox({ requestLog, store }: AccountDependencies, usage: UsageFeature): SandboxUse[] {
  const profile = store.profiles.sandbox()?.id ?? sandboxId
  const accountId = usage.accountOf({ profile, baseUrl: sandboxAddress })
  if (accountId === null) return []
  const today = dayOfMs(Date.now())
  return requestLog.usage
    .usedByDay(accountId, today - sandboxDays, today)
    .flatMap(({ day, model, requests, failed, ...use }) => {
      if (model === null || requests <= failed) return []
      const { tokensIn, tokensOut, tokensCached } = use
      return [{ day: dayText(day), model, requests: requests - failed, tokensIn, tokensOut, tokensCached }]
    })
}

/** The sandbox listens on a port that the system chooses, which is at least this on every system. */
const leastFreePort = 32_768

/**
 * Gives the sandbox the requests of earlier sandboxes. Earlier versions made an account for each start, under its address, and deleted it at
 * the next one, but the log kept its requests.
 */
function adoptEarlierSandboxes({ accountStore, requestLog, store }: AccountDependencies, accountId: string): void {
  const services = new Set(store.profiles.all().map(({ kind, baseUrl }) => (kind === 'service' ? baseUrl : '')))
  const isEarlier = ({ account, baseUrl, profile }: LinkedAccount): boolean => {
    const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)$/.exec(baseUrl) ?? []
    if (Number(port ?? 0) < leastFreePort || services.has(baseUrl)) return false
    return account === null ? profile === sandboxId : accountStore.accounts.get(account) === null
  }
  requestLog.merge(accountId, isEarlier, sandboxAddress)
}

interface Followers extends AccountDependencies, Pick<ComposedAccount, 'usage' | 'bucket' | 'limits' | 'alerts'> {
  schedulerWatcher: SchedulerWatcher
}

/** Points each feature at the connection that is in use now. */
function followConnection(followers: Followers): void {
  const { accountStore, requestLog, session, usage, bucket, schedulerWatcher, limits, alerts } = followers
  /** A new call replaces an earlier call that still waits for a locked database. */
  const followUsage = (...to: Parameters<UsageFeature['follow']>): void =>
    accountStore.pending.write('follow', 'Whose account is connected', () => usage.follow(...to))

  session.changes.add(() => {
    const { profile, state } = session.connection
    if (session.current === null) {
      bucket.follow(null)
      followUsage(null, profile && placeOf(profile))
      limits.follow(false)
      alerts.follow(null)
      inBackground('The limits of the key could not be reset', schedulerWatcher.connect(null))
    } else if (state === 'connected') usage.reachable()
    alerts.connectionChanged(session.current)
  })
  session.opened.add((upstream) => {
    const { profile } = session.connection
    const place = session.placeOf(upstream)
    requestLog.connectedTo(place.baseUrl, place.profile)
    alerts.follow(upstream)
    // The scheduler and usage both need the key's record: one request serves both.
    const getCurrentKey = cacheSuccess(() => upstream.getCurrentKey({ feature: 'account' }))
    inBackground('The limits of the key could not be read', schedulerWatcher.connect({ getCurrentKey }))
    bucket.follow(upstream)
    followUsage({ ...upstream, getCurrentKey }, profile && placeOf(profile))
    limits.follow(true)
    inBackground('The rate limit could not be read', bucket.ask())
  })
  session.returned.add((upstream) => {
    inBackground('The limits of the key could not be read', schedulerWatcher.learn(upstream))
    inBackground('The rate limit could not be read', bucket.ask())
  })
  session.forgotten.add((id) => {
    usage.forgotten(id)
    alerts.forgotten(id)
  })
}

/** The location of a profile. Its usage and its models are stored under this location. */
export const placeOf = (profile: Profile) => ({ ...locationOf(profile), kind: profile.kind, name: profile.name })

/** Caches the first successful result. A failure is not cached, so the next call tries again. */
function cacheSuccess<T>(request: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= request().catch((thrown: unknown) => {
      result = null
      throw thrown
    })
    return result
  }
}
