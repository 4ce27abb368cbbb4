import type { FailCounts } from '../faults/early.ts'
import type { Replayer } from '../replay/replayer.ts'
import type { SandboxAccounting } from './accounting.ts'
import type { Accounts } from './accounts.ts'
import type { SandboxLimits } from './limits.ts'
import type { PrefixCache } from './prefixCache.ts'
import type { Records } from './records.ts'

/** The state of one sandbox, in memory until it closes. */
export interface World {
  seed: string
  /** ms since 1970, for dates, windows and `created`. */
  now: () => number
  accounts: Accounts
  limits: SandboxLimits
  accounting: SandboxAccounting
  records: Records
  failCounts: FailCounts
  prefixes: PrefixCache
  /** Answers with recorded replies, in place of the models. Null: the models answer. */
  replay: Replayer | null
  /** Tokens per second by model id, instead of the model's own speed. */
  paces: Readonly<Record<string, number>>
  /** Generated PNG images by name. */
  images: Map<string, { account: string; bytes: Uint8Array }>
  /** `http://127.0.0.1:PORT`, set once the server listens. */
  baseUrl: string
}
