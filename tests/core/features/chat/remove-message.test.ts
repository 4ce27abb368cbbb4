import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import type { ChatFeature } from '../../../../src-main/core/features/chat/chat.ts'
import { ConversationWatcher } from '../../../../src-main/core/features/chat/conversationWatcher.ts'
import { remove } from '../../../../src-main/core/features/chat/remove.ts'
import { messagesBelow, removeMessage } from '../../../../src-main/core/features/chat/removeMessage.ts'
import { restore } from '../../../../src-main/core/features/chat/restore.ts'
import { retry } from '../../../../src-main/core/features/chat/retry.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { featureOver, Page, type Service, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

let folder: string
let store: Store
let feature: ChatFeature
let service: Service
let conversationId: string

beforeEach(() => {
  conversationId = ''
  folder = freshFolder()
  store = openStore(folder)
  ;({ feature, service } = featureOver(store))
  return () => store.close()
})

async function answer(text: string): Promise<void> {
  await settled()
  service.last.say({ type: 'content', choice: 0, text })
  service.last.say({ type: 'finish', choice: 0, reason: 'stop' })
  service.last.say('end')
  await settled()
}

/** Sends a message and answers it. Returns the ids of both. */
async function turn(text: string, edits?: string): Promise<{ turnId: string; replyId: string }> {
  const sent = await send(feature, {
    requestId: randomUUID(),
    conversationId: conversationId === '' ? null : conversationId,
    text,
    models: ['writer'],
    edits,
  })
  conversationId = sent.conversationId
  await answer(`Re: ${text}`)
  return { turnId: sent.turnId, replyId: sent.replyIds[0] ?? '' }
}

const path = (): string[] => feature.runs.view.messages(feature.runs.view.path(conversationId)).map(({ text }) => text)

it('deletes a message with all that follows from it, on every branch, and undo brings it back as it was', async () => {
  await turn('one')
  const { turnId, replyId } = await turn('two')
  await turn('three')
  await turn('three, edited', store.messages.children(conversationId, replyId)[0]?.id)
  const before = path()
  expect(messagesBelow(feature, { messageId: turnId })).toEqual({ messages: 5 })
  const { removedId } = removeMessage(feature, { messageId: turnId })
  expect(path()).toEqual(['one', 'Re: one'])
  expect(store.conversations.get(conversationId).messages).toBe(2)
  expect(restore(feature, { removedId })).toEqual({ conversationId })
  expect(path()).toEqual(before)
  expect(store.conversations.get(conversationId).messages).toBe(before.length)
  expect(store.conversations.find(removedId)).toBeNull()
})

it('keeps the other versions of the message, and shows one of them', async () => {
  await turn('one')
  const { turnId, replyId } = await turn('two')
  const again = retry(feature, { requestId: randomUUID(), replyId })
  await again
  await answer('Another answer.')
  const [second = ''] = (await again).replyIds
  removeMessage(feature, { messageId: second })
  expect(path()).toEqual(['one', 'Re: one', 'two', 'Re: two'])
  expect(store.messages.get(replyId)).toMatchObject({ sibling: 1, siblings: 1, parentId: turnId })
})

it('a first message can be deleted: the chat is empty and can be written in again', async () => {
  const { turnId } = await turn('one')
  const { removedId } = removeMessage(feature, { messageId: turnId })
  expect(path()).toEqual([])
  expect(store.conversations.get(conversationId).messages).toBe(0)
  await turn('anew')
  expect(path()).toEqual(['anew', 'Re: anew'])
  restore(feature, { removedId })
  expect(path()).toEqual(['one', 'Re: one'])
  expect(store.messages.get(turnId)).toMatchObject({ siblings: 2 })
})

it('survives the end of the program, and is neither found nor listed after the restart', async () => {
  await turn('one')
  const { turnId } = await turn('two')
  const { removedId } = removeMessage(feature, { messageId: turnId })
  store.close()
  store = openStore(folder)
  ;({ feature, service } = featureOver(store))
  expect(path()).toEqual(['one', 'Re: one'])
  expect(feature.runs.view.list().map(({ id }) => id)).toEqual([conversationId])
  expect(store.erasures.removed()).toMatchObject([{ id: removedId, title: 'two', messages: 2 }])
  restore(feature, { removedId })
  expect(path()).toEqual(['one', 'Re: one', 'two', 'Re: two'])
})

it('is restored as a separate chat when its former parent no longer exists', async () => {
  await turn('one')
  const { turnId } = await turn('two')
  const { removedId } = removeMessage(feature, { messageId: turnId })
  remove(feature, { conversationId })
  expect(restore(feature, { removedId })).toEqual({ conversationId: removedId })
  conversationId = removedId
  expect(path()).toEqual(['two', 'Re: two'])
})

it('is refused while one of the messages is being generated', async () => {
  const { turnId } = await turn('one')
  await send(feature, { requestId: randomUUID(), conversationId, text: 'two', models: ['writer'] })
  expect(() => removeMessage(feature, { messageId: turnId })).toThrow(expect.objectContaining({ kind: 'busy' }))
  await answer('Re: two')
  removeMessage(feature, { messageId: turnId })
  expect(path()).toEqual([])
})

it('an open window sees the path without the message, and again with it', async () => {
  await turn('one')
  const { replyId } = await turn('two')
  const watcher = new ConversationWatcher(feature.runs.view, conversationId)
  const page = new Page()
  const stop = watcher.subscribe(() => undefined)
  const read = (): string[] => {
    for (let event = watcher.take(); event !== null && event !== 'end'; event = watcher.take()) page.apply(event)
    return page.messages.map(({ text }) => text)
  }
  read()
  const { removedId } = removeMessage(feature, { messageId: replyId })
  expect(read()).toEqual(['one', 'Re: one', 'two'])
  restore(feature, { removedId })
  expect(read()).toEqual(['one', 'Re: one', 'two', 'Re: two'])
  stop()
})
