import { StudioError } from '../errors.ts'
import { callJson, jsonBody } from './call.ts'
import type { UpstreamLink } from './link.ts'
import * as schemas from './schemas.ts'
import type { CallOptions, UpstreamReply } from './types.ts'

export const listModels = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.ModelListReply>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/models') }, schemas.modelList, options)

/** Counts as a request itself: poll it at a reasonable pace. */
export const getRateLimit = (
  link: UpstreamLink,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.RateLimitStatus>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/rate-limit') }, schemas.rateLimitStatus, options)

export const listKeys = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.KeyList>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/keys/') }, schemas.keyList, options)

export const getCurrentKey = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.KeyRecord>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/keys/current') }, schemas.keyRecord, options)

export const getCurrentKeyUsage = (
  link: UpstreamLink,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyTotals>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/keys/current/usage') }, schemas.keyTotals, options)

export const getCurrentKeyDailyUsage = (
  link: UpstreamLink,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyDaily>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/keys/current/usage/daily') }, schemas.keyDaily, options)

export const getKeyUsage = async (
  link: UpstreamLink,
  id: string,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyTotals>> =>
  callJson(link, { method: 'GET', url: link.base.v1(`/keys/${segment(id)}/usage`) }, schemas.keyTotals, options)

export const getKeyDailyUsage = async (
  link: UpstreamLink,
  id: string,
  options?: CallOptions,
): Promise<UpstreamReply<schemas.KeyDaily>> =>
  callJson(link, { method: 'GET', url: link.base.v1(`/keys/${segment(id)}/usage/daily`) }, schemas.keyDaily, options)

/** Thirty days, the balance and the lifetime spend; no filter exists. */
export const getUsage = (link: UpstreamLink, options?: CallOptions): Promise<UpstreamReply<schemas.AccountUsage>> =>
  callJson(link, { method: 'GET', url: link.base.v1('/usage') }, schemas.accountUsage, options)

/** Always fails with `not_implemented`: the service answers 501. Here for completeness; the studio never calls it. */
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

/** A key's id as one segment of the path. @throws StudioError `bad_input` */
function segment(id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new StudioError('bad_input', 'This is not the id of a key.')
  return id
}
