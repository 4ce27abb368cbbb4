import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../errors.ts'
import type { ApiKey } from '../world/accounts.ts'
import type { SandboxModel } from '../world/models.ts'
import type { RequestRecord } from '../world/records.ts'
import type { World } from '../world/world.ts'
import type { HttpReply } from './reply.ts'

/** One authenticated request and its context. */
export interface Call {
  world: World
  key: ApiKey
  request: IncomingMessage
  record: RequestRecord
  reply: HttpReply
  /** The `{name}` parts of the route's path. */
  parameters: Record<string, string>
}

/**
 * Admits a request, or throws 402 or 429. Releases the slot when the reply is over or the client closes (section Limits, Concurrency).
 */
export function admit(call: Call, model: SandboxModel, promptTokens: number): void {
  const { world, key, reply } = call
  if (!model.free) {
    if (key.account.balance.lte(0))
      throw new ServiceError(402, 'insufficient_credits', 'The account has no credit left.')
    if (key.balanceEnabled && key.balance.lte(0)) {
      throw new ServiceError(402, 'insufficient_credits', 'This key has no credit left.')
    }
  }
  world.limits.checkTokens(key, promptTokens)
  const giveBack = world.limits.takeSlot(key)
  if (reply.closed.aborted) giveBack()
  else reply.closed.addEventListener('abort', giveBack, { once: true })
  if (!model.free) return
  try {
    world.limits.countFreeRequest(key.account)
  } catch (error) {
    giveBack()
    throw error
  }
}
