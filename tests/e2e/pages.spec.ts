import { expect, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleInDark } from './chatWorld.ts'
import { closeHosts, newDataDir, openConnectedHost, openSandbox, openWebHost } from './hosts.ts'
import { composer, connectApp, connectTo, pickModel, pressInDialog, quick, send, settled } from './journey.ts'

let sandbox: Sandbox

test.beforeEach(async () => {
  sandbox = await openSandbox({ paces: quick })
})
test.afterEach(closeHosts)

const features = ['Chat', 'Speech', 'Transcribe', 'Images', 'Usage', 'Keys', 'Local API', 'Settings']
const feature = (page: Page, name: string) =>
  page.getByRole('navigation', { name: windowText('shell:pages.label') }).getByRole('link', { name })

async function openConnected(page: Page) {
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  return host
}

test('a rejected API key is named on each page that sends requests and on the Keys page, with the way to the settings', {
  tag: '@long',
}, async ({ page }) => {
  const host = await openConnectedHost({ baseUrl: sandbox.baseUrl, apiKey: 'sk-not-a-key' })
  await page.goto(host.url)
  for (const name of ['Chat', 'Speech', 'Transcribe', 'Images']) {
    await feature(page, name).click()
    await expect(page.getByRole('note').filter({ hasText: 'rejected the API key' })).toBeVisible()
  }
  await expectAccessible(page)
  await page
    .getByRole('note')
    .getByRole('button', { name: windowText('offline:checkKey') })
    .click()
  await expect(page).toHaveURL(/settings/)
  await feature(page, 'Keys').click()
  const notice = page.getByRole('main').getByRole('alert')
  await expect(notice).toContainText('rejected this API key')
  await notice.getByRole('button', { name: windowText('problems:kinds.unauthorized.action') }).click()
  await expect(page).toHaveURL(/settings/)
})

test('an app key is shown once, works at once, and stops at once when revoked', async ({ page }) => {
  const host = await openConnected(page)
  await feature(page, 'Local API').click()
  const key = await connectApp(page, 'My editor')
  expect(key).toMatch(/^isk_/)

  const client = new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey: key, maxRetries: 0 })
  const reply = await client.chat.completions.create({
    model: 'mirror',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(reply.choices[0]?.message.content).toContain('Hello')

  await page.reload()
  await expect(page.getByText('My editor').first()).toBeVisible()
  expect(await page.content()).not.toContain(key)
  await page.getByRole('button', { name: 'More for My editor' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.revoke') }).click()
  await pressInDialog(page, windowText('proxy:apps.revoke'))
  await expect(page.getByRole('article', { name: 'My editor' })).toHaveCount(0)
  await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
})

test('the status bar shows connection, local API and alerts, and the requests of the minute from 80 % of the limit on [LIM-01]', async ({
  page,
}) => {
  sandbox = await openSandbox({ paces: quick, limits: { rpm: 40 } })
  const host = await openConnected(page)
  const status = page.getByRole('contentinfo', { name: windowText('shell:status.label') })
  await expect(status).toContainText('Connected')
  await expect(status).toContainText(new URL(host.ready.proxy?.baseUrl ?? '').host)
  await pickModel(page, 'mirror')
  await send(page, 'Count this.')
  await settled(page, 'complete')
  await expect(status.getByRole('button')).toHaveCount(3)
  // Another program uses most of the minute. The next minute resets the count, so the test tries again then.
  const meter = status.getByRole('meter', { name: windowText('shell:status.usedLabel') })
  await expect(async () => {
    const body = JSON.stringify({ model: 'mirror', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    for (let sent = 0; sent < 32; sent += 1)
      await (await fetch(`${sandbox.baseUrl}/chat/completions`, { method: 'POST', headers, body })).arrayBuffer()
    await send(page, 'Count this.')
    await settled(page, 'complete')
    expect(Number(await meter.getAttribute('aria-valuenow', { timeout: 3_000 }))).toBeGreaterThanOrEqual(32)
  }).toPass()
  await expectAccessibleInDark(page, 'status-near-limit')
})

test('a lost host is explained, and the page reconnects', { tag: '@long' }, async ({ page }) => {
  const dataDir = newDataDir()
  const first = await openWebHost(dataDir)
  const port = new URL(first.url).port
  await page.goto(first.url)
  await connectTo(page, sandbox.baseUrl, sandbox.apiKey)
  await first.stop()
  await expect(page.getByText(/lost|connecting again|reconnect/i).first()).toBeVisible()
  const second = await openWebHost(dataDir, ['--web-port', port])
  // A new process has a new token: the page needs access again and says so.
  await expect(page.getByText(windowText('shell:status.unauthorizedTitle')).first()).toBeVisible({ timeout: 20_000 })
  await page.goto(second.url)
  await page.reload()
  await expect(
    composer(page)
      .or(page.getByRole('button', { name: /Try the sandbox/ }))
      .first(),
  ).toBeVisible()
})

test('the theme is remembered', { tag: '@long' }, async ({ page }) => {
  await openConnected(page)
  await feature(page, 'Settings').click()
  await page.getByRole('link', { name: windowText('settings:appearance.title') }).click()
  await page.getByRole('radio', { name: windowText('settings:appearance.dark') }).click()
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await expect.poll(dark).toBe('rgb(22, 22, 24)')
  await page.reload()
  await expect.poll(dark).toBe('rgb(22, 22, 24)')
})

test('every page is reachable by keyboard, accessible in light and dark, and fits 700 px', async ({ page }) => {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await openConnected(page)
  for (const [at, name] of features.entries()) {
    await page.keyboard.press(`Alt+Shift+${at + 1}`)
    await expect(feature(page, name)).toHaveAttribute('aria-current', 'page')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await test.step(`${name}, ${colorScheme}`, () => expectAccessible(page))
    }
    await page.setViewportSize({ width: 700, height: 800 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow, name).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1200, height: 800 })
  }
  expect(faults).toEqual([])
})

/** Visible texts and fields of the page with a font below 12 px. */
const smallTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const isField = node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement
      const element =
        node instanceof Element ? (isField ? node : null) : node.textContent?.trim() ? node.parentElement : null
      if (!element?.checkVisibility()) continue
      const size = Number.parseFloat(getComputedStyle(element).fontSize)
      if (size < 12) found.add(`${size} px: ${node.textContent?.trim().slice(0, 40)} (${element.className})`)
    }
    return [...found]
  })

/** Names in the rail that are cut, and links of the rail outside of the window. */
const cutLinks = (page: Page): Promise<string[]> =>
  page
    .getByRole('navigation', { name: windowText('shell:pages.label') })
    .locator('a')
    .evaluateAll((links) =>
      links.flatMap((link) => {
        const name = link.querySelector('span')
        const { top, bottom } = link.getBoundingClientRect()
        if (name && name.scrollWidth > name.clientWidth) return [`${link.textContent}: too wide`]
        return top < 0 || bottom > innerHeight ? [`${link.textContent}: outside of the window`] : []
      }),
    )

/** Search fields that are too small for their placeholder. */
const cutFields = (page: Page): Promise<string[]> =>
  page.locator('input[type="search"]:visible').evaluateAll((fields) => {
    const pen = new OffscreenCanvas(1, 1).getContext('2d')
    return fields.flatMap((field) => {
      if (!(field instanceof HTMLInputElement) || !pen) return []
      const { font, fontSize } = getComputedStyle(field)
      pen.font = font
      if (pen.measureText(field.placeholder).width > field.clientWidth + 1) return [`${field.placeholder}: too narrow`]
      const height = field.parentElement?.clientHeight ?? 0
      return Number.parseFloat(fontSize) * 1.3 > height ? [`${field.placeholder}: too low`] : []
    })
  })

const cutTexts = async (page: Page): Promise<string[]> => [...(await cutLinks(page)), ...(await cutFields(page))]

test('nothing is smaller than 12 px, and the largest font and 200 % zoom cut neither the rail nor a search field', async ({
  page,
}) => {
  await openConnected(page)
  const fontSize = (size: string) =>
    page.evaluate((wanted) => {
      document.documentElement.dataset.fontSize = wanted
    }, size)
  for (const [at, name] of features.entries()) {
    await page.keyboard.press(`Alt+Shift+${at + 1}`)
    await expect(feature(page, name)).toHaveAttribute('aria-current', 'page')
    for (const size of ['small', 'medium']) {
      await fontSize(size)
      expect(await smallTexts(page), `${name}, ${size}`).toEqual([])
    }
    await fontSize('largest')
    expect(await cutTexts(page), `${name}, largest font`).toEqual([])
    await fontSize('medium')
    // 1440 by 900 at 200 %.
    await page.setViewportSize({ width: 720, height: 450 })
    expect(await cutTexts(page), `${name}, 200 %`).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
  }
})

test('secondary text beside the smallest text is not below 12 px', async ({ page }) => {
  await openConnected(page)
  // As “est.” in the tables of Usage, which have no rows here.
  await page.evaluate(() => {
    document.documentElement.dataset.fontSize = 'small'
    const cell = document.createElement('p')
    cell.className = 'text-s'
    cell.innerHTML = '0.01 <small>est.</small>'
    document.body.append(cell)
  })
  expect(await smallTexts(page)).toEqual([])
})

test('in a narrow window, Settings begin with the list of sections', async ({ page }) => {
  await openConnected(page)
  await page.setViewportSize({ width: 700, height: 800 })
  await feature(page, 'Settings').click()
  const list = page.getByRole('main').getByRole('navigation', { name: windowText('settings:parts') })
  await expect(list.getByRole('link')).toHaveCount(10)
  await expect(list.locator('[aria-current]')).toHaveCount(0)
  await expectAccessibleInDark(page, 'settings-list')
  await list.getByRole('link', { name: windowText('settings:alerts.title') }).click()
  await expect(page.getByRole('region', { name: windowText('settings:alerts.title') })).toBeVisible()
  await expect(list).toHaveCount(0)
})

test('a foreign web page reaches neither the local /v1 nor the studio', { tag: '@long' }, async ({ page, browser }) => {
  const host = await openConnected(page)
  /** All requests except the studio's own polling, which continues briefly after connecting. */
  const asked = () =>
    sandbox.observe.requests().filter(({ path }) => !/^\/v1\/(?:models|usage|rate-limit|keys\/current)$/.test(path))
      .length
  const evil = await (await browser.newContext()).newPage()
  await evil.route('https://evil.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>evil</title>' }),
  )
  await evil.goto('https://evil.example/')
  const proxy = host.ready.proxy?.baseUrl ?? ''
  const studio = new URL(host.url).origin
  const tried = await evil.evaluate(
    async ([v1, web]) => {
      const attempt = (act: () => Promise<unknown>) => act().then(String, () => 'refused')
      const socket = () =>
        new Promise((resolve, reject) => {
          const link = new WebSocket(`${web?.replace('http', 'ws')}/rpc`)
          link.onopen = () => resolve('open')
          link.onerror = () => reject(new Error('closed'))
        })
      return [
        await attempt(async () => (await fetch(`${v1}/images/evil.png`)).status),
        await attempt(
          async () => (await fetch(`${v1}/chat/completions`, { method: 'POST', mode: 'no-cors', body: '{}' })).type,
        ),
        await attempt(async () => (await fetch(`${web}/session`, { method: 'POST', body: 'x' })).status),
        await attempt(socket),
      ]
    },
    [proxy, studio] as const,
  )
  expect([tried[0], tried[2], tried[3]]).toEqual(['refused', 'refused', 'refused'])
  expect(asked()).toBe(0)
  await evil.context().close()
})
