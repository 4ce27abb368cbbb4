import type { RequestLog, Scheduler } from '../ports/requests.ts'
import { Listeners } from '../shared/events.ts'
import { accountCalls } from './account.ts'
import type { BaseAddress } from './address.ts'
import * as chat from './chat.ts'
import type { Credential } from './credential.ts'
import { forward } from './forward.ts'
import * as media from './media.ts'
import { type RepeatedRequest, repeat } from './repeat.ts'
import { noRequestLog, openScheduler } from './sending/defaults.ts'
import { ClientLifetime } from './sending/lifetime.ts'
import type { UpstreamLink } from './sending/link.ts'
import { openReachability, type Reachability, reach } from './sending/reachability.ts'
import type { RetryPolicy } from './sending/retry.ts'
import type {
  CallOptions,
  ChatRequest,
  CreateImageRequest,
  CreateSpeechRequest,
  ForwardRequest,
  RateLimitHeaders,
  TranscriptionRequest,
} from './types.ts'
import { type NetworkOptions, openNetwork } from './wire/network.ts'

export interface UpstreamOptions {
  base: BaseAddress
  credential: Credential
  network?: Partial<NetworkOptions>
  retry?: Partial<RetryPolicy>
  /** Default: all requests are admitted, none is logged. */
  scheduler?: Scheduler
  requestLog?: RequestLog
  /** Learns whether the address answers, and holds requests back while it does not. Default: none. */
  reachability?: Reachability
  /** Whether `<think>…</think>` at the start of a chat's content is reasoning. Asked for each reply. Default: it is. */
  thinkTags?: () => boolean
}

export type Upstream = ReturnType<typeof openUpstream>

/**
 * Client of the service behind one base address and one key: a function for each endpoint that the studio calls, files, and the relay. All throw
 * StudioError. `close` cancels running requests.
 * @throws StudioError `bad_input` for invalid certificates or proxies in the environment
 */
export function openUpstream({
  base,
  credential,
  network: options,
  retry = {},
  scheduler = openScheduler,
  requestLog = noRequestLog,
  reachability = openReachability,
  thinkTags = () => true,
}: UpstreamOptions) {
  const network = openNetwork(base, options)
  const rateLimits = new Listeners<[rateLimit: RateLimitHeaders]>()
  const replies = new Listeners<[status: number, inference: boolean]>()
  const lifetime = new ClientLifetime()
  const link: UpstreamLink = {
    base,
    credential,
    network,
    retry,
    scheduler,
    requestLog,
    reachability,
    lifetime,
    thinkTags,
    sawHeaders: (rateLimit) => rateLimits.notify(rateLimit),
    sawStatus: (status, inference) => replies.notify(status, inference),
  }
  return {
    base,
    /**
     * Checks that the address accepts a connection, without sending a request.
     * @throws StudioError `connect_failed`, `connect_timeout`
     */
    reach: (): Promise<void> => reach(base, network),
    ...accountCalls(link),
    streamChatCompletion: (r: ChatRequest, o?: CallOptions) => chat.streamChatCompletion(link, r, o),
    createSpeech: (r: CreateSpeechRequest, o?: CallOptions) => media.createSpeech(link, r, o),
    createTranscription: (r: TranscriptionRequest, o?: CallOptions) => media.createTranscription(link, r, o),
    createImage: (r: CreateImageRequest, o?: CallOptions) => media.createImage(link, r, o),
    fetchFile: (address: string, o?: CallOptions) => media.fetchFile(link, address, o),
    /** Call when the computer wakes up: event streams that stay silent are ended. */
    resumed: (): void => network.resumed(),
    /** Removes the key from a text, for messages and logs about a reply. */
    redact: (text: string): string => credential.redact(text),
    repeat: (r: RepeatedRequest, o: CallOptions) => repeat(link, r, o),
    forward: (r: ForwardRequest) => forward(link, r),
    /** Listens to the rate-limit headers of every reply, any of them null. Returns the function that removes the listener. */
    onRateLimit: (listener: (rateLimit: RateLimitHeaders) => void): (() => void) => rateLimits.add(listener),
    /** Listens to the status of every reply. `inference` is false for read-outs. Returns the function that removes the listener. */
    onReply: (listener: (status: number, inference: boolean) => void): (() => void) => replies.add(listener),
    /** Refuses new requests and lets running requests end. Resolves when all have ended and all sockets are closed. */
    async retire(): Promise<void> {
      await lifetime.retire()
      await network.destroy()
    },
    close: (): Promise<void> => network.destroy(),
  }
}
