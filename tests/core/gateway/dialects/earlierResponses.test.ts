import { expect, it } from 'vitest'
import {
  neededResponses,
  storedForThread,
  storedItemsIn,
} from '../../../../src-main/core/gateway/dialects/stored/earlierResponses.ts'
import type { StoredResponses, StoredText } from '../../../../src-main/core/ports/storedResponses.ts'

/** One stored response, which has every item. */
const holding = (text: StoredText, onRead = (): void => undefined): StoredResponses => ({
  get() {
    onRead()
    return { previous: null, ...text }
  },
  ownerOf: () => ({ id: 'resp_x', bytes: text.input.length + text.reply.length }),
  sizeOfConversation: () => text.input.length + text.reply.length,
  texts: async () => [text],
  save: async () => true,
  delete: async () => true,
})
const item = (text: string) => ({ type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text }] })
const stored = (text: string): StoredText => ({ input: JSON.stringify([item(text)]), reply: '{"output":[]}' })
const repeated = (count: number) => Array<string>(count).fill('msg_1')
const maxBytes = 32 * 1024 * 1024

it('a response counts in the memory of a request as often as the request refers to its items', () => {
  const text = stored('x'.repeat(50_000))
  const size = text.input.length + text.reply.length
  const needed = (count: number, previous: string | null = null) =>
    neededResponses({ previous, items: repeated(count) }, 'a', holding(text), maxBytes).bytes
  expect([needed(1), needed(100), needed(100, 'resp_x')]).toEqual([size, 100 * size, 101 * size])
  // What is longer is refused before anything is built from it.
  expect(needed(5000)).toBe(maxBytes)
})

it.each(['x', '\u0001', '"', '\ud800', 'ж'])('an item of %j counts with its bytes as JSON', (letter) => {
  const text = letter.repeat(1000)
  const owners = [{ ...stored(text), items: ['msg_1'] }]
  const found = storedItemsIn({ previousId: null, previous: null, owners, references: repeated(3), maxBytes })
  expect(found.referencedBytes).toBe(3 * Buffer.byteLength(JSON.stringify(item(text))))
})

it('references to an item of control characters are refused by its bytes as JSON', () => {
  const owners = [{ ...stored('\u0001'.repeat(10_000)), items: ['msg_1'] }]
  const job = { previousId: null, previous: null, owners, references: repeated(2900), maxBytes }
  expect(() => storedItemsIn(job)).toThrow('too long')
})

it('stored responses are read in another turn of the event loop than the search for them', async () => {
  let turns = 0
  const timer = setImmediate(() => turns++)
  let atRead = 0
  const responses = holding(stored('x'), () => {
    atRead = turns
  })
  const references = { previous: null, items: ['msg_1'] }
  await storedForThread(references, neededResponses(references, 'a', responses, maxBytes), 'a', responses, maxBytes)
  clearImmediate(timer)
  expect(atRead).toBe(1)
})
