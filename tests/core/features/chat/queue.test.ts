import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import type { ChatFeature } from '../../../../src-main/core/features/chat/chat.ts'
import { choose } from '../../../../src-main/core/features/chat/chooseReply.ts'
import { ConversationWatcher } from '../../../../src-main/core/features/chat/conversationWatcher.ts'
import { duplicate } from '../../../../src-main/core/features/chat/duplicate.ts'
import { recoverReplies } from '../../../../src-main/core/features/chat/recover.ts'
import { remove } from '../../../../src-main/core/features/chat/remove.ts'
import { restore } from '../../../../src-main/core/features/chat/restore.ts'
import { retry } from '../../../../src-main/core/features/chat/retry.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { stop } from '../../../../src-main/core/features/chat/stop.ts'
import { openToolCallsPort } from '../../../../src-main/core/features/chat/toolCallsPort.ts'
import { saveDraft, update } from '../../../../src-main/core/features/chat/updateConversation.ts'
import type { ChatNeighbours } from '../../../../src-main/core/ports/toolCalls.ts'
import { isToolMessage } from '../../../../src-main/core/store/messages.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import type { ChatStreamEvent } from '../../../../src-main/core/upstream/types.ts'
import type { ChatInputs } from '../../../../src-preload/contract/chat.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { propertyMs, tries } from '../../../helpers/effort.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { featureOver, Page, type Service, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

const closers = closeAfterEach()

const content = (text: string): ChatStreamEvent => ({ type: 'content', choice: 0, text })
const call: ChatStreamEvent = { type: 'tool_call', choice: 0, index: 0, id: 'call', name: 'clock', arguments: '{}' }

type Talk = Awaited<ReturnType<typeof talk>>

/** One window on one conversation. */
function windowOn(feature: ChatFeature, conversationId: string) {
  const page = new Page()
  const watcher = new ConversationWatcher(feature.runs.view, conversationId)
  closers.push(watcher.subscribe(() => undefined))
  return {
    read(): Page {
      for (let event = watcher.take(); event !== null && event !== 'end'; event = watcher.take()) page.apply(event)
      return page
    },
  }
}

/** A chat whose first reply is running. */
async function talk(neighbours: Partial<ChatNeighbours> = {}, folder = freshFolder()) {
  const store = openStore(folder)
  closers.push(() => store.close())
  const studio = featureOver(store, neighbours)
  const { feature, service } = studio
  const { conversationId, turnId, replyIds } = await send(feature, {
    requestId: randomUUID(),
    conversationId: null,
    text: 'First',
    models: ['m'],
  })
  await settled()
  const path = () =>
    store.messages
      .path(store.conversations.find(conversationId)?.leafId ?? null)
      .map(({ role, text, status }) => (role === 'user' ? text : `${role} ${status}`))
  const answer = async (...events: (ChatStreamEvent | 'end' | StudioError)[]) => {
    for (const event of events) service.last.say(event)
    await settled()
  }
  const queue = (text: string, more: Partial<ChatInputs['queue']> = {}) => {
    const requestId = randomUUID()
    feature.queue.add({ requestId, conversationId, text, models: ['m'], ...more })
    return requestId
  }
  const queued = () =>
    store.queuedMessages.list(conversationId).map(({ text, held }) => (held ? `${text} (held)` : text))
  return { ...studio, store, folder, conversationId, turnId, replyId: replyIds[0] ?? '', path, answer, queue, queued }
}

/** An uploaded picture that is in a draft. */
function pictureIn(store: Store): string {
  const id = randomUUID()
  const createdAt = new Date().toISOString()
  store.media.insert({
    id,
    kind: 'image',
    mime: 'image/png',
    bytes: 70,
    width: 1,
    height: 1,
    name: null,
    sha256: id,
    createdAt,
  })
  store.media.draft(id)
  return id
}

/** The texts of the person that the service was asked about, in order. */
const askedFor = ({ asked }: Service): unknown[] =>
  asked.flatMap(({ request }) => {
    const last = request.messages.at(-1)
    return last?.role === 'user' ? [last.content] : []
  })

describe('a message that is queued while a reply is running', () => {
  it('is sent when the reply ends well, one message for each reply, in order', async () => {
    const { queue, queued, answer, path, service } = await talk()
    queue('Second')
    queue('Third')
    expect(queued()).toEqual(['Second', 'Third'])
    expect(service.asked).toHaveLength(1)
    await answer(content('One.'), 'end')
    expect(queued()).toEqual(['Third'])
    expect(path()).toEqual(['First', 'assistant complete', 'Second', 'assistant pending'])
    await answer(content('Two.'), 'end')
    await answer(content('Three.'), 'end')
    expect(queued()).toEqual([])
    expect(askedFor(service)).toEqual(['First', 'Second', 'Third'])
  })

  it('is in the database before any window shows it, and every window shows the same', async () => {
    const { queue, feature, conversationId, store, answer } = await talk()
    const windows = [windowOn(feature, conversationId), windowOn(feature, conversationId)]
    const texts = () => windows.map((one) => one.read().queue.map(({ text }) => text))
    expect(texts()).toEqual([[], []])
    const seen: string[][] = []
    closers.push(
      feature.runs.view.changes.add(({ what }) => {
        if (what === 'queue') seen.push(store.queuedMessages.list(conversationId).map(({ text }) => text))
      }),
    )
    const id = queue('Second')
    expect(seen).toEqual([['Second']])
    expect(texts()).toEqual([['Second'], ['Second']])
    expect(windowOn(feature, conversationId).read().queue).toEqual([
      expect.objectContaining({ id, text: 'Second', models: ['m'], held: false, problem: null }),
    ])
    await answer(content('One.'), 'end')
    expect(texts()).toEqual([[], []])
  })

  it.each([
    ['stopped', async ({ feature, replyId }: Talk) => void stop(feature, { replyId })],
    ['incomplete', ({ answer }) => answer(content('On'), new StudioError('connection_lost', 'Cut.'))],
    ['failed', ({ answer }) => answer(new StudioError('insufficient_credits', 'No credits.'))],
  ] satisfies [string, (chat: Talk) => Promise<void>][])(
    'waits for the person after a reply that is %s, and is sent once they say so',
    async (status, end) => {
      const chat = await talk()
      chat.queue('Second')
      const third = chat.queue('Third')
      await end(chat)
      await settled()
      expect(chat.path()).toEqual(['First', `assistant ${status}`])
      expect(chat.queued()).toEqual(['Second (held)', 'Third (held)'])
      chat.feature.queue.release({ id: third })
      await settled()
      expect(askedFor(chat.service)).toEqual(['First', 'Third'])
      await chat.answer(content('Three.'), 'end')
      // The other one was not asked for.
      expect(chat.queued()).toEqual(['Second (held)'])
    },
  )

  it('waits for a decision about a tool, and is sent when the reply to the tools ends well', async () => {
    const { queue, queued, answer, path, feature, store, conversationId, service } = await talk()
    queue('Second')
    await answer(call, 'end')
    expect(path()).toEqual(['First', 'assistant complete', 'tool pending'])
    expect(queued()).toEqual(['Second'])
    const port = openToolCallsPort(feature)
    const [row] = port.openCalls(conversationId)
    if (!row) throw new Error('There is no open call.')
    port.setRun(row.id, { ...row.run, state: 'done' }, 'Noon.')
    await settled()
    expect(queued()).toEqual(['Second'])
    await port.askOn(row.id)
    await settled()
    expect(service.asked).toHaveLength(2)
    await answer(content('It is noon.'), 'end')
    expect(askedFor(service)).toEqual(['First', 'Second'])
    expect(store.queuedMessages.count(conversationId)).toBe(0)
  })

  it('is sent in place of a decision when the person says so, also before those queued earlier', async () => {
    const { feature, queue, queued, answer, path } = await talk()
    queue('Second')
    const third = queue('Third')
    await answer(call, 'end')
    feature.queue.release({ id: third })
    await settled()
    expect(path()).toEqual(['First', 'assistant complete', 'tool complete', 'Third', 'assistant pending'])
    expect(queued()).toEqual(['Second'])
  })

  it('waits until all replies side by side have ended, and for the person when one of them failed', async () => {
    for (const good of [true, false]) {
      const { feature, queue, queued, conversationId, service, answer } = await talk()
      await answer(content('One.'), 'end')
      const two = { requestId: randomUUID(), conversationId, text: 'Compare', models: ['a', 'b'] }
      await send(feature, two)
      await settled()
      queue('Then')
      const [a, b] = service.asked.slice(1)
      a?.say(content('A'))
      a?.say('end')
      await settled()
      expect(queued()).toEqual(['Then'])
      b?.say(good ? content('B') : new StudioError('internal', 'No.'))
      b?.say('end')
      await settled()
      expect(queued()).toEqual(good ? [] : ['Then (held)'])
    }
  })

  it('leaves the draft of the message that the person is writing', async () => {
    const { feature, queue, answer, conversationId, store } = await talk()
    queue('Second')
    saveDraft(feature, { conversationId, draft: 'Half of the th' })
    await answer(content('One.'), 'end')
    expect(store.queuedMessages.count(conversationId)).toBe(0)
    expect(store.conversations.get(conversationId).draft).toBe('Half of the th')
  })

  it('is queued once when the answer to the window was lost, also after it was sent', async () => {
    const { feature, queued, conversationId, answer, service } = await talk()
    const message = { requestId: randomUUID(), conversationId, text: 'Second', models: ['m'] }
    feature.queue.add(message)
    feature.queue.add(message)
    expect(queued()).toEqual(['Second'])
    expect(() => feature.queue.add({ ...message, text: 'Other' })).toThrow(StudioError)
    await answer(content('One.'), 'end')
    feature.queue.add(message)
    // As the window repeats it when the reply has ended in the meantime.
    await send(feature, message)
    await settled()
    expect(queued()).toEqual([])
    expect(askedFor(service)).toEqual(['First', 'Second'])
  })

  it('returns to the composer as the draft, in one step', async () => {
    const { feature, queue, queued, conversationId, store, answer, service } = await talk()
    const id = queue('Second')
    expect(feature.queue.remove({ id, draft: 'Second\n\nwhat was typed' })).toEqual({ removed: true })
    expect(queued()).toEqual([])
    expect(store.conversations.get(conversationId).draft).toBe('Second\n\nwhat was typed')
    // Another window was later.
    expect(feature.queue.remove({ id, draft: 'Second' })).toEqual({ removed: false })
    expect(store.conversations.get(conversationId).draft).toBe('Second\n\nwhat was typed')
    await answer(content('One.'), 'end')
    expect(askedFor(service)).toEqual(['First'])
  })

  it('of another role is added without a request, and the next one follows at once', async () => {
    const { queue, queued, answer, path, service } = await talk()
    queue('Be brief.', { role: 'system' })
    queue('Second')
    await answer(content('One.'), 'end')
    expect(path()).toEqual(['First', 'assistant complete', 'system complete', 'Second', 'assistant pending'])
    expect(queued()).toEqual([])
    expect(service.last.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'user'])
  })

  it('is sent at once when the reply ended just before, unless it did not end well', async () => {
    const { queue, queued, answer, feature, service } = await talk()
    await answer(content('One.'), 'end')
    queue('Second')
    await settled()
    expect(askedFor(service)).toEqual(['First', 'Second'])
    for (const { id } of feature.runs.view.list()) feature.runs.stopConversation(id)
    await settled()
    queue('Third')
    expect(queued()).toEqual(['Third (held)'])
  })

  it('is refused beyond 50 in one chat', async () => {
    const { queue } = await talk()
    for (let n = 0; n < 50; n += 1) queue(`${n}`)
    expect(() => queue('One too many')).toThrow('At most 50')
  })
})

describe('a queued message that can not be sent', () => {
  it.each([
    ['nothing is connected', new StudioError('not_connected', 'Nothing is connected yet.')],
    ['the keychain is locked', new StudioError('keychain_locked', 'The keychain is locked.')],
    ['the service can not be reached', new StudioError('connect_failed', 'The service can not be reached.')],
  ])('stays queued with the reason while %s, and is sent when the person tries again', async (_, refusal) => {
    const { queue, queued, answer, feature, store, service, path } = await talk()
    const id = queue('Second')
    queue('Third')
    service.refusal = refusal
    await answer(content('One.'), 'end')
    expect(path()).toEqual(['First', 'assistant complete'])
    expect(queued()).toEqual(['Second (held)', 'Third (held)'])
    expect(store.queuedMessages.get(id).problem).toMatchObject({ kind: refusal.kind, message: refusal.message })
    // A second try that fails says it again.
    feature.queue.release({ id })
    await settled()
    expect(store.queuedMessages.get(id)).toMatchObject({ held: true, problem: { kind: refusal.kind } })
    service.refusal = null
    feature.queue.release({ id })
    await settled()
    expect(askedFor(service)).toEqual(['First', 'Second'])
    expect(queued()).toEqual(['Third (held)'])
  })

  it.each([401, 402])(
    'is a message of the chat when the service answers %i, and the rest waits for the person',
    async (status) => {
      const { queue, queued, answer, path, service } = await talk()
      queue('Second')
      queue('Third')
      await answer(content('One.'), 'end')
      const refusal = new StudioError(status === 401 ? 'unauthorized' : 'insufficient_credits', 'No.', { status })
      await answer(refusal, 'end')
      // Retry of the failed reply repeats it. It was sent, so taking it back into the queue could send it twice.
      expect(path()).toEqual(['First', 'assistant complete', 'Second', 'assistant failed'])
      expect(queued()).toEqual(['Third (held)'])
      expect(askedFor(service)).toEqual(['First', 'Second'])
    },
  )

  it('stays queued when one of its files is gone', async () => {
    const gone = new StudioError('no_such_item', 'A file of this project was removed.')
    const { queue, queued, answer, store } = await talk({ projectContext: () => Promise.reject(gone) })
    const id = queue('Second')
    await answer(content('One.'), 'end')
    expect(queued()).toEqual(['Second (held)'])
    expect(store.queuedMessages.get(id).problem).toMatchObject({ kind: 'no_such_item', message: gone.message })
  })
})

describe('the queue belongs to its chat', () => {
  it('waits for the person after a restart, whatever ran before', async () => {
    const { queue, folder, conversationId, answer } = await talk()
    queue('Second')
    const copy = freshFolder()
    cpSync(folder, copy, { recursive: true })
    await answer(content('One.'), 'end')
    const store = openStore(copy)
    closers.push(() => store.close())
    recoverReplies(store)
    const { feature, service } = featureOver(store)
    await settled()
    expect(service.asked).toEqual([])
    expect(windowOn(feature, conversationId).read().queue).toMatchObject([{ text: 'Second', held: true }])
  })

  it('is held while the chat is deleted, and comes back with it', async () => {
    const { feature, queue, queued, conversationId, service } = await talk()
    const id = queue('Second')
    remove(feature, { conversationId })
    await settled()
    expect(queued()).toEqual(['Second (held)'])
    expect(() => feature.queue.release({ id })).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
    restore(feature, { removedId: conversationId })
    await settled()
    expect(askedFor(service)).toEqual(['First'])
    feature.queue.release({ id })
    await settled()
    expect(askedFor(service)).toEqual(['First', 'Second'])
  })

  it('is deleted permanently with the chat', async () => {
    const { feature, store, queue, conversationId } = await talk()
    const id = queue('Second')
    remove(feature, { conversationId })
    store.erasures.plan('conversation', [conversationId])
    while (!store.erasures.step(conversationId, 100, 100).done);
    expect(store.queuedMessages.find(id)).toBeNull()
  })

  it('is held when another branch is shown, because it was written for the former one', async () => {
    const { feature, replyId, queue, queued, answer, path, service } = await talk()
    await answer(content('One.'), 'end')
    await retry(feature, { requestId: randomUUID(), replyId })
    await settled()
    const id = queue('Second')
    choose(feature, { messageId: replyId })
    expect(queued()).toEqual(['Second (held)'])
    await answer(content('Other.'), 'end')
    expect(askedFor(service)).toEqual(['First', 'First'])
    feature.queue.release({ id })
    await settled()
    expect(path()).toEqual(['First', 'assistant complete', 'Second', 'assistant pending'])
    expect(service.last.request.messages.map((message) => message.content)).toEqual(['First', 'One.', 'Second'])
  })

  it('moves with its chat to another project, whose files are found when it is sent', async () => {
    const asked: unknown[] = []
    const without = [{ mediaId: randomUUID(), part: 1, start: 0 }]
    const chat = await talk({
      projectContext: async (message) => {
        asked.push({ ...message, folderId: chat.store.conversations.get(message.conversationId).folderId })
        return { documents: [], passages: [] }
      },
    })
    const { feature, store, queue, answer, conversationId, service } = chat
    const folder = { id: randomUUID(), name: 'Other', createdAt: new Date().toISOString() }
    store.folders.insert({ ...folder, model: null, instructions: null, params: null, wholeTokens: 8000 })
    queue('Second', { without })
    update(feature, { conversationId, folderId: folder.id })
    await answer(content('One.'), 'end')
    expect(asked).toEqual([{ conversationId, text: 'Second', without, folderId: folder.id }])
    expect(askedFor(service)).toEqual(['First', 'Second'])
  })

  it('is exported as text of the draft, above what is typed, and never as a message', async () => {
    const { feature, store, queue, conversationId } = await talk()
    queue('Second')
    queue('Third')
    saveDraft(feature, { conversationId, draft: 'half a thought' })
    expect(store.archive.conversation(conversationId)?.draft).toBe('Second\n\nThird\n\nhalf a thought')
    expect(store.archive.seqs(conversationId)).toHaveLength(2)
  })

  it('keeps its files, which are deleted with the chat', async () => {
    const { store, queue, conversationId, feature, answer } = await talk()
    const [picture, other] = [pictureIn(store), pictureIn(store)]
    const id = queue('Second', { attachments: [{ mediaId: picture, detail: 'low' }] })
    queue('Third', { attachments: [{ mediaId: other, detail: null }] })
    // The composer has let go of it.
    store.media.endDraft(picture)
    expect(store.media.unnamed([picture, other])).toEqual([])
    // Back in the composer, the file is one of a draft again.
    feature.queue.remove({ id, draft: 'Second' })
    expect(store.media.unnamed([picture])).toEqual([])
    store.media.endDraft(picture)
    expect(store.media.unnamed([picture])).toEqual([{ id: picture, bytes: 70 }])
    await answer(new StudioError('bad_gateway', 'Bad gateway.'))
    remove(feature, { conversationId })
    store.erasures.plan('conversation', [conversationId])
    while (!store.erasures.step(conversationId, 100, 100).done);
    expect(store.erasures.planned('media')).toEqual([other])
    expect(store.media.unnamed([other])).toEqual([{ id: other, bytes: 70 }])
  })

  it('that is taken back in the moment of its sending lets the next released one go', async () => {
    const { feature, queue, queued, answer, service } = await talk()
    const second = queue('Second')
    const third = queue('Third')
    await answer(new StudioError('bad_gateway', 'Bad gateway.'))
    feature.queue.release({ id: second })
    feature.queue.release({ id: third })
    feature.queue.remove({ id: second, draft: 'Second' })
    await settled()
    expect(queued()).toEqual([])
    expect(askedFor(service)).toEqual(['First', 'Third'])
  })

  it('with a file that is gone is refused, and stays in the composer', async () => {
    const { queue, queued } = await talk()
    expect(() => queue('Second', { attachments: [{ mediaId: randomUUID(), detail: null }] })).toThrow(
      expect.objectContaining({ kind: 'no_such_item' }),
    )
    expect(queued()).toEqual([])
  })

  it('is sent in an archived chat too, and is not copied with a chat', async () => {
    const { feature, queue, answer, conversationId, store, service } = await talk()
    queue('Second')
    const copy = duplicate(feature, { conversationId })
    expect(store.queuedMessages.list(copy.conversationId)).toEqual([])
    update(feature, { conversationId, archived: true })
    await answer(content('One.'), 'end')
    expect(askedFor(service)).toEqual(['First', 'Second'])
  })
})

describe('under any order of events', () => {
  const rounds = tries(12, 500)

  it('no queued message is lost or sent twice, and all windows show what is stored', async () => {
    const random = randomNumbers()
    const below = (limit: number): number => Math.floor(random() * limit)
    // On a busy machine fewer lives are tried.
    const end = performance.now() + propertyMs
    for (let round = 0; round < rounds && performance.now() < end; round += 1) await anyOrder(below)
  })
})

/** One random life of a chat: every text is in the queue, sent once, or taken back by the person. */
async function anyOrder(below: (limit: number) => number): Promise<void> {
  const steps: string[] = []
  const said = (step: string): void => void steps.push(step)
  let folder = freshFolder()
  const { conversationId, ...first } = await talk({}, folder)
  let { store, feature, service } = first
  let windows = [windowOn(feature, conversationId), windowOn(feature, conversationId)]
  /** Texts in the order in which they were queued, and the place of each. */
  const texts: string[] = []
  const taken = new Set<string>()
  /** Requests of all lives. */
  const asked: unknown[] = []
  const lastRequest = new Map<string, ChatInputs['queue']>()
  const list = () => store.queuedMessages.list(conversationId)
  const one = () => list()[below(Math.max(1, list().length))]
  const port = () => openToolCallsPort(feature)

  const inMessages = (text: string): number =>
    store.messages
      .links(conversationId)
      .filter(({ role, id }) => role === 'user' && store.messages.get(id).text === text).length

  const check = (): void => {
    const requests = [...asked, ...askedFor(service)]
    for (const text of texts) {
      const queued = list().filter((row) => row.text === text).length
      const places = { text, queued, sent: inMessages(text), taken: taken.has(text) ? 1 : 0 }
      const total = places.queued + places.sent + places.taken
      if (total !== 1) throw new Error(`${JSON.stringify(places)} after ${steps.join(', ')}`)
      const times = requests.filter((request) => request === text).length
      if (times > 1) throw new Error(`${text} was requested ${times} times after ${steps.join(', ')}`)
    }
    for (const page of windows.map((window) => window.read())) {
      expect(page.queue.map(({ id, held }) => [id, held])).toEqual(list().map(({ id, held }) => [id, held]))
    }
  }

  const end = async (...events: (ChatStreamEvent | 'end' | StudioError)[]) => {
    const running = service.open.at(-1)
    for (const event of events) running?.say(event)
    await settled()
  }
  const actions: Record<string, () => unknown> = {
    queue: () => {
      const text = `Message ${texts.length}`
      const message = { requestId: randomUUID(), conversationId, text, models: ['m'] }
      texts.push(text)
      lastRequest.set(text, message)
      feature.queue.add(message)
    },
    // As after a lost answer. Of a message that was taken back, the person would do it on purpose.
    repeat: () => {
      const text = texts[below(Math.max(1, texts.length))] ?? ''
      const message = lastRequest.get(text)
      if (message && !taken.has(text)) feature.queue.add(message)
    },
    edit: () => {
      const row = one()
      if (row && feature.queue.remove({ id: row.id, draft: row.text }).removed) taken.add(row.text)
    },
    remove: () => {
      const row = one()
      if (row && feature.queue.remove({ id: row.id }).removed) taken.add(row.text)
    },
    release: () => {
      const row = one()
      if (row) feature.queue.release({ id: row.id })
    },
    'end well': () => end(content('Good.'), 'end'),
    'end with a call': () => end(call, 'end'),
    fail: () => end(new StudioError('bad_gateway', 'Bad gateway.')),
    cut: () => end(content('On'), new StudioError('connection_lost', 'Cut.')),
    stop: () => {
      for (const { id } of windows[0]?.read().messages ?? [])
        if (feature.runs.view.reply(id)) stop(feature, { replyId: id })
    },
    decide: async () => {
      for (const row of port().openCalls(conversationId)) {
        port().setRun(row.id, { ...row.run, state: below(2) === 0 ? 'done' : 'denied' }, 'Noon.')
      }
      await settled()
      const leaf = store.messages.find(store.conversations.get(conversationId).leafId ?? '')
      if (leaf && isToolMessage(leaf))
        await port()
          .askOn(leaf.id)
          .catch(() => undefined)
    },
    send: () =>
      send(feature, { requestId: randomUUID(), conversationId, text: `Direct ${steps.length}`, models: ['m'] }).catch(
        () => undefined,
      ),
    branch: () => {
      const links = store.messages.links(conversationId)
      const link = links[below(links.length)]
      if (link) choose(feature, { messageId: link.id })
    },
    offline: () => {
      service.refusal = below(2) === 0 ? new StudioError('not_connected', 'Nothing is connected.') : null
    },
    delete: () => {
      remove(feature, { conversationId })
      restore(feature, { removedId: conversationId })
    },
    kill: async () => {
      const next = freshFolder()
      cpSync(folder, next, { recursive: true })
      asked.push(...askedFor(service))
      const former = feature
      // The killed program does nothing more. Its requests end with it.
      await former.queue.close()
      await former.runs.shutDown()
      folder = next
      store = openStore(folder)
      const opened = store
      closers.push(() => opened.close())
      recoverReplies(store)
      ;({ feature, service } = featureOver(store))
      windows = [windowOn(feature, conversationId), windowOn(feature, conversationId)]
      expect(list().filter(({ held }) => !held)).toEqual([])
    },
  }
  const names = Object.keys(actions)
  const often = ['queue', 'queue', 'queue', 'end well', 'end well', 'release']
  for (let step = 0; step < 30; step += 1) {
    const all = [...names, ...often]
    const name = all[below(all.length)] ?? 'queue'
    said(name)
    await actions[name]?.()
    // Some events follow one another without a pause.
    if (below(3) > 0) await settled()
    check()
  }
  // The person sends everything that is left.
  service.refusal = null
  await settled()
  for (let turns = 0; turns < 200 && list().length > 0; turns += 1) {
    const [row] = list()
    if (row?.held) feature.queue.release({ id: row.id })
    await settled()
    await end(content('Good.'), 'end')
    await actions.decide?.()
    await settled()
  }
  check()
  expect(list()).toEqual([])
  expect(texts.filter((text) => inMessages(text) !== 1 && !taken.has(text))).toEqual([])
}
