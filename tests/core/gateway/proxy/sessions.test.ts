import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { CacheChange, SessionTurn } from '../../../../src-preload/contract/sessions.ts'
import { appKey } from '../../../helpers/appRequest.ts'
import { openCachingService } from '../../../helpers/cachingService.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { apiKey, type Gateway, openGateway } from '../../../helpers/gateway.ts'
import { SocketClient } from '../../../helpers/responsesSocket.ts'
import { usage } from '../../requestLog/samples.ts'

interface Text {
  text?: string
  content?: string | Text[]
}
interface Tool {
  name?: string
  function?: { name: string }
}
/** The members of a request in any of the three APIs that the tests change. */
interface Body {
  model: string
  tools?: Tool[]
  system?: Text[]
  messages?: Text[]
  input?: Text[]
  prompt_cache_key?: string
  metadata?: unknown
}
/** A recorded request. Every letter of its texts is replaced by x, because the texts belong to the agents. */
interface Recorded {
  path: string
  headers: Record<string, string>
  body: Body
}
type Agent = 'claude-code' | 'codex' | 'opencode'

const recorded = (agent: Agent): Recorded[] =>
  JSON.parse(
    gunzipSync(readFileSync(join(import.meta.dirname, `../../../fixtures/sessions/${agent}.json.gz`))).toString(),
  ) as Recorded[]

const at = (list: Text[] | string | undefined, index: number): Text =>
  (Array.isArray(list) ? list[index] : undefined) ?? expect.unreachable()

/** Where each API has the system prompt, and a message from the start of the history. */
const places: Record<Agent, { system(body: Body): Text; early(body: Body): Text }> = {
  'claude-code': { system: (body) => at(body.system, 1), early: (body) => at(at(body.messages, 0).content, 0) },
  codex: { system: (body) => at(at(body.input, 0).content, 0), early: (body) => at(at(body.input, 2).content, 0) },
  opencode: { system: (body) => at(body.messages, 0), early: (body) => at(body.messages, 1) },
}

function write(place: Text, change: (text: string) => string): void {
  if (place.text !== undefined) place.text = change(place.text)
  else place.content = change(typeof place.content === 'string' ? place.content : expect.unreachable())
}

/** Breaks the cache of a turn on purpose. `turn` counts from 0. */
type Break = (body: Body, turn: number, agent: Agent) => void
const breaks: [what: string, change: CacheChange, by: Break, section: object | null, lostFrom: number][] = [
  [
    'a time in the system prompt',
    'system_time',
    (body, turn, agent) => write(places[agent].system(body), (text) => `Now: 2026-11-29T03:0${turn}:11Z\n${text}`),
    { kind: 'system' },
    1,
  ],
  [
    'another order of the tools',
    'tool_order',
    (body, turn) => void (turn >= 2 && body.tools?.reverse()),
    { kind: 'tool', place: 1 },
    2,
  ],
  [
    'a tool that appears',
    'tool_added',
    (body, turn) => void (turn >= 2 && addTool(body)),
    { kind: 'tool', name: 'plan_more' },
    2,
  ],
  [
    'another model',
    'model',
    (body, turn) => void (turn >= 2 && Object.assign(body, { model: 'writer-large' })),
    null,
    2,
  ],
  [
    'an early message that is edited',
    'history',
    (body, turn, agent) =>
      write(
        places[agent].early(body),
        (text) => `${turn >= 2 ? 'Other' : 'The same'} words. ${text}${' and so on'.repeat(1500)}`,
      ),
    { kind: 'message', place: 1 },
    2,
  ],
]

function addTool({ tools = [] }: Body): void {
  const [first = expect.unreachable()] = tools
  const name = first.name ?? first.function?.name ?? ''
  tools.splice(1, 0, JSON.parse(JSON.stringify(first).replaceAll(`"${name}"`, '"plan_more"')) as Tool)
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(): Promise<Gateway> {
  const service = await openCachingService()
  closing.push(service.close)
  const gateway = await openGateway(service.url, apiKey, { app: { modelMap: [] } })
  closing.push(gateway.close)
  const priced = usage.usage?.flatMap((row) => ['guide', 'gpt-5.5', 'writer-large'].map((model) => ({ ...row, model })))
  gateway.requestLog.connectedTo(service.url)
  gateway.requestLog.learn({ ...usage, usage: priced ?? [] }, service.url)
  return gateway
}

async function send(gateway: Gateway, { path, headers, body }: Pick<Recorded, 'path' | 'headers'> & { body: object }) {
  const reply = await fetch(`${gateway.url.replace(/\/v1$/, '')}${path}`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${appKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  expect(reply.status, text).toBe(200)
}

/** The turns of the only session, once the last request has ended. */
async function turnsOf(gateway: Gateway, count: number): Promise<SessionTurn[]> {
  return eventually(() => {
    const { sessions } = gateway.requestLog.storedSessions.list({}, 10)
    expect(sessions.map(({ turns }) => turns)).toEqual([count])
    return gateway.requestLog.storedSessions.get(sessions[0]?.id ?? 0).turns
  })
}

describe.each(['claude-code', 'codex', 'opencode'] as const)('a recorded run of %s', (agent) => {
  const all = recorded(agent)
  /** Without the request for a title, which opencode sends beside its first turn. */
  const turns = all.filter(({ body }) => 'tools' in body)

  it('is one session whose turns keep the cache', async () => {
    const gateway = await open()
    for (const one of all) await send(gateway, one)
    const seen = await turnsOf(gateway, all.length)
    const changes = seen.filter(({ tools }) => tools > 0).map(({ loss }) => loss.change)
    expect(changes).toEqual(['first', 'none', 'none', 'none', 'none'])
    expect(seen.every(({ loss }) => loss.tokens === 0)).toBe(true)
    const [session] = gateway.requestLog.storedSessions.list({ app: 'testtool' }, 10).sessions
    expect(session).toMatchObject({ toolCalls: 5, lostTurns: 0, lostCost: '0', unpriced: 0, costIs: 'estimated' })
    expect(session?.tokensCached).toBe(seen.reduce((sum, { row }) => sum + (row.tokensCached ?? 0), 0))
    expect(session?.tokensCached).toBeGreaterThan(20_000)
  })

  it.each(breaks)('names %s', async (_what, change, by, section, lostFrom) => {
    const gateway = await open()
    for (const [turn, one] of turns.entries()) {
      const body = structuredClone(one.body)
      by(body, turn, agent)
      await send(gateway, { ...one, body })
    }
    const seen = await turnsOf(gateway, turns.length)
    const lost = seen[lostFrom]?.loss ?? expect.unreachable()
    expect(lost.change).toBe(change)
    if (section) expect(lost.section).toMatchObject(section)
    else expect(lost.section).toBeNull()
    const { tokensIn, tokensCached } = seen[lostFrom]?.row ?? expect.unreachable()
    const before = seen[lostFrom - 1]?.row.tokensIn ?? 0
    // Without the change, the service would have had the whole prompt before in its cache.
    if (change !== 'model') expect(lost.tokens).toBe(Math.min(tokensIn ?? 0, before) - (tokensCached ?? 0))
    expect(lost.tokens).toBeGreaterThan(1024)
    expect(lost.tokensAre).toBe('measured')
    // 0.5 SC for a million tokens, 0.05 from the cache: 450 billionths of an SC for each lost token.
    expect(lost.cost).toBe(exactSc(450n * BigInt(lost.tokens)))
    const later = seen.slice(lostFrom + 1).map(({ loss }) => loss.change)
    expect(later).toEqual(later.map(() => (change === 'system_time' ? change : 'none')))
  })

  it('is found by its history when it sends no id', async () => {
    const gateway = await open()
    for (const { path, body } of turns) {
      const { prompt_cache_key: _, metadata: __, ...rest } = body
      await send(gateway, { path, headers: {}, body: rest })
    }
    const seen = await turnsOf(gateway, turns.length)
    expect(seen.map(({ loss }) => loss.change)).toEqual(['first', 'none', 'none', 'none', 'none'])
  })
})

describe('a recorded run over the WebSocket of the Responses API', () => {
  const turns = recorded('codex').filter(({ body }) => 'tools' in body)
  const run = async (gateway: Gateway, headers: Record<string, string>, by?: Break) => {
    const client = await SocketClient.open(gateway, headers)
    closing.push(async () => client.socket.terminate())
    for (const [turn, { body }] of turns.entries()) {
      const changed = structuredClone(body)
      by?.(changed, turn, 'codex')
      const { stream: _, ...sent } = changed as Body & { stream?: boolean }
      const end = await client.turn({ ...sent })
      expect(end.type, JSON.stringify(end)).toBe('response.completed')
    }
  }

  it('is one session by the id in the headers of its connection, with its tools and its cached tokens', async () => {
    const gateway = await open()
    await run(gateway, { 'session-id': turns[0]?.headers['session-id'] ?? expect.unreachable() })
    const seen = await turnsOf(gateway, turns.length)
    expect(seen.map(({ loss }) => loss.change)).toEqual(['first', 'none', 'none', 'none', 'none'])
    const [session] = gateway.requestLog.storedSessions.list({ app: 'testtool' }, 10).sessions
    expect(session).toMatchObject({ toolCalls: 5, lostTurns: 0, unpriced: 0 })
    expect(session?.tokensCached).toBeGreaterThan(20_000)
  })

  it('without an id is one session by the key of its cache, and names the section that changed', async () => {
    const gateway = await open()
    const [, change, by] = breaks[1] ?? expect.unreachable()
    await run(gateway, {}, by)
    const seen = await turnsOf(gateway, turns.length)
    expect(seen.map(({ loss }) => loss.change)).toEqual(['first', 'none', change, 'none', 'none'])
    expect(seen[2]?.loss.section).toMatchObject({ kind: 'tool', place: 1 })
  })

  it('that sends only what is new is one session too, because each prompt is read as the service gets it', async () => {
    const gateway = await open()
    const client = await SocketClient.open(gateway, { 'session-id': 'short turns' })
    closing.push(async () => client.socket.terminate())
    const { tools, input = [] } = turns[0]?.body ?? expect.unreachable()
    let last = await client.turn({ model: 'guide', tools, input, store: false })
    for (const content of ['And then?', 'And after that?']) {
      const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: content }] }
      last = await client.turn({
        ...{ model: 'guide', tools, input: [message], store: false },
        previous_response_id: last.response?.id,
      })
      expect(last.type, JSON.stringify(last)).toBe('response.completed')
    }
    const seen = await turnsOf(gateway, 3)
    expect(seen.map(({ loss }) => loss.change)).toEqual(['first', 'none', 'none'])
    const counts = seen.map(({ messages }) => messages)
    // Each turn adds the reply before and the new message.
    expect(counts).toEqual([0, 2, 4].map((more) => more + (counts[0] ?? 0)))
  })
})

/** Billionths of an SC as the contract writes them. */
function exactSc(nano: bigint): string {
  const digits = String(nano).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '')
}

describe('a prompt', () => {
  it('of 200 KB is read on another thread, and belongs to its session', async () => {
    const gateway = await open()
    const message = (text: string) => ({ role: 'user', content: text.repeat(50_000) })
    const messages = [message('abc '), message('efg ')]
    const headers = { 'x-session-id': 'one' }
    for (const shown of [messages.slice(0, 1), messages])
      await send(gateway, { path: '/v1/chat/completions', headers, body: { model: 'guide', messages: shown } })
    const seen = await turnsOf(gateway, 2)
    expect(seen.map(({ loss, messages: count }) => [loss.change, count])).toEqual([
      ['first', 1],
      ['none', 2],
    ])
  })

  it('without an id is no session while it is shorter than what services cache', async () => {
    const gateway = await open()
    for (const messages of [[{ role: 'user', content: 'a' }], [{ role: 'user', content: 'b' }]])
      await send(gateway, { path: '/v1/chat/completions', headers: {}, body: { model: 'guide', messages } })
    expect(gateway.requestLog.storedSessions.list({}, 10).sessions).toEqual([])
  })
})
