import { onTestFinished } from 'vitest'
import type { AccountLocation } from '../../../../src-main/core/features/usage/accountIdentity.ts'
import type { MeasuredDay, UsageFeatureOptions } from '../../../../src-main/core/features/usage/dependencies.ts'
import { openUsageReader } from '../../../../src-main/core/features/usage/reader.ts'
import type { RequestLog } from '../../../../src-main/core/ports/requests.ts'
import { openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { openUpstream, type Upstream } from '../../../../src-main/core/upstream/client.ts'
import { Credential } from '../../../../src-main/core/upstream/credential.ts'
import { noRequestLog } from '../../../../src-main/core/upstream/defaults.ts'
import { freshFolder } from '../../helpers/core.ts'

export const dayMs = 86_400_000
export const noon = (text: string): number => Date.parse(`${text}T12:00:00Z`)

/** This machine's side as a list in memory, for tests of the other one. */
export function hereSide(rows: (MeasuredDay & { accountId: string })[] = []) {
  const reported: string[] = []
  return {
    rows,
    /** Every book that the connection was said to belong to. */
    reported,
    belongsTo: (accountId: string): void => void reported.push(accountId),
    usedByDay: (accountId: string, from: number, to: number): MeasuredDay[] =>
      rows.filter((row) => row.accountId === accountId && row.day >= from && row.day <= to),
    firstDayOf: (accountId: string): number | null =>
      rows
        .filter((row) => row.accountId === accountId)
        .reduce<number | null>((least, { day }) => Math.min(least ?? day, day), null),
  }
}

/** The file of the service's side in a fresh folder, closed with the test. */
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

/** Parts for `createBooks`, over a real store. */
export function parts(
  given: Partial<UsageFeatureOptions> = {},
): UsageFeatureOptions & { here: ReturnType<typeof hereSide> } {
  const { accountStore } = given.accountStore ? { accountStore: given.accountStore } : openAccount()
  return {
    accountStore,
    tools: () => [],
    learn: () => undefined,
    requests: () => 0,
    log: () => undefined,
    ...given,
    here: hereSide(),
  }
}

/** A real client; it gives up at once where a test has no time for patience. */
export function client(baseUrl: string, apiKey: string, log: RequestLog = noRequestLog): Upstream {
  const upstream = openUpstream({
    base: parseBaseAddress(baseUrl, { allowInsecure: false }),
    credential: Credential.fromText(apiKey),
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
): AccountLocation => ({
  ...{ kind, baseUrl, name, profile },
})

/** One book and what can be read of it, at a moment. */
export function readingOf(accountStore: ReturnType<typeof openAccountStore>, now: () => number, here = hereSide()) {
  return openUsageReader({ accountStore, here, tools: () => [], now })
}
