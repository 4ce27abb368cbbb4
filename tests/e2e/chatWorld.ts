import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import { root } from '../../resources/scripts/ready.mjs'
import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { closeHosts, newDataDir, openWebHost, type WebHost } from './hosts.ts'
import { composer, connectTo, quick } from './journey.ts'

// One program and one sandbox for all tests of a file: each test has a window of its own and begins a chat of its own.

export interface ChatWorld {
  sandbox: Sandbox
  host: WebHost
  /** A window of this test on the connected program, with a new chat on the stage. */
  enter(page: Page): Promise<void>
  close(): Promise<void>
}

const key = 'sk-chat-world'

export async function openChatWorld(baseUrl?: (sandbox: Sandbox) => Promise<string>): Promise<ChatWorld> {
  const sandbox = await startSandbox({ apiKey: key, paces: quick })
  const address = baseUrl ? await baseUrl(sandbox) : sandbox.baseUrl
  const host = await openWebHost(newDataDir())
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
    async close() {
      await closeHosts()
      await sandbox.close()
    },
  }
}

export async function newChat(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New chat', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'What can I help with?' })).toBeVisible()
}

/** The line of a conversation in the list. */
export const line = (page: Page, title: string): Locator =>
  page.getByRole('navigation', { name: 'Chats' }).getByRole('row').filter({ hasText: title })

export async function fromMenu(page: Page, title: string, action: string): Promise<void> {
  await line(page, title).hover()
  await page.getByRole('button', { name: `More for ${title}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

export const turns = (page: Page): Locator => page.locator('article[data-role="user"]')

/**
 * Nothing that axe knows of stands in the way of anyone, in the state that is shown now. A part of the page, or `html`, is held to its good
 * practices too.
 */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  // What fades in has its final colours only at the end.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  // "Legacy" is one run in the page itself, without a second page that puts together the runs of frames of other origins: no page of
  // ours has one, and with all that has passed left out of the report it takes a third of the time.
  // It is given to a page once: the builder would do so twice for each run, which takes longer than the run.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const axe = new AxeBuilder({ page, axeSource: 'undefined' }).setLegacyMode()
  if (within === undefined) axe.options({ resultTypes: ['violations'], runOnly: standards })
  else axe.options({ resultTypes: ['violations'] }).include(within)
  const { violations } = await axe.analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])).toEqual([])
}

const axeSource = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')
const standards = { type: 'tag' as const, values: ['wcag2a', 'wcag2aa', 'wcag21aa'] }

const screens = join(root, 'test-results', 'screens')

/** A picture for a person to look at, where one asks for it (`PICTURES=1`), in both themes and, with `narrow`, at 700 px too. */
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
