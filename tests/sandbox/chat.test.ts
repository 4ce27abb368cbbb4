import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleOf } from '../../src-main/sandbox/chat/schemaSample.ts'
import { seededRandom } from '../../src-main/sandbox/world/seed.ts'
import { ask, chat, chunksOf, eventsOf, hello, json, start } from './ask.ts'

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const said = (reply: { choices: { message: { content: string } }[] }) => reply.choices[0]?.message.content ?? ''

test.each([
  ['[CHAT-01]', 404, { model: 'no-such-model' }],
  ['[CHAT-01]', 404, { model: 'tts-1' }],
  ['[CHAT-01]', 400, { model: undefined }],
  ['[CHAT-02]', 400, { messages: [] }],
  ['[CHAT-02]', 400, { messages: undefined }],
  ['[CHAT-02]', 400, { messages: [{ role: 'narrator', content: 'x' }] }],
  ['[CHAT-03]', 400, { messages: [{ role: 'user', content: 7 }] }],
  [
    '[CHAT-03] [CHAT-13]',
    400,
    { model: 'vision', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
  ],
  [
    '[CHAT-03]',
    400,
    {
      model: 'vision',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: picture, detail: 'fine' } }] }],
    },
  ],
  ['[CHAT-04] [CHAT-13]', 400, { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }] }],
  ['[CHAT-06]', 400, { max_tokens: 0 }],
  ['[CHAT-06]', 400, { max_tokens: 1.5 }],
  ['[CHAT-07]', 400, { stop: 'END' }],
  ['[CHAT-10] [CHAT-13]', 400, { model: 'tool-caller', tools: [{ type: 'function', function: {} }] }],
  ['[CHAT-20]', 400, { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: picture } }] }] }],
  ['[CHAT-20]', 400, { tools: [{ type: 'function', function: { name: 'f' } }] }],
  ['[CHAT-09] a model without several choices', 400, { model: 'reasoner', n: 2 }],
])('%s is refused with %i and the message %j', async (_rule, status, body) => {
  const sandbox = await start()
  const reply = await chat(sandbox, body)
  expect(reply.status).toBe(status)
  expect((await json(reply)).error.message).toMatch(/\w+ \w+/)
})

test('[CHAT-02] [CHAT-03] [CHAT-04] [CHAT-13] all roles, content as text, null or parts, names and calls are accepted', async () => {
  const sandbox = await start()
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Be kind.' },
    {
      role: 'user',
      name: 'ada',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: picture, detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'walk', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
    { role: 'user' },
  ]
  const text = said(await json(chat(sandbox, { model: 'mirror', messages })))
  for (const part of [
    '6 messages',
    'name `ada`',
    'calls `walk`',
    'answers `c1`',
    '1 × 1 pixels',
    '| 2 | developer |',
  ]) {
    expect(text).toContain(part)
  }
})

test('[CHAT-05] [CHAT-14] [CHAT-15] without stream, or with false, the reply is one JSON object with every field', async () => {
  const sandbox = await start()
  for (const stream of [undefined, false]) {
    const reply = await chat(sandbox, { stream })
    expect(reply.headers.get('content-type')).toContain('application/json')
    expect(await reply.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'writer-small',
      choices: [{ index: 0, message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: 8,
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: expect.any(Number) },
      },
    })
  }
})

test('[CHAT-15] cached tokens are part of the prompt: none at first, some when a conversation continues, never more than the prompt', async () => {
  const sandbox = await start()
  const long = { role: 'user', content: 'The tide tables of the harbour. '.repeat(40) }
  const first = (await json(chat(sandbox, { messages: [long] }))).usage
  expect(first.prompt_tokens_details.cached_tokens).toBe(0)
  const next = (await json(chat(sandbox, { messages: [long, { role: 'assistant', content: 'Yes.' }, ...hello] }))).usage
  expect(next.prompt_tokens_details.cached_tokens).toBeGreaterThan(100)
  expect(next.prompt_tokens_details.cached_tokens).toBeLessThan(next.prompt_tokens)
  expect(next.total_tokens).toBe(next.prompt_tokens + next.completion_tokens)
})

test('[CHAT-05] [SSE-01] [SSE-03] a stream has data lines of JSON with content increments, and ends with [DONE]', async () => {
  const sandbox = await start()
  const reply = await chat(sandbox, { stream: true })
  expect(reply.headers.get('content-type')).toContain('text/event-stream')
  const text = await reply.text()
  expect(text).toMatch(/^(data: [^\n]+\n\n)+$/)
  expect(eventsOf(text).at(-1)).toBe('[DONE]')
  const chunks = chunksOf(text)
  const whole = said(await json(chat(sandbox)))
  expect(chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join('')).toBe(whole)
  expect(chunks.length).toBeGreaterThan(5)
  expect(chunks.at(-1).choices[0].finish_reason).toBe('stop')
  expect(text).not.toContain('usage')
})

test('[SSE-02] with include_usage one event with empty choices has the usage', async () => {
  const sandbox = await start()
  const chunks = chunksOf(await (await chat(sandbox, { stream: true, stream_options: { include_usage: true } })).text())
  const withUsage = chunks.filter((chunk) => chunk.usage)
  expect(withUsage).toHaveLength(1)
  expect(withUsage[0]).toMatchObject({ choices: [], usage: { completion_tokens: 8 } })
})

test('[CHAT-06] [CHAT-12] reasoning uses the budget first; an answer may be empty with a length finish', async () => {
  const sandbox = await start()
  for (const [model, field] of [
    ['reasoner', 'reasoning_content'],
    ['reasoner-alt', 'reasoning'],
  ] as const) {
    const short = (await json(chat(sandbox, { model, max_tokens: 5 }))).choices[0]
    expect(short.finish_reason).toBe('length')
    expect(short.message.content).toBe('')
    expect(short.message[field]).not.toBe('')
    const full = (await json(chat(sandbox, { model }))).choices[0]
    expect(full.message.content).not.toBe('')
    const deltas = chunksOf(await (await chat(sandbox, { model, stream: true })).text()).map(
      (chunk) => chunk.choices[0].delta,
    )
    expect(deltas.map((delta) => delta[field] ?? '').join('')).toBe(full.message[field])
  }
})

test('[CHAT-06] max_tokens cuts at the exact token with a length finish', async () => {
  const sandbox = await start()
  const reply = await json(chat(sandbox, { max_tokens: 3 }))
  expect(reply.usage.completion_tokens).toBe(3)
  expect(reply.choices[0].finish_reason).toBe('length')
})

test('[CHAT-07] the text ends before the first stop string', async () => {
  const sandbox = await start()
  const whole = said(await json(chat(sandbox, { sandbox: { tokens: 40 } })))
  const stop = whole.slice(20, 25)
  const cut = said(await json(chat(sandbox, { sandbox: { tokens: 40 }, stop: ['never there', stop] })))
  expect(cut).toBe(whole.slice(0, whole.indexOf(stop)))
})

test('[CHAT-08] [CHAT-10] known and unknown parameters arrive unchanged, and no others', async () => {
  const sandbox = await start()
  const given = {
    temperature: 0.2,
    top_p: 0.9,
    presence_penalty: 1,
    frequency_penalty: -1,
    response_format: { type: 'text' },
    tool_choice: { any: ['shape'] },
    top_k: 40,
    thinking: { budget: 7 },
  }
  const tools = [{ type: 'function', function: { name: 'walk', strict: true } }]
  const text = said(
    await json(ask(sandbox, '/v1/chat/completions', {}, { model: 'mirror', messages: hello, tools, ...given })),
  )
  const block = /```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? ''
  expect(JSON.parse(block)).toEqual({ model: 'mirror', ...given })
  expect(text).toContain('`walk` (strict)')
})

test('[CHAT-09] several choices are interleaved, distinguished by their index, and differ', async () => {
  const sandbox = await start()
  const chunks = chunksOf(await (await chat(sandbox, { stream: true, n: 3 })).text())
  const order = chunks.map((chunk) => chunk.choices[0].index)
  expect(order.slice(3, 9)).toEqual([0, 1, 2, 0, 1, 2])
  const whole = await json(chat(sandbox, { n: 3 }))
  const texts = whole.choices.map((choice: { message: { content: string } }) => choice.message.content)
  expect(new Set(texts).size).toBe(3)
  for (const index of [0, 1, 2]) {
    const mine = chunks.filter((chunk) => chunk.choices[0].index === index)
    expect(mine.map((chunk) => chunk.choices[0].delta.content ?? '').join('')).toBe(texts[index])
  }
})

test('[CHAT-10] tool_choice: none, automatic, by name; arguments stream in pieces of JSON; results are answered', async () => {
  const sandbox = await start()
  const tool = (name: string) => ({
    type: 'function',
    function: {
      name,
      parameters: {
        type: 'object',
        properties: { day: { type: 'integer', minimum: 3, maximum: 5 } },
        required: ['day'],
      },
    },
  })
  const body = { model: 'tool-caller', tools: [tool('walk'), tool('row')] }
  const none = await json(chat(sandbox, { ...body, tool_choice: 'none' }))
  expect(none.choices[0].message.tool_calls).toBeUndefined()
  const auto = await json(chat(sandbox, body))
  expect(auto.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { content: null, tool_calls: [{ type: 'function', function: { name: 'walk' } }] },
  })
  const named = { ...body, tool_choice: { type: 'function', function: { name: 'row' } } }
  const row = (await json(chat(sandbox, named))).choices[0].message.tool_calls[0]
  expect(row.function.name).toBe('row')
  expect(JSON.parse(row.function.arguments).day).toBeOneOf([3, 4, 5])
  const deltas = chunksOf(await (await chat(sandbox, { ...named, stream: true })).text()).flatMap(
    (chunk) => chunk.choices[0].delta.tool_calls ?? [],
  )
  expect(deltas.length).toBeGreaterThan(2)
  expect(deltas.map((delta) => delta.function.arguments).join('')).toBe(row.function.arguments)
  const answered = await json(
    chat(sandbox, {
      ...body,
      messages: [
        ...hello,
        { role: 'assistant', content: null, tool_calls: [row] },
        { role: 'tool', tool_call_id: row.id, content: 'sunny' },
      ],
    }),
  )
  expect(said(answered)).toContain('sunny')
})

test('the tool caller makes the calls of a script, one reply after another, and then repeats the last results', async () => {
  const sandbox = await start()
  const script =
    'Please.\n```calls\nread {"path":"a \\"b\\".txt"}\nread {"path":"c"}\n\nedit {"text":"x\\ny"}\n```\nThanks.'
  const messages: Record<string, unknown>[] = [{ role: 'user', content: script }]
  const seen: unknown[] = []
  for (let turn = 0; turn < 2; turn += 1) {
    const { message, finish_reason } = (await json(chat(sandbox, { model: 'tool-caller', messages }))).choices[0]
    expect(finish_reason).toBe('tool_calls')
    seen.push(message.tool_calls.map((call: { function: unknown }) => call.function))
    messages.push(message)
    for (const { id } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: `result ${turn}` })
    // Some coding agents add a reminder after the results.
    if (turn === 0) messages.push({ role: 'user', content: 'A reminder.' })
  }
  expect(seen).toEqual([
    [
      { name: 'read', arguments: '{"path":"a \\"b\\".txt"}' },
      { name: 'read', arguments: '{"path":"c"}' },
    ],
    [{ name: 'edit', arguments: '{"text":"x\\ny"}' }],
  ])
  expect(said(await json(chat(sandbox, { model: 'tool-caller', messages })))).toMatch(/`edit` answered:\s+> result 1/)
  const broken = await chat(sandbox, {
    model: 'tool-caller',
    messages: [{ role: 'user', content: '```calls\nread\n```' }],
  })
  expect(broken.status).toBe(400)
  expect((await json(broken)).error.code).toBe('invalid_script')
})

test('[CHAT-20] the vision model reports measured facts and fetches no remote URL', async () => {
  const sandbox = await start()
  const look = async (url: string) =>
    said(
      await json(
        chat(sandbox, {
          model: 'vision',
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
        }),
      ),
    )
  expect(await look(picture)).toContain('1 × 1 pixels')
  const before = sandbox.observe.requests().length
  expect(await look(`${sandbox.baseUrl}/v1/models`)).toContain('fetches no remote address')
  expect(sandbox.observe.requests().length).toBe(before + 1)
})

test('tool arguments satisfy enum, const, bounds, lengths, items, patterns and references of any schema', () => {
  const leaf = fc.oneof(
    fc.record({ low: fc.integer({ min: -1000, max: 1000 }), width: fc.nat(500) }).map(({ low, width }) => ({
      schema: { type: 'integer', minimum: low, maximum: low + width },
      fits: (value: unknown) => Number.isInteger(value) && Number(value) >= low && Number(value) <= low + width,
    })),
    fc.record({ least: fc.nat(20), more: fc.nat(10) }).map(({ least, more }) => ({
      schema: { type: 'string', minLength: least, maxLength: least + more },
      fits: (value: unknown) => typeof value === 'string' && value.length >= least && value.length <= least + more,
    })),
    fc.array(fc.jsonValue(), { minLength: 1 }).map((list) => ({
      schema: { enum: list },
      fits: (value: unknown) => list.some((one) => Object.is(one, value)),
    })),
    fc.constantFrom('^[A-Z]{3}-\\d{4}$', '^(?:on|off)$', '^[a-f0-9]{8}$', '^\\w+@\\w+\\.org$').map((pattern) => ({
      schema: { type: 'string', pattern },
      fits: (value: unknown) => typeof value === 'string' && new RegExp(pattern).test(value),
    })),
  )
  fc.assert(
    fc.property(leaf, fc.integer({ min: 1, max: 4 }), fc.string(), ({ schema, fits }, count, seed) => {
      const value = sampleOf(
        {
          type: 'object',
          properties: {
            list: { type: 'array', items: { $ref: '#/$defs/leaf' }, minItems: count, maxItems: count },
            either: { anyOf: [schema, { type: 'null' }] },
            both: { allOf: [{ type: 'object' }, { properties: { deep: schema } }] },
          },
          $defs: { leaf: schema },
        },
        seededRandom(seed),
      ) as { list: unknown[]; either: unknown; both: { deep: unknown } }
      expect(value.list).toHaveLength(count)
      for (const item of [...value.list, value.either, value.both.deep])
        expect(fits(item), JSON.stringify(item)).toBe(true)
    }),
  )
  const loop = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  }
  expect(JSON.stringify(sampleOf(loop, seededRandom('loop'))).length).toBeLessThan(1000)
})

test('a stream has the requested speed', async () => {
  const sandbox = await start()
  await chat(sandbox)
  const begun = performance.now()
  await (await chat(sandbox, { stream: true, sandbox: { tokens: 30, tokens_per_second: 100 } })).text()
  const took = performance.now() - begun
  expect(took).toBeGreaterThan(280)
})

test('a hostile schema is refused with a message', async () => {
  const sandbox = await start()
  const wide = { $ref: '#/$defs/n', $defs: { n: { type: 'array', minItems: 2, items: { $ref: '#/$defs/n' } } } }
  const schemas = [
    wide,
    { minLength: 1e12 },
    { type: 'array', minItems: 1e9, items: {} },
    { pattern: '((a{999}){999}){999}' },
    { pattern: '[^z-a]' },
    { $ref: '#/%' },
  ]
  for (const schema of schemas) {
    const parameters = { type: 'object', properties: { it: schema }, required: ['it'], $defs: wide.$defs }
    const reply = await chat(sandbox, {
      model: 'tool-caller',
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    })
    expect(reply.status, JSON.stringify(schema)).toBe(400)
    expect((await json(reply)).error.code).toMatch(/^(schema_too_large|invalid_schema|unsatisfied_schema)$/)
  }
})

test('small-context refuses more than its context with the usual error, prompt and reserved reply together, and costs nothing', async () => {
  const sandbox = await start()
  const long = (words: number, more = {}) =>
    chat(sandbox, { model: 'small-context', messages: [{ role: 'user', content: 'word '.repeat(words) }], ...more })
  expect((await long(1000)).status).toBe(200)
  const before = await json(ask(sandbox, '/v1/usage'))
  for (const refused of [await long(2100), await long(1000, { max_tokens: 1500 })]) {
    expect(refused.status).toBe(400)
    const { error } = await json(refused)
    expect(error.code).toBe('context_length_exceeded')
    expect(error.message).toMatch(
      /^This model's maximum context length is 2048 tokens\. However, you requested \d{4} tokens/,
    )
  }
  expect((await json(ask(sandbox, '/v1/usage'))).balance).toBe(before.balance)
})

test('document-writer writes the kind that the message names, and the next version in each further reply', async () => {
  const sandbox = await start()
  const text = async (...contents: string[]): Promise<string> => {
    const messages = contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }))
    return (await json(chat(sandbox, { model: 'document-writer', messages }))).choices[0].message.content
  }
  const first = await text('Write a page.')
  expect(first).toMatch(/^Version 1 [\s\S]*```html\n<!doctype html>[\s\S]*<title>Harbour walks<\/title>[\s\S]*```/)
  const second = await text('Write a page.', first, 'Change it.')
  expect(second).toMatch(/^Version 2 [\s\S]*<title>Harbour walks<\/title>[\s\S]*revision 2/)
  for (const kind of ['svg', 'markdown', 'mermaid', 'csv', 'json'])
    expect(await text(`As ${kind}!`)).toContain(`\`\`\`${kind}\n`)
})

test('citer quotes the passages that fit the question best, by their numbers', async () => {
  const sandbox = await start()
  const text = async (content: string): Promise<string> =>
    (await json(chat(sandbox, { model: 'citer', messages: [{ role: 'user', content }] }))).choices[0].message.content
  const passage = (number: number, body: string) => `<passage number="${number}" file="a.txt">\n${body}\n</passage>`
  const content = `${passage(3, 'Ropes are long.')}\n\n${passage(7, 'It rains. The ferry leaves at six.')}\n\nWhen does the ferry leave?`
  expect(await text(content)).toMatch(/^The ferry leaves at six\. \[7\]\n\nRopes are long\. \[3\]/)
  expect(await text('Hello')).not.toContain('[')
})
