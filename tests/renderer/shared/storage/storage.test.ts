import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage } from './memoryStorage.ts'

let storage: typeof import('../../../../src-renderer/shared/storage.ts')
beforeEach(async () => {
  vi.resetModules()
  storage = await import('../../../../src-renderer/shared/storage.ts')
})

describe("the browser's storage", () => {
  it('stores values for later windows', () => {
    const browser = new MemoryStorage()
    const first = storage.safeStorage(() => browser)
    first.set('a', 'one')
    first.setJson('b', { two: 2 })
    const second = storage.safeStorage(() => browser)
    expect(second.get('a')).toBe('one')
    expect(second.getJson('b')).toEqual({ two: 2 })
    second.remove('a')
    expect(first.get('a')).toBeNull()
  })

  it('that is full keeps new values in memory and earlier ones stored, and reports that once', () => {
    const browser = new MemoryStorage()
    const reported = vi.fn()
    storage.whenStorageFails(reported)
    const store = storage.safeStorage(() => browser)
    store.set('draft', 'short')
    browser.quota = 20
    for (const text of ['much longer than the quota', 'longer still than the quota is']) {
      store.set('draft', text)
      expect(store.get('draft')).toBe(text)
    }
    expect(storage.safeStorage(() => browser).get('draft')).toBe('short')
    expect(reported).toHaveBeenCalledTimes(1)
    // There is space again: the next value is stored.
    browser.quota = 1000
    store.set('draft', 'stored again')
    expect(browser.getItem('draft')).toBe('stored again')
    expect(store.get('draft')).toBe('stored again')
  })

  it('that is blocked works in memory, and reports that to late listeners too', () => {
    const store = storage.safeStorage(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    })
    expect(store.get('a')).toBeNull()
    expect(store.getJson('a')).toBeNull()
    store.set('a', 'one')
    expect(store.get('a')).toBe('one')
    store.remove('a')
    expect(store.get('a')).toBeNull()
    const reported = vi.fn()
    storage.whenStorageFails(reported)
    expect(reported).toHaveBeenCalledTimes(1)
  })

  it('with data other than JSON reads as empty', () => {
    const browser = new MemoryStorage()
    browser.setItem('a', '{"half')
    expect(storage.safeStorage(() => browser).getJson('a')).toBeNull()
  })
})
