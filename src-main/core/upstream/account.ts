import type * as z from 'zod'
import { StudioError } from '../errors.ts'
import * as schemas from './reply/schemas.ts'
import { callJson } from './sending/call.ts'
import type { UpstreamLink } from './sending/link.ts'
import type { CallOptions, UpstreamReply } from './types.ts'

/** The calls that read models and the account. */
export function accountCalls(link: UpstreamLink) {
  const read = <T>(path: string, schema: z.ZodType<T>, options?: CallOptions): Promise<UpstreamReply<T>> =>
    callJson(link, { method: 'GET', url: link.base.v1(path) }, schema, options)
  return {
    listModels: (o?: CallOptions) => read('/models', schemas.modelList, o),
    /** This call counts as a request itself, so poll slowly. */
    getRateLimit: (o?: CallOptions) => read('/rate-limit', schemas.rateLimitStatus, o),
    listKeys: (o?: CallOptions) => read('/keys/', schemas.keyList, o),
    getCurrentKey: (o?: CallOptions) => read('/keys/current', schemas.keyRecord, o),
    getCurrentKeyUsage: (o?: CallOptions) => read('/keys/current/usage', schemas.keyTotals, o),
    getCurrentKeyDailyUsage: (o?: CallOptions) => read('/keys/current/usage/daily', schemas.keyDaily, o),
    getKeyUsage: async (id: string, o?: CallOptions) => read(`/keys/${segment(id)}/usage`, schemas.keyTotals, o),
    getKeyDailyUsage: async (id: string, o?: CallOptions) =>
      read(`/keys/${segment(id)}/usage/daily`, schemas.keyDaily, o),
    /** Last thirty days, balance and lifetime spend. The service offers no filter. */
    getUsage: (o?: CallOptions) => read('/usage', schemas.accountUsage, o),
  }
}

/**
 * A key's id as one path segment.
 * @throws StudioError `bad_input`
 */
function segment(id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new StudioError('bad_input', 'This is not the id of a key.')
  return id
}
