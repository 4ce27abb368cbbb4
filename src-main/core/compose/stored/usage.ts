import type { AccountKey, Limited, LimitStatus } from '../../../../src-preload/contract/account.ts'
import type { Account, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { limitedOf } from '../../features/limits/history.ts'
import { readStatus } from '../../features/limits/status.ts'
import { openUsageReader } from '../../features/usage/reader.ts'
import { openAppsReadOnly } from '../../gateway/apps/apps.ts'
import { openRequestLogReader } from '../../requestLog/reader.ts'
import { openAccountReadOnly } from '../../store/account/open.ts'

/** Stored usage, limits and API keys of the accounts. Works while another process serves the folder. */
export interface UsageCommands {
  /** Most recently used first. */
  accounts(): Account[]
  /** Returns every series separately, without merging small ones. @throws StudioError `bad_input` when the source lacks this grouping */
  view(query: ViewQuery): UsageView
  keys(accountId: string): AccountKey[]
  /** The limits that the service last reported, or null. */
  limits(accountId: string): LimitStatus | null
  /** Requests that the service answered with 429, newest first. */
  limited(limit: number, accountId: string | null): Limited[]
  close(): void
}

/**
 * Opens the usage data of a folder, read-only, with or without a running core. Needs no network and no keychain.
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openUsage(dataDir: string): UsageCommands {
  const accountStore = openAccountReadOnly(dataDir)
  const apps = openAppsReadOnly(dataDir)
  const here = openRequestLogReader(dataDir, apps.list)
  const reading = accountStore && openUsageReader({ accountStore, local: here, apps: apps.list, now: Date.now })
  const known = (): NonNullable<typeof reading> => {
    if (reading) return reading
    // Not reachable: callers take account ids from `accounts`, which returns an empty list here.
    throw new Error('There are no accounts.')
  }
  return {
    accounts: () => reading?.accounts() ?? [],
    view: (query) => known().view(query, { most: Number.POSITIVE_INFINITY }),
    keys: (accountId) => known().keys({ accountId }),
    limits: (accountId) => readStatus(accountStore?.limits.get(known().accountOf(accountId).no)?.value ?? null),
    limited: (limit, accountId) => here.limited(limit, accountId).map(limitedOf),
    close() {
      accountStore?.close()
      here.close()
      apps.close()
    },
  }
}
