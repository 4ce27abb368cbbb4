import type { RateLimitHeaders, RequestLog, Scheduler } from '../ports/requests.ts'
import type { BaseAddress } from './address.ts'
import type { ClientLifetime } from './clientLifetime.ts'
import type { Credential } from './credential.ts'
import type { Network } from './network.ts'
import type { Reachability } from './reachability.ts'
import type { RetryPolicy } from './retry.ts'

/** What every call needs: where, with which key, over which connections, and how patiently. */
export interface UpstreamLink {
  base: BaseAddress
  credential: Credential
  network: Network
  retry: Partial<RetryPolicy>
  scheduler: Scheduler
  way: Reachability
  requestLog: RequestLog
  lifetime: ClientLifetime
  /** Told of every reply's headers, good or bad. */
  sawHeaders(rateLimit: RateLimitHeaders): void
  /** Told of every reply's status, and whether the request asked for work (and not for a read-out). */
  sawStatus(status: number, inference: boolean): void
}
