import { describe, expect, it } from 'vitest'
import { ReasoningRefusals } from '../../../../src-main/core/gateway/apps/reasoningRefusals.ts'
import { maxHere } from '../../../../src-main/core/gateway/proxy/translationThreads.ts'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

const { beforeService } = testGateways()

const items = [
  { role: 'user', content: 'Weather?' },
  { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'I look it up.' }] },
  { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
]
const reply = JSON.stringify({ model: 'm', choices: [{ message: { content: 'Sunny.' }, finish_reason: 'stop' }] })
type Sent = { messages: { reasoning_content?: string }[] }
const reasoningIn = (body: Buffer): string[] =>
  (JSON.parse(body.toString()) as Sent).messages.flatMap(({ reasoning_content: said }) => said ?? [])

/** A service that refuses `reasoning_content` of the models for which `refuses` returns a message. */
async function openedBefore(refuses: (reasoned: boolean) => string | null) {
  const { far, gateway } = await beforeService((_request, response, body) => {
    const said = refuses(reasoningIn(body).length > 0)
    response.writeHead(said === null ? 200 : 400, { 'content-type': 'application/json' })
    response.end(said === null ? reply : JSON.stringify({ error: { message: said } }))
  })
  const send = (model: string, more: object[] = []) =>
    ask(`${gateway.url}/responses`, {
      headers: jsonWithKey,
      method: 'POST',
      body: JSON.stringify({ model, input: [...more, ...items], store: false }),
    })
  return { far, gateway, send }
}

const unsupported = "'messages.1': property 'reasoning_content' is unsupported"

describe('a model that refuses reasoning_content', () => {
  it('gets no reasoning in its next request, and the refused one is not sent again', async () => {
    const { far, gateway, send } = await openedBefore((reasoned) => (reasoned ? unsupported : null))
    const first = await send('m')
    expect([first.status, far.requests.length]).toEqual([400, 1])
    expect(first.body.toString()).toContain('reasoning_content')
    const second = await send('m')
    expect([second.status, second.headers['x-studio-ignored']]).toEqual([200, 'reasoning_content'])
    expect(far.requests.map(({ body }) => reasoningIn(body))).toEqual([['I look it up.'], []])
    await expect.poll(async () => (await gateway.rows()).map(({ status }) => status)).toEqual([200, 400])
  })

  it('is remembered for requests that are translated on a thread too', async () => {
    const { far, send } = await openedBefore((reasoned) => (reasoned ? unsupported : null))
    await send('m')
    const long = { role: 'user', content: 'x'.repeat(maxHere.bytes) }
    expect((await send('m', [long])).status).toBe(200)
    expect(reasoningIn(far.requests.at(-1)?.body ?? Buffer.alloc(0))).toEqual([])
  })

  it('leaves the reasoning of other models alone', async () => {
    const { far, send } = await openedBefore((reasoned) => (reasoned ? unsupported : null))
    await send('m')
    await send('other')
    expect(reasoningIn(far.requests.at(-1)?.body ?? Buffer.alloc(0))).toEqual(['I look it up.'])
  })
})

it('a service that demands reasoning_content keeps getting it, also after it was withheld', () => {
  const [refusals, service] = [new ReasoningRefusals(), {}]
  const says = (message: string, param: string | null = null) => ({ status: 400, message, param })
  for (const demand of [
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    'reasoning_content is required',
  ]) {
    refusals.learn(service, 'm', 'sent', says(demand))
    expect([demand, refusals.of(service).has('m')]).toEqual([demand, false])
  }
  for (const refusal of [
    unsupported,
    'Extra inputs are not permitted: body.messages.1.assistant.reasoning_content',
    'The reasoning_content is an intermediate result and should not be included in the messages.',
  ]) {
    refusals.learn(service, 'm', 'sent', says(refusal))
    expect([refusal, refusals.of(service).has('m')]).toEqual([refusal, true])
    refusals.learn(service, 'm', 'withheld', says('Missing `reasoning_content` field'))
    expect(refusals.of(service).has('m')).toBe(false)
  }
  refusals.learn(service, 'm', 'sent', says('Unknown parameter.', 'messages[1].reasoning_content'))
  expect([refusals.of(service).has('m'), refusals.of({}).has('m')]).toEqual([true, false])
})

it('refusals of other content, other statuses and requests without reasoning say nothing', () => {
  const [refusals, service] = [new ReasoningRefusals(), {}]
  const message = unsupported
  refusals.learn(service, 'm', 'sent', { status: 400, message: 'Bad tool.', param: 'tools[0]' })
  refusals.learn(service, 'm', 'sent', { status: 500, message, param: null })
  refusals.learn(service, 'm', null, { status: 400, message, param: null })
  expect(refusals.of(service).size).toBe(0)
})

it('remembers at most a thousand models of a connection', () => {
  const [refusals, service] = [new ReasoningRefusals(), {}]
  for (let n = 0; n < 1500; n++)
    refusals.learn(service, `m${n}`, 'sent', { status: 400, message: unsupported, param: null })
  expect([refusals.of(service).size, refusals.of(service).has('m1499')]).toEqual([1000, true])
})
