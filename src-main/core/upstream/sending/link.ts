import type { RateLimitHeaders, RequestLog, Scheduler } from '../../ports/requests.ts'
import type { BaseAddress } from '../address.ts'
import type { Credential } from '../credential.ts'
import type { Network } from '../wire/network.ts'
import type { ClientLifetime } from './lifetime.ts'
import type { Reachability } from './reachability.ts'
import type { RetryPolicy } from './retry.ts'

/** What every call shares: address, key, connections and retry policy. */
export interface UpstreamLink {
  base: BaseAddress
  credential: Credential
  network: Network
  retry: Partial<RetryPolicy>
  scheduler: Scheduler
  reachability: Reachability
  requestLog: RequestLog
  lifetime: ClientLifetime
  /** Whether `<think>…</think>` at the start of a chat's content is reasoning. */
  thinkTags(): boolean
  /** Called with the rate-limit headers of every reply. */
  sawHeaders(rateLimit: RateLimitHeaders): void
  /** Called with every reply's status. `inference` is false for read-outs. */
  sawStatus(status: number, inference: boolean): void
}
