import type { App, AppSettings, AppUse } from '../../../src-preload/contract/apps.ts'
import type {
  RequestDetail,
  RequestFilter,
  RequestRow,
  RequestsEvent,
  Who,
} from '../../../src-preload/contract/requests.ts'
import { outcomeOf } from '../../../src-renderer/stores/requests.ts'
import { noUse } from '../../helpers/contractRows.ts'
import { plainApp } from '../../helpers/plainApp.ts'

// Apps and requests, generated from a seed, so that screenshots stay comparable.

type Loose<T> = { [K in keyof T]?: T[K] | undefined }
/** Removes undefined members. */
const given = <T extends object>(change: Loose<T>): Partial<T> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>

const minute = 60_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const plain = plainApp({ id: '', name: '', createdAt: ago(7 * 24 * 60 * minute) })

const someApps = (): App[] => [
  {
    ...plain,
    id: 't1',
    name: 'opencode',
    budgetDay: '20',
    budgetMonth: '200',
    requestsPerMinute: 60,
    concurrent: 4,
    logBodies: true,
    lastUsedAt: ago(3_000),
  },
  { ...plain, id: 't2', name: 'notebook', colour: 'teal', lastUsedAt: ago(7 * minute) },
  {
    ...plain,
    id: 't3',
    name: 'release-notes',
    colour: 'violet',
    budgetDay: '2',
    models: ['writer-small', 'writer-large'],
    endpoints: ['chat'],
    retries: false,
    lastUsedAt: ago(30 * minute),
  },
  { ...plain, id: 't4', name: 'night-batch', colour: 'amber', pausedAt: ago(40 * minute), failFast: true },
  { ...plain, id: 't5', name: 'old editor', colour: 'rose', revokedAt: ago(6 * 24 * 60 * minute) },
  { ...plain, id: 't6', name: 'workshop', colour: 'green', expiresAt: ago(2 * 24 * 60 * minute) },
]

const uses: Record<string, Partial<AppUse>> = {
  t1: {
    active: 2,
    spentDay: '7.803451',
    spentMonth: '141.2',
    spentTotal: '512.44',
    reserved: '0.42',
    short: null,
    estimated: true,
    requestsToday: 214,
    tokensToday: 1_204_551,
  },
  t2: { spentDay: '2.02', spentMonth: '19.5', spentTotal: '19.5', requestsToday: 61, tokensToday: 88_102 },
  t3: {
    spentDay: '2.00124',
    spentMonth: '31',
    spentTotal: '64',
    estimated: true,
    unpricedToday: 3,
    requestsToday: 40,
    tokensToday: 61_220,
  },
}

export class Gateway {
  apps: App[]
  /** Oldest first. The id is the index plus one. */
  readonly rows: RequestRow[] = []
  #nextChange = new AbortController()
  #tellers = new Set<(rows: RequestRow[]) => void>()
  readonly #random = random(20_261_121)

  constructor(wanted: { apps: string; rows: number; live: boolean }) {
    const all = someApps()
    this.apps = wanted.apps === 'none' ? [] : wanted.apps === 'paused' ? all.map(paused) : all
    for (let at = 0; at < wanted.rows; at++) this.rows.push(this.#row(at + 1, (wanted.rows - at) * 7_300))
    if (wanted.rows >= 9) this.#shown()
    if (wanted.live) setInterval(() => this.#beat(), 300)
  }

  async *watch<T>(read: () => T, signal: AbortSignal | undefined): AsyncGenerator<T> {
    while (!signal?.aborted) {
      yield read()
      const { signal: next } = this.#nextChange
      await new Promise<void>((done) => {
        next.addEventListener('abort', () => done())
        signal?.addEventListener('abort', () => done())
      })
    }
  }

  #changed(): void {
    this.#nextChange.abort()
    this.#nextChange = new AbortController()
  }

  add(settings: Loose<AppSettings> & { name: string }): App {
    const app = { ...plain, ...given(settings), id: crypto.randomUUID(), createdAt: ago(0) }
    this.apps = [app, ...this.apps]
    this.#changed()
    return app
  }

  change(id: string, change: Loose<App>): App {
    const found = this.apps.find((app) => app.id === id)
    if (!found) throw new Error('No such app.')
    const changed = { ...found, ...given(change) }
    this.apps = this.apps.map((app) => (app.id === id ? changed : app))
    this.#changed()
    return changed
  }

  pauseAll(paused: boolean): number {
    const alive = this.apps.filter(({ revokedAt }) => revokedAt === null)
    for (const { id } of alive) this.change(id, { pausedAt: paused ? ago(0) : null })
    return alive.length
  }

  use(): AppUse[] {
    return this.apps
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ id, lastUsedAt }, at) => {
        const dice = random(at + 7)
        return noUse({
          id,
          lastUsedAt,
          perMinute: Array.from({ length: 60 }, (_, m) =>
            uses[id] ? Math.round(Math.max(0, Math.sin(m / (5 + at)) + dice() * 0.7) * 6) : 0,
          ),
          ...uses[id],
        })
      })
  }

  page(filter: RequestFilter, before: number, limit: number): RequestRow[] {
    const found: RequestRow[] = []
    for (let at = Math.min(before - 1, this.rows.length) - 1; at >= 0 && found.length < limit; at--) {
      const row = this.rows[at]
      if (row && matches(row, filter)) found.push(row)
    }
    return found
  }

  async *events(filter: RequestFilter, newest: number, signal: AbortSignal | undefined): AsyncGenerator<RequestsEvent> {
    yield { type: 'snapshot', rows: this.page(filter, Number.MAX_SAFE_INTEGER, newest) }
    let waiting: RequestRow[] = []
    let wake: () => void = () => undefined
    const teller = (rows: RequestRow[]) => {
      waiting.push(...rows.filter((row) => matches(row, filter)))
      wake()
    }
    this.#tellers.add(teller)
    signal?.addEventListener('abort', () => wake())
    while (!signal?.aborted) {
      if (waiting.length === 0) await new Promise<void>((done) => (wake = done))
      if (signal?.aborted) break
      const rows = waiting
      waiting = []
      if (rows.length > 0) yield { type: 'rows', rows }
    }
    this.#tellers.delete(teller)
  }

  stop(id: number): boolean {
    const row = this.rows[id - 1]
    if (!row || outcomeOf(row) !== 'open') return false
    this.#put({ ...row, state: 'cancelled', cancelledBy: 'person', durationMs: Date.now() - Date.parse(row.at) })
    return true
  }

  detail(id: number): RequestDetail {
    const row = this.rows[id - 1]
    if (!row) throw new Error('No such request.')
    const request = JSON.stringify({
      model: row.model,
      stream: true,
      messages: [
        { role: 'system', content: 'You are a careful editor.' },
        { role: 'user', content: 'The parser drops events when a chunk ends between \\r and \\n. Where is the bug?' },
      ],
    })
    const reply = 'data: {"choices":[{"delta":{"content":"The split is made on "}}]}\n\n'.repeat(6)
    const text = row.hasBodies
    return {
      row,
      requestHeaders:
        row.who.kind === 'stranger'
          ? null
          : [
              ['content-type', 'application/json'],
              ['accept', 'text/event-stream'],
              ['user-agent', 'opencode/1.2.0'],
              ['authorization', 'Bearer [cut out]'],
            ],
      replyHeaders:
        row.status === null
          ? null
          : [
              ['content-type', 'text/event-stream'],
              ['x-ratelimit-limit', '60'],
              ['x-ratelimit-remaining', '41'],
            ],
      requestBody: text ? { text: request, bytes: request.length, capped: false } : null,
      replyBody: text ? { text: reply, bytes: 212_004, capped: true } : null,
      againOf: null,
    }
  }

  #put(...rows: RequestRow[]): void {
    for (const row of rows) this.rows[row.id - 1] = row
    for (const teller of this.#tellers) teller(rows)
  }

  /** Adds a request, and advances running ones. */
  #beat(): void {
    const going = this.rows.slice(-12).filter((row) => outcomeOf(row) === 'open')
    const moved = going.map((row): RequestRow => {
      const elapsed = Date.now() - Date.parse(row.at)
      if (elapsed > 2_500) return { ...row, state: 'done', status: 200, durationMs: elapsed, firstByteMs: 400 }
      return { ...row, state: 'streaming', firstByteMs: 400, tokensOut: (row.tokensOut ?? 0) + 21 }
    })
    const fresh = this.#row(this.rows.length + 1, 0)
    this.#put(...moved, { ...fresh, state: 'sent', status: null, durationMs: null, firstByteMs: null, tokensOut: null })
  }

  #row(id: number, age: number): RequestRow {
    const dice = this.#random
    const whos: Who[] = [
      { kind: 'app', id: 't1', name: 'opencode', colour: 'blue' },
      { kind: 'app', id: 't2', name: 'notebook', colour: 'teal' },
      { kind: 'app', id: 't3', name: 'release-notes', colour: 'violet' },
      { kind: 'studio', feature: 'chat' },
    ]
    const model = ['writer-large', 'reasoner', 'writer-small'][Math.floor(dice() * 3)] ?? null
    const failed = dice() < 0.03
    const firstByteMs = 200 + Math.round(dice() * 900)
    const tokensOut = Math.round(dice() * 900)
    return {
      id,
      at: ago(age),
      who: whos[Math.floor(dice() * whos.length)] ?? { kind: 'studio', feature: 'chat' },
      method: 'POST',
      path: '/v1/chat/completions',
      endpoint: 'chat',
      model,
      state: failed ? 'failed' : 'done',
      stream: true,
      status: failed ? 502 : 200,
      problem: failed ? { kind: 'bad_gateway', message: 'The service could not reach its model.' } : null,
      cancelledBy: null,
      dialect: null,
      askedModel: null,
      answeredModel: null,
      finishReason: null,
      ignored: [],
      adapted: [],
      answer: null,
      attempts: 1,
      retriedAfter: [],
      queuedMs: 2,
      backoffMs: 0,
      connectMs: 11,
      firstByteMs: failed ? null : firstByteMs,
      durationMs: firstByteMs + Math.round(dice() * 7_000),
      bytesUp: 4_120,
      bytesDown: failed ? 210 : 41_220,
      tokensIn: failed ? null : 400 + Math.round(dice() * 4_000),
      tokensOut: failed ? null : tokensOut,
      tokensCached: failed ? null : 128,
      tokensAre: 'measured',
      cost: failed ? null : (tokensOut / 2_000).toFixed(6),
      costIs: failed ? 'unknown' : 'estimated',
      requestId: `req_${(id * 7_919).toString(16)}`,
      times: 1,
      hasBodies: false,
    }
  }

  /** The newest rows, one for each special case. */
  #shown(): void {
    const last = this.rows.length
    const change = (back: number, age: number, row: Partial<RequestRow>) => {
      const before = this.rows[last - back - 1]
      if (before)
        this.rows[last - back - 1] = { ...before, at: ago(age), state: 'done', status: 200, problem: null, ...row }
    }
    const opencode: Who = { kind: 'app', id: 't1', name: 'opencode', colour: 'blue' }
    const notes: Who = { kind: 'app', id: 't3', name: 'release-notes', colour: 'violet' }
    const nothing = {
      model: null,
      firstByteMs: null,
      connectMs: null,
      tokensIn: null,
      tokensOut: null,
      tokensCached: null,
      cost: null,
      costIs: 'unknown',
      requestId: null,
    } as const
    change(0, 8_200, {
      who: opencode,
      model: 'writer-large',
      state: 'streaming',
      firstByteMs: 360,
      durationMs: null,
      tokensIn: 4_120,
      tokensCached: 3_584,
      tokensOut: 611,
      tokensAre: 'estimated',
      cost: '0.34201',
      queuedMs: 20,
      hasBodies: true,
    })
    change(1, 9_000, { ...nothing, who: opencode, model: 'reasoner', state: 'waiting', status: null, durationMs: null })
    change(2, 12_000, {
      ...nothing,
      who: { kind: 'app', id: 't2', name: 'notebook', colour: 'teal' },
      model: 'reasoner',
      state: 'backing_off',
      status: null,
      durationMs: null,
      retriedAfter: [503],
    })
    change(3, 33_000, {
      who: opencode,
      retriedAfter: [429],
      attempts: 2,
      backoffMs: 2_050,
      firstByteMs: 2_410,
      durationMs: 5_700,
      cost: '0.29',
    })
    change(4, 51_000, {
      ...nothing,
      who: notes,
      endpoint: 'images',
      path: '/v1/images/generations',
      cost: '1',
      costIs: 'measured',
      stream: false,
      durationMs: 9_400,
    })
    change(5, 79_000, {
      ...nothing,
      who: { kind: 'studio', feature: 'transcribe' },
      endpoint: 'transcription',
      path: '/v1/audio/transcriptions',
      model: 'whisper-1',
      stream: false,
      durationMs: 4_400,
    })
    change(6, 94_000, {
      ...nothing,
      who: { kind: 'stranger', from: 'a web page at https://evil.example' },
      endpoint: 'chat',
      state: 'refused',
      status: 403,
      durationMs: 0.2,
      times: 14,
      problem: { kind: 'foreign_origin', message: 'A web page elsewhere tried to use the local /v1.' },
    })
    change(7, 120_000, {
      who: opencode,
      state: 'cancelled',
      cancelledBy: 'app',
      durationMs: 1_200,
      firstByteMs: 350,
      tokensAre: 'estimated',
      cost: '0.0712',
    })
    change(8, 142_000, {
      ...nothing,
      who: notes,
      model: 'writer-small',
      state: 'refused',
      status: 402,
      durationMs: 41,
      problem: { kind: 'budget_day', message: 'The budget of 2 SC a day is used up.' },
    })
    change(9, 150_000, { ...nothing, state: 'unknown', status: null, durationMs: null, model: 'writer-large' })
    change(10, 160_000, { state: 'cut', durationMs: 3_000, cost: '0.00042' })
  }
}

const paused = (app: App): App => ({ ...app, pausedAt: ago(2 * minute) })

function matches(row: RequestRow, filter: RequestFilter): boolean {
  const { who, model, outcome, text, since, until, polling } = filter
  if (polling === false && row.who.kind === 'studio' && row.who.feature === 'account') return false
  if (who === 'studio' && row.who.kind !== 'studio') return false
  if (who === 'strangers' && row.who.kind !== 'stranger') return false
  if (who && who !== 'studio' && who !== 'strangers' && !(row.who.kind === 'app' && row.who.id === who)) return false
  if (model && row.model !== model) return false
  if (outcome && outcomeOf(row) !== outcome) return false
  if ((since && row.at < since) || (until && row.at > until)) return false
  const name = row.who.kind === 'app' ? row.who.name : ''
  const words = [row.path, row.model, name, row.problem?.message, row.requestId].join(' ').toLowerCase()
  return !text || words.includes(text.toLowerCase())
}
