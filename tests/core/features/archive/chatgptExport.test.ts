import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { trip, untitled } from './fixtures/chatgpt.ts'
import { everything, png, type Studio } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio } = studiosOfTest()
const json = (value: unknown): string => JSON.stringify(value)
const tree = (on: Studio, id: string) => {
  const conversation = on.store.archive.conversation(id)
  const messages = on.store.archive.seqs(id).flatMap((seq) => on.store.archive.message(seq) ?? [])
  const byText = new Map(messages.map((message) => [message.text, message]))
  return { conversation, messages, of: (text: string) => byText.get(text) }
}

describe('an export of ChatGPT', () => {
  it('becomes a tree with branches, active path, reasoning, tool calls, results and times, without hidden nodes', async () => {
    const on = studio()
    const report = await on.import(json([trip, untitled]))
    expect(report).toMatchObject({ kind: 'chatgpt', conversations: 2, known: 0 })
    const [older = '', newer = ''] = on.store.archive.ids()
    expect(report.conversationId).toBe(older)
    const { conversation, messages, of } = tree(on, newer)
    expect(conversation).toMatchObject({
      title: 'Trip to 京都',
      model: 'o3',
      pinned: true,
      archivedAt: null,
      createdAt: '2023-11-14T22:13:20.123Z',
      updatedAt: '2023-11-14T22:28:20.500Z',
    })
    expect(messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'assistant', 'assistant'],
    ])
    const question = of('Where is this?')
    expect([of('Where to go?')?.parentId, question?.parentId]).toEqual([null, null])
    const call = messages.find(({ toolCalls }) => toolCalls.length > 0)
    expect(call).toMatchObject({
      parentId: question?.id,
      text: '',
      reasoning: 'Looking\n\nA golden temple.',
      finishReason: 'tool_calls',
      toolCalls: [{ index: 0, id: 'call', name: 'web_search', arguments: '{"query":"golden temple"}' }],
    })
    const out = messages.find(({ role }) => role === 'tool')
    expect(out).toMatchObject({
      parentId: call?.id,
      text: 'Kinkaku-ji\n\nhttps://example.com\n\nA temple in 京都.',
      run: { callId: 'call', name: 'web_search', state: 'done', tool: null },
    })
    const cut = messages.find(({ text }) => text.startsWith('It is'))
    expect(cut).toMatchObject({ text: 'It is Kinkaku-ji. ', status: 'stopped', createdAt: '2023-11-14T22:13:20.123Z' })
    const leaf = of('Kinkaku-ji in 京都.')
    expect([cut?.parentId, leaf?.parentId, conversation?.leafId]).toEqual([out?.id, out?.id, leaf?.id])
    expect([question?.nextId, call?.nextId, out?.nextId, leaf?.nextId]).toEqual([call?.id, out?.id, leaf?.id, null])
    expect(messages.at(-1)?.text).toContain('"beams": 3')
    expect(on.store.conversations.get(newer).messages).toBe(4)
    expect(messages.some(({ text }) => /pilot|Thought for/.test(text))).toBe(false)
    const second = tree(on, older)
    expect(second.conversation).toMatchObject({ title: null, archivedAt: '2020-09-13T12:26:50.000Z' })
    expect(second.messages.map(({ text, toolCalls }) => [text, toolCalls[0]?.arguments])).toEqual([
      ['Plot it', undefined],
      ['', '{"input":"print(42)"}'],
      ['42', undefined],
    ])
    expect(report.notes.toSorted()).toEqual([
      'Attached files left out because they are not images: 1.',
      'Images left out because they are not in the file: 2.',
      'Messages from which citation marks were removed: 1.',
      'Messages left out because they are not connected to their chat: 2.',
      'Messages of an unknown type, imported as JSON: 1.',
    ])
  })

  it('as a zip includes its images, and search finds its messages', { tags: 'long' }, async () => {
    const on = studio()
    const zip = zipSync({
      'conversations.json': strToU8(json([trip])),
      'user.json': strToU8('{}'),
      'file-AbC123-temple.png': png(7, 9),
      'user-x/file_00ff-sanitized.png': png(1, 1),
    })
    const report = await on.import(zip)
    expect(report).toMatchObject({ kind: 'chatgpt', conversations: 1, messages: 8, pictures: 2 })
    const { of } = tree(on, report.conversationId ?? '')
    const shown = of('Where is this?')?.attachments ?? []
    expect(shown).toMatchObject([
      { name: 'temple.png', width: 7, height: 9, mime: 'image/png' },
      { name: null, width: 1, height: 1 },
    ])
    expect(await on.media.bytes(shown[0]?.mediaId ?? '')).toEqual(png(7, 9))
    await on.library.indexed()
    const { hits } = await on.library.search({ text: '京都', conversationId: null, limit: 10 })
    expect(hits.map(({ role }) => role)).toEqual([null, 'assistant', 'tool'])
  })

  it('adds nothing when imported again; a continued conversation is imported as another one', async () => {
    const on = studio()
    await on.import(json([trip, untitled]))
    const before = everything(on.store)
    expect(await on.import(json([trip, untitled]))).toMatchObject({ conversations: 0, known: 2 })
    expect(everything(on.store)).toEqual(before)
    const more = structuredClone(trip)
    more.current_node = 'a2'
    expect(await on.import(json({ conversations: [more] }))).toMatchObject({ conversations: 1, known: 0 })
  })

  it('can have several numbered files, or a single conversation', async () => {
    const on = studio()
    const zip = zipSync({
      'export/conversations-000.json': strToU8(json([trip])),
      'export/conversations-001.json': strToU8(json([untitled])),
    })
    expect(await on.import(zip)).toMatchObject({ kind: 'chatgpt', conversations: 2 })
    expect(await on.import(json(trip))).toMatchObject({ kind: 'chatgpt', known: 1 })
  })

  it('that is cut off in its first conversation is refused', async () => {
    const on = studio()
    const before = everything(on.store)
    await expect(on.import(json([untitled]).slice(0, -20))).rejects.toMatchObject({ kind: 'bad_input' })
    expect(everything(on.store)).toEqual(before)
  })
})
