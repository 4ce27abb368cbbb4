import type { FailCounts } from '../faults/early.ts'
import type { Accounts } from './accounts.ts'
import type { SandboxAccounting } from './ledger.ts'
import type { SandboxLimits } from './limits.ts'
import type { PrefixCache } from './prefixCache.ts'
import type { Records } from './records.ts'

/** Everything one sandbox knows; in memory, gone when it closes. */
export interface World {
  seed: string
  /** ms since 1970; what dates, windows and `created` are told by. */
  now: () => number
  accounts: Accounts
  limits: SandboxLimits
  requestLog: SandboxAccounting
  records: Records
  failCounts: FailCounts
  prefixes: PrefixCache
  /** Tokens a second of models by their ids, in place of their own. */
  paces: Readonly<Record<string, number>>
  /** PNG images that `url`s point to, by their name. */
  images: Map<string, { account: string; bytes: Uint8Array }>
  /** `http://127.0.0.1:PORT`, known once it listens. */
  baseUrl: string
}
