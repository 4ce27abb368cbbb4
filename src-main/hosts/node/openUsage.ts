import { limitedOf } from '../../core/features/limits/history.ts'
import { readStatus } from '../../core/features/limits/status.ts'
import { openUsageReader } from '../../core/features/usage/reader.ts'
import { openAppsReadOnly } from '../../core/gateway/apps/apps.ts'
import { openRequestLogReader } from '../../core/requestLog/reader.ts'
import { openAccountReadOnly } from '../../core/store/account/open.ts'
import type { UsageCommands } from './dependencies.ts'

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
