import type { App } from '../../../../src-preload/contract/apps.ts'
import type { AskReason } from '../../../../src-preload/contract/questions.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { BudgetWindow, LimitRefusal } from '../../ports/requests.ts'
import { fromNano, type Nano } from '../../shared/money.ts'

// Refusals by an app's own limits, worded like the refusals of the service.

const endpointWords: Record<Endpoint, string> = {
  chat: 'chat completions',
  completions: 'text completions',
  speech: 'speech',
  transcription: 'transcription',
  images: 'image generation',
  models: 'the list of models',
  account: 'key, usage and rate-limit read-outs',
  files: 'files that the service named',
  other: 'other paths',
}
const windowWords: Record<BudgetWindow, string> = { day: 'a day', month: 'a month', total: 'in all' }
const mostNamed = 5

export function endpointNotAllowed(endpoint: Endpoint, allowed: ReadonlySet<Endpoint>): LimitRefusal {
  const names = [...allowed].map((name) => endpointWords[name])
  return {
    status: 403,
    code: 'endpoint_not_allowed',
    message: `This app may not use ${endpointWords[endpoint]}. Its key allows ${inWords(names)}.`,
    retryAfterMs: null,
  }
}

export function modelNotAllowed(model: string | null, allowed: ReadonlySet<string>): LimitRefusal {
  const asked =
    model === null
      ? 'This request names no readable model, and this app may use certain models only.'
      : `This app may not use the model ${model.slice(0, 100)}.`
  return {
    status: 403,
    code: 'model_not_allowed',
    message: `${asked} Its key allows ${inWords([...allowed])}.`,
    retryAfterMs: null,
  }
}

export function tooManyAtOnce(most: number): LimitRefusal {
  return {
    status: 429,
    code: 'rate_limit_concurrent',
    message: `Rate limit reached: this app already has ${most} running ${most === 1 ? 'request' : 'requests'}, which is its limit.`,
    retryAfterMs: 1000,
  }
}

export function tooManyRequests(most: number, waitMs: number): LimitRefusal {
  return {
    status: 429,
    code: 'rate_limit_requests',
    message: `Rate limit reached: this app may make ${most} ${most === 1 ? 'request' : 'requests'} a minute. Try again in ${seconds(waitMs)}.`,
    retryAfterMs: Math.ceil(waitMs),
  }
}

/** @param waitMs null if waiting does not help */
export function tooManyTokens(most: number, wanted: number, waitMs: number | null): LimitRefusal {
  const why = `this app may use ${most} tokens a minute, and this request may use up to ${wanted}.`
  const message =
    waitMs === null
      ? `Request too large: ${why} Ask for a shorter reply, or raise the limit of this app.`
      : `Rate limit reached: ${why} Try again in ${seconds(waitMs)}.`
  return {
    status: 429,
    code: 'rate_limit_tokens',
    message,
    retryAfterMs: waitMs === null ? null : Math.ceil(waitMs),
  }
}

/** @param now milliseconds since 1970 */
export function budgetUsedUp(window: BudgetWindow, amount: Nano, spent: Nano, now: number): LimitRefusal {
  const words = `this app has spent ${fromNano(spent)} SC of its ${fromNano(amount)} SC ${windowWords[window]}.`
  return overBudget(window, words, now)
}

interface TooSmall {
  window: BudgetWindow
  amount: Nano
  spent: Nano
  /** Reserved for the app's other running requests. */
  reserved: Nano
  /** Null if the price is unknown. */
  cost: Nano | null
}

export function budgetTooSmall({ window, amount, spent, reserved, cost }: TooSmall, now: number): LimitRefusal {
  const rest = amount - spent - reserved
  const left = `this app has ${fromNano(rest < 0n ? 0n : rest)} SC left of its ${fromNano(amount)} SC ${windowWords[window]}`
  const others = reserved > 0n ? `, with ${fromNano(reserved)} SC reserved for running requests` : ''
  const asked = cost === null ? '' : `; this request may cost up to ${fromNano(cost)} SC`
  return overBudget(window, `${left}${others}${asked}.`, now)
}

/** A request that a person must allow. @param cost null if the price is unknown */
export function notConfirmed(
  { askAbove }: App,
  reasons: readonly AskReason[],
  model: string | null,
  cost: Nano | null,
): LimitRefusal {
  const isNew = reasons.includes('model')
  const message = isNew
    ? `This app has never used the model ${model?.slice(0, 100)}, so a person must allow it.`
    : `This request may cost up to ${fromNano(cost ?? 0n)} SC. A person must allow requests of this app that cost more than ${askAbove} SC.`
  return { status: 402, code: isNew ? 'model_not_confirmed' : 'cost_not_confirmed', message, retryAfterMs: null }
}

const overBudget = (window: BudgetWindow, words: string, now: number): LimitRefusal => ({
  status: 402,
  code: `budget_${window}`,
  message: `Insufficient credits: ${words} ${renewsAt(window, now)}`,
  // The wait is hours or days, too long for a client to sleep, and a person can raise the budget at any time.
  retryAfterMs: null,
})

function renewsAt(window: BudgetWindow, now: number): string {
  if (window === 'total') return 'Raise its budget or reset its spending in Inference Studio.'
  const at = new Date(now)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  const next = window === 'day' ? Date.UTC(year, month, at.getUTCDate() + 1) : Date.UTC(year, month + 1)
  const words = `A new ${window} starts at midnight UTC`
  return window === 'day'
    ? `${words}, in ${span(next - now)}.`
    : `${words} on ${new Date(next).toISOString().slice(0, 10)}.`
}

/** Such as `3 h 12 min`; at least a minute. */
function span(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000))
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (hours === 0) return `${rest} min`
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

function inWords(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed)
  const more = names.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
