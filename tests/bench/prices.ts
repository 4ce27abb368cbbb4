// `node tests/bench/prices.ts` (20 s on an idle machine): compares the prices of `fitPrices` with the average price of a token, over
// a simulated year of chats with the sandbox. Each day learns from the rows of the last 30 days and predicts the cost of the next day's requests.
import { type DayOfUse, fitPrices, type TokenPrice } from '../../src-main/core/requestLog/priceFit.ts'
import { dayMs } from '../../src-main/core/shared/days.ts'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { MODELS } from '../../src-main/sandbox/world/models.ts'
import { seededRandom } from '../../src-main/sandbox/world/seed.ts'

const begin = Date.UTC(2026, 0, 1, 9)
const models = ['writer-small', 'writer-large', 'mirror', 'reasoner']
/** The day of the price change, where there is one: prices fall by a third. */
const changeDay = 180

type Tokens = Record<'fresh' | 'cached' | 'out', number>
interface SimulatedRequest extends Tokens {
  day: number
  model: string
}

interface Service {
  name: string
  hasPriceChange: boolean
  /** Unit to which the service rounds the cost of a row, in 1e-18 SC. */
  unit: bigint
}

async function simulateYear(): Promise<SimulatedRequest[]> {
  const random = seededRandom('prices')
  const time = { now: begin }
  const sandbox = await startSandbox({ now: () => time.now, balance: 10_000, limits: { rpm: 1_000_000 } })
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
  const requests: SimulatedRequest[] = []
  async function ask(model: string, messages: object[], day: number): Promise<string> {
    const body = JSON.stringify({ model, messages, sandbox: { tokens: random.int(10, 300), tokens_per_second: 0 } })
    const reply = await fetch(`${sandbox.baseUrl}/v1/chat/completions`, { method: 'POST', headers, body })
    const { usage, choices } = JSON.parse(await reply.text())
    const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0
    const fresh = (usage?.prompt_tokens ?? 0) - cached
    requests.push({ day, model, fresh, cached, out: usage?.completion_tokens ?? 0 })
    const content = choices?.[0]?.message?.content
    return typeof content === 'string' ? content : ''
  }
  async function chat(model: string, day: number): Promise<void> {
    const messages: object[] = [{ role: 'user', content: 'word '.repeat(random.int(3, 300)) }]
    for (let turns = random.int(1, 3); turns > 0; turns -= 1) {
      const content = await ask(model, messages, day)
      messages.push({ role: 'assistant', content }, { role: 'user', content: 'and '.repeat(random.int(1, 60)) })
    }
  }
  try {
    for (let day = 0; day < 365; day += 1) {
      time.now = begin + day * dayMs
      for (const model of models) {
        if (random.chance(0.4)) continue
        for (let chats = random.int(1, 2); chats > 0; chats -= 1) await chat(model, day)
      }
    }
  } finally {
    await sandbox.close()
  }
  return requests
}

function truePrice(model: string, day: number, { hasPriceChange }: Service): TokenPrice {
  const known = MODELS.find(({ id }) => id === model)?.price
  const perToken = (perMillion = '0'): bigint => {
    const price = BigInt(Math.round(Number(perMillion) * 1e6)) * 1_000_000n
    return hasPriceChange && day >= changeDay ? (price * 2n) / 3n : price
  }
  return { fresh: perToken(known?.input), cached: perToken(known?.cached), out: perToken(known?.output) }
}

const costAt = (price: TokenPrice, { fresh, cached, out }: Tokens): bigint =>
  price.fresh * BigInt(fresh) + price.cached * BigInt(cached) + price.out * BigInt(out)

function rowOf(requests: readonly SimulatedRequest[], price: TokenPrice, unit: bigint): DayOfUse {
  const total = { fresh: 0, cached: 0, out: 0 }
  for (const { fresh, cached, out } of requests) {
    total.fresh += fresh
    total.cached += cached
    total.out += out
  }
  const cost = ((costAt(price, total) + unit / 2n) / unit) * unit
  return { fresh: BigInt(total.fresh), cached: BigInt(total.cached), out: BigInt(total.out), cost, growing: false }
}

function average(rows: readonly DayOfUse[]): TokenPrice {
  const cost = rows.reduce((sum, row) => sum + row.cost, 0n)
  const tokens = rows.reduce((sum, { fresh, cached, out }) => sum + fresh + cached + out, 0n)
  const price = tokens === 0n ? 0n : cost / tokens
  return { fresh: price, cached: price, out: price }
}

/** Relative errors of all predictions, ascending. */
function errorsOf(
  requests: readonly SimulatedRequest[],
  service: Service,
  learn: (rows: readonly DayOfUse[]) => TokenPrice | null,
): number[] {
  const errors: number[] = []
  for (const model of models) {
    const byDay = Map.groupBy(
      requests.filter((one) => one.model === model),
      ({ day }) => day,
    )
    const rows = [...byDay].map(([day, of]) => ({ day, row: rowOf(of, truePrice(model, day, service), service.unit) }))
    for (let day = 7; day < 364; day += 1) {
      const price = learn(rows.filter((one) => one.day > day - 30 && one.day <= day).map(({ row }) => row))
      for (const request of byDay.get(day + 1) ?? []) {
        const cost = Number(costAt(truePrice(model, day + 1, service), request))
        if (price !== null && cost > 0) errors.push(Math.abs(Number(costAt(price, request)) / cost - 1))
      }
    }
  }
  return errors.sort((a, b) => a - b)
}

const services: Service[] = [
  { name: 'exact costs', hasPriceChange: false, unit: 1n },
  { name: 'exact costs, one price change', hasPriceChange: true, unit: 1n },
  { name: 'costs rounded to 1e-6 SC', hasPriceChange: false, unit: 10n ** 12n },
  { name: 'costs rounded to 1e-6 SC, one price change', hasPriceChange: true, unit: 10n ** 12n },
  { name: 'costs rounded to 1e-4 SC', hasPriceChange: false, unit: 10n ** 14n },
]
const year = await simulateYear()
console.log(`${year.length} requests`)
for (const service of services) {
  for (const [name, learn] of [['fitPrices', fitPrices] as const, ['average', average] as const]) {
    const errors = errorsOf(year, service, learn)
    const at = (part: number): string => `${((errors[Math.floor(errors.length * part)] ?? 0) * 100).toFixed(2)} %`
    console.log(`${service.name.padEnd(44)} ${name.padEnd(10)} median ${at(0.5).padEnd(8)} 95th percentile ${at(0.95)}`)
  }
}
