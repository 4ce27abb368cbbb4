import { onTestFinished } from 'vitest'
import type { AccountLocation } from '../../../../src-main/core/features/usage/accountIdentity.ts'
import type { MeasuredDay, UsageFeatureOptions } from '../../../../src-main/core/features/usage/dependencies.ts'
import { openUsageReader } from '../../../../src-main/core/features/usage/reader.ts'
import type { RequestLog } from '../../../../src-main/core/ports/requests.ts'
import { Listeners } from '../../../../src-main/core/shared/events.ts'
import { openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import type { Upstream } from '../../../../src-main/core/upstream/client.ts'
import { noRequestLog } from '../../../../src-main/core/upstream/sending/defaults.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { freshFolder } from '../../helpers/core.ts'

export const noon = (text: string): number => Date.parse(`${text}T12:00:00Z`)

/** Local usage as a list in memory, for tests of remote usage. */
export function localSide(rows: (MeasuredDay & { accountId: string })[] = []) {
  const reported: string[] = []
  return {
    rows,
    /** Every account that was reported as the connection's. */
    reported,
    settled: new Listeners<[string]>(),
    spentSince: () => ({ cost: 0n, unpriced: 0 }),
    belongsTo: (accountId: string): void => void reported.push(accountId),
    merge: (from: string, into: string): void => {
      for (const row of rows) if (row.accountId === from) row.accountId = into
    },
    usedByDay: (accountId: string, from: number, to: number): MeasuredDay[] =>
      rows.filter((row) => row.accountId === accountId && row.day >= from && row.day <= to),
    firstDayOf: (accountId: string): number | null =>
      rows
        .filter((row) => row.accountId === accountId)
        .reduce<number | null>((least, { day }) => Math.min(least ?? day, day), null),
  }
}

/** The account database in a fresh folder. Closed when the test ends. */
export function openAccount(dataDir = freshFolder()) {
  const accountStore = openAccountStore(dataDir)
  let open = true
  const close = (): void => {
    if (open) accountStore.close()
    open = false
  }
  onTestFinished(close)
  return { dataDir, accountStore, close }
}

/** Options for `createUsage`, over a real store. */
export function parts(
  given: Partial<UsageFeatureOptions> = {},
): UsageFeatureOptions & { local: ReturnType<typeof localSide> } {
  const { accountStore } = given.accountStore ? { accountStore: given.accountStore } : openAccount()
  return {
    accountStore,
    apps: () => [],
    learn: () => undefined,
    requests: () => 0,
    log: () => undefined,
    ...given,
    local: localSide(),
  }
}

/** A real client without retries, so that failures are immediate. */
export function client(baseUrl: string, apiKey: string, log: RequestLog = noRequestLog): Upstream {
  const upstream = openClient(baseUrl, apiKey, {
    retry: { maxAttempts: 1 },
    requestLog: log,
  })
  onTestFinished(() => upstream.close())
  return upstream
}

export const placeAt = (
  baseUrl: string,
  name = 'Service',
  kind: AccountLocation['kind'] = 'service',
  profile = 'one',
): AccountLocation => ({ kind, baseUrl, name, profile })

/** A reader over this store, at a fixed time. */
export function readingOf(accountStore: ReturnType<typeof openAccountStore>, now: () => number, local = localSide()) {
  return openUsageReader({ accountStore, local, apps: () => [], now })
}
