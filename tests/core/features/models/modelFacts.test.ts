import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { learn } from '../../../../src-main/core/features/models/learn.ts'
import { modelFacts, setFavourite } from '../../../../src-main/core/features/models/modelFacts.ts'
import type { StoredPrice } from '../../../../src-main/core/store/requestLog/prices.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { featureOver, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

const closers = closeAfterEach()

const mine = { profile: 'mine', baseUrl: 'https://service.example' }
const other = { profile: 'other', baseUrl: 'https://service.example' }
const price = (model: string, how: string, fresh = 0n, out = 0n): StoredPrice => ({
  model,
  how,
  fresh,
  cached: fresh,
  out,
  request: how === 'request' ? 1n : 0n,
  days: 3,
  asOf: 0,
})

/** Facts over a real store and the real chat feature, whose replies the test sends. */
function facts() {
  const store = openStore(freshFolder())
  closers.push(() => store.close())
  let place: typeof mine | null = mine
  const prices = new Map<string, StoredPrice>()
  const feature = { store, place: () => place, prices: () => prices }
  const chat = featureOver(store, {
    toolsFor: () => (offersTools ? { tools: [{ type: 'function', function: { name: 'look' } }] } : {}),
    ended: (outcome) => learn(store, place ?? other, outcome),
  })
  let offersTools = false
  const ask = async (model: string, { tools = false, image = false } = {}) => {
    offersTools = tools
    const attachments = image ? [{ mediaId: addImage(), detail: null }] : []
    await send(chat.feature, {
      requestId: randomUUID(),
      conversationId: null,
      text: 'Look',
      models: [model],
      attachments,
    })
    await settled()
    return chat.service.last
  }
  const addImage = (): string => {
    const id = randomUUID()
    const createdAt = new Date().toISOString()
    store.media.insert({
      id,
      kind: 'image',
      mime: 'image/png',
      bytes: 1,
      name: null,
      width: 1,
      height: 1,
      sha256: '',
      createdAt,
    })
    return id
  }
  const of = (id: string) => modelFacts(feature).facts.find((one) => one.id === id)
  const list = (...ids: string[]) =>
    store.modelLists.save(
      mine,
      ids.map((id) => ({ id, created: null, ownedBy: null })),
      new Date().toISOString(),
    )
  return { feature, store, prices, ask, of, list, use: (at: typeof mine | null) => (place = at) }
}

const refused = (said: string) => new StudioError('invalid_request', 'Refused.', { status: 400, said })

describe('favourites and recent models', () => {
  it('belong to one connection, also at the same address', () => {
    const { feature, of, use } = facts()
    setFavourite(feature, { model: 'writer', favourite: true })
    expect(of('writer')?.favourite).toBe(true)
    use(other)
    expect(of('writer')).toBeUndefined()
    use(mine)
    setFavourite(feature, { model: 'writer', favourite: false })
    expect(of('writer')).toBeUndefined()
  })

  it('need a connection', () => {
    const { feature, use } = facts()
    use(null)
    expect(() => setFavourite(feature, { model: 'writer', favourite: true })).toThrow(
      expect.objectContaining({ kind: 'not_connected' }),
    )
    expect(modelFacts(feature).facts).toEqual([])
  })

  it('are deleted with their connection', () => {
    const { feature, store, of } = facts()
    setFavourite(feature, { model: 'writer', favourite: true })
    store.profiles.remove('mine')
    expect(of('writer')).toBeUndefined()
  })

  it('a reply makes its model recent; a failure without output does not', async () => {
    const { ask, of } = facts()
    const reply = await ask('writer')
    reply.say({ type: 'content', choice: 0, text: 'Yes' })
    reply.say('end')
    await settled()
    expect(of('writer')?.repliedAt).toMatch(/^\d{4}-/)
    const failed = await ask('missing')
    failed.say(new StudioError('not_found', 'No such model.', { status: 404 }))
    await settled()
    expect(of('missing')).toBeUndefined()
  })
})

describe('abilities', () => {
  it('are unknown until a reply shows them', async () => {
    const { ask, of } = facts()
    const plain = await ask('writer', { tools: true })
    plain.say({ type: 'content', choice: 0, text: 'No tool needed' })
    plain.say('end')
    await settled()
    // The model did not call the offered tool. This proves neither support nor refusal.
    expect(of('writer')).toMatchObject({ images: null, tools: null })
  })

  it('a reply to an image, and a tool call, show that the model can', async () => {
    const { ask, of } = facts()
    const reply = await ask('vision', { image: true, tools: true })
    reply.say({ type: 'tool_call', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{}' })
    reply.say('end')
    await settled()
    expect(of('vision')).toMatchObject({ images: 'works', tools: 'works' })
  })

  it('a refusal counts only for what the service’s message names', async () => {
    const { ask, of } = facts()
    const both = { image: true, tools: true }
    for (const [model, said] of [
      ['blind', 'This model does not support image input.'],
      ['handless', 'tool_choice is not supported'],
      ['vague', 'Invalid request'],
    ] as const) {
      const reply = await ask(model, both)
      reply.say(refused(said))
      await settled()
    }
    expect(of('blind')).toMatchObject({ images: 'refused', tools: null })
    expect(of('handless')).toMatchObject({ images: null, tools: 'refused' })
    expect(of('vague')).toBeUndefined()
  })

  it('the newest finding wins', async () => {
    const { ask, of } = facts()
    const first = await ask('vision', { image: true })
    first.say(refused('No images, please'))
    await settled()
    expect(of('vision')?.images).toBe('refused')
    const second = await ask('vision', { image: true })
    second.say({ type: 'content', choice: 0, text: 'A cat' })
    second.say('end')
    await settled()
    expect(of('vision')?.images).toBe('works')
  })
})

describe('models left out of chats', () => {
  it.each([
    ['tts-1', 'speech'],
    ['openai/tts-1-hd', 'speech'],
    ['gpt-4o-mini-tts', 'speech'],
    ['whisper-1', 'transcription'],
    ['whisper-large-v3-turbo', 'transcription'],
    ['gpt-4o-transcribe', 'transcription'],
    ['dall-e-3', 'image'],
    ['gpt-image-1', 'image'],
  ])('%s is for %s', (id, kind) => {
    const { list, of } = facts()
    list(id)
    expect(of(id)?.notForChat).toBe(kind)
  })

  it.each([
    'writer',
    'whisperer-7b',
    'matts-1',
    'gemini-2.5-flash-image',
    'gpt-4o-audio-preview',
    'painter',
    'flux-chat',
  ])('%s may chat', (id) => {
    const { list, of } = facts()
    list(id)
    expect(of(id)?.notForChat ?? null).toBeNull()
  })

  it('a model that was paid without a single token is left out, until it replies in a chat', async () => {
    const { list, prices, ask, of } = facts()
    list('painter', 'writer')
    prices.set('painter', price('painter', 'request'))
    prices.set('writer', price('writer', 'separate', 500_000_000_000n, 1_500_000_000_000n))
    expect(of('painter')?.notForChat).toBe('no_tokens')
    expect(of('writer')?.notForChat).toBeNull()
    const reply = await ask('painter')
    reply.say({ type: 'content', choice: 0, text: 'I can talk' })
    reply.say('end')
    await settled()
    expect(of('painter')?.notForChat).toBeNull()
  })
})

it('prices are per million tokens, exact', () => {
  const { list, prices, of } = facts()
  list('writer', 'free', 'painter')
  prices.set('writer', price('writer', 'separate', 500_000_000_000n, 1_500_000_000_001n))
  prices.set('free', price('free', 'free'))
  prices.set('painter', price('painter', 'request'))
  expect(of('writer')?.price).toEqual({ in: '0.5', out: '1.500000000001' })
  expect(of('free')?.price).toEqual({ in: '0', out: '0' })
  expect(of('painter')?.price).toBeNull()
})
