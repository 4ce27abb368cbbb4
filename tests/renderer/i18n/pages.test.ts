// @long Every state of a page in a real browser, over the harness's core. tests/e2e shows the same pages over the real core.
// @module-tag chromium

import { mkdirSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTexts, textLanguages } from '../../../resources/scripts/i18n.ts'
import { en } from '../../../src-renderer/i18n/en.ts'
import { isPseudo, pseudoLanguages, pseudoText } from '../../helpers/pseudo.ts'
import { openWindow, type WindowHarness } from '../harness/page.ts'
import { ferry } from '../harness/recordings.ts'
import { inspect } from './inspect.ts'

/** Data of the harness's core: names, models, addresses and the core's messages are not texts of the window. */
const data = [
  'Refactor the stream parser',
  'whisper-1',
  'whisper-large-v3-turbo',
  'whisper-large-v3',
  'a web page at https://evil.example',
  'A web page elsewhere tried to use the local /v1.',
  'The budget of 2 SC a day is used up.',
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
  // Accounts, their models, keys and chats.
  'api.example.com',
  'vision',
  'tts-1',
  'image-xl',
  'embed',
  'moe-9',
  'desktop',
  'night batch',
  'old laptop',
  'interns',
  'sk-inf-',
  // The unit.
  'SC',
  'Tax letter',
  'A week in Lisbon',
  'Why is the build slow?',
  // Parameters with the service's names.
  'temperature',
  'top_p',
  'max_tokens',
  'presence_penalty',
  'frequency_penalty',
  'response_format',
]
const open = '#/chat/00000000-0000-4000-8000-000000000001'
const pictures = new URL('../../../test-results/languages/', import.meta.url).pathname

interface Place {
  name: string
  hash: string
  ready: (page: Page) => Promise<unknown>
  act?: (page: Page, language: string) => Promise<unknown>
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
  ...['usage/elsewhere', 'usage/limits', 'usage/corrections'].map((at) => ({
    name: at.replace('/', ' '),
    hash: `#/${at}`,
    ready: heading,
  })),
  ...['proxy', 'tools', 'alerts', 'data', 'shortcuts', 'about'].map((part) => ({
    name: `settings ${part}`,
    hash: `#/settings/${part}`,
    ready: (page: Page) => page.locator(`[data-settings="${part}"]`).waitFor(),
  })),
  {
    name: 'a transcript',
    hash: `#/transcribe/${ferry}`,
    ready: (page) => page.locator('[data-cue]').first().waitFor(),
  },
  { name: 'proxy', hash: '#/proxy', ready: (page) => page.getByRole('grid').waitFor() },
  {
    name: 'alerts',
    hash: open,
    act: (page) => page.locator('footer button[aria-haspopup="dialog"]').last().click(),
    ready: (page) => page.getByRole('dialog').getByRole('listitem').first().waitFor(),
  },
  { name: 'palette', hash: open, ready: dialog, act: key('Control+k') },
  { name: 'shortcuts', hash: open, ready: dialog, act: key('Control+/') },
  ...(['prompts', 'newFolder', 'import'] as const).map((name) => ({
    name,
    hash: open,
    ready: dialog,
    act: async (page: Page, language: string) => {
      await page.keyboard.press('Control+k')
      await page.locator('dialog.palette input').fill(await commandIn(language, name))
      await page.keyboard.press('Enter')
      await page.locator('dialog.palette[open]').waitFor({ state: 'detached' })
    },
  })),
]

/** The title of a command in the palette. */
async function commandIn(language: string, name: keyof typeof en.palette.commands): Promise<string> {
  if (isPseudo(language)) return pseudoText(en.palette.commands[name], language)
  return (await readTexts(language)).get('palette.ts')?.get(`commands.${name}`) ?? ''
}

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

let harness: WindowHarness
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  harness = await openWindow()
}, 90_000)
afterAll(() => harness?.close())

const task = 'at %i px: all words translated, nothing cut off or overlapping, axe finds nothing'
describe.each([...pseudoLanguages, ...textLanguages])('every page in %s', (language) => {
  it.each([1200, 700])(
    task,
    async (width) => {
      const { page, faults, context } = await harness.open({ language, width, query: 'alerts=all' })
      for (const { name, hash, ready, act } of places) {
        await page.evaluate((to) => {
          location.hash = to
        }, hash)
        if (act) await page.locator('article').first().waitFor()
        await act?.(page, language)
        await ready(page)
        await page.screenshot({ path: `${pictures}${name.replace(' ', '-')}-${language}-${width}.png` })
        const found = await inspect(page, isPseudo(language) ? data : null)
        // axe's findings hardly depend on the width, and each run takes a second or two.
        if (!isPseudo(language) && width === 1200) found.push(...(await axe(page)))
        faults.push(...found.map((fault) => `${name}: ${fault}`))
        if (!act) continue
        await page.keyboard.press('Escape')
        await page.locator('dialog[open]').waitFor({ state: 'detached' })
      }
      await context.close()
      expect([...new Set(faults)]).toEqual([])
    },
    300_000,
  )
})

const textSizes = ['small', 'normal', 'large', 'largest']

/** The words of the rail that are not in one line, and the labels that are not wholly visible. */
const brokenInRail = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('nav > a > span')].flatMap((label) => {
      const [node] = label.childNodes
      const text = node?.textContent ?? ''
      const words = new Intl.Segmenter(document.documentElement.lang, { granularity: 'word' }).segment(text)
      const broken = [...words].filter(({ segment, index, isWordLike }) => {
        if (!isWordLike) return false
        const range = new Range()
        if (node) range.setStart(node, index)
        if (node) range.setEnd(node, index + segment.length)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
      })
      const isCut = label.scrollWidth > label.clientWidth + 1 || label.scrollHeight > label.clientHeight + 1
      return [...broken.map(({ segment }) => `broken: ${segment}`), ...(isCut ? [`cut off: ${text}`] : [])]
    }),
  )

/** The figures of the log that are not wholly visible. */
const cutInLog = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[role="grid"] [role="gridcell"].text-end')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight + 1)
      .map((cell) => cell.innerText),
  )

it.each(textLanguages)(
  'in %s, at every text size, no word of the rail is broken, and no figure of the log is cut off',
  async (language) => {
    const { page, faults, context } = await harness.open({ language, hash: '#/proxy' })
    await page.getByRole('gridcell').first().waitFor()
    expect(await page.locator('nav > a > span').count()).toBe(8)
    // A figure as long as they get, which is always an estimate.
    const cost = page.locator('[role="grid"] [role="row"] > [role="gridcell"]:last-child > span').first()
    await cost.evaluate((element) => element.firstChild?.replaceWith('0.0000098'))
    for (const size of textSizes)
      for (const width of [1440, 1000, 700, 420]) {
        await page.setViewportSize({ width, height: 800 })
        await page.evaluate((chosen) => {
          document.documentElement.dataset.fontSize = chosen
        }, size)
        for (const fault of [...(await brokenInRail(page)), ...(await cutInLog(page))])
          faults.push(`${size} ${width}: ${fault}`)
      }
    await context.close()
    expect([...new Set(faults)]).toEqual([])
  },
  120_000,
)
