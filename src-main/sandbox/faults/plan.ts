import { ServiceError } from '../errors.ts'

/** All available faults with their effect and parameters. The README has an example of each. */
export const FAULTS = {
  refuse:
    'answers `status` (503) with the error object; `retry-after` in seconds or `retry-after-date` in seconds from now; `should-retry` as X-Should-Retry',
  fail: 'refuses with `status` (503) `times` (2) times, then succeeds; counted by `id`',
  'reset-before-headers': 'resets the connection before the status line',
  'slow-headers': 'waits `ms` (3000) before the status line',
  stall: 'goes silent after `after` (5) events or `bytes`, and stays so',
  cut: 'closes the connection after `bytes` of the body (1500, or half of a plain reply)',
  'no-done': 'ends a stream without `[DONE]`',
  'no-done-no-finish': 'ends a stream with neither a finish reason nor `[DONE]`',
  malformed: 'sends a frame that is not JSON after `after` (3) events; a plain reply is not JSON either',
  'error-frame': 'sends an error object as an event after `after` (3) events and ends',
  'split-utf8': 'writes the halves of each multi-byte character apart',
  'cut-utf8': 'closes the connection in the middle of a multi-byte character',
  'huge-line': 'one event of `bytes` (5000000)',
  crlf: 'ends lines with CR LF',
  cr: 'ends lines with CR',
  comments: 'comments, keep-alives, `event`, `id`, `retry` and unknown fields between the events',
  'multi-line': 'spreads the JSON of each event over several `data:` lines',
  'content-type': 'labels the reply `type` (text/plain)',
  gzip: 'compresses the body, asked or not',
  'byte-by-byte': 'writes `size` (1) bytes at a time',
  'missing-fields': 'leaves out every field that is not required',
  'extra-fields': 'adds fields that the specification does not know, everywhere',
  'html-error': 'answers `status` (502) with an HTML page',
  'empty-error': 'answers `status` (500) with no body at all',
  'odd-headers': 'rate-limit headers and `Retry-After` that are no numbers; with `status` an error carries them',
  'no-headers': 'no X-RateLimit headers and no X-Request-Id',
  redirect: 'answers 307 to `to` (http://127.0.0.1:9/)',
  'foreign-url': 'image addresses under `to` (http://images.example/) instead of the base address',
} as const satisfies Record<string, string>

export type FaultName = keyof typeof FAULTS

/** Additional model names, such as `fault/429`, for clients that can only choose a model. */
const SHORTHANDS: Record<string, string> = {
  400: 'refuse; status=400',
  401: 'refuse; status=401',
  402: 'refuse; status=402',
  403: 'refuse; status=403',
  404: 'refuse; status=404',
  429: 'refuse; status=429; retry-after=2',
  500: 'refuse; status=500',
  502: 'refuse; status=502',
  503: 'refuse; status=503',
  '503-final': 'refuse; status=503; should-retry=false',
  504: 'refuse; status=504',
  flaky: 'fail; times=2; again=true',
}

/** Valid names after `fault/` in a model name. */
export const FAULT_MODEL_NAMES: ReadonlySet<string> = new Set([...Object.keys(FAULTS), ...Object.keys(SHORTHANDS)])

const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULTS, name)

/** The faults ordered for one request. A later order replaces an earlier one of the same name. */
export class FaultPlan {
  readonly #ordered = new Map<FaultName, Map<string, string>>()

  has(name: FaultName): boolean {
    return this.#ordered.has(name)
  }

  /** Returns a parameter as text, or null if the fault or the parameter is missing. */
  text(name: FaultName, parameter: string): string | null {
    return this.#ordered.get(name)?.get(parameter) ?? null
  }

  /** Returns a parameter as a whole number >= 0, or null if it is missing. Throws 400 for any other value. */
  number(name: FaultName, parameter: string): number | null {
    const text = this.text(name, parameter)
    if (text === null) return null
    if (!/^\d{1,9}$/.test(text)) {
      throw new ServiceError(400, 'invalid_fault', `Fault ${name}: ${parameter} must be a whole number, not "${text}".`)
    }
    return Number(text)
  }

  /** Adds orders such as `stall; after=3, crlf`. Throws 400 for an unknown fault. */
  order(orders: string): this {
    for (const order of orders.split(',')) {
      const [name = '', ...parameters] = order.split(';').map((part) => part.trim())
      if (name === '') continue
      if (!isFaultName(name)) {
        const known = Object.keys(FAULTS).join(', ')
        throw new ServiceError(400, 'invalid_fault', `There is no fault "${name}". Available faults: ${known}.`)
      }
      this.#ordered.set(name, new Map(parameters.map(pair)))
    }
    return this
  }

  /** Adds the fault that a model name orders, if any. */
  orderByModel(model: string): this {
    const name = model.startsWith('fault/') ? model.slice('fault/'.length) : ''
    return FAULT_MODEL_NAMES.has(name) ? this.order(SHORTHANDS[name] ?? name) : this
  }
}

function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, 'true'] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}
