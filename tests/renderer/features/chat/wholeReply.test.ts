import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { requestRowsOf, wholeReply } from '../../../../src-renderer/features/chat/wholeReply.ts'
import { cardsOf, opening, partsOf } from '../../../../src-renderer/stores/openChat.ts'
import { moreScenes } from './harness/moreScenes.ts'
import { conversationId, message } from './harness/scenes.ts'

const chat = (messages: readonly Message[], beside: readonly Message[] = []) => ({
  ...opening(conversationId),
  ...{ messages, settled: messages, ids: messages.map(({ id }) => id) },
  ...{ beside, besideIds: beside.map(({ id }) => id) },
})
const scene = (name: keyof typeof moreScenes): Message[] => moreScenes[name]?.().messages ?? []
const sizes = (messages: readonly Message[], beside: readonly Message[] = []): number[] => {
  const cards = cardsOf(chat(messages, beside))
  return cards.heads.map((head) => cards.of.get(head)?.length ?? 0)
}

describe('the cards of a chat', () => {
  it('join a reply with the results of its tool calls and with its continuations', () => {
    expect(sizes(scene('rounds'))).toEqual([1, 5])
    expect(sizes(scene('continued'))).toEqual([1, 3])
  })

  it('separate two replies in a row, which a person may add, and replies side by side', () => {
    const [ask, first] = scene('continued')
    if (!ask || !first) throw new Error('The scene is empty.')
    expect(sizes([ask, first, { ...first, id: message(9, {}).id }])).toEqual([1, 1, 1])
    const messages = scene('continued')
    expect(sizes(messages, [messages[3] ?? ask, first])).toEqual([1, 2, 1])
  })

  it('contain every message of the path once, in order, also when the path begins within a reply', () => {
    const role = fc.constantFrom<Partial<Message>>(
      { role: 'user' },
      { role: 'user', made: 'continue' },
      { role: 'user', made: 'summary' },
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'system' },
    )
    fc.assert(
      fc.property(fc.array(role, { maxLength: 30 }), (roles) => {
        const messages = roles.map((one, at) => message(at, one))
        const open = chat(messages)
        const { heads } = cardsOf(open)
        expect(heads.flatMap((head) => partsOf(open, head))).toEqual(messages)
        for (const { id } of messages) expect(partsOf(open, id).map((part) => part.id)).toContain(id)
      }),
    )
  })
})

describe('a whole reply', () => {
  it('has the text of all parts, the id of the first, the end of the last, and the sums of tokens and cost', () => {
    const [, ...parts] = scene('rounds')
    expect(wholeReply(parts)).toMatchObject({
      id: parts[0]?.id,
      createdAt: parts[0]?.createdAt,
      status: 'complete',
      finishReason: 'stop',
      text: 'I look up the harbour first.\n\nThe next spring tide in **Brest** is on Sunday at 05:12, with 7.2 m.',
      usage: { promptTokens: 300, completionTokens: 60, totalTokens: 360, cachedTokens: 0 },
      cost: '0.03',
      costIs: 'measured',
    })
    expect(requestRowsOf(parts)).toEqual([42, 44, 46])
  })

  it('goes on within the sentence where it was continued', () => {
    const [, ...parts] = scene('continued')
    expect(wholeReply(parts)?.text).toBe('Three rivers that cross a border are the Rhine, the Danube and the Mekong.')
  })

  it('has an estimated cost when the cost of one request is unknown', () => {
    const [, ...parts] = scene('rounds')
    const unknown = parts.map((part, at) => (at === 0 ? { ...part, cost: null, costIs: 'unknown' as const } : part))
    expect(wholeReply(unknown)).toMatchObject({ cost: '0.02', costIs: 'estimated' })
  })

  it('of one message is that message', () => {
    const [, reply] = scene('branches')
    expect(wholeReply(reply ? [reply] : [])).toBe(reply)
    expect(wholeReply([])).toBeUndefined()
  })
})
