// @isolated Replaces globals of the process.
import { ORPCError } from '@orpc/client'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TransportError } from '../../../../src-renderer/api/link.ts'
import { MemoryStorage } from './memoryStorage.ts'

type RequestIds = typeof import('../../../../src-renderer/shared/requestIds.ts')

let browser: MemoryStorage
beforeEach(() => {
  browser = new MemoryStorage()
  vi.stubGlobal('localStorage', browser)
})
afterEach(() => vi.unstubAllGlobals())

/** A separate window: it learns about other windows only through the storage. */
async function openWindow(): Promise<RequestIds> {
  vi.resetModules()
  return await import('../../../../src-renderer/shared/requestIds.ts')
}

const place = { scope: 'chat.one', name: 'send' }
const lost = () => new TransportError('lost')
const refused = (kind: string) => new ORPCError('PROBLEM', { defined: true, data: { kind, message: kind } })

/** Presses the button and returns the requestId that the core received. */
async function press(window: RequestIds, intent: unknown, failure: Error | null, at: { isMade?: () => boolean } = {}) {
  let id = ''
  const asked = window.askOnce({ ...place, ...at }, intent, async (requestId) => {
    id = requestId
    if (failure) throw failure
  })
  await asked.catch(() => undefined)
  return id
}

describe('the requestId of an intent', () => {
  it('is reused while the answer is missing, whatever the order of members, and discarded with the answer', async () => {
    const window = await openWindow()
    const first = await press(window, { text: 'a', models: ['x'] }, lost())
    expect(await press(window, { models: ['x'], text: 'a' }, refused('busy'))).toBe(first)
    expect(await press(window, { text: 'a', models: ['x'] }, null)).toBe(first)
    expect(await press(window, { text: 'a', models: ['x'] }, null)).not.toBe(first)
    expect(browser.length).toBe(0)
  })

  it('differs for another text, model, order of models, or after the text was changed back', async () => {
    const window = await openWindow()
    const ids = [
      await press(window, { text: 'a', models: ['x', 'y'] }, lost()),
      await press(window, { text: 'b', models: ['x', 'y'] }, lost()),
      await press(window, { text: 'b', models: ['y', 'x'] }, lost()),
      await press(window, { text: 'b' }, lost()),
    ]
    window.intentChanged(place)
    ids.push(await press(window, { text: 'b' }, lost()))
    window.intentsChanged(place.scope)
    ids.push(await press(window, { text: 'b' }, lost()))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is discarded when the item created under it is deleted, or was seen', async () => {
    const window = await openWindow()
    const first = await press(window, 'a', refused('no_such_item'))
    const second = await press(window, 'a', lost())
    expect(second).not.toBe(first)
    expect(window.settleSeen(place.scope, (id) => id === first)).toEqual([])
    expect(window.settleSeen(place.scope, (id) => id === second)).toEqual([{ name: 'send', requestId: second }])
    expect(await press(window, 'a', lost())).not.toBe(second)
  })

  it('is shared with other windows, also at the same moment, but not when this window knows the result', async () => {
    const [one, two] = [await openWindow(), await openWindow()]
    const [first, second] = await Promise.all([press(one, 'a', lost()), press(two, 'a', lost())])
    expect(second).toBe(first)
    expect(await press(await openWindow(), 'a', lost())).toBe(first)
    expect(await press(await openWindow(), 'a', lost(), { isMade: () => true })).not.toBe(first)
    // The second window's answer does not concern the first, whose text is still there.
    expect(await press(two, 'a', null)).toBe(first)
    expect(await press(one, 'a', lost())).toBe(first)
  })

  it('stays in memory when the browser stores nothing', async () => {
    browser.quota = 0
    const window = await openWindow()
    const first = await press(window, 'a', lost())
    expect(await press(window, 'a', lost())).toBe(first)
  })

  it('changes exactly with an answer or a change, also across reloads, whatever the order of events', async () => {
    const step = fc.oneof(
      fc.record({ press: fc.constantFrom('lost', 'busy', 'answered') }),
      fc.record({ change: fc.constantFrom('a', 'b') }),
      fc.constant({ reload: true as const }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        browser.clear()
        const person = await Person.atWindow()
        for (const now of steps) await person.does(now)
      }),
      { numRuns: 60 },
    )
  })
})

type Step = { press: string } | { change: string } | { reload: true }
const failures: Record<string, Error> = { lost: lost(), busy: refused('busy') }

/** A person at one window, who knows which request must have which id. */
class Person {
  #window: RequestIds
  #text = 'a'
  /** The request without an answer. `here`: sent since the last reload. */
  #open: { id: string; text: string; here: boolean } | null = null
  readonly #used = new Set<string>()

  private constructor(window: RequestIds) {
    this.#window = window
  }
  static atWindow = async (): Promise<Person> => new Person(await openWindow())

  async does(step: Step): Promise<void> {
    if ('reload' in step) await this.reload()
    else if ('change' in step) this.change(step.change)
    else await this.press(failures[step.press] ?? null)
  }
  async reload(): Promise<void> {
    this.#window = await openWindow()
    if (this.#open) this.#open.here = false
  }
  change(text: string): void {
    this.#text = text
    this.#window.intentChanged(place)
    if (this.#open?.here) this.#open = null
  }
  async press(failure: Error | null): Promise<void> {
    const id = await press(this.#window, this.#text, failure)
    if (this.#open?.text === this.#text) expect(id).toBe(this.#open.id)
    else expect(this.#used.has(id)).toBe(false)
    this.#used.add(id)
    this.#open = failure ? { id, text: this.#text, here: true } : null
  }
}
