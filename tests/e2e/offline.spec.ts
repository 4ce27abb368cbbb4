import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { type Cut, cutBefore } from '../helpers/cut.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost, type WebHost } from './hosts.ts'
import { composer, goToPage, send, settled } from './journey.ts'

// A long journey with a restart, possibly on a busy machine.
test.setTimeout(240_000)
let sandbox: Sandbox
let cut: Cut

test.beforeEach(async () => {
  sandbox = await openSandbox()
  cut = await cutBefore(sandbox.baseUrl)
})
test.afterEach(async () => {
  await closeHosts()
  await cut.close()
})

const open = (dataDir: string, baseUrl: string): Promise<WebHost> =>
  openWebHost(dataDir, ['--base-url', baseUrl], { INFERENCE_STUDIO_API_KEY: sandbox.apiKey })
/** Opens the chat that a person finds by its first words. */
async function openFerryChat(page: Page): Promise<void> {
  await goToPage(page, 'Chat')
  await page
    .getByRole('treegrid')
    .getByRole('button', { name: /^Tell me of ferries/ })
    .first()
    .click()
}
const status = (page: Page) => page.getByRole('contentinfo', { name: windowText('shell:status.label') })
const waiting = (page: Page) => page.getByRole('region', { name: windowText('offline:region') })

async function seen(page: Page, name: string): Promise<void> {
  await expectAccessible(page)
  await takePictures(page, `offline-${name}`, true)
}

const wave = (page: Page) => page.getByRole('main').getByRole('slider').and(page.locator('[data-state]'))

/** Words that the sandbox's voice speaks. */
async function spoken(): Promise<Buffer> {
  const asked = {
    model: 'tts-1',
    voice: 'nova',
    response_format: 'wav',
    input: 'The tide is in at noon, and out at six.',
  }
  const reply = await fetch(`${sandbox.baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  })
  return Buffer.from(await reply.arrayBuffer())
}

/** Expects that the playback position advances from the start. */
async function sounds(page: Page): Promise<void> {
  await expect(wave(page)).toHaveAttribute('data-state', 'whole')
  await wave(page).press('Home')
  await expect(wave(page)).toHaveAttribute('aria-valuenow', '0')
  await page.getByRole('button', { name: 'Play', exact: true }).first().click()
  await expect(wave(page)).not.toHaveAttribute('aria-valuenow', '0')
}

/** Expects neither many errors nor an endless spinner. */
async function calm(page: Page): Promise<void> {
  const main = page.getByRole('main')
  await expect(main.getByRole('alert')).toHaveCount(0)
  await expect(main.locator('[aria-busy="true"], .animate-spin')).toHaveCount(0)
  await expect(status(page)).toContainText('Offline since')
}

test('without a network every page opens with its stored content; queued requests survive a restart and are sent later', {
  tag: '@long',
}, async ({ page }) => {
  const faults: string[] = []
  page.on('pageerror', (thrown) => faults.push(String(thrown)))
  const dataDir = newDataDir()
  const first = await open(dataDir, cut.url)
  await page.goto(first.url)
  await send(page, 'Tell me of ferries.')
  await settled(page, 'complete')
  await goToPage(page, 'Images')
  await page.getByRole('button', { name: windowText('common:inspector'), exact: true }).click()
  await page.getByRole('textbox', { name: windowText('images:advanced.format'), exact: true }).fill('b64_json')
  await page.getByRole('textbox', { name: windowText('offline:change.hint'), exact: true }).fill('A harbour at dawn')
  await page.getByRole('button', { name: 'Generate', exact: true }).click()
  const gallery = page.getByRole('option', { name: /^A harbour at dawn/ }).locator('img')
  await expect(gallery.first()).toBeVisible()
  await goToPage(page, 'Speech')
  await page.getByRole('textbox', { name: windowText('offline:change.text') }).fill('The ferry leaves at seven.')
  await page.getByRole('button', { name: 'Generate speech', exact: true }).click()
  await expect(wave(page)).toHaveAttribute('data-state', 'whole')
  await goToPage(page, 'Transcribe')
  const chooser = page.waitForEvent('filechooser')
  await page
    .getByRole('region', { name: windowText('transcribe:dock') })
    .getByRole('button', { name: windowText('transcribe:addFiles') })
    .click()
  await (await chooser).setFiles({ name: 'harbour.wav', mimeType: 'audio/wav', buffer: await spoken() })
  await expect(wave(page)).toHaveAttribute('data-state', 'whole')
  await goToPage(page, 'Usage')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText(windowText('usage:refreshed'), { exact: true })).toBeVisible()

  // The network fails: the first failed request shows it, on its page and in the status bar.
  await cut.set('refuse')
  await openFerryChat(page)
  await send(page, 'Are you there?')
  await expect(status(page)).toContainText('Offline since')
  await settled(page, 'failed')
  await expect(page.getByRole('note').filter({ hasText: 'Your draft is saved' })).toBeVisible()
  await expect(page.getByText('Tell me of ferries.').first()).toBeVisible()
  await seen(page, 'chat')

  await goToPage(page, 'Images')
  await calm(page)
  await expect(gallery.first()).toBeVisible()
  expect(
    await gallery.first().evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth),
  ).toBeTruthy()
  const prompt = page.getByRole('textbox', { name: windowText('offline:change.hint'), exact: true })
  await prompt.fill('A fox in the snow')
  await page.getByRole('button', { name: windowText('offline:wait') }).click()
  await expect(waiting(page)).toContainText('A fox in the snow')
  await expect(prompt).toHaveValue('')
  await expect(status(page)).toContainText('1 queued')
  await page.getByRole('button', { name: 'Edit A fox in the snow' }).click()
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: windowText('offline:change.hint'), exact: true })
    .fill('A fox in the rain')
  await page.getByRole('button', { name: windowText('offline:change.save') }).click()
  await expect(waiting(page)).toContainText('A fox in the rain')
  await seen(page, 'images')

  await goToPage(page, 'Speech')
  await page.locator('[data-speech-text]').fill('The tide is in.')
  await page.getByRole('button', { name: windowText('offline:wait') }).click()
  await expect(waiting(page)).toContainText('The tide is in.')
  await calm(page)
  await seen(page, 'speech')

  for (const name of ['Transcribe', 'Usage', 'Keys', 'Local API', 'Settings']) {
    await goToPage(page, name)
    await expect(page.getByRole('main')).not.toBeEmpty()
    await calm(page)
  }
  await goToPage(page, 'Usage')
  await page
    .getByRole('navigation', { name: windowText('usage:sections.label') })
    .getByRole('link', { name: 'Limits' })
    .click()
  await expect(page.getByRole('main').getByText(/Offline. (These are the last figures|The service has)/)).toBeVisible()
  await calm(page)
  await seen(page, 'limits')

  // Kills the host and starts it again without a network.
  await first.kill()
  const second = await open(dataDir, cut.url)
  await page.goto(second.url)
  await expect(status(page)).toContainText('Offline since', { timeout: 20_000 })
  await expect(status(page)).toContainText('2 queued')
  await openFerryChat(page)
  await expect(page.getByText('Are you there?').first()).toBeVisible()

  // Generated speech and recordings play from local storage.
  await goToPage(page, 'Speech')
  await page
    .getByRole('navigation', { name: windowText('speech:list') })
    .getByText('The ferry leaves at seven.')
    .first()
    .click()
  await sounds(page)
  await goToPage(page, 'Transcribe')
  await page.getByRole('navigation', { name: 'Recordings' }).getByText('harbour').first().click()
  await sounds(page)

  // The network returns, and the browser reports it.
  await cut.set('open')
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await expect(status(page)).toContainText('Connected', { timeout: 15_000 })
  await expect(page.getByText('2 queued requests are done').first()).toBeVisible()
  await expect(status(page)).not.toContainText('queued')
  await goToPage(page, 'Images')
  await expect(page.getByRole('option', { name: /^A fox in the rain/ }).first()).toBeVisible()
  await expect(page.getByRole('option', { name: /^A fox in the snow/ })).toHaveCount(0)
  const drawn = sandbox.observe.requests().filter(({ path }) => path === '/v1/images/generations')
  expect(drawn).toHaveLength(2)
  expect(faults).toEqual([])
})

test('the studio starts when the service’s host name cannot be resolved and says so within seconds', async ({
  page,
}) => {
  const host = await open(newDataDir(), 'https://nowhere.invalid')
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  await expect(status(page)).toContainText('Offline since', { timeout: 20_000 })
  await page
    .getByRole('button', { name: windowText('offline:checkNow') })
    .first()
    .click()
  await expect(status(page)).toContainText('Offline since')
  await expect(status(page).getByRole('button', { name: windowText('offline:checkNow') })).toBeVisible()
  await calm(page)
})
