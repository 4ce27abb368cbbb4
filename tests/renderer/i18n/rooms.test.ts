import { mkdirSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWindow, type WindowHarness } from '../harness/page.ts'
import { inspect } from './inspect.ts'

/** What the harness's core makes up: names, models and addresses are nobody's to translate. */
const data = [
  'writer-large',
  'writer-small',
  'reasoner',
  'main account',
  'req_8fd21c',
  'stop',
  'opencode',
  'notebook',
  'release-notes',
  'night-batch',
  'old editor',
  'workshop',
]
const open = '#/chat/00000000-0000-4000-8000-000000000001'
const pictures = new URL('../../../test-results/languages/', import.meta.url).pathname

interface Place {
  name: string
  hash: string
  ready: (page: Page) => Promise<unknown>
  act?: (page: Page) => Promise<unknown>
}
const heading = (page: Page) => page.locator('main h1').first().waitFor()
const key = (keys: string) => (page: Page) => page.keyboard.press(keys)
const dialog = (page: Page) => page.locator('dialog[open]').last().waitFor()

const places: Place[] = [
  { name: 'chat', hash: open, ready: (page) => page.locator('article').first().waitFor() },
  { name: 'new chat', hash: '#/chat', ready: (page) => page.locator('.chat-welcome').waitFor() },
  ...['speech', 'transcribe', 'images', 'usage', 'keys', 'settings'].map((name) => ({
    name,
    hash: `#/${name}`,
    ready: heading,
  })),
  { name: 'proxy', hash: '#/proxy', ready: (page) => page.getByRole('grid').waitFor() },
  { name: 'palette', hash: open, ready: dialog, act: key('Control+k') },
  { name: 'shortcuts', hash: open, ready: dialog, act: key('Control+/') },
  ...(
    [
      ['prompts', 2],
      ['folder', 3],
      ['import', 4],
    ] as const
  ).map(([name, steps]) => ({
    name,
    hash: open,
    ready: dialog,
    // The list's own commands by the palette: their names are other ones in each language, their order is not.
    act: async (page: Page) => {
      await page.keyboard.press('Control+k')
      await dialog(page)
      for (let n = 0; n < steps; n++) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    },
  })),
]

let harness: WindowHarness
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  harness = await openWindow()
}, 90_000)
afterAll(() => harness?.close())

describe.each(['en-XA', 'ar-XB'])('every room in %s', (language) => {
  it.each([1200, 700])(
    'at %i px: all words translated, nothing cut off or overlapping, axe finds nothing',
    async (width) => {
      const { page, faults, context } = await harness.open({ language, width })
      for (const { name, hash, ready, act } of places) {
        await page.evaluate((to) => {
          location.hash = to
        }, hash)
        if (act) await page.locator('article').first().waitFor()
        await act?.(page)
        await ready(page)
        await page.screenshot({ path: `${pictures}${name.replace(' ', '-')}-${language}-${width}.png` })
        faults.push(...(await inspect(page, data)).map((fault) => `${name}: ${fault}`))
        const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze()
        faults.push(
          ...violations.map(
            ({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
          ),
        )
        if (act) {
          await page.keyboard.press('Escape')
          await page.locator('dialog[open]').waitFor({ state: 'detached' })
        }
      }
      await context.close()
      expect([...new Set(faults)]).toEqual([])
    },
    120_000,
  )
})
