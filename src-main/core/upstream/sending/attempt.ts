import { StudioError } from '../../errors.ts'
import type { AdmissionRequest, Permit, RateLimitHeaders, RequestTrace } from '../../ports/requests.ts'
import { readRateLimit } from '../headers.ts'
import type { Mask } from '../reply/mask.ts'
import { type ExchangeRequest, exchange, type RawReply } from '../wire/httpExchange.ts'
import type { UpstreamLink } from './link.ts'

/** Time for the service to see that a connection was closed, before another request takes its slot. */
const closeMs = 5

/** A reply whose head has arrived. The scheduler gets its permit back when the body has ended. */
export interface Attempted {
  reply: RawReply
  rateLimit: RateLimitHeaders
  /** Call when the reply's meter is open, so that `used` can be read. A short reply may have ended before. */
  metered(): void
}

/**
 * Sends a request once: waits for the scheduler's permit, then opens the exchange. Returns the permit when the connection is free again,
 * however the attempt ends.
 * @param used the tokens that the reply used, or null when unknown; read when the permit is returned
 * @throws StudioError the scheduler's refusal or the failure of the exchange
 */
export async function attemptOnce(
  link: UpstreamLink,
  admission: AdmissionRequest,
  trace: RequestTrace,
  request: Omit<ExchangeRequest, 'origin'>,
  used: () => number | null,
): Promise<Attempted> {
  const { lifetime } = link
  const afterwards = admission.afterwards === true
  lifetime.checkOpen(afterwards)
  const entering = link.scheduler.enter(admission)
  const permit = entering instanceof Promise ? await entering : entering
  lifetime.entered()
  const reply = await send(link, trace, request, permit, afterwards)
  link.reachability.replied(reply.status)
  reply.body.onClosed(() => lifetime.left())
  // An error used no tokens.
  const isError = reply.status >= 400
  let isMetered = isError
  let hasEnded = false
  let isReturned = false
  const leave = (): void => {
    if (isReturned) return
    isReturned = true
    permit.leave(isError ? 0 : used())
  }
  reply.body.onClosed((how) => {
    hasEnded = how === 'ended'
    // A caller that fails before it opens a meter never calls `metered`.
    if (hasEnded) return isMetered ? leave() : process.nextTick(leave)
    // After our own abort the slot stays taken until the service has seen the close, so that the next request does not overtake it.
    setTimeout(leave, closeMs)
    if (how instanceof StudioError) link.reachability.failed(how)
  })
  const metered = (): void => {
    isMetered = true
    if (hasEnded) leave()
  }
  const rateLimit = readRateLimit(reply.headers, Date.now())
  link.sawHeaders(rateLimit)
  link.sawStatus(reply.status, admission.slot)
  link.scheduler.saw(reply.status, rateLimit, permit)
  return { reply, rateLimit, metered }
}

async function send(
  link: UpstreamLink,
  trace: RequestTrace,
  request: Omit<ExchangeRequest, 'origin'>,
  permit: Permit,
  afterwards: boolean,
): Promise<RawReply> {
  try {
    link.lifetime.checkOpen(afterwards)
    const reply = await exchange(link.network, {
      ...request,
      origin: link.base.origin,
      onConnected() {
        trace.connected()
        request.onConnected?.()
      },
    })
    return { ...reply, ...maskedHead(reply, link.credential.mask) }
  } catch (thrown) {
    // Without a sent byte no tokens were used.
    const sent = !(thrown instanceof StudioError) || thrown.facts.workPossible === true
    permit.leave(sent ? null : 0)
    if (thrown instanceof StudioError) link.reachability.failed(thrown)
    link.lifetime.left()
    throw thrown
  }
}

/** The key is masked in the head at once, in the body when it is read. A header whose name contains the key is dropped. */
const maskedHead = ({ statusText, headers }: RawReply, mask: Mask): Pick<RawReply, 'statusText' | 'headers'> => ({
  statusText: mask.text(statusText),
  headers: headers.flatMap(([name, value]) => (mask.isInName(name) ? [] : [[name, mask.text(value)]])),
})
