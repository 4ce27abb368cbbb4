import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { geminiDialect } from '../../../../../src-main/core/gateway/dialects/gemini/gemini.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { problemOf } from '../../../../../src-main/core/gateway/proxy/translatedReply.ts'
import { ask, jsonWithKey } from '../../../../helpers/appRequest.ts'
import { eventsIn, wholeReply } from '../../../../helpers/replies.ts'
import { testGateways } from '../../../../helpers/testGateways.ts'
import { anyReply, type ServiceReply } from '../messages/helpers/arbitraries.ts'
import { chunk, streamBytes, usageChunk } from '../messages/helpers/streams.ts'
import { chatRequest, toolOrderProblem } from '../specification.ts'

const { beforeService } = testGateways()

const details = { id: 'gem_1', createdAt: 1_700_000_000, model: 'm1', tokensIn: 21 }
const said = (text: string, role = 'user'): JsonObject => ({ role, parts: [{ text }] })
const called = (...calls: JsonObject[]): JsonObject => ({
  role: 'model',
  parts: calls.map((functionCall) => ({ functionCall: { name: 'find', args: {}, ...functionCall } })),
})
const answered = (...responses: JsonObject[]): JsonObject => ({
  role: 'user',
  parts: responses.map((functionResponse) => ({ functionResponse: { name: 'find', ...functionResponse } })),
})
const translate = (body: JsonObject = { contents: [said('Hi')] }, path: JsonObject = {}) =>
  geminiDialect.translate(body, { model: 'm', stream: true, events: true, ...path })

/** The chat request, checked against the specification. */
function chatOf(body: JsonObject) {
  const chat = chatRequest.loose().parse(JSON.parse(JSON.stringify(translate(body).chat)))
  expect(toolOrderProblem(chat.messages)).toBeNull()
  return chat
}
const refusedAt = (body: JsonObject): string | null => {
  try {
    translate(body)
  } catch (thrown) {
    if (thrown instanceof DialectError) return thrown.problem.param
    throw thrown
  }
  throw new Error('The request was translated.')
}

describe('a request', () => {
  it('is a chat request, in the names of the JSON and in those of the definition', () => {
    const png = { mime_type: 'image/png', data: 'AA-_' }
    const chat = chatOf({
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: { parts: [{ text: 'What is this?' }, { inline_data: png }] },
      generation_config: {
        max_output_tokens: '20',
        stop_sequences: ['END'],
        thinking_config: { thinking_budget: 100 },
      },
    })
    expect(chat).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA+/' } },
          ],
        },
      ],
      max_tokens: 20,
      stop: ['END'],
      reasoning_effort: 'low',
    })
  })

  it('gives each response to the call with its id, and without ids in their order', () => {
    const results = (...contents: JsonObject[]) =>
      chatOf({ contents: [said('Hi'), ...contents] }).messages.flatMap(({ role, content, tool_call_id }) =>
        role === 'tool' ? [[tool_call_id, content]] : [],
      )
    const outputs = ['1', '2'].map((output) => ({ response: { output } }))
    expect(results(called({}, {}), answered(...outputs))).toEqual([
      ['call_1', '1'],
      ['call_2', '2'],
    ])
    const withIds = ['b', 'a'].map((id) => ({ id, response: { output: id } }))
    expect(results(called({ id: 'a' }, { id: 'b' }), answered(...withIds))).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ])
    const byName = [
      { name: 'y', response: { error: 'none' } },
      { name: 'x', response: { n: 1 } },
    ]
    expect(results(called({ name: 'x' }, { name: 'y' }), answered(...byName))).toEqual([
      ['call_1', '{"n":1}'],
      ['call_2', 'The tool reported an error:\nnone'],
    ])
    // A client may repeat an id in a later turn, and number calls as this program does.
    const again = { response: { output: 'x' } }
    expect(
      results(
        called({ id: 'call_1' }),
        answered({ id: 'call_1', ...again }),
        called({ id: 'call_1' }, {}),
        answered({ id: 'call_1', ...again }, again),
      ),
    ).toHaveLength(3)
  })

  it('sends images of a response before what the person said after it', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }]
    const contents = [said('Hi'), called({}), { ...answered({ response: { output: 'a' }, parts }) }, said('And?')]
    const { messages } = chatOf({ contents })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(messages.at(-1)?.content).toMatchObject([{ type: 'text' }, { type: 'image_url' }, { text: 'And?' }])
  })

  it('without a response, with one too many, with an unknown role or choice is refused at its place', () => {
    expect(refusedAt({ contents: [said('Hi'), called({})] })).toBe('contents[1].parts[0].functionCall')
    expect(refusedAt({ contents: [answered({})] })).toBe('contents[0].parts[0].functionResponse')
    expect(refusedAt({ contents: [said('Hi', 'assistant')] })).toBe('contents[0].role')
    expect(refusedAt({ contents: [] })).toBe('contents')
    const tools = [{ functionDeclarations: [{ name: 'find' }] }]
    const choice = (config: JsonObject) => ({
      contents: [said('Hi')],
      tools,
      toolConfig: { functionCallingConfig: config },
    })
    expect(refusedAt(choice({ mode: 'SOMETIMES' }))).toBe('toolConfig.functionCallingConfig.mode')
    expect(refusedAt(choice({ mode: 'ANY', allowedFunctionNames: ['other'] }))).toMatch(/allowedFunctionNames\[0\]$/)
  })

  it('turns a part that a chat can’t have into a sentence, and names it', () => {
    const sound = { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }
    const { chat, ignored } = translate({ contents: [{ parts: [sound, { novelPart: { a: 1 } }] }] })
    expect(JSON.stringify(chat.messages)).toMatch(/audio\/wav was left out.*novelPart was left out/)
    expect(ignored).toEqual(['contents.inlineData', 'contents.novelPart'])
  })

  it('has the thoughts of the running tool loop as reasoning, and no earlier ones', () => {
    const thought = (text: string) => ({ text, thought: true })
    const turn = (text: string) => ({
      role: 'model',
      parts: [thought(text), { functionCall: { name: 'find', args: {} } }],
    })
    const done = answered({ response: { output: 'found' } })
    const contents = [said('One'), turn('old'), done, said('Two'), turn('first, '), done, turn('second'), done]
    const { chat, ignored } = translate({ contents })
    expect(chat.messages.map(({ reasoning_content: reasoning }) => reasoning ?? null)).toEqual([
      ...[null, null, null],
      ...[null, 'first, ', null, 'second', null],
    ])
    expect(ignored).toEqual(['contents.thought'])
    expect(translate({ contents: contents.slice(3) }).ignored).toEqual([])
  })

  it('has JSON schemas for those of this API', () => {
    const parameters = {
      type: 'OBJECT',
      nullable: true,
      propertyOrdering: ['a'],
      properties: {
        type: { type: 'STRING', enum: ['x'], nullable: true, min_length: '2' },
        list: { type: 'ARRAY', minItems: '1', items: { any_of: [{ type: 'INTEGER' }, { type: 'TYPE_UNSPECIFIED' }] } },
      },
      required: ['type'],
    }
    const schema = {
      type: ['object', 'null'],
      properties: {
        type: { type: ['string', 'null'], enum: ['x', null], minLength: 2 },
        list: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'integer' }, {}] } },
      },
      required: ['type'],
    }
    const json = { responseMimeType: 'application/json', responseSchema: parameters }
    const { tools, response_format } = chatOf({
      contents: [said('Hi')],
      tools: [{ functionDeclarations: [{ name: 'find', parameters }] }],
      generationConfig: json,
    })
    expect(tools).toEqual([{ type: 'function', function: { name: 'find', parameters: schema } }])
    expect(response_format).toEqual({ type: 'json_schema', json_schema: { name: 'output', schema } })
  })

  it('sends only the allowed functions, and demands the one that is left', () => {
    const tools = [{ functionDeclarations: ['a', 'b', 'c'].map((name) => ({ name })) }]
    const choose = (config: JsonObject) => {
      const chat = chatOf({ contents: [said('Hi')], tools, toolConfig: { functionCallingConfig: config } })
      return [chat.tools?.map((tool) => tool.function.name).join(''), chat.tool_choice]
    }
    expect(choose({ mode: 'ANY' })).toEqual(['abc', 'required'])
    expect(choose({ mode: 'any', allowedFunctionNames: ['a', 'c'] })).toEqual(['ac', 'required'])
    expect(choose({ mode: 'ANY', allowedFunctionNames: ['b'] })).toEqual([
      'b',
      { type: 'function', function: { name: 'b' } },
    ])
    expect(choose({ mode: 'NONE', allowedFunctionNames: ['b'] })).toEqual(['abc', 'none'])
  })

  it('restores the names of functions that services refuse', () => {
    const name = `mcp.server:${'x'.repeat(80)}`
    const translated = translate({ contents: [said('Hi')], tools: [{ functionDeclarations: [{ name }] }] })
    const sent = (translated.chat.tools as { function: { name: string } }[])[0]?.function.name ?? ''
    expect(sent).toMatch(/^[\w-]{1,64}$/)
    const reply = { choices: [{ message: { tool_calls: [{ id: 'a', function: { name: sent, arguments: '{}' } }] } }] }
    expect(wholeReply(translated, reply, details)).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { id: 'a', name, args: {} } }] }, finishReason: 'STOP' }],
    })
  })

  it('takes time in proportion to its size', { tags: 'long' }, () => {
    const many = Array.from({ length: 50_000 }, (_, at) => at)
    const calls = called(...many.map((at) => ({ ...(at % 2 === 0 && { id: `call_${at}` }) })))
    const responses = answered(
      ...many.toReversed().map((at) => ({ ...(at % 2 === 0 && { id: `call_${at}` }), response: {} })),
    )
    const started = performance.now()
    const { messages } = translate({ contents: [said('Hi'), calls, responses] }).chat
    expect(messages).toHaveLength(50_002)
    // Ten times what it takes on a slow machine; quadratic work would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000)
    let deep: JsonObject = { type: 'OBJECT' }
    for (let level = 0; level < 10_000; level++) deep = { type: 'ARRAY', items: deep }
    const tools = [{ functionDeclarations: [{ name: 'find', parameters: deep }] }]
    expect(refusedAt({ contents: [said('Hi')], tools })).toBe('tools')
  })

  it('for a count of tokens is the contents, or a whole request', () => {
    const whole = { contents: [said('Hi')], systemInstruction: 'Be brief.' }
    expect(translate({ generateContentRequest: whole }, { counts: true }).chat).toEqual(translate(whole).chat)
    expect(translate({ contents: [said('Hi')] }, { counts: true }).chat.messages).toHaveLength(1)
  })
})

const chunksOf = ({ deltas, finish, usage }: ServiceReply): JsonObject[] => [
  ...deltas.map((delta) => chunk(delta)),
  chunk({}, finish),
  ...(usage === null ? [] : [usageChunk(usage)]),
]
const thoughts = { contents: [said('Hi')], generationConfig: { thinkingConfig: { includeThoughts: true } } }

/** The text that a client receives for a chat stream. */
function streamed(bytes: Uint8Array, cuts: readonly number[] = [], path: JsonObject = {}, body: JsonObject = thoughts) {
  const stream = translate(body, path).openReply(details, false)
  let text = ''
  for (const event of eventsIn(bytes, cuts)) {
    if (event.type === 'done') text += stream.end()
    else text += event.type === 'error' ? stream.fail(problemOf(event.error)) : stream.push(event)
  }
  return text
}

interface Element {
  candidates?: { content: { parts: JsonObject[] }; finishReason?: string; index: number }[]
  error?: JsonObject
  usageMetadata?: JsonObject
}
const elementsOf = (text: string): Element[] =>
  text.split('\n\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line.slice('data: '.length)) as Element)))

/** The parts of all elements, neighbouring texts of one kind joined, as a client shows them. */
function partsOf(elements: readonly Element[], index = 0): JsonObject[] {
  const parts: JsonObject[] = []
  for (const part of elements
    .flatMap(({ candidates = [] }) => candidates.filter((one) => one.index === index))
    .flatMap(({ content }) => content.parts)) {
    const last = parts.at(-1)
    if (part.text === '') continue
    if (typeof part.text === 'string' && last && typeof last.text === 'string' && last.thought === part.thought)
      last.text += part.text
    else parts.push({ ...part })
  }
  return parts
}

describe('a stream', () => {
  it('is the same however its bytes are split, and has what a whole reply has', () => {
    fc.assert(
      fc.property(anyReply, fc.array(fc.nat(), { maxLength: 30 }), (reply, cuts) => {
        const bytes = streamBytes(chunksOf(reply))
        const text = streamed(bytes)
        expect(streamed(bytes, cuts)).toBe(text)
        const whole = wholeReply(translate(thoughts), reply.whole, details) as Element
        const elements = elementsOf(text)
        expect(partsOf(elements)).toEqual(partsOf([whole]))
        expect(elements.at(-1)?.candidates?.[0]?.finishReason).toBe(whole.candidates?.[0]?.finishReason)
        expect(elements.at(-1)?.usageMetadata).toEqual(whole.usageMetadata)
      }),
    )
  })

  it('is the same when it is split at every byte', () => {
    const [reply] = fc.sample(anyReply, 1)
    if (reply === undefined) throw new Error('No sample.')
    const bytes = streamBytes(chunksOf(reply))
    const text = streamed(bytes)
    for (let at = 0; at < bytes.length; at++) expect(streamed(bytes, [at])).toBe(text)
  })

  it('without alt=sse is one JSON array of the same elements, also when it fails', () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), (reply, isCut) => {
        const bytes = streamBytes(isCut ? chunksOf(reply).slice(0, -2) : chunksOf(reply), !isCut)
        expect(JSON.parse(streamed(bytes, [], { events: false }))).toEqual(elementsOf(streamed(bytes)))
      }),
    )
  })

  it('that ends after any of its bytes has no finish reason unless the service had said the end', () => {
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'find', arguments: '{"x":1}' } }] }
    const chunks = [chunk({ content: 'Hé' }), chunk(call), chunk({}, 'tool_calls')]
    const bytes = streamBytes(chunks, false)
    // The last event is whole from its closing brace on, also without the empty line after it.
    const said = bytes.length - 2
    for (let length = 0; length < bytes.length; length++) {
      const elements = elementsOf(streamed(bytes.slice(0, length)))
      const last = elements.at(-1)
      const isWhole = length >= said
      expect([length, last?.error === undefined]).toEqual([length, isWhole])
      expect(partsOf(elements).some(({ functionCall }) => functionCall !== undefined)).toBe(isWhole)
    }
  })

  it('has as many candidates as were asked for, each with its own text, and no more', () => {
    const choice = (index: number, delta: JsonObject, finish: string | null = null) => ({
      choices: [{ index, delta, finish_reason: finish }],
    })
    const chunks = ['A', 'B', 'C'].map((content, index) => choice(index, { content }))
    const ends = [0, 1, 2].map((index) => choice(index, {}, index === 1 ? 'length' : 'stop'))
    const body = { contents: [said('Hi')], generationConfig: { candidateCount: 2 } }
    expect(translate(body).chat.n).toBe(2)
    const elements = elementsOf(streamed(streamBytes([...chunks, ...ends]), [], {}, body))
    expect([partsOf(elements), partsOf(elements, 1), partsOf(elements, 2)]).toEqual([
      [{ text: 'A' }],
      [{ text: 'B' }],
      [],
    ])
    expect(elements.at(-1)?.candidates?.map(({ finishReason }) => finishReason)).toEqual(['STOP', 'MAX_TOKENS'])
  })

  it('leaves thoughts out unless they are asked for', () => {
    const bytes = streamBytes([chunk({ reasoning_content: 'Hm' }), chunk({ content: 'Hi' }, 'stop')])
    expect(partsOf(elementsOf(streamed(bytes)))).toEqual([{ text: 'Hm', thought: true }, { text: 'Hi' }])
    expect(partsOf(elementsOf(streamed(bytes, [], {}, { contents: [said('Hi')] })))).toEqual([{ text: 'Hi' }])
  })
})

describe('a failure', () => {
  const send = async (url: string, agent: string) =>
    ask(`${url.replace(/\/v1$/, '')}/v1beta/models/m:streamGenerateContent?alt=sse`, {
      method: 'POST',
      headers: { ...jsonWithKey, 'user-agent': agent },
      body: JSON.stringify({ contents: [said('Hi')] }),
    })
  const error = { error: { code: 409, message: 'No space today', status: 'ABORTED' } }
  const twice = `data: ${JSON.stringify(error)}\n\n${JSON.stringify(error)}\n\n`

  it('before the reply is a failed stream for Gemini CLI, which repeats other failures, and a status for all others', async () => {
    const { far, gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(503, { 'content-type': 'application/json' })
        response.end('{"error":{"message":"No space today"}}')
      },
      { app: { retries: false } },
    )
    const failed = await send(gateway.url, 'GeminiCLI-tui/0.61.0/m (linux; x64; terminal)')
    expect([failed.status, failed.headers['content-type'], failed.body.toString()]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      twice,
    ])
    const other = await send(gateway.url, 'google-genai-sdk/2.32.0')
    expect([other.status, JSON.parse(other.body.toString())]).toEqual([
      503,
      { error: { code: 503, message: 'No space today', status: 'UNAVAILABLE' } },
    ])
    expect(far.requests).toHaveLength(2)
  })

  it('in a stream comes as an event, and again alone, as older clients need it', async () => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        `data: ${JSON.stringify(chunk({ content: 'Half' }))}\n\ndata: {"error":{"message":"No space today"}}\n\n`,
      )
    })
    const url = `${gateway.url.replace(/\/v1$/, '')}/v1beta/models/m:streamGenerateContent?alt=sse`
    const body = JSON.stringify({ contents: [said('Hi')] })
    const pieces = async (): Promise<string[]> => {
      const reply = await fetch(url, { method: 'POST', headers: jsonWithKey, body })
      const all: string[] = []
      for await (const piece of reply.body ?? []) all.push(Buffer.from(piece).toString())
      expect(all.join('').endsWith(twice)).toBe(true)
      return all
    }
    // Otherwise it would not be found between the events. On a busy machine both may arrive together.
    await expect.poll(async () => (await pieces()).at(-1), { timeout: 10_000 }).toBe(`${JSON.stringify(error)}\n\n`)
  })
})
