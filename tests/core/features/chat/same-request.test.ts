import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { firstCases } from '../../../helpers/effort.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { freshFolder, memorySecrets, testHost } from '../../helpers/core.ts'
import { bytesOfCore } from '../../helpers/transfers.ts'

// A window that lost the reply of the core repeats its call with the same requestId. The service must receive one
// request.

/** `atEnd` receives the functions that close it. */
async function studio(atEnd: (close: () => Promise<void>) => void) {
  const sandbox = await startSandbox()
  const [dataDir, secrets] = [freshFolder(), memorySecrets()]
  let core: Core = await createCore(testHost(dataDir, secrets).host)
  atEnd(async () => {
    await core.stop()
    await sandbox.close()
  })
  await core.connection.login({ baseUrl: sandbox.baseUrl, key: sandbox.apiKey })
  return {
    get core() {
      return core
    },
    get client() {
      return createRouterClient(core.router)
    },
    async restart() {
      await core.stop()
      core = await createCore(testHost(dataDir, secrets).host)
    },
    asked: (path: string) => sandbox.observe.requests().filter((one) => one.method === 'POST' && one.path === path),
    running: () => sandbox.observe.requests().filter(({ endedAt }) => endedAt === null).length,
  }
}
type Studio = Awaited<ReturnType<typeof studio>>

const chat = '/v1/chat/completions'
const model = 'mirror'
/** Another service, with short replies. */
const second = 'vision'
const picture = { prompt: 'A fox', n: 1, model: null, size: '256x256', responseFormat: 'b64_json', fromImageId: null }
const words = { text: 'The tide is in.', model: null, voice: null, format: 'wav' as const, speed: null }
const heard = { model: null, language: null, prompt: null, format: null, temperature: null }

/** An ended reply with its conversation. */
async function reply(
  { client, asked }: Studio,
  text = 'Name three rivers.',
): Promise<{ conversationId: string; turnId: string; replyId: string }> {
  const before = asked(chat).length
  const sent = await client.chat.send({ requestId: randomUUID(), conversationId: null, text, models: [model] })
  const [replyId = ''] = sent.replyIds
  await ended({ client }, sent.conversationId)
  expect(asked(chat)).toHaveLength(before + 1)
  return { ...sent, replyId }
}

async function ended({ client }: Pick<Studio, 'client'>, conversationId: string): Promise<void> {
  for await (const event of await client.chat.watch({ conversationId })) {
    if (event.type === 'snapshot' && !event.conversation.running) return
    if (event.type === 'conversation' && !event.conversation.running) return
  }
}

/** Any recording. */
async function recording({ core, client }: Studio): Promise<string> {
  const { id } = await client.transcription.startRecording({ name: 'A', mime: 'audio/webm' })
  await bytesOfCore(core).append(id, 0, Buffer.from('what was said'))
  return (await client.transcription.finishRecording({ id, seconds: 1 })).id
}

/** Each procedure that sends a request: its input, and the part of its output that must stay the same. */
const procedures: Record<
  string,
  { path: string; prepare: (feature: Studio) => Promise<(id: string) => Promise<unknown>> }
> = {
  'chat.send in a new conversation': {
    path: chat,
    prepare: async (feature) => (requestId) =>
      feature.client.chat.send({ requestId, conversationId: null, text: 'Hello', models: [model] }),
  },
  'chat.send to two models': {
    path: chat,
    prepare: async (feature) => {
      const { conversationId } = await reply(feature)
      return (requestId) =>
        feature.client.chat.send({ requestId, conversationId, text: 'Hello', models: [model, second] })
    },
  },
  'chat.send as an edit': {
    path: chat,
    prepare: async (feature) => {
      const { conversationId, turnId } = await reply(feature)
      return (requestId) =>
        feature.client.chat.send({ requestId, conversationId, text: 'Changed', models: [model], edits: turnId })
    },
  },
  'chat.retry': {
    path: chat,
    prepare: async (feature) => {
      const { replyId } = await reply(feature)
      return (requestId) => feature.client.chat.retry({ requestId, replyId })
    },
  },
  'chat.retry with two models': {
    path: chat,
    prepare: async (feature) => {
      const { replyId } = await reply(feature)
      return (requestId) => feature.client.chat.retry({ requestId, replyId, models: [model, second] })
    },
  },
  'chat.continueReply': {
    path: chat,
    prepare: async (feature) => {
      const { conversationId } = await reply(feature)
      const sent = await feature.client.chat.send({
        requestId: randomUUID(),
        conversationId,
        text: 'Write at length.',
        models: ['fault/cut'],
      })
      await ended(feature, conversationId)
      const [replyId = ''] = sent.replyIds
      return (requestId) => feature.client.chat.continueReply({ requestId, replyId, model })
    },
  },
  'speech.generate': {
    path: '/v1/audio/speech',
    prepare: async (feature) => async (requestId) => {
      const { id, createdAt } = await feature.client.speech.generate({ requestId, ...words })
      return { id, createdAt }
    },
  },
  'images.generate': {
    path: '/v1/images/generations',
    prepare: async (feature) => async (requestId) => {
      const { id, createdAt } = await feature.client.images.generate({ requestId, ...picture })
      return { id, createdAt }
    },
  },
  'transcription.transcribe': {
    path: '/v1/audio/transcriptions',
    prepare: async (feature) => {
      const recordingId = await recording(feature)
      return async (requestId) => {
        const { id, createdAt } = await feature.client.transcription.transcribe({ requestId, recordingId, ...heard })
        return { id, createdAt }
      }
    },
  },
  'outbox.add': {
    path: '/v1/images/generations',
    prepare: async (feature) => async (requestId) => {
      const { id, label } = await feature.client.outbox.add({ requestId, request: { what: 'images', ...picture } })
      return { id, label }
    },
  },
}

describe.each(firstCases(3, Object.entries(procedures)))('%s', (name, { path, prepare }) => {
  let feature: Studio
  let ask: (requestId: string) => Promise<unknown>
  let before = 0
  const expected = name.includes('two models') ? 2 : 1
  /** Waits until all requests have ended, then counts them. */
  const requests = async (): Promise<number> => {
    await eventually(() => {
      expect(feature.asked(path).length).toBeGreaterThanOrEqual(before + expected)
      expect(feature.running()).toBe(0)
    })
    return feature.asked(path).length - before
  }

  /** While the previous reply is being stored, the core briefly answers `busy`. */
  const askAnew = (): Promise<unknown> => {
    const id = randomUUID()
    return eventually(() => ask(id))
  }

  // One for all calls of a procedure: earlier requests have ended and are counted.
  beforeAll(async () => {
    feature = await studio((close) => closers.push(close))
  })
  const closers: (() => Promise<void>)[] = []
  afterAll(() => Promise.all(closers.map((close) => close())))

  beforeEach(async () => {
    ask = await prepare(feature)
    before = feature.asked(path).length
  })

  it('called twice in a row with one requestId is one request with the same outcome', async () => {
    const id = randomUUID()
    const first = await ask(id)
    expect(await ask(id)).toEqual(first)
    expect(await requests()).toBe(expected)
    expect(await ask(id)).toEqual(first)
    expect(await requests()).toBe(expected)
  })

  it('called five times at once with one requestId is one request with the same outcome', async () => {
    const id = randomUUID()
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => ask(id)))
    for (const other of others) expect(other).toEqual(first)
    expect(await requests()).toBe(expected)
  })

  it('called again after a restart of the core is one request with the same outcome', async () => {
    const id = randomUUID()
    const first = await ask(id)
    expect(await requests()).toBe(expected)
    await feature.restart()
    expect(await ask(id)).toEqual(first)
    // If the core had sent a repeated request, it would precede this one.
    await askAnew()
    await eventually(() => expect(feature.asked(path).length - before).toBeGreaterThanOrEqual(2 * expected))
    expect(await requests()).toBe(2 * expected)
  })

  it('called with two requestIds is two requests', async () => {
    await ask(randomUUID())
    await requests()
    await askAnew()
    await eventually(() => expect(feature.asked(path).length - before).toBe(2 * expected))
  })
})

it('chat.send refuses a requestId that already belongs to another text, instead of dropping the new text', async () => {
  const { client } = await studio(onTestFinished)
  const requestId = randomUUID()
  await client.chat.send({ requestId, conversationId: null, text: 'One', models: [model] })
  const other = client.chat.send({ requestId, conversationId: null, text: 'Two', models: [model] })
  await expect(other).rejects.toMatchObject({ data: { kind: 'bad_input' } })
})

it('a speech that was started and then added to the outbox with the same requestId is one request', async () => {
  const feature = await studio(onTestFinished)
  const requestId = randomUUID()
  await feature.client.speech.generate({ requestId, ...words })
  await feature.client.outbox.add({ requestId, request: { what: 'speech', ...words } })
  await eventually(() => expect(feature.asked('/v1/audio/speech')).toHaveLength(1))
  await eventually(() => expect(feature.running()).toBe(0))
  expect((await feature.client.speech.find({ search: '', before: null, limit: 10 })).total).toBe(1)
})
