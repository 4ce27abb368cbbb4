import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { answerQuestion } from '../../../../src-main/core/gateway/apps/answers.ts'
import { budgetUsedUp } from '../../../../src-main/core/gateway/apps/limitRefusals.ts'
import { databaseFile, openStore } from '../../../../src-main/core/store/store.ts'
import type { AppQuestion, QuestionAnswer } from '../../../../src-preload/contract/questions.ts'
import { type Api, apis, askIn, openIn } from '../../../helpers/apis.ts'
import { readAnswer, replyTo } from '../../../helpers/appRequest.ts'
import { eventually } from '../../../helpers/eventually.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { SocketClient } from '../../../helpers/responsesSocket.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

const { beforeSandbox } = testGateways()

/** Long enough to be seen, and short for a test, ms. */
const times = { silentMs: 150, streamedMs: 400, otherMs: 250, commentMs: 50 }
/** Longer than any test. */
const patient = { silentMs: 60_000, streamedMs: 60_000, otherMs: 60_000, commentMs: 50 }

/** A gateway whose app has no budget left, and asks. */
const asking = (askTimes: typeof times, app: object = {}) =>
  beforeSandbox({ app: { budgetDay: '0', atBudget: 'ask', ...app }, askTimes })

async function question(gateway: Gateway, requests = 1): Promise<AppQuestion> {
  await eventually(() => expect(gateway.questions().list()[0]?.requests).toHaveLength(requests))
  const [first] = gateway.questions().list()
  if (!first) throw new Error('There is no question.')
  return first
}

async function say(gateway: Gateway, answer: QuestionAnswer['answer'], amount: string | null = null, requests = 1) {
  const { id } = await question(gateway, requests)
  return gateway.questions().answer({ id, answer, amount, seen: requests })
}

/** The request, whose reply the test reads. */
const requestIn = (...given: Parameters<typeof openIn>) => openIn(...given).request

const withoutStream = (api: Api) => api.body()
const streamed = (api: Api) => api.body({ stream: true })

async function lastRow(gateway: Gateway) {
  await eventually(async () => expect((await gateway.rows())[0]?.durationMs).not.toBeNull())
  return (await gateway.rows())[0]
}

describe.each(apis)('a request over the budget in the API $name', (api) => {
  it('waits without a byte, and is sent after the answer, which is in the log', async () => {
    const { gateway } = await asking(patient)
    const reply = askIn(gateway, api, withoutStream(api))
    expect(await question(gateway)).toMatchObject({
      app: { id: 'testtool', name: 'test' },
      spentToday: '0',
      requests: [{ model: 'writer-small', reasons: ['day'] }],
    })
    expect(await gateway.rows()).toEqual([])
    expect(gateway.allowance.use('testtool')).toEqual({ active: 1, reserved: 0n })
    await say(gateway, 'once')
    const { status, body } = await reply
    expect([status, api.text(body.toString())]).toEqual([200, expect.stringMatching(/\w/)])
    expect(await lastRow(gateway)).toMatchObject({ state: 'done', answer: 'once' })
    await eventually(() => expect(gateway.allowance.use('testtool')).toEqual({ active: 0, reserved: 0n }))
  })

  it('is refused with the usual 402 when nobody answers, and when a person refuses', async () => {
    const { gateway } = await asking(times)
    const silent = await askIn(gateway, api, withoutStream(api))
    expect(silent.status).toBe(402)
    expect(api.problem(silent).message).toMatch(/^Insufficient credits: .* but nobody answered in time\.$/)
    expect(await lastRow(gateway)).toMatchObject({ state: 'refused', answer: null, problem: { kind: 'budget_day' } })
    const refused = askIn(gateway, api, withoutStream(api))
    await say(gateway, 'refuse')
    expect(api.problem(await refused).message).toMatch(/A person refused it in Inference Studio\.$/)
    await eventually(async () =>
      expect((await gateway.rows())[0]).toMatchObject({ state: 'refused', answer: 'refuse' }),
    )
    expect(gateway.questions().list()).toEqual([])
    expect(gateway.requestLog.spent('testtool').day).toBe(0n)
  })

  it('when it is streamed, gets its head and comments after a while, and then the reply', async () => {
    const { gateway } = await asking({ ...patient, silentMs: 100 })
    const began = performance.now()
    const response = await replyTo(requestIn(gateway, api, streamed(api)))
    expect(performance.now() - began).toBeGreaterThan(95)
    expect(response.statusCode).toBe(200)
    const isSse = response.headers['content-type']?.startsWith('text/event-stream') === true
    expect(isSse).toBe(api.name !== 'ollama')
    if (api.name === 'messages') expect(response.headers['request-id']).toMatch(/^req_/)
    const answer = readAnswer(response)
    if (isSse) await once(response, 'data')
    await say(gateway, 'once')
    const { body, whole } = await answer
    const text = body.toString()
    expect(text.startsWith(': waiting')).toBe(isSse)
    const reply = text.replace(/^: .*\n\n/gm, '')
    expect([whole, api.isComplete(reply), api.text(reply)]).toEqual([true, true, expect.stringMatching(/\w/)])
    expect(await lastRow(gateway)).toMatchObject({ state: 'done', stream: true, answer: 'once' })
  })

  it('when it is streamed, is refused by the error event of its API once it has the head', async () => {
    const { gateway } = await asking(times)
    const { status, body } = await askIn(gateway, api, streamed(api))
    const stream = body.toString()
    expect([status, api.isFailed(stream), api.isComplete(stream)]).toEqual([200, true, false])
    expect(stream).toContain('nobody answered in time')
    expect(stream).toContain('Insufficient credits')
    expect(await lastRow(gateway)).toMatchObject({ state: 'refused', status: 402, problem: { kind: 'budget_day' } })
  })

  it('when it is streamed and refused before that, gets the usual 402', async () => {
    const { gateway } = await asking(patient)
    const reply = askIn(gateway, api, streamed(api))
    await say(gateway, 'refuse')
    const answer = await reply
    expect(answer.status).toBe(402)
    expect(api.problem(answer).message).toContain('A person refused it')
  })

  it('gets a failure of the service as the error event of its API once it has the head', async () => {
    const { gateway } = await asking({ ...patient, silentMs: 20 })
    const response = await replyTo(requestIn(gateway, api, streamed(api), { 'x-sandbox-fault': 'fail; status=400' }))
    const answer = readAnswer(response)
    await say(gateway, 'once')
    const stream = (await answer).body.toString()
    expect([api.isFailed(stream), api.isComplete(stream)]).toEqual([true, false])
    expect(await lastRow(gateway)).toMatchObject({ status: 400, answer: 'once' })
  })

  it('is taken out of the question when its app disconnects', async () => {
    const { gateway } = await asking({ ...patient, silentMs: 20 })
    const first = requestIn(gateway, api, withoutStream(api))
    await question(gateway, 1)
    const second = requestIn(gateway, api, streamed(api))
    await replyTo(second)
    await question(gateway, 2)
    second.destroy()
    expect((await question(gateway, 1)).requests).toMatchObject([{ number: 1 }])
    first.destroy()
    await eventually(() => expect(gateway.questions().list()).toEqual([]))
    await eventually(() => expect(gateway.allowance.use('testtool')).toEqual({ active: 0, reserved: 0n }))
    expect([await gateway.rows(), gateway.store().appQuestions.open()]).toEqual([[], []])
    expect(gateway.memory.held).toBe(0)
  })
})

const [chat] = apis
if (!chat) throw new Error('There is no API.')

describe('several requests', () => {
  it('of an app are one question, of which each is allowed once', async () => {
    const { gateway } = await asking(patient)
    const all = [1, 2, 3].map(() => askIn(gateway, chat, withoutStream(chat)))
    await say(gateway, 'once', null, 3)
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200])
    void askIn(gateway, chat, withoutStream(chat)).catch(() => undefined)
    await question(gateway)
  })

  it('can spend no more than a raise together, and what does not fit is asked about again', async () => {
    const { gateway } = await asking(patient)
    gateway.requestLog.learn((await gateway.upstream.getUsage()).value, gateway.upstream.base.url)
    const body = chat.body({ max_tokens: 100 })
    const first = askIn(gateway, chat, body)
    const { cost } = await question(gateway)
    const second = askIn(gateway, chat, body)
    await say(gateway, 'more', cost, 2)
    expect(Number(cost)).toBeGreaterThan(0)
    // The second does not fit while the first has reserved the raise.
    await eventually(async () => expect((await gateway.rows()).map(({ answer }) => answer)).toContain('more'))
    expect((await first).status).toBe(200)
    await eventually(() => expect(gateway.questions().list()).toMatchObject([{ requests: [{ number: 1 }] }]))
    await say(gateway, 'refuse')
    expect((await second).status).toBe(402)
  })

  it('above the number that may wait are refused at once', async () => {
    const { gateway } = await asking(patient)
    const waiting = Array.from({ length: 8 }, () => requestIn(gateway, chat, withoutStream(chat)))
    await question(gateway, 8)
    const ninth = await askIn(gateway, chat, withoutStream(chat))
    expect(ninth.status).toBe(402)
    expect(chat.problem(ninth).message).toContain('8 requests of this app already wait')
    for (const request of waiting) request.destroy()
    await eventually(() => expect(gateway.questions().list()).toEqual([]))
  })
})

describe('the rules of an app', () => {
  it('ask about a new model once, and not again after a request with it was sent', async () => {
    const { gateway } = await beforeSandbox({ app: { askNewModel: true }, askTimes: patient })
    const first = askIn(gateway, chat, withoutStream(chat))
    expect((await question(gateway)).requests).toMatchObject([{ model: 'writer-small', reasons: ['model'] }])
    await say(gateway, 'once')
    expect((await first).status).toBe(200)
    expect((await askIn(gateway, chat, withoutStream(chat))).status).toBe(200)
    const other = askIn(gateway, chat, chat.body({ model: 'writer-large' }))
    await say(gateway, 'refuse')
    const refused = await other
    expect([refused.status, chat.problem(refused).code]).toEqual([402, 'model_not_confirmed'])
    // A refused model is still new.
    void askIn(gateway, chat, chat.body({ model: 'writer-large' })).catch(() => undefined)
    await question(gateway)
  })

  it('ask about an expensive request, and not until tomorrow after that answer', async () => {
    const { gateway } = await beforeSandbox({ app: { askAbove: '0' }, askTimes: patient })
    gateway.requestLog.learn((await gateway.upstream.getUsage()).value, gateway.upstream.base.url)
    const first = askIn(gateway, chat, withoutStream(chat))
    expect((await question(gateway)).requests).toMatchObject([{ reasons: ['cost'] }])
    await say(gateway, 'tomorrow')
    expect((await first).status).toBe(200)
    expect((await askIn(gateway, chat, withoutStream(chat))).status).toBe(200)
  })

  it('are off by default: nobody is asked, and a used-up budget refuses at once', async () => {
    const { gateway } = await beforeSandbox({ app: { budgetDay: '0' }, askTimes: patient })
    const { status, body } = await askIn(gateway, chat, withoutStream(chat))
    expect([status, chat.error(body.toString()).message]).toEqual([
      402,
      budgetUsedUp('day', 0n, 0n, Date.now()).message,
    ])
    expect(gateway.questions().list()).toEqual([])
  })
})

describe('faults while a request waits', () => {
  it('an answer of another process lets it go on', async () => {
    const { gateway } = await asking(patient)
    const reply = askIn(gateway, chat, withoutStream(chat))
    const { id } = await question(gateway)
    const terminal = openStore(gateway.dataDir)
    answerQuestion(terminal, { id, answer: 'once', amount: null, seen: 1 })
    terminal.close()
    gateway.questions().look()
    expect((await reply).status).toBe(200)
  })

  it('a locked database refuses it with the reason, and reserves nothing', async () => {
    const { gateway } = await asking(patient)
    gateway.store()
    const other = new DatabaseSync(databaseFile(gateway.dataDir))
    other.exec('BEGIN IMMEDIATE')
    const answer = await askIn(gateway, chat, withoutStream(chat))
    other.exec('ROLLBACK')
    other.close()
    expect([answer.status, chat.problem(answer).code]).toEqual([503, 'database_locked'])
    await eventually(async () => expect((await gateway.rows())[0]).toMatchObject({ state: 'refused', status: 503 }))
    expect([gateway.questions().list(), gateway.allowance.use('testtool')]).toEqual([[], { active: 0, reserved: 0n }])
  })

  it('the end of its app key ends it with an event, and the question', async () => {
    const { gateway } = await asking({ ...patient, silentMs: 20 })
    const answer = readAnswer(await replyTo(requestIn(gateway, chat, streamed(chat))))
    await question(gateway)
    gateway.proxy.cutInvalid(() => false)
    expect(chat.isFailed((await answer).body.toString())).toBe(true)
    await eventually(() => expect(gateway.questions().list()).toEqual([]))
    await eventually(() => expect(gateway.allowance.use('testtool')).toEqual({ active: 0, reserved: 0n }))
  })
})

describe('a turn over the WebSocket of the Responses API', () => {
  const open = (gateway: Gateway) => SocketClient.open(gateway, { 'x-sandbox-tokens-per-second': '0' })

  it('waits for the answer like a streamed request, and gets no comments, only its events', async () => {
    const { gateway } = await asking({ ...patient, silentMs: 20 })
    const client = await open(gateway)
    client.create({ input: 'Hello', max_output_tokens: 5 })
    await question(gateway)
    // The head of a stream and two comments are over: none of them is a message.
    await new Promise((resolve) => setTimeout(resolve, 150))
    await say(gateway, 'once')
    const events = await client.rest()
    expect([
      events[0]?.type,
      ['response.completed', 'response.incomplete'].includes(events.at(-1)?.type ?? ''),
    ]).toEqual(['response.created', true])
    expect(await lastRow(gateway)).toMatchObject({ state: 'done', answer: 'once' })
    client.socket.terminate()
  })

  it('is refused by the message that fails a response, and the connection takes the next turn', async () => {
    const { gateway } = await asking(times)
    const client = await open(gateway)
    const late = await client.turn({ input: 'Hello' })
    expect([late.type, late.response?.error?.message]).toEqual([
      'response.failed',
      expect.stringContaining('nobody answered in time'),
    ])
    gateway.change({ budgetDay: null })
    expect((await client.turn({ input: 'Hello again', max_output_tokens: 5 })).type).toBe('response.incomplete')
    client.socket.terminate()
  })

  it('is refused with the usual 402 as an error message before that', async () => {
    const { gateway } = await asking(patient)
    const client = await open(gateway)
    client.create({ input: 'Hello' })
    await say(gateway, 'refuse')
    expect((await client.rest()).at(-1)).toMatchObject({ type: 'error', status: 402 })
    client.socket.terminate()
  })

  it('leaves the question when its connection ends', async () => {
    const { gateway } = await asking({ ...patient, silentMs: 20 })
    const client = await open(gateway)
    client.create({ input: 'Hello' })
    await question(gateway)
    client.socket.terminate()
    await eventually(() => expect(gateway.questions().list()).toEqual([]))
    await eventually(() => expect(gateway.allowance.use('testtool')).toEqual({ active: 0, reserved: 0n }))
    expect(await gateway.rows()).toEqual([])
  })
})
