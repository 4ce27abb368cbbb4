import { expect, type Locator, type Page } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'

// Steps of a person, named. They work on every host.

export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' })
export const replies = (page: Page): Locator => page.locator('article[data-role="assistant"]')
export const lastReply = (page: Page): Locator => replies(page).last()

/** First start: enters a base URL and a key, stored for this session only. */
export async function connectTo(page: Page, baseUrl: string, apiKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Connect', exact: true }).first().click()
  await page.getByRole('textbox', { name: windowText('connect:baseUrl') }).fill(baseUrl)
  await page.getByLabel('API key', { exact: true }).fill(apiKey)
  await page.getByRole('radio', { name: /This session only/ }).check()
  await page.getByRole('button', { name: 'Connect', exact: true }).last().click()
  await expect(composer(page)).toBeVisible({ timeout: 30_000 })
}

/** Opens a page of the window through its link in the navigation. `name` is the link's text. */
export const goToPage = (page: Page, name: string): Promise<void> =>
  page
    .getByRole('navigation', { name: windowText('shell:pages.label') })
    .getByRole('link', { name })
    .click()

/** Faster paces, in tokens per second, for sandbox models whose streaming no test observes. Saves the wait for their natural pace. */
export const quick = {
  mirror: 4_000,
  vision: 4_000,
  'writer-small': 2_000,
  'writer-free': 2_000,
  'tool-caller': 2_000,
  'small-context': 2_000,
}

export async function pickModel(page: Page, model: string): Promise<void> {
  await page.getByRole('button', { name: /^Model/ }).click()
  const search = page.getByRole('combobox', { name: windowText('chat:searchModels') })
  await search.fill(model)
  const entry = page.getByRole('option').filter({ has: page.getByText(model, { exact: true }) })
  // Enter is quicker than a click, and the first match is nearly always the model.
  if ((await entry.getAttribute('data-at')) === 'true') await search.press('Enter')
  else await entry.click()
}

/** Chooses an entry of the composer's "+" menu. */
export async function addToMessage(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: windowText('composer:addMenu') }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

/** Opens what the next request contains. Also for a short chat, which shows nothing about it. */
export async function openContext(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(windowText('context:open'))
  await page
    .getByRole('option', { name: windowText('context:open') })
    .first()
    .click()
}

/** Opens the inspector, and in Chat its advanced parameters. */
export async function openInspector(page: Page, { advanced = false } = {}): Promise<void> {
  const toggle = page.getByRole('button', { name: windowText('common:inspector') })
  if ((await toggle.getAttribute('aria-pressed')) !== 'true') await toggle.click()
  const folded = page.locator('details:not([open]) > summary', { hasText: 'Advanced' })
  if (advanced && (await folded.count()) > 0) await folded.click()
}

export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  // `settled` waits for another reply than this one.
  await page.evaluate(() => {
    const before = [...document.querySelectorAll('article[data-role="assistant"]')].at(-1)
    Object.assign(globalThis, { replyBefore: before?.getAttribute('data-message-id') ?? null })
  })
  await page.getByRole('button', { name: windowText('chat:send'), exact: true }).click()
}

/** Presses a button of the open dialog. */
export const pressInDialog = (page: Page, name: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name }).click()

/** Picks a model, sends a text, and waits until the reply has the status. */
export async function askModel(page: Page, model: string, text: string, status = 'complete'): Promise<void> {
  await pickModel(page, model)
  await send(page, text)
  await settled(page, status)
}

/** Asks another model for a new version of the last reply. */
export async function retryWith(page: Page, model: string): Promise<void> {
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:retryWith') })
    .click()
  await page
    .getByRole('dialog')
    .getByRole('combobox', { name: windowText('chat:searchModels') })
    .fill(model)
  await page.keyboard.press('Enter')
}

/**
 * Waits for the status of the last reply, after `send` of the reply to that message. Checks in each frame, because an expectation ends up
 * checking once a second.
 */
export async function settled(page: Page, status: string): Promise<void> {
  const reached = page.waitForFunction(
    (wanted) => {
      const last = [...document.querySelectorAll('article[data-role="assistant"]')].at(-1)
      const { replyBefore } = globalThis as unknown as { replyBefore?: string | null }
      if (last?.getAttribute('data-status') !== wanted || last.getAttribute('data-message-id') === replyBefore)
        return false
      Object.assign(globalThis, { replyBefore: null })
      return true
    },
    status,
    { timeout: 30_000 },
  )
  const isReached = await reached.then(
    () => true,
    () => false,
  )
  // A page that is still drawing a very long reply may not answer a second question in time.
  if (isReached) return
  // After a timeout the expectation reports the actual status.
  await expect(lastReply(page)).toHaveAttribute('data-status', status, { timeout: 1_000 })
}

/**
 * Lengths of the last reply's text at each growth, from now until `enough` growths or until it has ended after the first: a busy computer
 * may draw a short reply in fewer frames.
 */
export function growths(page: Page, enough: number): Promise<number[]> {
  return page.evaluate(
    (wanted) =>
      new Promise<number[]>((resolve) => {
        const lengths: number[] = []
        const look = () => {
          const all = document.querySelectorAll('article[data-role="assistant"]:has([data-part="text"])')
          const last = all[all.length - 1]
          const { replyBefore } = globalThis as unknown as { replyBefore?: string | null }
          const isNew = last?.getAttribute('data-message-id') !== (replyBefore ?? null)
          const length = (isNew && last?.querySelector('[data-part="text"]')?.textContent?.length) || 0
          if (length > (lengths.at(-1) ?? 0)) lengths.push(length)
          const hasEnded = lengths.length > 0 && last?.getAttribute('aria-busy') !== 'true'
          if (lengths.length >= wanted || hasEnded) resolve(lengths)
          else requestAnimationFrame(look)
        }
        look()
      }),
    enough,
  )
}

/** Sends, watches tokens arrive one by one, stops, and expects that the service sees the connection close. */
export async function sendWatchStop(page: Page, sandbox: Sandbox): Promise<void> {
  await send(page, 'Write at length about lighthouses.')
  const lengths = await growths(page, 12)
  expect(new Set(lengths).size).toBe(12)
  const record = sandbox.observe.requests().findLast((request) => request.stream)
  const before = await lastReply(page).locator('[data-part="text"]').innerText()
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  const closed = await sandbox.observe.whenClosed(record?.id ?? '')
  expect(closed.closedByClient).toBe(true)
  const kept = await lastReply(page).locator('[data-part="text"]').innerText()
  expect(kept.length).toBeGreaterThanOrEqual(before.length)
  await expect(composer(page)).toBeEnabled()
}

/** Opens the raw view of the last reply: its dialog, and the region with the body of the request. */
export async function openRawView(page: Page): Promise<{ dialog: Locator; body: Locator }> {
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:moreActions'), exact: true })
    .click()
  await page.getByRole('menuitem', { name: windowText('chat:raw') }).click()
  const dialog = page.getByRole('dialog', { name: windowText('chat:raw') })
  const body = dialog.getByRole('region', { name: windowText('chat:raw') })
  await expect(body).toContainText('"messages"')
  return { dialog, body }
}

/** JSON body of the request for the last reply, from the raw view. */
export async function sentRequest(page: Page): Promise<Record<string, unknown>> {
  const { body } = await openRawView(page)
  const sent = JSON.parse(await body.innerText()) as Record<string, unknown>
  await page.keyboard.press('Escape')
  await expect(body).toHaveCount(0)
  return sent
}

/** Text of the last reply once it stops changing: the status can appear one frame before the last words. */
export async function settledText(page: Page, reply = lastReply(page)): Promise<string> {
  // Formulas count by their source, because they are drawn later.
  const text = () =>
    reply.locator('[data-part="text"]').evaluate((part) => {
      const copy = part.cloneNode(true)
      if (!(copy instanceof Element)) return ''
      for (const formula of copy.querySelectorAll('[data-tex]')) {
        formula.replaceWith(formula.getAttribute('data-tex') ?? '')
      }
      return copy.textContent ?? ''
    })
  for (let last = await text(); ; ) {
    await page.waitForTimeout(300)
    const now = await text()
    if (now === last) return now
    last = now
  }
}

/** Connects an app with the dialog, through its key. `fill` changes its limits, all of which are visible then. Returns the app key. */
export async function connectApp(
  page: Page,
  name: string,
  fill: ((dialog: Locator) => Promise<unknown>) | null = null,
): Promise<string> {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Connect an app' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('button', { name: 'Next' }).click()
  if (fill) {
    await dialog.getByText(windowText('proxy:form.more')).click()
    await fill(dialog)
  }
  await dialog.getByRole('button', { name: windowText('proxy:connect.createKey') }).click()
  const key = await dialog.getByRole('textbox', { name: windowText('proxy:connect.key') }).inputValue()
  await dialog
    .getByRole('button', { name: windowText('common:close') })
    .last()
    .click()
  return key
}
