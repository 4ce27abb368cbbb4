import { Decimal } from 'decimal.js'
import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import type { ProfileLocation } from '../ports/requests.ts'
import { dayOfDate } from '../shared/days.ts'
import type { Nano } from '../shared/money.ts'
import type { PriceTable, StoredPrice } from '../store/requestLog/prices.ts'
import type { AccountUsage } from '../upstream/reply/schemas.ts'
import { isInference } from '../upstream/request/endpoint.ts'
import { type DayOfUse, fitPrices } from './priceFit.ts'
import { type Charge, costOfSize, learnSizePrice, type SizePrice } from './sizePrice.ts'

/** Quantities of a request that have a price. */
export interface Use {
  tokensIn: number
  /** A part of `tokensIn`. */
  tokensCached: number
  tokensOut: number
  bytesUp: number
  /** Number of images requested; 1 for other requests. */
  count: number
}

/** A learned price. `bySize`: the cost of a request for speech by the size of its text, if known. */
type Price = StoredPrice & { bySize?: SizePrice }

/** By model. */
export type PriceList = Map<string, Price>

/** Requests for speech that this computer sent in one day (since 1970, UTC), all to one model. */
export interface SpokenDay {
  day: number
  requests: number
  /** Size of their bodies. */
  bytesUp: number
}

type UsageRow = NonNullable<AccountUsage['usage']>[number]

/** 1e-18 SC in a billionth of an SC. */
const perNano = 1_000_000_000n

/** The model of a request without one (specification, POST /v1/audio/speech). */
export const defaultSpeechModel = 'tts-1'
/** Models that the specification names. Other models without tokens are image models. */
const speechModels: ReadonlySet<string> = new Set([defaultSpeechModel])
const transcriptionModels: ReadonlySet<string> = new Set(['whisper-1', 'whisper-large-v3', 'whisper-large-v3-turbo'])

/**
 * Size of the body of a request for speech without its text: `{"input":"","model":"tts-1","voice":"…","response_format":"…"}` has 67 to 71 bytes,
 * and up to 84 with a speed. `uncertainBytes` covers the difference.
 */
const envelopeBytes = 70

/** Number of days from which the price by size is learned: few, so that it follows a change. */
const sizedDays = 10

/** The part of `Prices` that only reads. */
export type KnownPrices = Pick<Prices, 'get' | 'price' | 'speech' | 'dearest' | 'list'>

/** Prices by model, learned from the service's daily rows (specification, Account daily usage row). All are estimates. */
export class Prices {
  #place: ProfileLocation | null = null
  #byModel: PriceList = new Map()
  /** Charges by account, model and day, read since the start. */
  readonly #charged = new Map<string, Charge[]>()
  readonly #table: PriceTable
  readonly #now: () => number

  constructor(table: PriceTable, now: () => number) {
    this.#table = table
    this.#now = now
    const newest = table.newest()
    if (newest !== null) this.use(newest)
  }

  /** Switches to the prices of a service and account. Before the first switch, the most recently learned prices apply. */
  use(place: ProfileLocation): void {
    const { profile, baseUrl } = place
    if (this.#place?.profile === profile && this.#place.baseUrl === baseUrl) return
    this.#place = place
    this.#byModel = new Map(this.#table.of(place).map((price) => [price.model, price]))
    if (this.#byModel.size > 0 || profile === '') return
    this.#table.adopt(place)
    this.#byModel = new Map(this.#table.of(place).map((price) => [price.model, price]))
  }

  /** Current prices. A request is priced with the list of its start, even if another service is connected when it ends. */
  get list(): PriceList {
    return this.#byModel
  }

  /**
   * Learns prices from the rows of the last 30 days and stores them. The price of speech by size is learned from `spoken`, newest day first,
   * and not stored: the next start learns it from the same rows.
   */
  learn(usage: AccountUsage, place: ProfileLocation, spoken: (model: string) => SpokenDay[] = () => []): void {
    this.use(place)
    const today = new Date(this.#now()).toISOString().slice(0, 10)
    const byModel = Map.groupBy((usage.usage ?? []).filter(isWhole), (row) => row.model ?? '')
    const learned = [...byModel].flatMap(([model, rows]) => (model === '' ? [] : (this.#fit(model, rows, today) ?? [])))
    for (const price of learned) {
      const bySize = learnSizePrice(this.#chargesOf(byModel.get(price.model) ?? [], spoken(price.model)))
      this.#byModel.set(price.model, { ...price, bySize })
    }
    for (const price of learned) this.#table.put(place, price)
  }

  #fit(model: string, rows: UsageRow[], today: string): StoredPrice | null {
    const days = rows.map((row) => dayOfUse(row, today)).sort((a, b) => (a.date < b.date ? -1 : 1))
    const known = { model, days: days.length, asOf: this.#now() }
    const none = { fresh: 0n, cached: 0n, out: 0n, request: 0n }
    const cost = days.reduce((sum, day) => sum + day.cost, 0n)
    const fit = fitPrices(days)
    if (fit && cost === 0n) return { ...known, ...none, how: 'free' }
    if (fit) return { ...known, ...fit, request: 0n }
    const requests = days.reduce((sum, day) => sum + day.requests, 0n)
    if (requests === 0n) return null
    return { ...known, ...none, how: cost === 0n ? 'free' : 'request', request: (cost + requests - 1n) / requests }
  }

  /**
   * The service's charges on days on which this computer sent all requests, because it knows the sizes of no others. A day that was read
   * several times gives several charges, so that tiny requests are not mixed with large ones.
   */
  #chargesOf(rows: readonly UsageRow[], spoken: readonly SpokenDay[]): Charge[] {
    const byDay = Map.groupBy(rows, ({ date }) => dayOfDate(date))
    const days = spoken.flatMap(({ day, requests, bytesUp }) => {
      const [row, another] = byDay.get(day) ?? []
      if (!row || another || row.requests !== requests) return []
      const whole = { requests, bytes: textBytes(bytesUp / requests) * requests, cost: Number(row.cost_sc) }
      const at = `${this.#place?.profile} ${this.#place?.baseUrl} ${row.model} ${day}`
      const charges = chargedSince(this.#charged.get(at) ?? [], whole)
      this.#charged.set(at, charges)
      return [charges]
    })
    return days.slice(0, sizedDays).flat()
  }

  /** The learned price of a model of the connected service. */
  get(model: string): StoredPrice | null {
    return this.#byModel.get(model) ?? null
  }

  /** Estimated cost of a request, or null when the price is unknown. */
  price(endpoint: Endpoint, model: string | null, use: Use, list = this.#byModel): Nano | null {
    if (endpoint === 'other') return null
    if (!isInference(endpoint)) return 0n
    const price = priceOf(list, endpoint, model)
    if (!price) return null
    const sized = endpoint === 'speech' ? costOfSize(price.bySize ?? [], textBytes(use.bytesUp)) : null
    return sized ?? costAt(price, use)
  }

  /**
   * Estimated cost of speech in parts of these sizes, UTF-8 bytes of text. Null when the price by size is unknown: the average of a request
   * says nothing about a text of another length.
   */
  speech(model: string | null, parts: readonly number[]): Nano | null {
    const price = priceOf(this.#byModel, 'speech', model)
    if (price?.how === 'free') return 0n
    let cost = 0n
    for (const bytes of parts) {
      const part = costOfSize(price?.bySize ?? [], bytes)
      if (part === null) return null
      cost += part
    }
    return cost
  }

  /** The cost at the highest known price of such requests: for a reservation when the model's own price is unknown. */
  dearest(endpoint: Endpoint, use: Use): Nano | null {
    if (endpoint === 'other') return null
    if (!isInference(endpoint)) return 0n
    const byTokens = endpoint === 'chat' || endpoint === 'completions'
    let most: Nano | null = null
    for (const price of this.#byModel.values()) {
      if (price.how !== 'free' && byTokens !== (price.how !== 'request')) continue
      const cost = costAt(price, use)
      if (most === null || cost > most) most = cost
    }
    return most
  }
}

function priceOf(list: PriceList, endpoint: Endpoint, model: string | null): Price | null {
  const get = (name: string): Price | null => list.get(name) ?? null
  if (endpoint === 'images') return imagePrice(list, model)
  if (endpoint === 'speech') return get(model ?? defaultSpeechModel)
  if (endpoint !== 'transcription') return model === null ? null : get(model)
  // An alias, not a model of its own (specification, POST /v1/audio/transcriptions). Its rows may have either name.
  const named = model ?? 'whisper-1'
  return get(named) ?? (named === 'whisper-1' ? get('whisper-large-v3-turbo') : null)
}

/** The price of an image. The service ignores the model of an image request, so its rows may have another name. */
function imagePrice(list: PriceList, model: string | null): StoredPrice | null {
  const pictures = [...list.values()].filter(
    ({ how, model: name }) => how === 'request' && !speechModels.has(name) && !transcriptionModels.has(name),
  )
  return pictures.find(({ model: name }) => name === model) ?? (pictures.length === 1 ? (pictures[0] ?? null) : null)
}

/** Exact, with one rounding (half up) at the end. */
function costAt(price: StoredPrice, use: Use): Nano {
  const fresh = BigInt(Math.max(0, use.tokensIn - use.tokensCached))
  const fine =
    price.fresh * fresh +
    price.cached * BigInt(use.tokensCached) +
    price.out * BigInt(use.tokensOut) +
    price.request * BigInt(use.count)
  return (fine + perNano / 2n) / perNano
}

const textBytes = (bytesUp: number): number => Math.max(1, bytesUp - envelopeBytes)

/** Adds the service's charge since the last reading of a day. Starts again when the figures of the day decreased. */
function chargedSince(earlier: readonly Charge[], whole: Charge): Charge[] {
  const since = earlier.reduce(
    (rest, one) => ({
      requests: rest.requests - one.requests,
      bytes: rest.bytes - one.bytes,
      cost: rest.cost - one.cost,
    }),
    whole,
  )
  if (since.requests === 0) return [...earlier]
  return since.requests > 0 && since.bytes > 0 && since.cost >= 0 ? [...earlier, since] : [whole]
}

/** Whether a row is usable: whole non-negative counts, and a cost that is a number. */
function isWhole(row: UsageRow): boolean {
  const counts = [row.requests, row.tokens_in, row.tokens_out, row.tokens_cached].map((count) => count ?? 0)
  return counts.every((count) => Number.isSafeInteger(count) && count >= 0) && costOfRow(row) !== null
}

/** Cost of a row in 1e-18 SC, which is finer than the service's decimals. Null when it is invalid. */
function costOfRow({ cost_sc }: UsageRow): bigint | null {
  if (cost_sc === null || cost_sc === undefined || cost_sc.length > 40) return null
  try {
    const cost = new Decimal(cost_sc)
    if (!cost.isFinite() || cost.isNegative() || cost.gt(1e12)) return null
    return BigInt(cost.times('1e18').toFixed(0))
  } catch {
    // Not a number: the row is skipped.
    return null
  }
}

function dayOfUse(row: UsageRow, today: string): DayOfUse & { date: string; requests: bigint } {
  const tokensIn = BigInt(row.tokens_in ?? 0)
  const given = BigInt(row.tokens_cached ?? 0)
  const cached = given > tokensIn ? tokensIn : given
  const date = row.date ?? ''
  return {
    date,
    fresh: tokensIn - cached,
    cached,
    out: BigInt(row.tokens_out ?? 0),
    cost: costOfRow(row) ?? 0n,
    requests: BigInt(row.requests ?? 0),
    growing: date.startsWith(today),
  }
}
