import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Model } from '../../../../src-preload/contract/models.ts'
import { flattened } from '../../upstream/headers.ts'
import { comparablePath } from '../../upstream/path.ts'
import type { AppReply } from './appReply.ts'
import { type Refusal, refusalOfLimit, refusedByGuard } from './errorReplies.ts'
import { printable } from './guard.ts'
import type { AllowedRequest } from './proxiedRequest.ts'
import type { RelayDependencies } from './relayDependencies.ts'
import { notConnected, refuse } from './relayRefusals.ts'

/**
 * Answers GET and HEAD of a path outside `/v1` that is no file of the service. Agents ask such paths to find out which server this is. They
 * are never sent to the service (docs/decisions/0050-paths-outside-v1.md), cost nothing, and have no row in the log unless they are refused.
 */
export function answerOutsideV1(
  deps: RelayDependencies,
  request: IncomingMessage,
  response: AppReply,
  allowed: AllowedRequest,
): void {
  const path = comparablePath(allowed.path)
  if (path === '/readyz') {
    const readiness = readinessOf(deps)
    send(response, readiness.status === 'ready' ? 200 : 503, readiness, allowed)
    return
  }
  const answer = answerTo(path, deps, allowed)
  if ('code' in answer) refuse(deps, request, response, allowed, answer)
  else send(response, 200, answer, allowed)
}

function send(response: AppReply, status: number, answer: object, allowed: AllowedRequest): void {
  const text = JSON.stringify(answer)
  const head: [string, string][] = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(text))],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ...allowed.extraHeaders,
  ]
  response.writeHead(status, STATUS_CODES[status] ?? '', flattened(head))
  response.end(text)
}

function answerTo(
  path: string,
  { forward, models, allowance }: RelayDependencies,
  { app }: AllowedRequest,
): object | Refusal {
  if (path === '/health') return forward() === null ? notConnected : { status: 'ok' }
  if (path === '/models') {
    const reservation = allowance.begin(app, 'models')
    if ('status' in reservation) return refusalOfLimit(reservation)
    reservation.settle(null)
    const listed = models()
    if (listed !== null) return { object: 'list', data: listed.map(modelOf) }
  }
  const message = `The local API has no ${printable(path, 80)}. The API of the service is below /v1, and its models are at /v1/models.`
  return refusedByGuard(404, 'not_under_v1', message)
}

/** Whether requests reach the service now, and why not. For managers of services and containers, which read the status code. */
function readinessOf({ connection }: RelayDependencies): { status: 'ready' | 'not_ready' } & Record<string, unknown> {
  const { state, problem } = connection()
  // A connection that is being tested again serves requests meanwhile.
  const isReady = state === 'connected' || state === 'checking'
  return { status: isReady ? 'ready' : 'not_ready', connection: state, problem: problem?.message ?? null }
}

/** A model in OpenAI's shape. What the service does not report is left out. */
const modelOf = ({ id, created, ownedBy }: Model): object => ({
  id,
  object: 'model',
  ...(created !== null && { created }),
  ...(ownedBy !== null && { owned_by: ownedBy }),
})
