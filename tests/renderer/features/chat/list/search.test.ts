import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SearchHit } from '../../../../../src-preload/contract/library.ts'
import type { Client } from '../../../../../src-renderer/api/connect.ts'
import { grouped, type SearchState, searcher, wordsOf } from '../../../../../src-renderer/features/chat/list/search.ts'

const hit = (conversationId: string, messageId: string | null): SearchHit => ({
  conversationId,
  title: conversationId,
  archived: false,
  messageId,
  role: messageId === null ? null : 'user',
  at: '2026-05-20T08:00:00.000Z',
  snippet: [],
  onPath: true,
})

interface Asked {
  text: string
  answer: (hits: SearchHit[]) => void
  fail: (thrown: unknown) => void
  signal: AbortSignal | undefined
}

function setting() {
  const asked: Asked[] = []
  const states: SearchState[] = []
  // The searcher calls only this procedure.
  const ask = ((input: { text: string }, options?: { signal?: AbortSignal }) =>
    new Promise((resolve, reject) => {
      asked.push({
        text: input.text,
        answer: (hits) => resolve({ hits, more: false }),
        fail: reject,
        signal: options?.signal,
      })
    })) as unknown as Client['library']['search']
  const search = searcher(ask, (state) => states.push(state))
  const type = async (text: string) => {
    search.type(text)
    await vi.advanceTimersByTimeAsync(100)
  }
  return { asked, states, search, type, last: () => states.at(-1) }
}

describe('search as you type', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs once for a burst of keys, with the final text', async () => {
    const { asked, search } = setting()
    for (const text of ['t', 'ta', 'tax ']) search.type(text)
    await vi.advanceTimersByTimeAsync(100)
    expect(asked.map(({ text }) => text)).toEqual(['tax'])
  })
  it('never replaces newer results by older ones, and cancels superseded searches', async () => {
    const { asked, type, last } = setting()
    await type('ta')
    await type('tax')
    expect(asked[0]?.signal?.aborted).toBe(true)
    asked[1]?.answer([hit('new', 'm')])
    await vi.advanceTimersByTimeAsync(0)
    asked[0]?.answer([hit('old', 'm')])
    await vi.advanceTimersByTimeAsync(0)
    expect(last()?.found).toMatchObject({ text: 'tax', hits: [{ conversationId: 'new' }] })
    expect(last()?.busy).toBe(false)
  })
  it('ignores the failure of a superseded search', async () => {
    const { asked, type, last } = setting()
    await type('ta')
    await type('tax')
    asked[0]?.fail(new Error('late'))
    await vi.advanceTimersByTimeAsync(0)
    expect(last()).toMatchObject({ busy: true, problem: null })
  })
  it('shows the results until the next ones arrive', async () => {
    const { asked, type, last } = setting()
    await type('ta')
    asked[0]?.answer([hit('a', 'm')])
    await vi.advanceTimersByTimeAsync(0)
    await type('tax')
    expect(last()).toMatchObject({ busy: true, found: { text: 'ta' } })
  })
  it('drops a running search when the field is emptied', async () => {
    const { asked, type, last } = setting()
    await type('tax')
    await type('  ')
    asked[0]?.answer([hit('a', 'm')])
    await vi.advanceTimersByTimeAsync(0)
    expect(last()).toEqual({ found: null, busy: false, problem: null })
  })
  it('reports a failure as a problem', async () => {
    const { asked, type, last } = setting()
    await type('tax')
    asked[0]?.fail(new Error('not open'))
    await vi.advanceTimersByTimeAsync(0)
    expect(last()?.problem?.kind).toBe('connection_lost')
  })
  it('groups results by chat in the order of each first result', () => {
    const groups = grouped([hit('b', null), hit('a', '1'), hit('b', '2')])
    expect(groups.map(({ conversationId, hits }) => [conversationId, hits.length])).toEqual([
      ['b', 2],
      ['a', 1],
    ])
  })
  it('compares terms in lower case', () => expect(wordsOf('  Tax  ÄRGER ')).toEqual(['tax', 'ärger']))
})
