import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { AccountUsage, KeyDaily, KeyList, KeyRecord, KeyTotals } from '../../upstream/reply/schemas.ts'
import type { CallOptions, UpstreamReply } from '../../upstream/types.ts'
import type { RequestTimes } from './parseReplies.ts'

/** The account endpoints of the service. */
export type AccountEndpoints = Pick<
  Upstream,
  | 'getUsage'
  | 'getCurrentKey'
  | 'listKeys'
  | 'getKeyUsage'
  | 'getKeyDailyUsage'
  | 'getCurrentKeyUsage'
  | 'getCurrentKeyDailyUsage'
>

/** A reply with its times, or `missing`: the service does not have this endpoint. */
export type AccountAnswer<T> = { missing: true } | (RequestTimes & { missing: false; value: T })

const absent: ReadonlySet<ProblemKind> = new Set(['not_found', 'not_implemented', 'malformed_reply'])
/** Statuses of servers where the path exists for another purpose or another method. */
const absentStatus: ReadonlySet<number> = new Set([400, 405, 410, 422])

/**
 * Calls the account endpoints over one connection. `onRow` is called for every request sent. A missing endpoint is not an error.
 * Each call throws StudioError if the service has the endpoint and it fails.
 */
export function accountRequests(
  from: AccountEndpoints,
  now: () => number,
  { signal, onRow }: Required<Pick<CallOptions, 'signal' | 'onRow'>>,
) {
  async function ask<T>(
    call: (options: CallOptions) => Promise<UpstreamReply<T>>,
    ...members: (keyof T)[]
  ): Promise<AccountAnswer<T>> {
    const askedAt = now()
    try {
      const { value } = await untilAborted(call({ feature: 'account', signal, onRow }), signal)
      // Any JSON object satisfies the loose schemas. An object without one of these members comes from a different kind of server.
      if (members.every((member) => value[member] === null || value[member] === undefined)) return { missing: true }
      return { missing: false, value, askedAt, answeredAt: Math.max(askedAt, now()) }
    } catch (thrown) {
      if (isAbsent(asStudioError(thrown))) return { missing: true }
      throw thrown
    }
  }
  return {
    usage: () => ask<AccountUsage>(from.getUsage, 'usage', 'balance', 'total_spent'),
    currentKey: () => ask<KeyRecord>(from.getCurrentKey, 'id', 'user_id'),
    keys: () => ask<KeyList>(from.listKeys, 'api_keys'),
    /** For the calling key, uses the routes that need no id. */
    totals: (id: string, calling: boolean) =>
      ask<KeyTotals>(
        (options) => (calling ? from.getCurrentKeyUsage(options) : from.getKeyUsage(id, options)),
        'total_requests',
        'total_tokens_in',
        'total_tokens_out',
        'total_cost_sc',
      ),
    keyDays: (id: string, calling: boolean) =>
      ask<KeyDaily>(
        (options) => (calling ? from.getCurrentKeyDailyUsage(options) : from.getKeyDailyUsage(id, options)),
        'usage',
      ),
  }
}

function isAbsent({ kind, facts }: StudioError): boolean {
  return absent.has(kind) || (facts.status !== undefined && absentStatus.has(facts.status))
}

/** Rejects as soon as the signal aborts. The request itself may be shared with other callers, so it continues. */
async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(new StudioError('cancelled', 'The connection was closed.'))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([answer, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
