import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, askIn, translatedApis } from '../../../helpers/apis.ts'
import { tries } from '../../../helpers/effort.ts'
import { apiKey, type FarEnd, type Gateway, openFarEnd, openGateway } from '../../../helpers/gateway.ts'

// Requests that no client sends: each gets a 400 that names what is wrong, or becomes a valid chat completion.

let far: FarEnd
let gateway: Gateway
/** The next reply of the service. */
let reply: { type: string; body: string } = { type: 'application/json', body: '{}' }

beforeAll(async () => {
  far = await openFarEnd((_request, response) => {
    response.writeHead(200, { 'content-type': reply.type })
    response.end(reply.body)
  })
  gateway = await openGateway(far.url, apiKey, { retry: { maxAttempts: 1 } })
})
afterAll(async () => {
  await gateway.close()
  await far.close()
})

const word = fc.constantFrom(
  ...['user', 'assistant', 'system', 'developer', 'tool', 'message', 'text', 'input_text', 'output_text', 'tool_use'],
  ...[
    'tool_result',
    'image',
    'input_image',
    'function',
    'function_call',
    'function_call_output',
    'custom',
    'reasoning',
  ],
  ...['item_reference', 'auto', 'any', 'none', 'json_schema', 'base64', 'url', 'thinking', 'namespace', 'web_search'],
  ...['call_1', 'name', 'data:image/png;base64,AAAA', '{}', '', '__proto__', 'constructor'],
)
const key = fc.constantFrom(
  ...['role', 'content', 'type', 'text', 'id', 'call_id', 'name', 'arguments', 'output', 'input', 'tool_use_id'],
  ...[
    'source',
    'image_url',
    'data',
    'media_type',
    'parameters',
    'input_schema',
    'format',
    'schema',
    'function',
    'tools',
  ],
  ...[
    'parts',
    'inlineData',
    'mimeType',
    'functionCall',
    'functionResponse',
    'response',
    'args',
    'functionDeclarations',
  ],
  ...['summary', 'encrypted_content', 'strict', '__proto__', 'constructor', 'toString', 'length'],
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'value' },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, 3),
    fc.string({ maxLength: 20 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(objectOf),
  ),
}))

/** An own member even for `__proto__`, as JSON.parse makes one. */
function objectOf(pairs: [string, unknown][]): unknown {
  const text = pairs.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`).join(',')
  return JSON.parse(`{${text}}`)
}

const field = fc.constantFrom(
  ...[
    'model',
    'messages',
    'input',
    'instructions',
    'system',
    'tools',
    'tool_choice',
    'max_tokens',
    'max_output_tokens',
  ],
  ...['temperature', 'top_p', 'text', 'reasoning', 'stop_sequences', 'metadata', 'store', 'include', 'truncation'],
  ...['thinking', 'output_config', 'previous_response_id', 'conversation', 'prompt', 'background', 'stream', 'n'],
  ...['contents', 'systemInstruction', 'system_instruction', 'toolConfig', 'generationConfig', 'cachedContent'],
  ...['options', 'think', 'format', 'keep_alive'],
  ...['stream_options', 'parallel_tool_calls', 'service_tier', 'user', '__proto__', 'unknown_field'],
)

const compaction = translatedApis
  .filter(({ name }) => name === 'responses')
  .map((api): Api => ({ ...api, pathOf: () => '/v1/responses/compact' }))

describe.each([...translatedApis, ...compaction].map((api) => ({ api, path: api.pathOf() })))('at $path', ({ api }) => {
  it('any request gets a 400 or becomes a valid chat completion', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(field, value), { minLength: 1, maxLength: 4 }), async (changes) => {
        reply = { type: 'application/json', body: '{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}' }
        far.requests.length = 0
        const members = changes.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`)
        const body = `${api.body().slice(0, -1)},${members.join(',')}}`
        const answer = await askIn(gateway, api, body)
        const shown = `${body}\n${answer.status} ${answer.body.toString()}`
        if (answer.status === 200) {
          expect(far.requests, shown).toHaveLength(1)
          checkChat(JSON.parse(far.requests[0]?.body.toString() ?? ''), shown)
        } else {
          // A model such as `#` in the path of Gemini ends the path.
          expect([400, 404, ...(api.name === 'gemini' ? [405] : [])], shown).toContain(answer.status)
          expect(api.error(answer.body.toString()).message.length, shown).toBeGreaterThan(5)
          expect(far.requests, shown).toHaveLength(0)
        }
      }),
      { numRuns: tries(150, 3000) },
    )
    expect(({} as Record<string, unknown>).role).toBeUndefined()
  })
})

describe.each(translatedApis)('in the API $name', (api) => {
  it('any reply of the service is translated or reported, and the gateway goes on', async () => {
    const chunk = fc.oneof(
      value,
      fc.array(fc.tuple(fc.constantFrom('delta', 'message', 'finish_reason', 'index'), value)).map((pairs) => ({
        choices: [objectOf(pairs)],
      })),
      fc.tuple(key, value).map((pair) => ({ choices: [{ delta: objectOf([pair]) }] })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 5 }), fc.boolean(), fc.boolean(), async (chunks, stream, done) => {
        const events = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
        reply = stream
          ? { type: 'text/event-stream', body: `${events}${done ? 'data: [DONE]\n\n' : ''}` }
          : { type: 'application/json', body: JSON.stringify(chunks[0] ?? null) }
        const answer = await askIn(gateway, api, api.body({ stream, store: false }))
        const shown = `${reply.body}\n${answer.status} ${answer.body.toString()}`
        expect([200, 502], shown).toContain(answer.status)
        if (stream && answer.status === 200) {
          const heard = answer.body.toString()
          expect(answer.whole, shown).toBe(true)
          // The service may finish with the reason `error`.
          if (!api.isComplete(heard)) expect(api.isFailed(heard), shown).toBe(true)
        }
      }),
      { numRuns: tries(150, 3000) },
    )
  })
})

type Message = { role: unknown; content?: unknown; tool_call_id?: unknown; tool_calls?: unknown }

/** What the specification demands of a chat request. */
function checkChat(chat: Record<string, unknown>, shown: string): void {
  expect(typeof chat.model, shown).toBe('string')
  const messages = chat.messages as Message[]
  expect(messages.length, shown).toBeGreaterThan(0)
  for (const { role, content, tool_call_id } of messages) {
    expect(['system', 'developer', 'user', 'assistant', 'tool'], shown).toContain(role)
    const isContent = content === undefined || content === null || typeof content === 'string' || Array.isArray(content)
    expect(isContent, shown).toBe(true)
    if (role === 'tool') expect(typeof tool_call_id, shown).toBe('string')
  }
  if (chat.max_tokens !== undefined) expect(Number.isInteger(chat.max_tokens), shown).toBe(true)
  if (chat.stop !== undefined) expect(Array.isArray(chat.stop), shown).toBe(true)
}
