import type { Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Look, openWindow, type WindowHarness } from './page.ts'

/**
 * Builds the window once for a test file. Returns a function that opens it in a new page and passes the page to `ready`. After each test
 * the page is closed, and errors in it fail the test.
 */
export function testPages(ready: (page: Page) => Promise<unknown>): (look?: Look) => Promise<void> {
  let harness: WindowHarness | undefined
  let opened: Awaited<ReturnType<WindowHarness['open']>> | undefined
  beforeAll(async () => {
    harness = await openWindow()
  }, 90_000)
  afterAll(() => harness?.close())
  afterEach(async () => {
    await opened?.context.close()
    expect(opened?.faults).toEqual([])
  })
  return async (look = {}) => {
    opened = await harness?.open(look)
    if (opened) await ready(opened.page)
  }
}
