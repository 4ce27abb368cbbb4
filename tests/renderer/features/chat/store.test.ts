import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ConversationEvent, emptySetup } from '../../../../src-preload/contract/chat.ts'
import * as store from '../../../../src-renderer/stores/chat.ts'
import { foldListEvents } from '../../../../src-renderer/stores/chatListEvents.ts'
import { foldEvents, opening, runningReply } from '../../../../src-renderer/stores/openChat.ts'
import { conversation, conversationId, message } from './harness/scenes.ts'
import { History, type Step } from './history.ts'

const ask = message(0, { text: 'Why?' })
const reply = (text: string) => message(1, { status: 'streaming', text })
const snapshot = (text: string): ConversationEvent => ({
  type: 'snapshot',
  conversation: conversation(),
  setup: emptySetup,
  messages: [ask, reply(text)],
  beside: [],
  earlier: 0,
})
const delta = (at: number, append: string): ConversationEvent => ({
  type: 'delta',
  messageId: reply('').id,
  field: 'text',
  at,
  append,
})

/** Splits `text` at the given offsets (any order, any number). */
function pieces(text: string, cuts: readonly number[]): Array<{ at: number; append: string }> {
  const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1))), text.length].sort((a, b) => a - b)
  let at = 0
  return ends.flatMap((end) => {
    const piece = { at, append: text.slice(at, end) }
    at = end
    return piece.append === '' ? [] : [piece]
  })
}

const someText = fc.string({ unit: 'binary', maxLength: 200 })
const someCuts = fc.array(fc.nat(400), { maxLength: 12 })

describe('the open chat', () => {
  it('has the same text however deltas, batches and snapshots are divided', () => {
    fc.assert(
      fc.property(someText, someCuts, fc.nat(20), fc.nat(5), (text, cuts, snapshotAfter, batch) => {
        const events: ConversationEvent[] = [snapshot('')]
        const parts = pieces(text, cuts)
        parts.forEach((part, n) => {
          events.push(delta(part.at, part.append))
          if (n === snapshotAfter) events.push(snapshot(text.slice(0, part.at + part.append.length)))
        })
        let open = opening(conversationId)
        for (let at = 0; at < events.length; at += batch + 1) open = foldEvents(open, events.slice(at, at + batch + 1))
        expect(open.state).toBe('live')
        expect(open.messages).toEqual([ask, reply(text)])
      }),
    )
  })

  it('detects every missing delta, draws nothing after it, and is complete after the next snapshot', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 3, maxLength: 80 }), someCuts, fc.nat(), (text, cuts, lost) => {
        const parts = pieces(text, [1, 2, ...cuts])
        const gap = lost % (parts.length - 1)
        const kept = parts.filter((_, n) => n !== gap)
        const open = foldEvents(opening(conversationId), [
          snapshot(''),
          ...kept.map((part) => delta(part.at, part.append)),
        ])
        expect(open.state).toBe('gap')
        expect(text.startsWith(open.messages[1]?.text ?? '?')).toBe(true)
        expect(foldEvents(open, [snapshot(text)])).toMatchObject({ state: 'live', messages: [ask, reply(text)] })
      }),
    )
  })

  it('keeps the identity of the order and of all other messages while one text grows', () => {
    const before = foldEvents(opening(conversationId), [snapshot('')])
    const after = foldEvents(before, [delta(0, 'a'), delta(1, 'b')])
    expect(after.ids).toBe(before.ids)
    expect(after.messages[0]).toBe(before.messages[0])
    expect(after.messages[1]?.text).toBe('ab')
    expect(before.messages[1]?.text).toBe('')
  })

  it('applies a new message, a replaced one, a new path and a removal', () => {
    const begun = foldEvents(opening(conversationId), [snapshot('half')])
    expect(runningReply(begun)?.id).toBe(reply('').id)
    const ended = foldEvents(begun, [{ type: 'message', message: message(1, { text: 'whole' }) }])
    expect(runningReply(ended)).toBeNull()
    const next = foldEvents(ended, [{ type: 'message', message: message(2, { text: 'more' }) }])
    expect(next.ids).toHaveLength(3)
    const path = foldEvents(next, [{ type: 'path', unchanged: 1, messages: [], beside: [] }])
    expect(path.ids).toEqual([ask.id])
    expect(foldEvents(path, [{ type: 'removed' }]).state).toBe('gone')
  })
})

const nat = fc.nat(50)
const someSteps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('send' as const), replies: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('retry' as const), reply: nat }),
    fc.record({ do: fc.constant('edit' as const), turn: nat }),
    fc.record({ do: fc.constant('choose' as const), message: nat }),
    fc.record({ do: fc.constant('grow' as const), reply: nat, by: fc.string({ unit: 'binary', maxLength: 5 }) }),
    fc.record({ do: fc.constant('end' as const), reply: nat }),
    fc.record({ do: fc.constant('earlier' as const), batch: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('watch' as const), newest: fc.integer({ min: 1, max: 5 }) }),
  ),
  { maxLength: 60 },
)

describe('a history of branches', () => {
  it("equals the core's state at every moment, whatever the actions and batches", () => {
    fc.assert(
      fc.property(someSteps, fc.nat(6), (steps: Step[], batch) => {
        const history = new History()
        let open = opening(conversationId)
        let taken = 0
        const take = (): void => {
          while (taken < history.events.length) {
            open = foldEvents(open, history.events.slice(taken, taken + batch + 1))
            taken += batch + 1
          }
          taken = history.events.length
        }
        for (const step of steps) {
          history.step(step)
          take()
          const path = history.path()
          expect(open.state).toBe('live')
          expect(open.missing + open.messages.length).toBe(path.length)
          expect(open.messages).toEqual(path.slice(open.missing))
          expect(open.beside).toEqual(history.beside())
        }
        history.finish()
        take()
        expect(open.missing).toBe(0)
        expect(open.messages).toEqual(history.path())
        expect(open.ids).toEqual(history.path().map(({ id }) => id))
      }),
      { numRuns: 300 },
    )
  })

  it('detects a path that depends on missing messages, and earlier ones that do not fit', () => {
    const known = foldEvents(opening(conversationId), [snapshot('a')])
    expect(foldEvents(known, [{ type: 'path', unchanged: 3, messages: [], beside: [] }]).state).toBe('gap')
    expect(foldEvents(known, [{ type: 'earlier', messages: [ask], left: 0 }]).state).toBe('gap')
  })
})

describe('the chat page', () => {
  const sending = { conversationId: null, text: 'hello' }
  it('restores a refused text, unless another text was typed since', () => {
    const begun = { ...store.initialChat, ...store.beginSending(store.initialChat, sending) }
    expect(store.draftOf(begun)).toBe('')
    const problem = { kind: 'not_connected', message: 'Nothing is connected.' } as const
    const failed = { ...begun, ...store.failSending(begun, sending, problem) }
    expect(store.draftOf(failed)).toBe('hello')
    const typed = { ...begun, ...store.setDraft(begun, store.newChat, 'new words') }
    expect(store.draftOf({ ...typed, ...store.failSending(typed, sending, problem) })).toBe('new words')
  })

  it('shows Stopping until the reply has ended, whoever ended it', () => {
    const opened = { ...store.initialChat, ...store.openConversation(store.initialChat, conversationId) }
    const live = { ...opened, ...store.applyEvents(opened, conversationId, [snapshot('a')]) }
    const stopping = { ...live, ...store.markStopping(live, reply('').id) }
    const grown = { ...stopping, ...store.applyEvents(stopping, conversationId, [delta(1, 'b')]) }
    expect(grown.stopping.has(reply('').id)).toBe(true)
    const end: ConversationEvent = { type: 'message', message: message(1, { status: 'stopped', text: 'ab' }) }
    expect({ ...grown, ...store.applyEvents(grown, conversationId, [end]) }.stopping.size).toBe(0)
  })

  it('ignores events of a chat that is no longer open', () => {
    expect(store.applyEvents(store.initialChat, conversationId, [snapshot('x')])).toEqual({})
  })

  it('restores the stored draft of a chat until something is typed', () => {
    const list = foldListEvents(store.initialChat.list, [
      { type: 'snapshot', conversations: [conversation({ draft: 'half' })] },
    ])
    const state = {
      ...store.initialChat,
      list,
      ...store.openConversation({ ...store.initialChat, list }, conversationId),
    }
    expect(store.draftOf(state)).toBe('half')
    expect(store.draftOf({ ...state, ...store.setDraft(state, conversationId, '') })).toBe('')
  })
})

describe('the list of chats', () => {
  it('is sorted newest first whatever the order of events', () => {
    const one = fc.record({ id: fc.uuid(), minute: fc.integer({ min: 0, max: 59 }) })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: (each) => each.id, maxLength: 12 }), (ones) => {
        const all = ones.map(({ id, minute }) =>
          conversation({ id, updatedAt: new Date(minute * 60_000).toISOString() }),
        )
        const whole = foldListEvents(store.initialChat.list, [{ type: 'snapshot', conversations: all }])
        const single = foldListEvents(store.initialChat.list, [
          { type: 'snapshot' as const, conversations: [] },
          ...all.map((each) => ({ type: 'upsert' as const, conversation: each })),
        ])
        expect(single).toEqual(whole)
      }),
    )
  })
})
