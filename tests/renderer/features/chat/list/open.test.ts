import { afterEach, describe, expect, it } from 'vitest'
import type { SearchHit } from '../../../../../src-preload/contract/library.ts'
import type { Client } from '../../../../../src-renderer/api/connect.ts'
import { setClient } from '../../../../../src-renderer/features/chat/client.ts'
import { openHit } from '../../../../../src-renderer/features/chat/list/SearchResults.tsx'
import { jumpStore } from '../../../../../src-renderer/stores/jump.ts'
import { routeStore } from '../../../../../src-renderer/stores/route.ts'

const hit: SearchHit = {
  conversationId: 'c1',
  title: 'Tax letter',
  archived: false,
  messageId: 'm1',
  role: 'user',
  at: '2026-05-20T08:00:00.000Z',
  snippet: [],
  onPath: true,
}
const place = { hash: '' }
Object.assign(globalThis, { location: place })

function setting(): unknown[] {
  const asked: unknown[] = []
  const activatePath = (input: unknown) => {
    asked.push(input, place.hash)
    return Promise.resolve({})
  }
  setClient({ chat: { activatePath } } as unknown as Client)
  return asked
}
afterEach(() => {
  setClient(null)
  place.hash = ''
  jumpStore.setState({ jump: null })
  routeStore.setState({ route: { page: 'proxy', id: null } })
})

describe('opening a search result', () => {
  it('opens its chat and requests its message with the search terms', async () => {
    const asked = setting()
    await openHit(hit, 'Tax  LETTER')
    expect(asked).toEqual([])
    expect(place.hash).toBe('#/chat/c1')
    expect(jumpStore.getState().jump).toEqual({ conversationId: 'c1', messageId: 'm1', words: ['tax', 'letter'] })
  })
  it('selects the branch of the message before the chat opens', async () => {
    const asked = setting()
    await openHit({ ...hit, onPath: false }, 'tax')
    expect(asked).toEqual([{ messageId: 'm1' }, ''])
    expect(place.hash).toBe('#/chat/c1')
  })
  it('in a title opens the chat where the reader left it', async () => {
    setting()
    await openHit({ ...hit, messageId: null }, 'tax')
    expect(jumpStore.getState().jump).toBeNull()
    expect(place.hash).toBe('#/chat/c1')
  })
})
