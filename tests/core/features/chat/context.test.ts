import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { choose } from '../../../../src-main/core/features/chat/chooseReply.ts'
import { tokensPerMessage } from '../../../../src-main/core/features/chat/context/count.ts'
import { leaveOut } from '../../../../src-main/core/features/chat/context/leaveOut.ts'
import { ContextMeter, tokensOfReplyStart } from '../../../../src-main/core/features/chat/context/measure.ts'
import { Summaries } from '../../../../src-main/core/features/chat/context/summarise.ts'
import { useSummary } from '../../../../src-main/core/features/chat/context/useSummary.ts'
import { citingInstruction, passageBlock } from '../../../../src-main/core/features/chat/passageBlock.ts'
import { prepareRequest } from '../../../../src-main/core/features/chat/prepareRequest.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { findingOf } from '../../../../src-main/core/features/models/learn.ts'
import type { ChatNeighbours, ReplyOutcome } from '../../../../src-main/core/ports/toolCalls.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { countTokens } from '../../../../src-main/core/upstream/reply/tokens.ts'
import { tokensOfAttachment } from '../../../../src-main/core/upstream/request/parameters.ts'
import type { ChatMessage } from '../../../../src-main/core/upstream/types.ts'
import { type ChatSetup, emptySetup, type Message, type ToolRun } from '../../../../src-preload/contract/chat.ts'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import type { Passage } from '../../../../src-preload/contract/projects.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { featureOver, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

const closers = closeAfterEach()

const tools = [{ type: 'function', function: { name: 'clock', description: 'Tells the time.' } }]
const blockOf = ({ name }: Pick<AttachedDocument, 'name'>): string =>
  `<document name="${name}">\nText of ${name}.\n</document>`
const documentOf = (name: string): AttachedDocument => ({
  mediaId: randomUUID(),
  name,
  kind: 'text',
  mime: 'text/plain',
  bytes: 9,
  unit: 'text',
  parts: 1,
  tokens: 9,
  notes: [],
  pages: null,
})

function newStore(): Store {
  const store = openStore(freshFolder())
  closers.push(() => store.close())
  return store
}

function studio(neighbours: Partial<ChatNeighbours> = {}, store = newStore()) {
  const { feature, service } = featureOver(store, {
    toolsFor: () => ({ tools }),
    toolsOf: () => ({ tools }),
    documentText: blockOf,
    attachDocuments: (given) => given.map(({ name }) => documentOf(name)),
    ...neighbours,
  })
  const summaries = new Summaries(feature)
  const meter = new ContextMeter(feature, summaries)
  const conversationId = randomUUID()
  const now = new Date().toISOString()
  const begin = (setup: ChatSetup = emptySetup): void =>
    store.conversations.insert({ id: conversationId, title: null, model: 'm', now, setup })
  /** Adds a message below the end of the path. */
  const add = (given: Partial<Message> & Pick<Message, 'role'>): string => {
    const id = randomUUID()
    const parentId = store.conversations.get(conversationId).leafId
    const { role, text = '', name = null, attachments = [], documents = [], passages = [], run = null } = given
    store.messages.insert({
      id,
      conversationId,
      parentId,
      role,
      text,
      name,
      attachments,
      documents,
      passages,
      run,
      createdAt: now,
      status: 'complete',
      model: role === 'assistant' ? 'm' : null,
    })
    if (given.toolCalls) store.messages.settle(id, { ...store.messages.get(id), toolCalls: given.toolCalls })
    store.conversations.setLeaf(conversationId, id)
    feature.runs.view.changes.notify({ what: 'path', conversationId })
    return id
  }
  const measure = (
    more: { text?: string; setup?: ChatSetup; models?: string[]; names?: string[]; passages?: Passage[] } = {},
  ) => {
    const { text = '', setup = store.conversations.setup(conversationId), models = ['m'], names = [] } = more
    const { passages = [] } = more
    const documents = names.map((name) => ({ mediaId: randomUUID(), name, pages: null }))
    return meter.measure({ conversationId, setup, models, text, images: 0, documents, passages })
  }
  const path = (): Message[] => store.messages.path(store.conversations.get(conversationId).leafId)
  /** The request of a reply to the end of the path. */
  const request = () => {
    const leaf = path().at(-1)
    if (!leaf) throw new Error('The conversation is empty.')
    return prepareRequest(store, feature.neighbours, { ...leaf, parentId: leaf.id, model: 'm', params: null }, 1)
  }
  return {
    store,
    feature,
    service,
    conversationId,
    begin,
    add,
    measure,
    path,
    request,
    summaries,
  }
}

const settledRun = (callId: string): ToolRun => ({
  callId,
  name: 'clock',
  arguments: '{}',
  state: 'done',
  tool: null,
  allowed: null,
  isError: false,
  notes: [],
  startedAt: null,
  finishedAt: new Date().toISOString(),
})

/** One turn of a random conversation. Each text has a marker, so that a request shows which messages it contains. */
const turn = fc.record({
  kind: fc.constantFrom('user', 'reply', 'empty reply', 'calls', 'system', 'picture', 'document'),
  text: fc.string({ unit: 'grapheme', maxLength: 60 }),
  leftOut: fc.boolean(),
})
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

/** Adds the turn. Returns the marker of its text, if it is sent when not left out. */
function addTurn({ add }: ReturnType<typeof studio>, { kind, text: words }: Turn, at: number) {
  const marker = `marker-${at}.`
  const text = `${words} ${marker}`
  const user = { role: 'user', text } as const
  if (kind === 'user') return { id: add(user), marker }
  if (kind === 'system') return { id: add({ role: 'system', text }), marker }
  if (kind === 'reply') return { id: add({ role: 'assistant', text }), marker }
  if (kind === 'empty reply') return { id: add({ role: 'assistant' }), marker: null }
  if (kind === 'document') return { id: add({ ...user, documents: [documentOf(`file-${at}`)] }), marker }
  if (kind === 'picture') {
    const picture = {
      mediaId: randomUUID(),
      detail: null,
      name: null,
      mime: 'image/png',
      width: 1,
      height: 1,
      bytes: 1,
    }
    return { id: add({ ...user, attachments: [picture] }), marker }
  }
  const call = { index: 0, id: `call-${at}`, name: 'clock', arguments: '{}' }
  const id = add({ role: 'assistant', text, toolCalls: [call] })
  add({ role: 'tool', text: `Result ${marker}`, run: settledRun(`call-${at}`) })
  return { id, marker }
}

const partsOf = ({ content }: ChatMessage) =>
  Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }]

/** Counts a request from its body alone. Files and text are counted separately, as the meter shows them. */
function countRequest(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => {
    const text = partsOf(message)
      .map(({ text = '' }) => text)
      .join('')
    const images = partsOf(message).filter((part) => 'image_url' in part).length
    const end = text.lastIndexOf('</document>')
    const split = end === -1 ? 0 : end + '</document>'.length
    const calls = (message.tool_calls ?? []).map(({ function: call }) => countTokens(call.name + call.arguments))
    const own = countTokens(text.slice(0, split)) + countTokens(text.slice(split)) + countTokens(message.name ?? '')
    return sum + own + tokensPerMessage + images * tokensOfAttachment + calls.reduce((all, one) => all + one, 0)
  }, 0)
}

describe('the measure', () => {
  it('counts exactly the request that would be sent; what is left out is in neither', async () => {
    const store = newStore()
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (turns, hasInstructions) => {
          const one = studio({}, store)
          one.begin(hasInstructions ? { ...emptySetup, instructions: 'Be brief.' } : emptySetup)
          const added = turns.map((each, at) => ({ ...addTurn(one, each, at), leftOut: each.leftOut }))
          for (const { id, leftOut: gone } of added)
            if (gone) leaveOut(one.feature, { messageId: id, leftOut: true, andEarlier: false })
          const { messages } = await one.request()
          const body = JSON.stringify(messages)
          for (const { marker, leftOut: gone } of added) if (marker) expect(body.includes(marker)).toBe(!gone)
          const { parts, total, leftOut: count } = await one.measure()
          expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(total)
          expect(total).toBe(countRequest(messages) + countTokens(JSON.stringify(tools)) + tokensOfReplyStart)
          expect(count).toBe(turns.filter((each) => each.leftOut).length)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('the draft with its documents counts as the message that is sent next', async () => {
    const one = studio()
    one.begin()
    one.add({ role: 'user', text: 'Hello' })
    const before = await one.measure({ text: 'What is in it?', names: ['a.txt', 'b.txt'] })
    expect(before.parts.files).toBe(countTokens(`${blockOf({ name: 'a.txt' })}\n\n${blockOf({ name: 'b.txt' })}`))
    one.add({ role: 'user', text: 'What is in it?', documents: [documentOf('a.txt'), documentOf('b.txt')] })
    const after = await one.measure()
    expect(after.parts.files).toBe(before.parts.files)
    expect(after.total).toBe(before.total)
  })

  it('passages are a part of the sum, with the instruction to cite them', async () => {
    const passage: Passage = {
      number: 1,
      mediaId: randomUUID(),
      name: 'handbook.md',
      label: '',
      part: 1,
      start: 0,
      end: 30,
      tokens: 8,
      text: 'The ferry leaves at 06:40 from pier seven.',
    }
    const one = studio({ attachPassages: (all) => all.map(() => passage) })
    one.begin({ ...emptySetup, instructions: 'Be brief.' })
    const without = await one.measure({ text: 'When?' })
    const before = await one.measure({ text: 'When?', passages: [passage] })
    expect(before.parts.files - without.parts.files).toBe(countTokens(passageBlock([passage])))
    const citing = countTokens(`Be brief.\n\n${citingInstruction}`) - countTokens('Be brief.')
    expect(before.parts.instructions - without.parts.instructions).toBe(citing)
    one.add({ role: 'user', text: 'When?', passages: [passage] })
    const { messages } = await one.request()
    const after = await one.measure()
    const texts = messages.map(({ content }) => (typeof content === 'string' ? content : ''))
    const sent = texts.reduce((sum, text) => sum + countTokens(text) + tokensPerMessage, 0)
    expect(Math.abs(after.total - tokensOfReplyStart - countTokens(JSON.stringify(tools)) - sent)).toBeLessThan(3)
    expect(Math.abs(after.total - before.total)).toBeLessThan(3)
  })

  it('names the source of the length, takes the smallest of compared models, and reserves max_tokens', async () => {
    const lengths: Record<string, ReturnType<ChatNeighbours['contextOf']>> = {
      large: { tokens: 32_768, from: 'person' },
      small: { tokens: 8192, from: 'service' },
    }
    const one = studio({
      contextOf: (model) => lengths[model] ?? null,
      leastCost: (_model, { fresh, repeated }) => `0.${String(fresh + repeated).padStart(6, '0')}`,
    })
    one.begin()
    one.add({ role: 'user', text: 'Hello' })
    expect(await one.measure()).toMatchObject({ model: 'm', length: { from: 'unknown', tokens: null } })
    const setup = { ...emptySetup, params: { maxTokens: 500 } }
    const both = await one.measure({ models: ['large', 'other', 'small'], setup })
    expect(both).toMatchObject({ model: 'small', length: { from: 'service', tokens: 8192 }, parts: { reply: 500 } })
    // Both models reply, and a reserve costs nothing until it is used.
    expect(both.leastCost).toBe(
      `0.${String((both.total - 500) * 3)
        .padStart(6, '0')
        .replace(/0+$/, '')}`,
    )
  })

  it('the oldest messages that may go leave a rest that fits and begins with the person', async () => {
    const store = newStore()
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 60, max: 400 }),
        async (turns, limit) => {
          const one = studio({ contextOf: () => ({ tokens: limit, from: 'person' }) }, store)
          one.begin()
          for (const [at, each] of turns.entries()) addTurn(one, each, at)
          const before = await one.measure()
          const { oldest } = before
          const users = (await one.request()).messages.filter(({ role }) => role === 'user')
          if (!oldest) return
          leaveOut(one.feature, { messageId: oldest.upTo, leftOut: true, andEarlier: true })
          const { messages } = await one.request()
          expect(messages[0]?.role).toBe('user')
          expect(messages.findLast(({ role }) => role === 'user')).toEqual(users.at(-1))
          const after = await one.measure()
          expect(after.total).toBe(before.total - oldest.tokens)
          if (after.total > limit * 0.6) expect(after.oldest).toBeNull()
          // Reversible.
          const last = one.path().at(-1)?.id ?? ''
          leaveOut(one.feature, { messageId: last, leftOut: false, andEarlier: true })
          expect(await one.measure()).toEqual(before)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('a tool result cannot be left out without its call', () => {
    const one = studio()
    one.begin()
    addTurn(one, { kind: 'calls', text: '', leftOut: false }, 0)
    const result = one.path().at(-1)?.id ?? ''
    const attempt = () => leaveOut(one.feature, { messageId: result, leftOut: true, andEarlier: false })
    expect(attempt).toThrow(expect.objectContaining({ kind: 'bad_input' }))
  })
})

describe('the count of the service', () => {
  /** Sends a message; the service replies and reports the tokens of the prompt. */
  async function turn(one: ReturnType<typeof studio>, text: string, promptTokens: number): Promise<void> {
    const { conversationId, feature, service } = one
    await send(feature, { requestId: randomUUID(), conversationId, text, models: ['m'] })
    await settled()
    service.last.say({ type: 'content', choice: 0, text: `An answer to: ${text}` })
    const usage = { promptTokens, completionTokens: 5, totalTokens: promptTokens + 5, cachedTokens: null }
    service.last.say({ type: 'usage', usage })
    service.last.say('end')
    await settled()
  }
  const question = 'What is the weather like in the mountains today? '.repeat(20)

  it('replaces the estimate of what was sent, and corrects the estimate of what is new', async () => {
    const one = studio()
    one.begin({ ...emptySetup, instructions: 'Be brief.' })
    expect(await one.measure({ text: question })).toMatchObject({ counted: null, isAdjusted: false })
    const estimate = (await one.measure({ text: question })).total
    const promptTokens = Math.round(estimate * 1.5)
    await turn(one, question, promptTokens)
    const { counted, isAdjusted, parts, total } = await one.measure()
    expect({ counted, isAdjusted }).toEqual({ counted: promptTokens, isAdjusted: true })
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(total)
    const answer = countTokens(`An answer to: ${question}`) + tokensPerMessage
    expect(total).toBeGreaterThan(promptTokens + answer * 1.4)
    expect(total).toBeLessThan(promptTokens + answer * 1.6 + 10)
    // The next reply: its own count holds.
    await turn(one, 'And tomorrow?', 2345)
    expect((await one.measure()).counted).toBe(2345)
    // A restart changes nothing.
    const { conversationId, feature, summaries } = one
    const later = new ContextMeter(feature, summaries)
    const input = { conversationId, setup: one.store.conversations.setup(conversationId), models: ['m'], text: '' }
    expect((await later.measure({ ...input, images: 0, documents: [] })).counted).toBe(2345)
  })

  it('only corrects the estimate when something that was sent has changed, and says nothing about another model', async () => {
    const one = studio()
    one.begin()
    const before = (await one.measure({ text: question })).total
    await turn(one, question, before * 2)
    const whole = await one.measure()
    expect(whole.counted).toBe(before * 2)
    const changed = await one.measure({ setup: { ...emptySetup, instructions: 'Be brief.' } })
    expect(changed).toMatchObject({ counted: null, isAdjusted: true })
    expect(changed.total).toBeGreaterThan(whole.total * 0.95)
    expect(changed.total).toBeLessThan(whole.total * 1.2)
    expect(await one.measure({ models: ['other'] })).toMatchObject({ counted: null, isAdjusted: false })
    const first = one.path()[0]?.id ?? ''
    leaveOut(one.feature, { messageId: first, leftOut: true, andEarlier: false })
    expect((await one.measure()).counted).toBeNull()
    leaveOut(one.feature, { messageId: first, leftOut: false, andEarlier: false })
    expect(await one.measure()).toEqual(whole)
  })

  it('never makes a figure impossible, whatever the service counts', async () => {
    const store = newStore()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 10_000_000 }), fc.boolean(), async (promptTokens, isChanged) => {
        const one = studio({}, store)
        one.begin({ ...emptySetup, instructions: 'Be brief.' })
        await turn(one, question, promptTokens)
        const setup = isChanged ? { ...emptySetup, params: { maxTokens: 50 }, instructions: 'Changed.' } : undefined
        const { parts, total, counted } = await one.measure({ text: 'New', ...(setup && { setup }) })
        for (const part of Object.values(parts)) expect(Number.isSafeInteger(part) && part >= 0).toBe(true)
        expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(total)
        expect(counted).toBe(isChanged || promptTokens === 0 ? null : promptTokens)
        if (counted !== null) expect(total).toBeGreaterThan(counted)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a summary', () => {
  const talk = (one: ReturnType<typeof studio>) => {
    one.begin()
    return ['Question 1', 'Answer 1', 'Question 2', 'Answer 2', 'Question 3', 'Answer 3'].map((text, at) =>
      one.add({ role: at % 2 === 0 ? 'user' : 'assistant', text }),
    )
  }

  it('is one logged request with the sent messages, and becomes a note with its cost on a new branch; nothing is deleted', async () => {
    const one = studio({ costOf: () => ({ cost: '0.002', costIs: 'estimated' }) })
    const ids = talk(one)
    const [, hidden = '', , upTo = ''] = ids
    leaveOut(one.feature, { messageId: hidden, leftOut: true, andEarlier: false })
    expect(await one.summaries.plan({ upTo, model: 'm' })).toMatchObject({ messages: 3, requests: 1, leastCost: null })
    const asked = one.summaries.summarise({ requestId: randomUUID(), upTo, model: 'm' })
    await settled()
    const { request } = one.service.last
    const body = JSON.stringify(request.messages)
    for (const text of ['Question 1', 'Question 2', 'Answer 2']) expect(body).toContain(text)
    for (const text of ['Answer 1', 'Question 3']) expect(body).not.toContain(text)
    one.service.last.say({ type: 'content', choice: 0, text: ' Two questions were answered. ' })
    one.service.last.say('end')
    const summary = await asked
    expect(summary).toMatchObject({
      text: 'Two questions were answered.',
      cost: '0.002',
      costIs: 'estimated',
      requests: 1,
    })

    const requestId = randomUUID()
    const use = () =>
      useSummary(one.feature, { requestId, upTo, text: 'Edited note.' }, one.summaries.find(summary.summaryId))
    expect(use()).toEqual({ noteId: requestId })
    expect(use(), 'a repeated call makes one branch').toEqual({ noteId: requestId })
    const [note, ...rest] = one.path()
    expect(note).toMatchObject({ made: 'summary', summarised: 4, text: 'Edited note.', siblings: 2, cost: '0.002' })
    expect(rest.map(({ text }) => text)).toEqual(['Question 3', 'Answer 3'])
    expect((await one.request()).messages.map(({ content }) => content)).toEqual([
      'Edited note.',
      'Question 3',
      'Answer 3',
    ])
    expect((await one.measure()).spent).toEqual({ amount: '0.002', estimated: true, unpriced: 0 })
    // The former branch is whole, message by message.
    choose(one.feature, { messageId: ids.at(-1) ?? '' })
    expect(one.path().map(({ id }) => id)).toEqual(ids)
  })

  it('is stored before it is shown: found again after a restart, used once, and paid for once', async () => {
    const one = studio({ costOf: () => ({ cost: '0.002', costIs: 'estimated' }) })
    const upTo = talk(one)[3] ?? ''
    const wish = { requestId: randomUUID(), upTo, model: 'm' }
    const asked = one.summaries.summarise(wish)
    await settled()
    // The page was reloaded during the summary: it finds the running summary, and a repeated call sends nothing.
    expect((await one.measure()).summary).toEqual({ summaryId: wish.requestId, upTo, state: 'running' })
    const again = [one.summaries.summarise(wish), one.summaries.summary(wish.requestId)]
    one.service.last.say({ type: 'content', choice: 0, text: 'A note.' })
    one.service.last.say('end')
    const written = await asked
    for (const other of again) expect(await other).toEqual(written)
    expect(one.service.asked).toHaveLength(1)
    // A new process has only the database.
    const later = new Summaries(one.feature)
    expect(later.on(one.path())).toEqual({ summaryId: wish.requestId, upTo, state: 'written' })
    expect(await later.summary(wish.requestId)).toEqual(written)
    expect(await later.summarise(wish)).toEqual(written)
    expect(one.service.asked).toHaveLength(1)
    useSummary(one.feature, { requestId: randomUUID(), upTo, text: 'A note.' }, later.find(wish.requestId))
    expect(one.path()[0]).toMatchObject({ made: 'summary', cost: '0.002' })
    expect(later.find(wish.requestId)).toBeNull()
    await expect(later.summary(wish.requestId)).rejects.toMatchObject({ kind: 'no_such_item' })
  })

  it('that is discarded is not offered again, and closing interrupts a running one', async () => {
    const one = studio()
    const upTo = talk(one)[3] ?? ''
    const requestId = randomUUID()
    const asked = one.summaries.summarise({ requestId, upTo, model: 'm' })
    await settled()
    one.service.last.say({ type: 'content', choice: 0, text: 'A note.' })
    one.service.last.say('end')
    await asked
    one.summaries.discard(requestId)
    expect((await one.measure()).summary).toBeNull()
    const wish = { requestId: randomUUID(), upTo, model: 'm' }
    const cut = one.summaries.summarise(wish)
    await settled()
    await Promise.all([one.summaries.close(), expect(cut).rejects.toMatchObject({ kind: 'cancelled' })])
    expect((await one.measure()).summary).toEqual({ summaryId: wish.requestId, upTo, state: 'interrupted' })
  })

  it('whose program was killed is known as interrupted at the next start, and is not sent again', async () => {
    const one = studio()
    const upTo = talk(one)[3] ?? ''
    const wish = { requestId: randomUUID(), upTo, model: 'm' }
    void one.summaries.summarise(wish)
    await settled()
    one.service.last.say({ type: 'content', choice: 0, text: 'Half a' })
    // A kill leaves only the database.
    const later = new Summaries(one.feature)
    expect(later.on(one.path())).toEqual({ summaryId: wish.requestId, upTo, state: 'interrupted' })
    for (const again of [later.summary(wish.requestId), later.summarise(wish)])
      await expect(again).rejects.toMatchObject({ kind: 'no_such_item' })
    expect(later.find(wish.requestId)).toBeNull()
    expect(one.service.asked).toHaveLength(1)
    later.discard(wish.requestId)
    expect(later.on(one.path())).toBeNull()
    await one.summaries.close()
  })

  it('that the service refuses leaves nothing', async () => {
    const one = studio()
    const upTo = talk(one)[3] ?? ''
    const refused = one.summaries.summarise({ requestId: randomUUID(), upTo, model: 'm' })
    await settled()
    one.service.last.say(new StudioError('unavailable', 'The service does not answer.'))
    await expect(refused).rejects.toMatchObject({ kind: 'unavailable' })
    expect(new Summaries(one.feature).on(one.path())).toBeNull()
  })

  it('an edited note is another branch, and a summary of a note counts the messages behind it', () => {
    const one = studio()
    const ids = talk(one)
    const first = useSummary(one.feature, { requestId: randomUUID(), upTo: ids[1] ?? '', text: 'One.' }, null)
    const second = useSummary(one.feature, { requestId: randomUUID(), upTo: first.noteId, text: 'Changed.' }, null)
    expect(one.path().map(({ text, summarised }) => [text, summarised])).toEqual([
      ['Changed.', 2],
      ...['Question 2', 'Answer 2', 'Question 3', 'Answer 3'].map((text) => [text, null]),
    ])
    const upTo = one.path()[2]?.id ?? ''
    useSummary(one.feature, { requestId: randomUUID(), upTo, text: 'More.' }, null)
    expect(one.path()[0]).toMatchObject({ text: 'More.', summarised: 4, siblings: 4 })
    choose(one.feature, { messageId: second.noteId })
    expect(one.path()[0]?.text).toBe('Changed.')
  })

  it('messages longer than the context are summarised in turn, each request with the summary so far', async () => {
    const limit = 1200
    const one = studio({ contextOf: () => ({ tokens: limit, from: 'service' }) })
    one.begin()
    const ids = Array.from({ length: 10 }, (_, at) =>
      one.add({ role: at % 2 === 0 ? 'user' : 'assistant', text: `marker-${at}. ${'many words '.repeat(100)}` }),
    )
    const upTo = ids[8] ?? ''
    const plan = await one.summaries.plan({ upTo, model: 'm' })
    expect(plan.requests).toBeGreaterThan(2)
    const asked = one.summaries.summarise({ requestId: randomUUID(), upTo, model: 'm' })
    for (let at = 0; at < plan.requests; at += 1) {
      await expect.poll(() => one.service.asked.length).toBe(at + 1)
      const { request } = one.service.last
      expect(countRequest(request.messages) + (request.max_tokens ?? 0)).toBeLessThan(limit)
      if (at > 0) expect(JSON.stringify(request.messages)).toContain(`Summary ${at - 1}`)
      one.service.last.say({ type: 'content', choice: 0, text: `Summary ${at}` })
      one.service.last.say('end')
    }
    expect((await asked).text).toBe(`Summary ${plan.requests - 1}`)
    const all = JSON.stringify(one.service.asked.map(({ request }) => request.messages))
    for (const at of ids.keys()) expect(all.includes(`marker-${at}.`)).toBe(at <= 8)
  })

  it('one message longer than the context is refused before anything is sent', async () => {
    const one = studio({ contextOf: () => ({ tokens: 500, from: 'person' }) })
    one.begin()
    const upTo = one.add({ role: 'user', text: 'many words '.repeat(1000) })
    await expect(one.summaries.summarise({ requestId: randomUUID(), upTo, model: 'm' })).rejects.toMatchObject({
      kind: 'bad_input',
    })
    expect(one.service.asked).toEqual([])
  })

  it('a refusal teaches the length, a cancelled one ends the request, and neither leaves a note', async () => {
    const outcomes: ReplyOutcome[] = []
    const one = studio({ ended: (outcome) => void outcomes.push(outcome) })
    const upTo = talk(one)[3] ?? ''
    const refused = one.summaries.summarise({ requestId: randomUUID(), upTo, model: 'm' })
    await settled()
    const said = "This model's maximum context length is 2048 tokens."
    one.service.last.say(new StudioError('invalid_request', said, { status: 400, said }))
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(outcomes.map(findingOf)).toEqual([{ contextLearned: 2048 }])
    const requestId = randomUUID()
    const cancelled = one.summaries.summarise({ requestId, upTo, model: 'm' })
    await settled()
    one.summaries.discard(requestId)
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' })
    expect(one.service.last.over).toBe(true)
    expect(one.path()).toHaveLength(6)
  })
})
