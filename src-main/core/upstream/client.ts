import type { RequestLog, Scheduler } from '../ports/requests.ts'
import { Listeners } from '../shared/events.ts'
import * as account from './account.ts'
import type { BaseAddress } from './address.ts'
import * as chat from './chat.ts'
import { ClientLifetime } from './clientLifetime.ts'
import type { Credential } from './credential.ts'
import { noRequestLog, openScheduler } from './defaults.ts'
import { forward } from './forward.ts'
import type { UpstreamLink } from './link.ts'
import * as media from './media.ts'
import { type NetworkOptions, openNetwork } from './network.ts'
import { openReachability, type Reachability, reach } from './reachability.ts'
import type { RetryPolicy } from './retry.ts'
import type {
  CallOptions,
  ChatRequest,
  ForwardRequest,
  ImageRequest,
  RateLimitHeaders,
  SpeechRequest,
  TranscriptionRequest,
} from './types.ts'

export interface UpstreamOptions {
  base: BaseAddress
  credential: Credential
  network?: Partial<NetworkOptions>
  retry?: Partial<RetryPolicy>
  /** Where each attempt is let in, and where each request is written down; nowhere if not given. */
  scheduler?: Scheduler
  requestLog?: RequestLog
  /** Who hears whether anything answers at the address, and holds requests back while nothing does; nobody if not given. */
  way?: Reachability
}

export type Upstream = ReturnType<typeof openUpstream>

/**
 * The service behind one base address and one key: a function for each of its 14 endpoints, files, and the relay.
 * All throw StudioError. `close` ends what is still under way.
 * @throws StudioError `bad_input` for certificates or proxies of the environment that make no sense
 */
export function openUpstream({
  base,
  credential,
  network: options,
  retry = {},
  scheduler = openScheduler,
  requestLog = noRequestLog,
  way = openReachability,
}: UpstreamOptions) {
  const network = openNetwork(base, options)
  const listeners = new Set<(rateLimit: RateLimitHeaders) => void>()
  const sawHeaders = (rateLimit: RateLimitHeaders): void => {
    for (const listener of listeners) listener(rateLimit)
  }
  const replies = new Listeners<[status: number, inference: boolean]>()
  const sawStatus = (status: number, inference: boolean): void => {
    if (replies.size > 0) replies.notify(status, inference)
  }
  const lifetime = new ClientLifetime()
  const link: UpstreamLink = {
    base,
    credential,
    network,
    retry,
    scheduler,
    requestLog,
    way,
    lifetime,
    sawHeaders,
    sawStatus,
  }
  return {
    base,
    /** Whether anything takes a connection at the address; nothing is sent. @throws StudioError `connect_failed`, `connect_timeout` */
    reach: (): Promise<void> => reach(base, network),
    listModels: (o?: CallOptions) => account.listModels(link, o),
    createChatCompletion: (r: ChatRequest, o?: CallOptions) => chat.createChatCompletion(link, r, o),
    streamChatCompletion: (r: ChatRequest, o?: CallOptions) => chat.streamChatCompletion(link, r, o),
    legacyCompletion: (r: Record<string, unknown>, o?: CallOptions) => account.legacyCompletion(link, r, o),
    createSpeech: (r: SpeechRequest, o?: CallOptions) => media.createSpeech(link, r, o),
    createTranscription: (r: TranscriptionRequest, o?: CallOptions) => media.createTranscription(link, r, o),
    createImage: (r: ImageRequest, o?: CallOptions) => media.createImage(link, r, o),
    getRateLimit: (o?: CallOptions) => account.getRateLimit(link, o),
    listKeys: (o?: CallOptions) => account.listKeys(link, o),
    getCurrentKey: (o?: CallOptions) => account.getCurrentKey(link, o),
    getKeyUsage: (id: string, o?: CallOptions) => account.getKeyUsage(link, id, o),
    getKeyDailyUsage: (id: string, o?: CallOptions) => account.getKeyDailyUsage(link, id, o),
    getCurrentKeyUsage: (o?: CallOptions) => account.getCurrentKeyUsage(link, o),
    getCurrentKeyDailyUsage: (o?: CallOptions) => account.getCurrentKeyDailyUsage(link, o),
    getUsage: (o?: CallOptions) => account.getUsage(link, o),
    fetchFile: (address: string, o?: CallOptions) => media.fetchFile(link, address, o),
    /** A text with the key cut out, for what is shown or kept of a reply. */
    redact: (text: string): string => credential.redact(text),
    forward: (r: ForwardRequest) => forward(link, r),
    /** Rate-limit headers of every reply, any of them null; the answer takes the listener off. */
    onRateLimit: (listener: (rateLimit: RateLimitHeaders) => void): (() => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    /** The status of every reply, and whether its request asked for work; the answer takes the listener off. */
    onReply: (listener: (status: number, inference: boolean) => void): (() => void) => replies.add(listener),
    /** What has been sent ends as it would; nothing else is sent any more. Resolves when all is over and closed. */
    async retire(): Promise<void> {
      await lifetime.retire()
      await network.destroy()
    },
    close: (): Promise<void> => network.destroy(),
  }
}
