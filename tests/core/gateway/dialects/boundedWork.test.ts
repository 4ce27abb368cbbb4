// @isolated: measures the turns of the event loop.
import { beforeEach, describe, expect, it } from 'vitest'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { longestTurn, slowness } from '../../../helpers/longestTurn.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// No request of an app makes others wait, whatever it repeats: the work for it is linear, bounded before it begins, or on another thread.

const { beforeService } = testGateways()
const whole = '{"choices":[{"index":0,"message":{"content":"Words"},"finish_reason":"stop"}]}'

/** How long another app, a window or a cancel may wait, ms of processor time: a third of what quadratic algorithms took here, or less. */
const bar = 250
/** The slowness is measured only when it matters, because that takes as long as a request. */
const expectShort = (turn: number): void => {
  if (turn >= bar) expect(turn).toBeLessThan(bar * slowness())
}

let gateway: Gateway
let sent: () => string | undefined
beforeEach(async () => {
  const opened = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(whole)
  })
  gateway = opened.gateway
  sent = () => opened.far.requests.at(-1)?.body.toString()
  // Starts what starts with the first request.
  await post('/responses', { model: 'm', input: 'Hello' })
})

async function post(path: string, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const stop = longestTurn()
  const { status, body: reply } = await ask(new URL(`.${path}`, `${gateway.url}/`).href, {
    method: 'POST',
    headers: jsonWithKey,
    body: text,
  })
  return { status, turn: stop(), reply: JSON.parse(reply.toString()) as Reply, bytes: text.length }
}
interface Reply {
  id: string
  input_tokens?: number
  store?: boolean
  error?: { message: string; param?: string }
}

const several = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

describe('no turn of the event loop is long for', () => {
  it('updates of a configuration with many members', async () => {
    const members = Object.fromEntries(several(4000, (at) => [`k${at}`, 1]))
    const updates = several(2000, (at) => ({
      type: 'configuration_update',
      reasoning: { effort: at === 1999 ? 'low' : 'high' },
    }))
    const input = [{ type: 'configuration_update', reasoning: members }, ...updates, { role: 'user', content: 'Hi' }]
    const { status, turn } = await post('/responses', { model: 'm', input })
    expect(status).toBe(200)
    expectShort(turn)
    expect(JSON.parse(sent() ?? '')).toMatchObject({ reasoning_effort: 'low' })
  })

  it('names of tools that get one short name', async () => {
    // Spaces are replaced and the checksum is of the same text, so all of these get the same short name.
    const namespaces = several(4000, (at) => {
      const split = at % 40
      return {
        type: 'namespace',
        name: `${'n'.repeat(60)}${'_'.repeat(split)}`,
        tools: [{ type: 'function', name: `${'_'.repeat(40 - split)}t${Math.floor(at / 40)} ` }],
      }
    })
    const { status, turn } = await post('/responses', { model: 'm', input: 'Hi', tools: namespaces })
    expect(status).toBe(200)
    expectShort(turn)
    const { tools } = JSON.parse(sent() ?? '') as { tools: { function: { name: string } }[] }
    expect(new Set(tools.map((tool) => tool.function.name)).size).toBe(4000)
  })

  it('a list of allowed tools that is as long as the list of tools', async () => {
    const tools = [
      { type: 'namespace', name: 'n', tools: several(4000, (at) => ({ type: 'function', name: `t${at}` })) },
    ]
    const allowed = [
      ...several(4000, (at) => ({ type: 'function', name: `t${at}` })),
      ...several(4000, () => ({ type: 'namespace', name: 'n' })),
    ]
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: allowed }
    const { status, turn } = await post('/responses', { model: 'm', input: 'Hi', tools, tool_choice })
    expect(status).toBe(200)
    expectShort(turn)
  })

  it('references that multiply a long stored item, which are refused before anything is built', async () => {
    const { status: stored } = await post('/responses', {
      model: 'm',
      input: [{ role: 'user', content: 'x'.repeat(3_000_000), id: 'msg_long' }],
    })
    expect(stored).toBe(200)
    const input = several(2000, () => ({ type: 'item_reference', id: 'msg_long' }))
    const before = process.memoryUsage().rss
    const { status, turn, reply } = await post('/responses', { model: 'm', input })
    expect([status, reply.error]).toEqual([
      400,
      expect.objectContaining({ param: 'input', message: expect.stringContaining('at most 32 MB and 500,000 values') }),
    ])
    expectShort(turn)
    // The thread that reads the item has its own heap.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
    // As often as they are within the limit, they are replaced.
    const few = await post('/responses', { model: 'm', input: input.slice(0, 3) })
    expect(few.status).toBe(200)
    expectShort(few.turn)
    expect(sent()?.length).toBeGreaterThan(9_000_000)
    const many = await post('/responses', { model: 'm', input: several(6000, (at) => ({ id: `msg_${at}` })) })
    expect(many.reply.error?.message).toContain('at most 5,000 items')
  })

  it('references to small items of more responses than were remembered', async () => {
    const pad = 'p'.repeat(60_000)
    for (const at of several(9, (index) => index)) {
      const items = several(40, (index) => ({ role: 'user', content: `${at} ${index}`, id: `msg_${at}_${index}` }))
      const { status } = await post('/responses', { model: 'm', input: [...items, { role: 'user', content: pad }] })
      expect(status).toBe(200)
    }
    const names = several(40, (index) => several(9, (at) => `msg_${at}_${index}`)).flat()
    const { status, turn } = await post('/responses', {
      model: 'm',
      input: several(2520, (at) => ({ type: 'item_reference', id: names[at % names.length] })),
    })
    expect(status).toBe(200)
    expectShort(turn)
    const { messages } = JSON.parse(sent() ?? '') as { messages: { content: string }[] }
    expect(messages.slice(0, 10).map(({ content }) => content)).toEqual([...several(9, (at) => `${at} 0`), '0 1'])
  })

  it('names of tools, calls and results without ids in Gemini’s and Ollama’s APIs', async () => {
    const long = 'n'.repeat(60)
    const names = several(4000, (at) => `${long}${' '.repeat(at % 40)}${long}${at}`)
    const gemini = {
      tools: [{ functionDeclarations: names.map((name) => ({ name })) }],
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        { role: 'model', parts: names.map((name) => ({ functionCall: { name, args: {} } })) },
        { role: 'user', parts: names.toReversed().map((name) => ({ functionResponse: { name, response: {} } })) },
      ],
    }
    const ollama = {
      model: 'm',
      stream: false,
      tools: names.map((name) => ({ type: 'function', function: { name } })),
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: '', tool_calls: names.map((name) => ({ function: { name, arguments: {} } })) },
        ...names.toReversed().map((name) => ({ role: 'tool', tool_name: name, content: 'x' })),
      ],
    }
    for (const [path, body] of [
      ['/../v1beta/models/m:generateContent', gemini],
      ['/../api/chat', ollama],
    ] as const) {
      const { status, turn } = await post(path, body)
      expect([path, status]).toEqual([path, 200])
      expectShort(turn)
      const { tools, messages } = JSON.parse(sent() ?? '') as {
        tools: { function: { name: string } }[]
        messages: unknown[]
      }
      expect([path, new Set(tools.map((tool) => tool.function.name)).size, messages.length]).toEqual([path, 4000, 4002])
    }
  })

  it('a count of the tokens of white space', { tags: 'long' }, async () => {
    const content = ' '.repeat(900_000)
    const { turn } = await post('/messages/count_tokens', { model: 'm', messages: [{ role: 'user', content }] })
    expectShort(turn)
  })
})

describe('no turn of the event loop is long for a reply', () => {
  const delta = (more: object) => ({ choices: [{ index: 0, ...more }] })
  const events = (count: number, chunk: string) =>
    `${`data: ${chunk}\n\n`.repeat(count)}data: ${JSON.stringify(delta({ delta: {}, finish_reason: 'stop' }))}\n\ndata: [DONE]\n\n`
  const call = (args: string) => ({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: args } }] })

  it.each([
    [
      'whose one event has many values',
      events(1, JSON.stringify(delta({ delta: { content: 'x', junk: several(300_000, () => []) } }))),
    ],
    [
      'of many events that arrive at once',
      events(400, JSON.stringify(delta({ delta: { content: '"'.repeat(2500) } }))),
    ],
    [
      'whose arguments seem complete after each piece',
      events(3000, JSON.stringify(delta({ delta: call(`${'}'.repeat(300)}`) }))),
    ],
    [
      'with thousands of calls in one event',
      events(
        1,
        JSON.stringify(
          delta({
            delta: { tool_calls: several(20_000, (index) => ({ index, function: { name: 'f', arguments: '{}' } })) },
          }),
        ),
      ),
    ],
  ])('%s', async (_, body) => {
    const { gateway: before } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(body)
    })
    for (const path of [
      ...['/v1/chat/completions', '/v1/responses', '/v1/messages'],
      ...['/v1beta/models/m:streamGenerateContent?alt=sse', '/v1beta/models/m:streamGenerateContent', '/api/chat'],
    ]) {
      const chat = { model: 'm', stream: true, max_tokens: 5, input: 'x', messages: [{ role: 'user', content: 'x' }] }
      const asked = path.startsWith('/v1beta') ? { contents: [{ parts: [{ text: 'x' }] }] } : chat
      const stop = longestTurn()
      await ask(before.url.replace(/\/v1$/, '') + path, {
        method: 'POST',
        headers: jsonWithKey,
        body: JSON.stringify(asked),
      })
      const turn = stop()
      expectShort(turn)
    }
  })
})
