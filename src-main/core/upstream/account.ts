import type * as z from 'zod'
import { StudioError } from '../errors.ts'
import * as schemas from './reply/schemas.ts'
import { callJson } from './sending/call.ts'
import type { UpstreamLink } from './sending/link.ts'
import type { CallOptions, UpstreamReply } from './types.ts'

type Read<T> = (link: UpstreamLink, options?: CallOptions) => Promise<UpstreamReply<T>>

/** A function that reads one path. */
const reader =
  <T>(path: string, schema: z.ZodType<T>): Read<T> =>
  (link, options) =>
    callJson(link, { method: 'GET', url: link.base.v1(path) }, schema, options)

export const listModels: Read<schemas.ModelListReply> = reader('/models', schemas.modelList)

/** This call counts as a request itself, so poll slowly. */
export const getRateLimit: Read<schemas.RateLimitStatus> = reader('/rate-limit', schemas.rateLimitStatus)

export const listKeys: Read<schemas.KeyList> = reader('/keys/', schemas.keyList)

export const getCurrentKey: Read<schemas.KeyRecord> = reader('/keys/current', schemas.keyRecord)

export const getCurrentKeyUsage: Read<schemas.KeyTotals> = reader('/keys/current/usage', schemas.keyTotals)

export const getCurrentKeyDailyUsage: Read<schemas.KeyDaily> = reader('/keys/current/usage/daily', schemas.keyDaily)

export const getKeyUsage = async (
  link: UpstreamLink,
  id: string,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyTotals>> => reader(`/keys/${segment(id)}/usage`, schemas.keyTotals)(link, options)

export const getKeyDailyUsage = async (
  link: UpstreamLink,
  id: string,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyDaily>> =>
  reader(`/keys/${segment(id)}/usage/daily`, schemas.keyDaily)(link, options)

/** Last thirty days, balance and lifetime spend. The service offers no filter. */
export const getUsage: Read<schemas.AccountUsage> = reader('/usage', schemas.accountUsage)

/**
 * A key's id as one path segment.
 * @throws StudioError `bad_input`
 */
function segment(id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new StudioError('bad_input', 'This is not the id of a key.')
  return id
}
