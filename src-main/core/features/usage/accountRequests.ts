import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { AccountUsage, KeyDaily, KeyList, KeyRecord, KeyTotals } from '../../upstream/schemas.ts'
import type { CallOptions, UpstreamReply } from '../../upstream/types.ts'
import type { RequestTimes } from './parseReplies.ts'

/** The read-outs of an account. */
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

/** An answer with its times, or `lacks`: the service has no such read-out. */
export type AccountAnswer<T> = { lacks: true } | (RequestTimes & { lacks: false; value: T })

const absent: ReadonlySet<ProblemKind> = new Set(['not_found', 'not_implemented', 'malformed_reply'])
/** Told by servers that have the path for something else, or not for this method. */
const absentStatus: ReadonlySet<number> = new Set([400, 405, 410, 422])

/**
 * Asks the read-outs over one connection; `onRow` counts what went out. A server that has none is no failure. All throw StudioError where
 * one should have answered and did not.
 */
export function asking(
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
      const { value } = await unlessLeft(call({ feature: 'account', signal, onRow }), signal)
      // Any JSON object fits the loose schemas: one in which nothing is what the specification names is another server's.
      if (members.every((member) => value[member] === null || value[member] === undefined)) return { lacks: true }
      return { lacks: false, value, askedAt, answeredAt: Math.max(askedAt, now()) }
    } catch (thrown) {
      if (isAbsent(asStudioError(thrown))) return { lacks: true }
      throw thrown
    }
  }
  return {
    usage: () => ask<AccountUsage>(from.getUsage, 'usage', 'balance', 'total_spent'),
    currentKey: () => ask<KeyRecord>(from.getCurrentKey, 'id', 'user_id'),
    keys: () => ask<KeyList>(from.listKeys, 'api_keys'),
    /** Of the calling key by its own routes, which need no id. */
    totals: (id: string, calling: boolean) =>
      ask<KeyTotals>(
        (options) => (calling ? from.getCurrentKeyUsage(options) : from.getKeyUsage(id, options)),
        'total_requests',
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

/** An answer that is shared with others goes on without us: who leaves does not wait for it. */
async function unlessLeft<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>()
  const leave = (): void => left.reject(new StudioError('cancelled', 'The connection was left.'))
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    return await Promise.race([answer, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
