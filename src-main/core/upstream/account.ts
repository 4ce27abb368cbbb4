import type * as z from 'zod'
import { StudioError } from '../errors.ts'
import { callJson, jsonBody } from './call.ts'
import type { UpstreamLink } from './link.ts'
import * as schemas from './schemas.ts'
import type { CallOptions, UpstreamReply } from './types.ts'

const get = <T>(
  link: UpstreamLink,
  path: string,
  schema: z.ZodType<T>,
  options: CallOptions | undefined,
): Promise<UpstreamReply<T>> => callJson(link, { method: 'GET', url: link.base.v1(path) }, schema, options)

export const listModels = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.ModelListReply>> =>
  get(link, '/models', schemas.modelList, options)

/** This call counts as a request itself, so poll slowly. */
export const getRateLimit = (
  link: UpstreamLink,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.RateLimitStatus>> => get(link, '/rate-limit', schemas.rateLimitStatus, options)

export const listKeys = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.KeyList>> =>
  get(link, '/keys/', schemas.keyList, options)

export const getCurrentKey = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.KeyRecord>> =>
  get(link, '/keys/current', schemas.keyRecord, options)

export const getCurrentKeyUsage = (
  link: UpstreamLink,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyTotals>> => get(link, '/keys/current/usage', schemas.keyTotals, options)

export const getCurrentKeyDailyUsage = (
  link: UpstreamLink,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyDaily>> => get(link, '/keys/current/usage/daily', schemas.keyDaily, options)

export const getKeyUsage = async (
  link: UpstreamLink,
  id: string,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyTotals>> => get(link, `/keys/${segment(id)}/usage`, schemas.keyTotals, options)

export const getKeyDailyUsage = async (
  link: UpstreamLink,
  id: string,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyDaily>> => get(link, `/keys/${segment(id)}/usage/daily`, schemas.keyDaily, options)

/** Last thirty days, balance and lifetime spend. The service offers no filter. */
export const getUsage = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.AccountUsage>> =>
  get(link, '/usage', schemas.accountUsage, options)

/** Always fails with `not_implemented`, because the service answers 501. The studio never calls it. */
export const legacyCompletion = (
  link: UpstreamLink,
  request: Record<string, unknown>,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.ChatCompletion>> =>
  callJson(
    link,
    { method: 'POST', url: link.base.v1('/completions'), ...jsonBody(request) },
    schemas.chatCompletion,
    options,
  )

/**
 * A key's id as one path segment.
 * @throws StudioError `bad_input`
 */
function segment(id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new StudioError('bad_input', 'This is not the id of a key.')
  return id
}
