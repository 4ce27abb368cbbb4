import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { retry } from '../../../../src-main/core/features/chat/retry.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { stop } from '../../../../src-main/core/features/chat/stop.ts'
import { watch } from '../../../../src-main/core/features/chat/watch.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import type { ChatStreamEvent } from '../../../../src-main/core/upstream/types.ts'
import type { ConversationEvent, Message } from '../../../../src-preload/contract/chat.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { featureOver } from '../../helpers/chatFeature.ts'
import { ended, freshFolder, readUntil, reduce } from '../../helpers/core.ts'

const closers = closeAfterEach()

/** The chat feature over a real store, with a service that the test controls. */
function feature() {
  const store = openStore(freshFolder())
  closers.push(() => store.close())
  const { feature: chat, service, lines } = featureOver(store)
  const ask = async () => {
    const question = { requestId: randomUUID(), conversationId: null, text: 'Question\n of two lines', models: ['m'] }
    const { replyIds, ...sent } = await send(chat, question)
    // The request is being prepared.
    await turn()
    return { ...sent, replyId: replyIds[0] ?? '' }
  }
  return {
    chat,
    store,
    ask,
    lines,
    service,
    say: (event: ChatStreamEvent | 'end' | StudioError) => service.last.say(event),
  }
}

/** A subscriber that reads one event at a time, on request. */
function watcherOf(events: AsyncIterator<ConversationEvent>) {
  let pending: Promise<void> | null = null
  let messages: Message[] = []
  const take = async (): Promise<void> => {
    const { value, done } = await events.next()
    if (!done) messages = reduce(messages, value)
    pending = null
  }
  const read = (): Promise<void> => (pending ??= take())
  return {
    read,
    async readToEnd(): Promise<Message | undefined> {
      while (!messages.at(-1)?.finishedAt) await read()
      await events.return?.()
      return messages.at(-1)
    },
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const content = (text: string): ChatStreamEvent => ({ type: 'content', choice: 0, text })

describe('watching a reply', () => {
  it('gives every subscriber the same text, however late and slowly it reads', { tags: 'long' }, async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('say' as const),
        field: fc.constantFrom('content' as const, 'reasoning' as const, 'refusal' as const),
        text: fc.string({ minLength: 1, unit: 'grapheme' }),
      }),
      fc.constant({ do: 'subscribe' as const }),
      fc.record({ do: fc.constant('read' as const), which: fc.nat(5) }),
      fc.constant({ do: 'turn' as const }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { chat, ask, say, store } = feature()
        const sent = await ask()
        const watchers = [watcherOf(watch(chat, sent))]
        const whole = { content: '', reasoning: '', refusal: '' }
        for (const one of steps) {
          if (one.do === 'subscribe') watchers.push(watcherOf(watch(chat, sent)))
          else if (one.do === 'turn') await turn()
          else if (one.do === 'read') void watchers[one.which % watchers.length]?.read()
          else {
            whole[one.field] += one.text
            say({ type: one.field, choice: 0, text: one.text })
          }
        }
        say('end')
        for (const watcher of watchers) {
          const last = await watcher.readToEnd()
          expect(last).toMatchObject({ text: whole.content, reasoning: whole.reasoning, refusal: whole.refusal })
          expect(last).toEqual(store.messages.get(sent.replyId))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('sends one delta to a subscriber that missed a thousand', async () => {
    const { chat, ask, say } = feature()
    const sent = await ask()
    say(content('a'))
    await turn()
    const events = watch(chat, sent)
    await events.next()
    for (let n = 0; n < 1000; n += 1) say(content('b'))
    await turn()
    expect((await events.next()).value).toMatchObject({ type: 'delta', at: 1, append: 'b'.repeat(1000) })
    say('end')
    await events.return?.()
  })

  it('ends at once when the subscriber leaves, also while it waits', async () => {
    const { chat, ask, say } = feature()
    const leave = new AbortController()
    const events = watch(chat, await ask(), leave.signal)
    await events.next()
    const waiting = events.next()
    leave.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
    say('end')
  })
})

describe('a reply', () => {
  it('stops at once with its partial text, and closes the request without a retry [CHAT-16] [ERR-08]', async () => {
    const { chat, ask, say, service, store } = feature()
    const { replyId } = await ask()
    say(content('kept'))
    await turn()
    const before = process.threadCpuUsage()
    expect(stop(chat, { replyId })).toEqual({ stopped: true })
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(50)
    expect(service.last.aborted).toBe(true)
    say(content(' late'))
    await turn()
    expect(store.messages.get(replyId)).toMatchObject({ status: 'stopped', text: 'kept', problem: null })
    expect(stop(chat, { replyId })).toEqual({ stopped: false })
  })

  it('is incomplete if it was cut after output, and failed before output [SSE-04] [CHAT-19]', async () => {
    for (const [before, status] of [
      ['some', 'incomplete'],
      ['', 'failed'],
    ] as const) {
      const { chat, ask, say } = feature()
      const sent = await ask()
      if (before) say(content(before))
      await turn()
      say(new StudioError('connection_lost', 'The connection ended.'))
      const path = await readUntil(watch(chat, sent), ended)
      expect(path.at(-1)).toMatchObject({ status, text: before, problem: { kind: 'connection_lost' } })
    }
  })

  it('gets a sibling by a retry, and the path ends in the new reply', async () => {
    const { chat, ask, say, store } = feature()
    const sent = await ask()
    say(new StudioError('unavailable', 'Down.'))
    await readUntil(watch(chat, sent), ended)
    const again = await retry(chat, { requestId: randomUUID(), replyId: sent.replyId })
    await turn()
    say(content('second'))
    say('end')
    const path = await readUntil(watch(chat, sent), ended)
    expect(path.map(({ id }) => id)).toEqual([sent.turnId, ...again.replyIds])
    expect(path[1]).toMatchObject({ sibling: 2, siblings: 2, text: 'second' })
    expect(store.messages.get(sent.replyId).status).toBe('failed')
    expect(store.conversations.get(sent.conversationId)).toMatchObject({ title: 'Question of two lines', messages: 2 })
  })

  it('prevents a second one in its conversation while it runs', async () => {
    const { chat, ask, say } = feature()
    const { conversationId } = await ask()
    const second = send(chat, { requestId: randomUUID(), conversationId, text: 'and', models: ['m'] })
    await expect(second).rejects.toMatchObject({ kind: 'busy' })
    say('end')
    await turn()
  })
})
