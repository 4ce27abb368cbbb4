import type { AccountKey, Limited, Limits } from '../../../src-preload/contract/account.ts'
import type {
  Account,
  Comparison,
  Coverage,
  CurrentSpend,
  Drift,
  Figures,
  Series,
  Summary,
  UsageView,
  ViewQuery,
} from '../../../src-preload/contract/usage.ts'
import { daysBetween, numberOfDay, shiftDay } from '../../../src-renderer/stores/usageDays.ts'

// Usage, limits and keys, generated from a seed, so that screenshots stay comparable.

/**
 * `some`: months of rows. `gaps`: with days that were never fetched. `empty`: nothing used. `none`: no account. `plain`: a service without
 * usage data. `asking`: the service has not answered the first status call yet.
 */
export type AccountKind = 'some' | 'gaps' | 'empty' | 'none' | 'plain' | 'banned' | 'two' | 'asking'

const accountId = '00000000-0000-4000-8000-00000000b001'
const secondId = '00000000-0000-4000-8000-00000000b002'
const models = [
  'writer-large',
  'reasoner',
  'vision',
  'writer-small',
  'tts-1',
  'whisper-1',
  'image-xl',
  'embed',
  'moe-9',
]
const apps = [
  { id: '00000000-0000-4000-8000-000000000701', name: 'opencode', colour: 'teal' as const },
  { id: '00000000-0000-4000-8000-000000000702', name: 'notebook', colour: 'violet' as const },
  { id: '00000000-0000-4000-8000-000000000703', name: 'release-notes', colour: 'amber' as const },
]
const features = ['chat', 'speech', 'images', 'tools', 'account']
const unit = 1_000_000_000n

/** A number from 0 to 1, uniformly distributed, the same for the same words. */
function seeded(...words: (string | number)[]): number {
  let hash = 2166136261
  for (const letter of words.join(' ')) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619)
  hash ^= hash >>> 15
  return ((Math.imul(hash, 2246822507) >>> 0) % 100_000) / 100_000
}

const amount = (nano: bigint): string => {
  const text = (nano < 0n ? -nano : nano).toString().padStart(10, '0')
  const fraction = text.slice(-9).replace(/0+$/, '')
  return `${nano < 0n ? '-' : ''}${text.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`
}

interface Cell {
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  nano: bigint
}
const nothing: Cell = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, nano: 0n }
const add = (a: Cell, b: Cell): Cell => ({
  requests: a.requests + b.requests,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  tokensCached: a.tokensCached + b.tokensCached,
  nano: a.nano + b.nano,
})
const figuresOf = (cell: Cell, estimated = 0, unpriced = 0): Figures => ({
  requests: cell.requests,
  tokensIn: cell.tokensIn,
  tokensOut: cell.tokensOut,
  tokensCached: cell.tokensCached,
  cost: amount(cell.nano),
  estimated,
  unpriced,
  missing: { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: unpriced },
})

export class Accounts {
  readonly #kind: AccountKind
  readonly #days: number
  readonly today = new Date().toISOString().slice(0, 10)
  #name = 'main account'

  /** When the service last reported. */
  readonly #asOf = new Date(Date.now() - 240_000).toISOString()

  constructor(kind: AccountKind, days: number) {
    this.#kind = kind
    this.#days = days
  }

  accounts(): Account[] {
    if (this.#kind === 'none') return []
    const asOf = this.#asOf
    const plain = this.#kind === 'plain'
    const account: Account = {
      id: accountId,
      name: this.#name,
      baseUrl: 'https://api.example.com',
      userId: plain ? null : 'u_41',
      active: true,
      offers: plain ? 'no' : 'yes',
      balance: plain ? null : { value: '88.0712', asOf },
      spent: plain ? null : { value: '2204.113', asOf },
      asOf: plain ? null : asOf,
      firstDay: this.#kind === 'empty' ? this.today : shiftDay(this.today, 1 - this.#days),
      fetching: false,
      problem: null,
    }
    const second: Account = {
      ...account,
      id: secondId,
      name: 'client work',
      baseUrl: 'https://gw.example.net/inference',
      active: false,
      balance: { value: '-1.25', asOf },
      asOf: new Date(Date.now() - 40 * 86_400_000).toISOString(),
    }
    return this.#kind === 'two' ? [account, second] : [account]
  }

  rename(name: string): Account {
    this.#name = name
    const [account] = this.accounts()
    if (!account) throw new Error('No book.')
    return account
  }

  spend(): CurrentSpend {
    const plain = this.#kind === 'plain' || this.#kind === 'empty'
    const [account] = this.accounts()
    const asOf = plain ? null : (account?.asOf ?? null)
    return {
      today: { amount: plain ? '9.3' : '12.41', estimated: plain, asOf },
      balance: account?.balance
        ? this.#kind === 'gaps'
          ? { amount: '88.0212', estimated: true, asOf: account.balance.asOf }
          : { amount: account.balance.value, estimated: false, asOf: account.balance.asOf }
        : null,
    }
  }

  summary(): Summary {
    const [account] = this.accounts()
    if (!account) throw new Error('No book.')
    const plain = this.#kind === 'plain' || this.#kind === 'empty'
    return {
      account,
      pace: plain ? null : '7.84',
      daysLeft: plain ? null : 11,
      corrections: this.#kind === 'gaps' ? 2 : 0,
      gaps: this.#kind === 'gaps' ? 9 : 0,
      undated: this.undated().length,
    }
  }

  #state(day: string): Coverage {
    const back = numberOfDay(this.today) - numberOfDay(day)
    if (back === 0) return 'running'
    if (back >= this.#days) return 'gap'
    if (this.#kind !== 'gaps') return 'whole'
    if (back >= 8 && back <= 13) return 'gap'
    return back === 14 ? 'partial' : back % 61 === 20 ? 'gap' : 'whole'
  }

  #cell(day: string, id: string, weight: number): Cell {
    const back = numberOfDay(this.today) - numberOfDay(day)
    if (this.#kind === 'empty' || back < 0 || back >= this.#days) return nothing
    const weekend = [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay()) ? 0.3 : 1
    const much = seeded(day, id) * weekend * weight * (0.6 + seeded(day) * 0.8)
    const tokensIn = Math.round(much * 420_000)
    return {
      requests: Math.ceil(much * 130),
      tokensIn,
      tokensOut: Math.round(tokensIn * 0.14),
      tokensCached: Math.round(tokensIn * 0.62),
      nano: (BigInt(Math.round(much * 6_000_000)) * unit) / 1_000_000n,
    }
  }

  #parts({
    by,
    source,
    search,
  }: Pick<ViewQuery, 'by' | 'source' | 'search'>): Pick<Series, 'id' | 'name' | 'colour'>[] {
    const named = (id: string, name = id) => ({ id, name, colour: null })
    const all =
      by === 'app'
        ? [...apps, named('studio', 'studio')]
        : by === 'feature'
          ? features.map((feature) => named(feature))
          : by === 'key'
            ? this.keys().map(({ id, name }) => named(id, name ?? id))
            : models.map((model) => named(model))
    const wanted = source === 'here' && this.#kind === 'plain' ? all.slice(0, 4) : all
    return wanted.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
  }

  view(query: ViewQuery): UsageView {
    const buckets = cut(query).map(({ from, to }) => {
      const days = list(from, to)
      const states = days.map((day) => (query.source === 'here' ? this.#hereState(day) : this.#state(day)))
      const worst = (['gap', 'partial', 'running'] as const).find((state) =>
        state === 'gap' ? states.every((one) => one === 'gap') : states.includes(state),
      )
      const state: Coverage = worst ?? 'whole'
      return { from, to, state, days }
    })
    const parts = this.#parts(query)
    const most = 7
    const cells = parts.map((part, at) => ({
      part,
      cells: buckets.map(({ days, state }) =>
        state === 'gap' ? null : days.map((day) => this.#cell(day, part.id, 1 / (1 + at * 0.7))).reduce(add, nothing),
      ),
    }))
    const shown = cells.slice(0, most)
    const others = cells.slice(most)
    const rest = {
      part: { id: 'rest', name: 'rest', colour: null },
      cells: buckets.map((_, at) =>
        others.some(({ cells: one }) => one[at] !== null)
          ? others.map(({ cells: one }) => one[at] ?? nothing).reduce(add, nothing)
          : null,
      ),
    }
    const series = [...shown, ...(others.length > 0 ? [rest] : [])]
      .map(({ part, cells: row }): Series & { sum: Cell } => {
        const some = row.map((cell) => (cell === null || cell.requests === 0 ? null : cell))
        const sum = some.map((cell) => cell ?? nothing).reduce(add, nothing)
        return {
          ...part,
          sum,
          total: figuresOf(sum, query.source === 'here' ? 12 : 0),
          incomplete: some.map((cell) => (cell === null ? null : 0)),
          requests: some.map((cell) => cell?.requests ?? null),
          tokensIn: some.map((cell) => cell?.tokensIn ?? null),
          tokensOut: some.map((cell) => cell?.tokensOut ?? null),
          tokensCached: some.map((cell) => (query.by === 'key' ? null : (cell?.tokensCached ?? null))),
          cost: some.map((cell) => (cell ? amount(cell.nano) : null)),
        }
      })
      .filter(({ sum }) => sum.requests > 0)
    const total = figuresOf(
      series.map(({ sum }) => sum).reduce(add, nothing),
      query.source === 'here' ? 12 : 0,
      this.#kind === 'gaps' ? 3 : 0,
    )
    const days = daysBetween(query.from, query.to)
    const before = { from: shiftDay(query.from, -days), to: shiftDay(query.from, -1) }
    const sum = list(before.from, before.to)
      .flatMap((day) => parts.map((part, at) => this.#cell(day, part.id, 0.8 / (1 + at * 0.7))))
      .reduce(add, nothing)
    return {
      query,
      buckets: buckets.map(({ days: _, ...bucket }) => bucket),
      series: series.map(({ sum: _, ...one }) => one),
      total,
      before:
        sum.requests === 0
          ? null
          : { ...before, total: figuresOf(sum), state: this.#kind === 'gaps' ? 'partial' : 'whole' },
      asOf: this.accounts()[0]?.asOf ?? null,
    }
  }

  #hereState(day: string): Coverage {
    return day === this.today ? 'running' : 'whole'
  }

  compare(from: string, to: string, daily: boolean): Comparison[] {
    if (this.#kind === 'empty') return []
    const days = list(from, to)
    const drifts: Drift[] = [
      'elsewhere',
      'same',
      'elsewhere',
      'not_yet',
      'here_more',
      'unpriced',
      'gap',
      'same',
      'same',
    ]
    const one = (model: string, at: number, day: string | null): Comparison => {
      const sum = (day === null ? days : [day])
        .map((each) => this.#cell(each, model, 1 / (1 + at * 0.7)))
        .reduce(add, nothing)
      const drift = day !== null && seeded(day, model, 'same') > 0.3 ? 'same' : (drifts[at] ?? 'same')
      const plain = this.#kind === 'plain'
      const shares: Record<Drift, bigint> = {
        same: 100n,
        elsewhere: 90n,
        not_yet: 104n,
        here_more: 103n,
        unpriced: 0n,
        gap: 100n,
        incomplete: 100n,
      }
      const here = { ...sum, nano: (sum.nano * shares[drift]) / 100n }
      return {
        model,
        day,
        service: plain || drift === 'gap' ? null : figuresOf(sum),
        here: {
          ...figuresOf(here, drift === 'here_more' ? 4 : 0),
          ...(drift === 'unpriced' ? { cost: null, unpriced: 8 } : {}),
        },
        elsewhere: plain || drift === 'gap' || drift === 'unpriced' ? null : amount(sum.nano - here.nano),
        drift: plain ? 'gap' : drift,
      }
    }
    return daily
      ? models.flatMap((model, at) => days.map((day) => one(model, at, day)))
      : [...models.map((model, at) => one(model, at, null)), one('', models.length, null)]
  }

  corrections(from: string, to: string) {
    if (this.#kind !== 'gaps') return []
    const at = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString()
    const cell = this.#cell(shiftDay(this.today, -4), 'reasoner', 1)
    return [4, 17]
      .map((back) => ({
        day: shiftDay(this.today, -back),
        model: back === 4 ? 'reasoner' : 'vision',
        keyId: null,
        before: figuresOf(cell),
        beforeAsOf: at(back - 1),
        after: figuresOf(add(cell, { ...cell, nano: 137_000_000n })),
        afterAsOf: at(back - 3),
      }))
      .filter(({ day }) => day >= from && day <= to)
  }

  undated() {
    if (this.#kind !== 'gaps') return []
    const figures = figuresOf(this.#cell(shiftDay(this.today, -4), 'reasoner', 1))
    const asOf = new Date(Date.now() - 86_400_000).toISOString()
    return (['', '21st of November'] as const).map((date) => ({
      date,
      why: date === '' ? ('none' as const) : ('unreadable' as const),
      model: 'reasoner',
      keyId: null,
      figures,
      asOf,
    }))
  }

  top() {
    if (this.#kind === 'empty') return []
    return ['Refactor the stream parser', 'Tax letter', null, 'A week in Lisbon', 'Why is the build slow?'].map(
      (title, at) => ({
        conversationId: `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`,
        title,
        total: figuresOf({ ...nothing, requests: 40 - at * 7, nano: BigInt(9 - at) * 731_000_000n }, at === 1 ? 2 : 0),
      }),
    )
  }

  limits(): Limits {
    const now = Date.now()
    const banned = this.#kind === 'banned'
    const full = (limit: number | null, used: number | null) => ({
      limit,
      used,
      remaining: limit === null || used === null ? null : limit - used,
    })
    const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString()
    const plain = this.#kind === 'plain' || this.#kind === 'none'
    const asking = this.#kind === 'asking'
    return {
      status:
        plain || asking
          ? null
          : {
              asOf: ago(4),
              minute: full(60, banned ? 60 : 41),
              freeRequestsHour: full(200, 188),
              freeRequestsDay: full(1000, 412),
              freeTokensHour: full(100_000, 99_120),
              freeTokensDay: banned ? full(null, null) : { limit: null, used: 312_400, remaining: null },
              resetSeconds: 22,
              banned,
              bannedUntil: banned ? new Date(now + 4 * 3_600_000).toISOString() : null,
            },
      key: { rpm: plain ? null : 30, tpm: null, concurrent: plain ? null : 4 },
      slots: {
        used: [
          {
            row: 812,
            who: { kind: 'app', ...(apps[0] ?? never()) },
            endpoint: 'chat',
            model: 'writer-large',
            since: ago(74),
          },
          { row: 819, who: { kind: 'studio', feature: 'chat' }, endpoint: 'chat', model: 'reasoner', since: ago(9) },
        ],
        waiting: banned ? 3 : 0,
      },
      offers: asking ? null : !plain,
      problem: null,
      nextAsk: plain ? null : asking ? ago(1) : new Date(now + 11_000).toISOString(),
    }
  }

  limited(): Limited[] {
    if (this.#kind === 'empty') return []
    const ends = ['done', 'done', 'refused', 'cancelled', 'failed', 'running'] as const
    return ends.map((ended, at) => ({
      row: 700 - at * 9,
      at: new Date(Date.now() - at * 7_200_000 - 60_000).toISOString(),
      ended,
      who:
        at % 2 === 0
          ? { kind: 'app' as const, ...(apps[at % 3] ?? never()) }
          : { kind: 'studio' as const, feature: 'chat' as const },
      endpoint: 'chat' as const,
      model: models[at] ?? null,
      times: at + 1,
      waitedMs: 900 + at * 21_300,
    }))
  }

  keys(): AccountKey[] {
    if (this.#kind === 'plain' || this.#kind === 'none') return []
    const asOf = new Date(Date.now() - 240_000).toISOString()
    const key = (at: number, more: Partial<AccountKey>): AccountKey => ({
      id: `5f0c1a2e-0000-4000-8000-00000000000${at}`,
      prefix: `sk-inf-${at}a9`,
      name: null,
      rpm: null,
      tpm: null,
      concurrent: null,
      balanceEnabled: false,
      balance: null,
      balanceLimit: null,
      createdAt: '2026-02-03T09:12:44Z',
      lastUsedAt: null,
      revokedAt: null,
      calling: false,
      gone: false,
      asOf,
      totals: {
        ...figuresOf({
          requests: 51_204 / at,
          tokensIn: 91_402_118,
          tokensOut: 12_204_551,
          tokensCached: 0,
          nano: 1_204_113_000_000n,
        }),
        requests: Math.round(51_204 / at),
        tokensCached: null,
      },
      ...more,
    })
    return [
      key(1, { name: 'desktop', calling: true, rpm: 30, concurrent: 4, lastUsedAt: '2026-11-21T14:02:10Z' }),
      key(2, {
        name: 'night batch',
        tpm: 250_000,
        balanceEnabled: true,
        balance: '14.5',
        balanceLimit: '50',
        lastUsedAt: '2026-11-20T23:00:02Z',
      }),
      key(3, { totals: null }),
      key(4, { name: 'old laptop', revokedAt: '2026-09-30T16:20:00Z', lastUsedAt: '2026-09-29T10:00:00Z' }),
      key(5, { name: 'interns', gone: true, lastUsedAt: '2026-05-01' }),
    ]
  }

  keyDays(keyId: string, from: string, to: string) {
    return list(from, to).map((day) => {
      const state = this.#state(day)
      const cell = this.#cell(day, keyId, 0.8)
      const figures =
        state === 'gap' || cell.requests === 0 || keyId.endsWith('3')
          ? null
          : { ...figuresOf(cell), tokensCached: null }
      return { day, state, figures }
    })
  }
}

function never(): never {
  throw new Error('There are apps.')
}

const list = (from: string, to: string): string[] =>
  Array.from({ length: Math.max(0, daysBetween(from, to)) }, (_, at) => shiftDay(from, at))

/** Days, weeks from Monday, or months, clipped to the range. */
function cut({ from, to, grain }: Pick<ViewQuery, 'from' | 'to' | 'grain'>): { from: string; to: string }[] {
  const found: { from: string; to: string }[] = []
  for (const day of list(from, to)) {
    const last = found.at(-1)
    const anew = grain === 'day' || (grain === 'week' ? (numberOfDay(day) + 3) % 7 === 0 : day.endsWith('-01'))
    if (last && !anew) last.to = day
    else found.push({ from: day, to: day })
  }
  return found
}
