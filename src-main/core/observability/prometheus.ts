import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { fromNano, type Nano, toNano } from '../shared/money.ts'
import type { MetricsSink } from './sink.ts'

/** The current state, for the gauges. */
export interface LiveReading {
  /** Admitted requests that have not ended. */
  running: number
  waiting: number
  /** Until when the service asked all requests to wait, ISO 8601, or null. */
  heldUntil: string | null
  slots: { used: number; of: number | null }
}

type Labels = Record<string, string>

const prefix = 'inference_studio_'
/** Seconds, from the cost of the relay to the longest wait in the queue and the first output of a reasoning model. */
const waitBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
const durationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/**
 * Counters of ended requests in the text format of Prometheus. Models and paths are not label values, because apps choose them and each new
 * value would create a time series.
 */
export class Prometheus implements MetricsSink {
  readonly #registry = new Registry()
  readonly #requests = this.#counter('requests_total', 'Requests that have ended.', [
    'app',
    'app_id',
    'endpoint',
    'status',
    'state',
  ])
  readonly #retries = this.#counter('retries_total', 'Retries of requests.', ['app', 'app_id'])
  readonly #tokens = this.#counter('tokens_total', 'Tokens. Cached tokens are also part of the input tokens.', [
    'app',
    'app_id',
    'kind',
    'certainty',
  ])
  readonly #bytes = this.#counter('body_bytes_total', 'Bytes of bodies.', ['app', 'app_id', 'direction'])
  readonly #unpriced = this.#counter('unpriced_requests_total', 'Requests with unknown cost.', ['app', 'app_id'])
  readonly #refusals = this.#counter('refusals_total', 'Requests that Inference Studio refused.', ['reason'])
  readonly #queueWait = this.#histogram(
    'queue_wait_seconds',
    'Time in the queue, of requests that waited.',
    waitBuckets,
  )
  readonly #firstByte = this.#histogram(
    'first_byte_seconds',
    'From the start of a request to the first byte of its reply’s body.',
    waitBuckets,
  )
  readonly #duration = this.#histogram('duration_seconds', 'From the start of a request to its end.', durationBuckets)
  /** Summed exactly in nano-SC, and converted to a float only in the text. */
  readonly #spent = new Map<string, { labels: Labels; nano: Nano }>()

  constructor(live: () => LiveReading) {
    const spent = this.#spent
    new Counter({
      name: `${prefix}spent_sc_total`,
      help: 'Cost in SC. The label certainty says whether it is estimated.',
      labelNames: ['app', 'app_id', 'certainty'],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const { labels, nano } of spent.values()) this.inc(labels, Number(fromNano(nano)))
      },
    })
    this.#gauge('running', 'Requests running at the service now.', () => live().running)
    this.#gauge('waiting', 'Requests in the queue now.', () => live().waiting)
    this.#gauge('held_seconds', 'Time until the end of the wait that the service asked for. 0 without one.', () =>
      secondsUntil(live().heldUntil),
    )
    this.#gauge('slots_used', 'Inference requests that hold a slot now.', () => live().slots.used)
    this.#gauge('slots', 'Slots of the key. +Inf if the limit is unknown.', () => live().slots.of ?? Infinity)
  }

  ended(row: RequestRow): void {
    const labels = labelsOf(row)
    this.#requests.inc(labels.request)
    if (row.state === 'refused') this.refused(row.problem?.kind ?? 'unknown')
    if (row.attempts > 1) this.#retries.inc(labels.who, row.attempts - 1)
    if (row.tokensIn) this.#tokens.inc(labels.tokensIn, row.tokensIn)
    if (row.tokensOut) this.#tokens.inc(labels.tokensOut, row.tokensOut)
    if (row.tokensCached) this.#tokens.inc(labels.tokensCached, row.tokensCached)
    if (row.bytesUp) this.#bytes.inc(labels.bytesUp, row.bytesUp)
    if (row.bytesDown) this.#bytes.inc(labels.bytesDown, row.bytesDown)
    if (row.cost === null) this.#unpriced.inc(labels.who)
    else this.#spend(labels.who, row.costIs, row.cost)
    if (row.queuedMs > 0) this.#queueWait.observe(labels.kind, row.queuedMs / 1000)
    if (row.firstByteMs !== null) this.#firstByte.observe(labels.kind, row.firstByteMs / 1000)
    if (row.durationMs !== null) this.#duration.observe(labels.kind, row.durationMs / 1000)
  }

  /** Counts a request that the gateway refused, which has no row of its own. @param reason the refusal's code */
  refused(reason: string): void {
    this.#refusals.inc({ reason })
  }

  /** All metrics in the text exposition format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #spend(who: Labels, certainty: string, cost: string): void {
    const key = `${who.app_id}\n${certainty}\n${who.app}`
    const known = this.#spent.get(key)
    if (known) known.nano += toNano(cost)
    else this.#spent.set(key, { labels: { ...who, certainty }, nano: toNano(cost) })
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: prefix + name, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    const labelNames = ['requester', 'endpoint']
    return new Histogram({ name: prefix + name, help, labelNames, buckets, registers: [this.#registry] })
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: prefix + name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }
}

function labelsOf({ who: requester, endpoint, status, state, tokensAre: certainty }: RequestRow) {
  const isApp = requester.kind === 'app'
  const who: Labels = { app: isApp ? requester.name : requester.kind, app_id: isApp ? requester.id : '' }
  return {
    who,
    request: { ...who, endpoint, status: status === null ? 'none' : `${Math.floor(status / 100)}xx`, state },
    tokensIn: { ...who, kind: 'in', certainty },
    tokensOut: { ...who, kind: 'out', certainty },
    tokensCached: { ...who, kind: 'cached', certainty },
    bytesUp: { ...who, direction: 'up' },
    bytesDown: { ...who, direction: 'down' },
    kind: { requester: requester.kind, endpoint },
  }
}

function secondsUntil(instant: string | null): number {
  return instant === null ? 0 : Math.max(0, (Date.parse(instant) - Date.now()) / 1000)
}
