// What the scenes of every section use.
import type { Browser, Locator, Page } from '@playwright/test'
import type { Sandbox } from '../../../src-main/sandbox/sandbox.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from '../../../tests/e2e/hosts.ts'
import { composer, openInspector, quick, send, settled } from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import type { Camera } from './camera.ts'

/** A browser and a camera, before any host runs. */
export interface Studio {
  browser: Browser
  camera: Camera
}

/** A page of a host that is connected to a sandbox of its own. */
export interface Connected extends Studio {
  page: Page
  host: WebHost
  sandbox: Sandbox
}

/** Opens a new data folder with a sandbox for one section. */
export async function connect(studio: Studio): Promise<Connected> {
  // The guide is slow enough for a picture of a reply that arrives.
  const sandbox = await openSandbox({ paces: { ...quick, guide: 24 } })
  const host = await openConnectedHost(sandbox)
  const page = await openPage(studio.browser)
  await page.goto(host.url)
  await composer(page).waitFor()
  return { ...studio, page, host, sandbox }
}

/** A window of 1280 × 820 pixels without a host. */
export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 820 }, reducedMotion: 'reduce' })
  page.setDefaultTimeout(30_000)
  return page
}

/** Closes the window and the hosts of a section. */
export async function disconnect({ page }: Pick<Connected, 'page'>): Promise<void> {
  await page.close()
  await closeHosts()
}

/** Takes the pictures of several parts of one section, one after another, with one host. */
export async function showParts(studio: Studio, ...parts: ((world: Connected) => Promise<void>)[]): Promise<void> {
  const world = await connect(studio)
  for (const part of parts) await part(world)
  await disconnect(world)
}

/** Takes the picture of the dialog that this button opens, and closes it. */
export async function shootDialog({ page, camera }: Connected, button: string, name: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('dialog').waitFor()
  await camera.shoot(page, name)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Presses the first button with this name. */
export const pressFirst = (within: Page | Locator, name: string | RegExp): Promise<void> =>
  within.getByRole('button', { name }).first().click()

/** Opens a page by its address, such as `usage/limits`. */
export const open = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    location.hash = `#/${to}`
  }, address)

/** Opens the inspector again after a change of the width, which closes it in a narrow window. */
export const withInspector = (page: Page) => ({ ready: () => openInspector(page) })

/** Shows the beginning of a chat, in each width. */
export const fromTop = (page: Page) => ({
  ready: async () => {
    await page.locator('.chat-talk').evaluate((talk) => talk.scrollTo({ top: 0 }))
    await page.locator('article').first().waitFor()
    await page.waitForTimeout(300)
  },
})

/** Waits until a page has its heading, and no skeleton. */
export async function loaded(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('heading').first().waitFor()
  await page.locator('.animate-breathe[aria-hidden]').first().waitFor({ state: 'detached' })
  await page.getByText(windowText('chart:loading')).waitFor({ state: 'detached' })
}

/** Waits for a reply of the model with this status. A long reply at the pace of its model takes up to a minute. */
export const ended = (page: Page, model: string, status: string): Promise<void> =>
  page
    .locator(`article[data-role="assistant"][aria-label="${model}"][data-status="${status}"]`)
    .last()
    .waitFor({ timeout: 120_000 })

/** Sends a further message of a chat, and waits for the whole reply. The reply must take longer than a frame. */
export async function sendAgain(page: Page, text: string): Promise<void> {
  await send(page, text)
  await page.locator('article[data-role="assistant"]:is([data-status="pending"], [data-status="streaming"])').waitFor()
  await settled(page, 'complete')
}
