import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { refusalOf, refusalOfLimit, sendRefusal } from '../../../../src-main/core/gateway/proxy/errorReplies.ts'
import { LocalV1 } from '../../../../src-main/core/gateway/proxy/localV1.ts'
import { RecentRefusals, type RefusalWithOrigin } from '../../../../src-main/core/gateway/proxy/recentRefusals.ts'
import { type AppState, proxyState } from '../../../../src-preload/contract/app.ts'
import { type ProblemKind, problemKinds } from '../../../../src-preload/contract/problem.ts'
import { ask } from '../../../helpers/appRequest.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { appNamed, echo, editorHash, goodKey, once, open } from '../../../helpers/gate.ts'
import { openFarEnd } from '../../../helpers/gateway.ts'

const closers = closeAfterEach()

const seen = (from: string, code = 'web_page', origin: string | null = null): RefusalWithOrigin => ({
  appId: null,
  from,
  method: 'GET',
  path: '/v1/models',
  status: 403,
  code,
  message: 'No.',
  origin,
})

describe('recent refusals', () => {
  it('count repetitions from the same sender, newest first', () => {
    const refusals = new RecentRefusals()
    refusals.note(seen('a web page at https://evil.example', 'web_page', 'https://evil.example'))
    refusals.note(seen('a program without a key', 'tool_key_missing'))
    refusals.note(seen('a web page at https://evil.example', 'web_page', 'https://evil.example'))
    const [newest, other, ...rest] = refusals.newest(50)
    expect(newest).toMatchObject({
      code: 'web_page',
      from: 'a web page at https://evil.example',
      message: 'a web page at https://evil.example tried to use the local API',
      times: 2,
      origin: 'https://evil.example',
    })
    expect(other).toMatchObject({ code: 'tool_key_missing', times: 1, origin: null })
    expect(rest).toEqual([])
    expect(Date.parse(newest?.lastAt ?? '')).toBeGreaterThanOrEqual(Date.parse(newest?.firstAt ?? ''))
  })

  it('separate different attempts of the same sender', () => {
    const refusals = new RecentRefusals()
    refusals.note(seen('a program', 'no_websocket'))
    refusals.note(seen('a program', 'method_refused'))
    expect(refusals.newest(50).map(({ message }) => message)).toEqual([
      'a program tried a method that is not relayed',
      'a program tried to open a WebSocket',
    ])
  })

  it('remember only the last 200 in a flood of invented names', () => {
    const refusals = new RecentRefusals()
    refusals.note(seen('first'))
    for (let at = 0; at < 5000; at += 1) refusals.note(seen(`https://${at}.example`))
    expect(refusals.newest(1000)).toHaveLength(200)
    expect(refusals.newest(50)).toHaveLength(50)
    expect(refusals.newest(1)[0]?.from).toBe('https://4999.example')
    expect(refusals.newest(1000).some(({ from }) => from === 'first')).toBe(false)
  })

  it('remember a sender that continues, whatever occurs in between', () => {
    const refusals = new RecentRefusals()
    for (let at = 0; at < 2000; at += 1) {
      refusals.note(seen('the one that goes on'))
      refusals.note(seen(`https://${at}.example`))
    }
    expect(refusals.newest(2)[1]).toMatchObject({ from: 'the one that goes on', times: 2000 })
  })
})

interface Local {
  local: LocalV1
  written: RefusalWithOrigin[]
  lines: string[]
  connected: boolean
}

function localV1(): Local {
  const written: RefusalWithOrigin[] = []
  const lines: string[] = []
  const state: Local = {
    written,
    lines,
    connected: true,
    local: new LocalV1({
      verify: (key) =>
        key === goodKey
          ? { good: true, app: appNamed('Editor'), keyHash: editorHash }
          : { good: false, why: 'unknown', app: null },
      relay: echo,
      used: () => undefined,
      refused: (refusal) => written.push(refusal),
      allowedOrigins: () => [],
      changed: () => undefined,
      connected: () => state.connected,
      app: () => undefined,
      scheduler: () => ({ waiting: 3, heldUntil: '2026-01-01T00:00:00.000Z' }),
      log: (level, line) => lines.push(`${level}: ${line}`),
    }),
  }
  closers.push(() => state.local.close())
  return state
}

/** In the contract's format, with a fixed number of apps. */
const checked = (local: LocalV1): AppState['proxy'] => proxyState.parse({ ...local.status(), apps: 0 })

describe('the local API and its settings', () => {
  it('refusals are listed and recorded in the request log', async () => {
    const { local, written } = localV1()
    await local.apply({ enabled: true, port: 0, ipv6: false, ollamaApp: null })
    const { baseUrl } = checked(local)
    for (let round = 0; round < 3; round += 1) {
      await ask(`${baseUrl}/models`, {
        headers: { origin: 'https://evil.example', authorization: `Bearer ${goodKey}` },
      })
    }
    await ask(`${baseUrl}/models`, { headers: { authorization: `Bearer ${goodKey}` } })
    const status = checked(local)
    expect(status).toMatchObject({
      state: 'on',
      refused: 3,
      relayed: 1,
      waiting: 3,
      heldUntil: '2026-01-01T00:00:00.000Z',
    })
    expect(status.refusals).toEqual([expect.objectContaining({ times: 3, origin: 'https://evil.example' })])
    expect(written).toHaveLength(3)
  })

  it('counters and refusals survive a move, and the status has the address', async () => {
    const state = localV1()
    const { local } = state
    await local.apply({ enabled: true, port: 0, ipv6: false, ollamaApp: null })
    await ask(`${checked(local).baseUrl}/models`)
    await local.apply({ enabled: true, port: 0, ipv6: true, ollamaApp: null })
    await ask(`${checked(local).baseUrl}/models`)
    expect(checked(local)).toMatchObject({ refused: 2, refusals: [expect.objectContaining({ times: 2 })] })
    state.connected = false
    expect(checked(local).state).toBe('waiting')
    await local.apply({ enabled: false, port: 0, ipv6: false, ollamaApp: null })
    expect(checked(local)).toMatchObject({ state: 'off', baseUrl: null, refused: 2 })
  })

  it('the server runs without ::1 if that is not available, and unrelated changes do not restart it', async () => {
    const { local, lines } = localV1()
    // A port of 127.0.0.1 that was free just now, so that only ::1 is taken.
    const near = createServer()
    await new Promise<void>((resolve) => near.listen(0, '127.0.0.1', resolve))
    const { port } = near.address() as { port: number }
    const other = createServer()
    // On a computer without IPv6, this fails as the server does.
    await new Promise((resolve) => other.once('error', resolve).listen(port, '::1', () => resolve(null)))
    closers.push(() => new Promise((resolve) => other.close(() => resolve(null))))
    await new Promise((resolve) => near.close(resolve))
    const wish = { enabled: true, port, ipv6: true, ollamaApp: null }
    await local.apply(wish)
    const status = checked(local)
    expect(status).toMatchObject({ state: 'on', problem: { kind: 'port_taken' } })
    expect(lines).toEqual([expect.stringContaining('warn: The local API listens only on 127.0.0.1')])
    const line = open(status.port ?? 0)
    await once(() => !line.socket.connecting)
    await local.apply({ ...wish })
    expect((await ask(`${status.baseUrl}/models`)).status).toBe(401)
    expect(line.socket.destroyed).toBe(false)
    expect(lines).toHaveLength(1)
    line.socket.destroy()
  })
})

describe('error replies of this server', () => {
  const answered = async (refusal: Parameters<typeof sendRefusal>[1]) => {
    const far = await openFarEnd((_request, response) => sendRefusal(response, refusal))
    closers.push(far.close)
    const got = await ask(far.url)
    return { ...got, error: (JSON.parse(got.body.toString()) as { error: unknown }).error }
  }

  it('have the service’s error format and the studio’s mark [ERR-01]', async () => {
    const got = await answered({
      status: 503,
      type: 'studio_unavailable',
      code: 'not_connected',
      message: 'Not connected — yet.',
    })
    expect(got.status).toBe(503)
    expect(got.error).toEqual({ message: 'Not connected — yet.', type: 'studio_unavailable', code: 'not_connected' })
    expect(got.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-studio-answer': 'studio_unavailable',
      'x-should-retry': 'false',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    [1, '1'],
    [0, '1'],
    [1000, '1'],
    [1001, '2'],
    [59_200, '60'],
  ])('report a wait of %i ms as Retry-After: %s, and let SDKs follow it', async (retryAfterMs, seconds) => {
    const limit = { status: 429 as const, code: 'requests_per_minute', message: 'Too many requests.', retryAfterMs }
    const got = await answered(refusalOfLimit(limit))
    expect(got.headers['retry-after']).toBe(seconds)
    expect(got.headers).not.toHaveProperty('x-should-retry')
    expect(got.error).toEqual({ message: 'Too many requests.', type: 'studio_limit', code: 'requests_per_minute' })
  })

  it('prevent SDK retries if the wait is too long for SDKs or does not help', async () => {
    const budget = { status: 402 as const, code: 'budget', message: 'Spent.', retryAfterMs: null }
    const tomorrow = { status: 429 as const, code: 'budget_day', message: 'Spent for today.', retryAfterMs: 3_600_000 }
    for (const limit of [budget, tomorrow]) {
      expect((await answered(refusalOfLimit(limit))).headers['x-should-retry']).toBe('false')
    }
  })

  it.each<[ProblemKind, number, string]>([
    ['would_wait', 429, 'studio_busy'],
    ['queue_full', 429, 'studio_busy'],
    ['queue_timeout', 503, 'studio_busy'],
    ['not_connected', 503, 'studio_unavailable'],
    ['keychain_locked', 503, 'studio_unavailable'],
    ['connect_failed', 502, 'studio_upstream'],
    ['connection_lost', 502, 'studio_upstream'],
    ['headers_timeout', 504, 'studio_upstream'],
    ['idle_timeout', 504, 'studio_upstream'],
    ['bad_input', 400, 'studio_refused'],
    ['cancelled', 503, 'studio_refused'],
    ['bug', 500, 'studio_bug'],
    ['store_damaged', 500, 'studio_bug'],
  ])('of a fault %s: %i %s', (kind, status, type) => {
    const error = new StudioError(kind, 'In words.', { retryAfterMs: 1500 })
    expect(refusalOf(error)).toMatchObject({ status, type, code: kind, message: 'In words.', retryAfterMs: 1500 })
  })

  it('exist for every kind of problem', () => {
    for (const kind of problemKinds) expect(refusalOf(new StudioError(kind, 'x')).status).toBeGreaterThanOrEqual(400)
  })
})
