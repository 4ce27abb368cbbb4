import { StudioError } from '../errors.ts'
import type { AdmissionRequest, Permit, RateLimitHeaders, RequestTrace } from '../ports/requests.ts'
import { readRateLimit } from './headers.ts'
import { type ExchangeRequest, exchange, type RawReply } from './httpExchange.ts'
import type { UpstreamLink } from './link.ts'

/** Until the service has seen a close, beside a request that is sent at the same moment. */
const closeMs = 5

/** A reply whose head has come, with its pass, which goes back to the desk when the body is over. */
export interface Attempted {
  reply: RawReply
  rateLimit: RateLimitHeaders
}

/**
 * One attempt: past the desk, then onto the wire. The pass is given back when the connection is free again, however that comes.
 * `used` tells the tokens then, as far as known.
 * @throws StudioError what the desk or the way failed with
 */
export async function attemptOnce(
  link: UpstreamLink,
  wish: AdmissionRequest,
  trace: RequestTrace,
  request: Omit<ExchangeRequest, 'origin'>,
  used: () => number | null,
): Promise<Attempted> {
  const { lifetime } = link
  const afterwards = wish.afterwards === true
  lifetime.pass(afterwards)
  const entering = link.scheduler.enter(wish)
  const pass = entering instanceof Promise ? await entering : entering
  lifetime.entered()
  const reply = await send(link, trace, request, pass, afterwards)
  link.way.replied(reply.status)
  reply.body.onClosed(() => lifetime.left())
  // An error used no tokens.
  const leave = (): void => pass.leave(reply.status < 400 ? used() : 0)
  // What was cut by us holds its slot until the service has seen the close: the next request would overtake it.
  let isHandedOver = false
  reply.body.onClosed((how) => {
    // A short reply has ended before the caller can meter it: the caller does so within the pending microtasks.
    if (how === 'ended') return isHandedOver ? leave() : process.nextTick(leave)
    setTimeout(leave, closeMs)
    if (how instanceof StudioError) link.way.failed(how)
  })
  isHandedOver = true
  const rateLimit = readRateLimit(reply.headers, Date.now())
  link.sawHeaders(rateLimit)
  link.sawStatus(reply.status, wish.slot)
  link.scheduler.saw(reply.status, rateLimit, pass)
  return { reply, rateLimit }
}

async function send(
  link: UpstreamLink,
  trace: RequestTrace,
  request: Omit<ExchangeRequest, 'origin'>,
  pass: Permit,
  afterwards: boolean,
): Promise<RawReply> {
  try {
    link.lifetime.pass(afterwards)
    return await exchange(link.network, link.credential.redactor, {
      ...request,
      origin: link.base.origin,
      onConnected() {
        trace.connected()
        request.onConnected?.()
      },
    })
  } catch (thrown) {
    // Nothing was used where nothing was sent.
    const sent = !(thrown instanceof StudioError) || thrown.facts.workPossible === true
    pass.leave(sent ? null : 0)
    if (thrown instanceof StudioError) link.way.failed(thrown)
    link.lifetime.left()
    throw thrown
  }
}
