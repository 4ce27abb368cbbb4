import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import { root } from '../../resources/scripts/ready.mjs'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost, type WebHost } from './hosts.ts'
import { composer, connectTo, quick } from './journey.ts'

// One host and one sandbox for all tests of a file. Each test opens its own window and starts its own chat.

export interface ChatWorld {
  sandbox: Sandbox
  host: WebHost
  /** Opens the connected host in the test's page, with a new chat. */
  enter(page: Page): Promise<void>
  close(): Promise<void>
}

const key = 'sk-chat-world'

/** @param env additional variables of the host */
export async function openChatWorld(
  baseUrl?: (sandbox: Sandbox) => Promise<string>,
  env: Record<string, string> = {},
): Promise<ChatWorld> {
  const sandbox = await openSandbox({ apiKey: key, paces: quick })
  const address = baseUrl ? await baseUrl(sandbox) : sandbox.baseUrl
  const host = await openWebHost(newDataDir(), [], env)
  let connected = false
  return {
    sandbox,
    host,
    async enter(page) {
      await page.goto(host.url)
      if (!connected) await connectTo(page, address, key)
      connected = true
      await expect(composer(page)).toBeVisible()
      await newChat(page)
    },
    close: closeHosts,
  }
}

export async function newChat(page: Page): Promise<void> {
  await page.getByRole('button', { name: windowText('chat:newChat'), exact: true }).click()
  await expect(page.getByRole('heading', { name: windowText('chat:emptyTitle') })).toBeVisible()
}

/** Row of a chat in the list. */
export const line = (page: Page, title: string): Locator =>
  page
    .getByRole('navigation', { name: windowText('library:list') })
    .getByRole('row')
    .filter({ hasText: title })

export async function fromMenu(page: Page, title: string, action: string): Promise<void> {
  await line(page, title).hover()
  await page.getByRole('button', { name: `More for ${title}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/**
 * Hovers over `message` and over its action `target` once that has stopped moving. The list scrolls to its end again when late layout has ended, such as highlighted code;
 * a press between the hover and that scroll would meet something else.
 */
export async function hoverAtRest(page: Page, message: Locator, target: Locator): Promise<void> {
  const top = async (): Promise<number | null> => (await target.boundingBox())?.y ?? null
  await expect
    .poll(async () => {
      await message.hover()
      await target.hover()
      const before = await top()
      await page.waitForTimeout(300)
      return before !== null && (await top()) === before
    })
    .toBe(true)
}

export const turns = (page: Page): Locator => page.locator('article[data-role="user"]')

/** A rule of axe that the page violates, with the beginning of the HTML of each element. */
interface Violation {
  id: string
  nodes: string[]
}

/**
 * Violations of WCAG 2.1 AA that axe finds in the current state of the page. With `within` (a selector, or `html`), checks axe's best
 * practices as well, or the named rules alone.
 */
export async function violations(page: Page, within?: string, rules?: string[]): Promise<Violation[]> {
  // Colours are final when all transitions have ended.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  // Legacy mode runs axe in the page itself, without a second page that merges the results of frames of other origins. No page here has
  // such frames. Together with a report of violations only, this takes a third of the time.
  // The script is injected once per page. The builder would inject it twice per run, which takes longer than the run.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const axe = new AxeBuilder({ page, axeSource: 'undefined' }).setLegacyMode()
  if (within === undefined) axe.options({ resultTypes: ['violations'], runOnly: standards })
  else axe.options({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) }).include(within)
  const found = await axe.analyze()
  return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 200)) }))
}

/** Expects that axe finds none of the `violations` of the page. */
export const expectAccessible = async (page: Page, within?: string): Promise<void> =>
  expect(await violations(page, within)).toEqual([])

/** Takes pictures as `takePictures` does, and expects that axe finds no violation in the dark theme, where contrast is harder. */
export async function expectAccessibleInDark(page: Page, name: string): Promise<void> {
  await takePictures(page, name, true)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expectAccessible(page)
}

/**
 * Takes pictures as `takePictures` does, and expects that axe finds no violation and nothing scrolls sideways, in either theme, in a wide and
 * in a narrow window.
 */
export async function expectAccessibleEverywhere(page: Page, name: string, within?: string): Promise<void> {
  await takePictures(page, name, true)
  const size = page.viewportSize() ?? { width: 1200, height: 800 }
  for (const width of [1440, 700]) {
    await page.setViewportSize({ ...size, width })
    const sideways = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(sideways).toBe(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expectAccessible(page, within)
    }
  }
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** Lets the page read and write the clipboard. */
export const allowClipboard = (page: Page): Promise<void> =>
  page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

const axeSource = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')
const standards = { type: 'tag' as const, values: ['wcag2a', 'wcag2aa', 'wcag21aa'] }

const screens = join(root, 'test-results', 'screens')

/** With `PICTURES=1`, saves screenshots in both themes and, with `narrow`, also at 700 px. */
export async function takePictures(page: Page, name: string, narrow = false): Promise<void> {
  if (!process.env.PICTURES) return
  mkdirSync(screens, { recursive: true })
  const size = page.viewportSize() ?? { width: 1200, height: 800 }
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.screenshot({ path: join(screens, `${name}-${theme}.png`) })
    if (!narrow) continue
    await page.setViewportSize({ width: 700, height: size.height })
    await page.screenshot({ path: join(screens, `${name}-${theme}-narrow.png`) })
    await page.setViewportSize(size)
  }
}
