import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, wordsOfStatus } from '../errors.ts'
import type { HttpReply } from '../http/reply.ts'
import type { FaultName, FaultPlan } from './plan.ts'

/** Counts of the fault `fail` by id, stored until the sandbox closes. */
export class FailCounts {
  readonly #counts = new Map<string, number>()

  /** True while this id has failed fewer than `times` times. With `again` the count restarts after a success. */
  failsNow(id: string, times: number, again: boolean): boolean {
    const failed = this.#counts.get(id) ?? 0
    if (failed < times) this.#counts.set(id, failed + 1)
    else if (again) this.#counts.delete(id)
    return failed < times
  }
}

/**
 * Applies the faults that occur before any output. Returns true if the request is finished, so that no handler may run. Throws
 * ServiceError for
 * plain refusals. `identity` replaces the id of `fail` if the order has none.
 */
export async function settleEarly(
  plan: FaultPlan,
  reply: HttpReply,
  counts: FailCounts,
  identity: string,
): Promise<boolean> {
  if (plan.has('slow-headers')) await sleep(plan.number('slow-headers', 'ms') ?? 3000, null, { signal: reply.closed })
  if (plan.has('reset-before-headers')) {
    reply.reset()
    return true
  }
  if (plan.has('redirect')) {
    await reply.bytes(307, '', { Location: plan.text('redirect', 'to') ?? 'http://127.0.0.1:9/' })
    return true
  }
  if (plan.has('html-error')) {
    const status = statusOf(plan, 'html-error') ?? 502
    const page = `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>${wordsOfStatus(status)}</p></body></html>\n`
    await reply.bytes(status, page, { 'Content-Type': 'text/html; charset=utf-8', ...retryAfter(plan, 'html-error') })
    return true
  }
  if (plan.has('empty-error')) {
    await reply.bytes(statusOf(plan, 'empty-error') ?? 500, '', retryAfter(plan, 'empty-error'))
    return true
  }
  const oddStatus = statusOf(plan, 'odd-headers')
  if (oddStatus !== null) throw refusal(oddStatus, { 'Retry-After': 'in a while' })
  if (plan.has('fail')) {
    const id = plan.text('fail', 'id') ?? identity
    const again = plan.text('fail', 'again') === 'true'
    if (counts.failsNow(id, plan.number('fail', 'times') ?? 2, again)) {
      throw refusal(statusOf(plan, 'fail') ?? 503, retryAfter(plan, 'fail'))
    }
  }
  if (plan.has('refuse'))
    throw refusal(statusOf(plan, 'refuse') ?? 503, { ...retryAfter(plan, 'refuse'), ...shouldRetry(plan) })
  return false
}

const refusal = (status: number, headers: Record<string, string>) =>
  new ServiceError(status, `ordered_${status}`, wordsOfStatus(status), headers)

function statusOf(plan: FaultPlan, name: FaultName): number | null {
  const status = plan.number(name, 'status')
  if (status !== null && (status < 400 || status > 599)) {
    throw new ServiceError(400, 'invalid_fault', `Fault ${name}: status must be 400 to 599.`)
  }
  return status
}

/** A header of the service that SDKs follow: whether a retry may help. */
function shouldRetry(plan: FaultPlan): Record<string, string> {
  const value = plan.text('refuse', 'should-retry')
  return value === null ? {} : { 'X-Should-Retry': value }
}

function retryAfter(plan: FaultPlan, name: FaultName): Record<string, string> {
  const date = plan.number(name, 'retry-after-date')
  if (date !== null) return { 'Retry-After': new Date(Date.now() + date * 1000).toUTCString() }
  const seconds = plan.text(name, 'retry-after')
  return seconds === null ? {} : { 'Retry-After': seconds }
}
