import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { databaseFile } from '../../../../src-main/core/store/store.ts'
import { message, put, remove, type Studio } from '../archive/studio.ts'
import { studiosOfTest } from '../archive/studiosOfTest.ts'

const { studio, close } = studiosOfTest()

async function find(on: Studio, text: string, more: { conversationId?: string; limit?: number } = {}) {
  on.library.note()
  await on.library.indexed()
  return on.library.search({ text, conversationId: more.conversationId ?? null, limit: more.limit ?? 50 })
}
const texts = async (on: Studio, text: string): Promise<string[]> =>
  (await find(on, text)).hits.map(({ snippet }) => snippet.map((piece) => piece.text).join(''))

describe('the search', () => {
  it('finds messages by all words, the last one as a prefix, in any script', async () => {
    const on = studio()
    for (const text of [
      'The quick brown fox',
      '日本語の文章を書く',
      'สวัสดีชาวโลก',
      '한국어를 배우다',
      'Über den Fluß',
    ]) {
      put(on.store, [message({ text })], { title: null })
    }
    expect(await texts(on, 'brown qui')).toEqual(['The quick brown fox'])
    expect(await texts(on, 'qui brown')).toEqual([])
    expect(await texts(on, '文章')).toEqual(['日本語の文章を書く'])
    expect(await texts(on, '章文')).toEqual([])
    expect(await texts(on, 'ชาว')).toEqual(['สวัสดีชาวโลก'])
    expect(await texts(on, '국어')).toEqual(['한국어를 배우다'])
    expect(await texts(on, 'UBER fluss')).toEqual(['Über den Fluß'])
  })

  it('treats query syntax as plain text', async () => {
    const on = studio()
    put(on.store, [message({ text: 'cats and dogs' })], { title: null })
    put(on.store, [message({ text: 'only cats' })], { title: null })
    expect(await texts(on, 'cats AND dogs')).toEqual(['cats and dogs'])
    expect(await texts(on, 'cats NOT dogs')).toEqual([])
    expect(await texts(on, '"cats" OR (dogs')).toEqual([])
    expect(await texts(on, '^cats* {x} : -')).toEqual([])
    expect(await texts(on, "'; DROP TABLE messages; --")).toEqual([])
    expect(await texts(on, 'only cats')).toEqual(['only cats'])
  })

  it('finds refusals and tool results, not reasoning', async () => {
    const on = studio()
    const run = {
      callId: 'c',
      name: 'weather',
      arguments: '{}',
      state: 'done' as const,
      tool: null,
      allowed: null,
      isError: false,
      notes: [],
      startedAt: null,
      finishedAt: null,
    }
    put(on.store, [
      message({ role: 'assistant', text: '', refusal: 'I must decline', reasoning: 'secretly pondering' }),
      message({ role: 'tool', text: 'sunny spells', run }),
    ])
    expect((await find(on, 'decline')).hits).toHaveLength(1)
    expect((await find(on, 'sunny')).hits[0]?.role).toBe('tool')
    expect((await find(on, 'pondering')).hits).toHaveLength(0)
  })

  it('lists titles first, then messages, newest first, and reports that the limit cut the hits', async () => {
    const on = studio()
    const at = (day: number): string => `2026-01-0${day}T00:00:00.000Z`
    const named = put(on.store, [message({ text: 'nothing here' })], { title: 'Zebra crossing', updatedAt: at(1) })
    put(on.store, [message({ text: 'a zebra', createdAt: at(3) })], { title: null })
    put(on.store, [message({ text: 'the zebra', createdAt: at(2) })], { title: null })
    const { hits, more } = await find(on, 'zebra')
    expect(hits.map(({ messageId, at: when }) => [messageId === null, when])).toEqual([
      [true, at(1)],
      [false, at(3)],
      [false, at(2)],
    ])
    expect(hits[0]).toMatchObject({
      conversationId: named,
      snippet: [
        { text: 'Zebra', hit: true },
        { text: ' crossing', hit: false },
      ],
    })
    expect(more).toBe(false)
    const two = await find(on, 'zebra', { limit: 2 })
    expect([two.hits.length, two.more]).toEqual([2, true])
    expect(two.hits.map(({ messageId }) => messageId === null)).toEqual([true, false])
    on.store.conversations.setTitle(named, 'Something else')
    expect((await find(on, 'zebra')).hits).toHaveLength(2)
    expect((await find(on, 'someth')).hits).toHaveLength(1)
  })

  it('finds archived and restored conversations, but not removed ones', async () => {
    const on = studio()
    const id = put(on.store, [message({ text: 'platypus' })], {
      title: 'Platypus',
      archivedAt: '2026-01-01T00:00:00.000Z',
    })
    expect((await find(on, 'platypus')).hits.map(({ archived }) => archived)).toEqual([true, true])
    remove(on.store, id)
    expect((await find(on, 'platypus')).hits).toEqual([])
    on.store.conversations.setRemoved(id, null)
    expect((await find(on, 'platypus')).hits).toHaveLength(2)
  })

  it('marks hits on the active path, and searches within one conversation', async () => {
    const on = studio()
    const root = message({ text: 'root wombat' })
    const left = message({ parentId: root.id, text: 'left wombat', role: 'assistant' })
    const right = message({ parentId: root.id, text: 'right wombat', role: 'assistant' })
    const id = put(on.store, [root, left, right], { leafId: left.id, title: 'Wombat' })
    put(on.store, [message({ text: 'another wombat' })])
    const { hits } = await find(on, 'wombat', { conversationId: id })
    expect(hits.every(({ conversationId, messageId }) => conversationId === id && messageId !== null)).toBe(true)
    expect(new Map(hits.map((hit) => [hit.messageId, hit.onPath]))).toEqual(
      new Map([
        [root.id, true],
        [left.id, true],
        [right.id, false],
      ]),
    )
  })

  it('finds words far down in a text of five million characters, with one hit', { tags: 'long' }, async () => {
    const on = studio()
    const text = `${'lorem ipsum '.repeat(350_000)}cassowary here. ${'dolor '.repeat(1000)} cassowary there`
    put(on.store, [message({ text })], { title: null })
    const { hits } = await find(on, 'cassowary')
    expect(hits).toHaveLength(0)
    const shorter = text.slice(1_000_000)
    put(on.store, [message({ text: shorter })], { title: null })
    const found = await find(on, 'cassowary h')
    expect([found.more, on.lines, found.hits.length]).toEqual([false, [], 1])
    expect(found.hits[0]?.snippet.map((piece) => piece.text).join('')).toContain('cassowary here')
  })

  it('indexes each message once, whenever the process crashes', async () => {
    const on = studio()
    const ids = Array.from({ length: 300 }, (_, at) =>
      put(on.store, [message({ text: `kookaburra ${at}` })], { title: null }),
    )
    const counts = (): { rows: number; marked: number } => {
      const handle = new DatabaseSync(databaseFile(on.dataDir), { readOnly: true })
      const rows = Number(
        handle.prepare("SELECT count(*) AS n FROM search_text WHERE search_text MATCH 'kookaburra'").get()?.n,
      )
      const marked = Number(handle.prepare('SELECT count(*) AS n FROM messages WHERE indexed = 1').get()?.n)
      handle.close()
      return { rows, marked }
    }
    on.library.note()
    // Between any two slices another process sees as many words as marks.
    for (let turn = 0; turn < 30; turn += 1) {
      const { rows, marked } = counts()
      expect(rows).toBe(marked)
      await new Promise(setImmediate)
    }
    await on.library.indexed()
    expect(counts()).toEqual({ rows: ids.length, marked: ids.length })
    await close(on)
    const again = studio(on.dataDir)
    await again.library.indexed()
    expect(counts()).toEqual({ rows: ids.length, marked: ids.length })
  })

  it('indexes a message only after it has settled, and again when its text changes', async () => {
    const on = studio()
    const one = message({ text: 'first words', status: 'streaming' })
    put(on.store, [one], { title: null })
    expect((await find(on, 'first')).hits).toHaveLength(0)
    const settle = (text: string): void => {
      const row = on.store.messages.get(one.id)
      on.store.messages.settle(one.id, { ...row, text, status: 'complete' })
    }
    settle('first words')
    expect((await find(on, 'first')).hits).toHaveLength(1)
    settle('other words')
    expect((await find(on, 'first')).hits).toHaveLength(0)
    expect((await find(on, 'other')).hits).toHaveLength(1)
  })

  it('drops a search that was cancelled before its turn', async () => {
    const on = studio()
    put(on.store, [message({ text: 'numbat' })])
    const gone = new AbortController()
    gone.abort()
    const ask = { text: 'numbat', conversationId: null, limit: 50 }
    await expect(on.library.search(ask, gone.signal)).rejects.toMatchObject({ kind: 'cancelled' })
    expect((await find(on, randomUUID())).hits).toEqual([])
  })
})
