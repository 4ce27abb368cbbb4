// `npm run screenshots`: photographs the pages of the real product, with its sandbox, at 1280 and 700 px, light and dark.
// Single pictures go to test-results/screens, four contact sheets to docs/screens.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import OpenAI from 'openai'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { closeHosts, newDataDir, openConnectedHost, openWebHost, type WebHost } from '../../tests/e2e/hosts.ts'
import { composer, pickModel, quick, send } from '../../tests/e2e/journey.ts'
import { chromiumArgs, findBrowser } from '../../tests/helpers/browser.mjs'
import { windowText } from '../../tests/helpers/windowText.ts'
import { buildIfNeeded, node24, root } from './ready.mjs'

const widths = [1280, 700] as const
const themes = ['light', 'dark'] as const
const singles = join(root, 'test-results/screens')
const sheets = join(root, 'docs/screens')
/** Only the scenes whose name has this text. The contact sheets stay as they are then. */
const [only = ''] = process.argv.slice(2)

/** A microphone that beeps, and is allowed without a question. */
const fakeMicrophone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

/** Names of the scenes in the order of the sheets. */
const taken: string[] = []

/** The same state in each size and theme. */
async function shoot(page: Page, name: string): Promise<void> {
  if (!name.includes(only)) return
  for (const width of widths) {
    await page.setViewportSize({ width, height: 820 })
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(() => document.fonts.ready)
      // Two frames: the layout of the new width, then what depends on that layout.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      await page.screenshot({ path: join(singles, `${name}-${width}-${colorScheme}.png`), animations: 'disabled' })
    }
  }
  await page.setViewportSize({ width: 1280, height: 820 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  taken.push(name)
}

const open = async (
  page: Page,
  link: 'chat' | 'speech' | 'transcribe' | 'images' | 'usage' | 'keys' | 'proxy' | 'settings',
) => {
  await page.evaluate((name) => {
    location.hash = `#/${name}`
  }, link)
}

/** Waits for a reply of the model with this status. A long reply at the pace of its model takes up to a minute. */
const ended = (page: Page, model: string, status: string) =>
  page
    .locator(`article[data-role="assistant"][aria-label="${model}"][data-status="${status}"]`)
    .last()
    .waitFor({ timeout: 120_000 })

async function firstStart(browser: Browser): Promise<void> {
  const host = await openWebHost(newDataDir())
  const page = await browser.newPage()
  await page.goto(host.url)
  await page.getByRole('main').waitFor()
  await shoot(page, '01-first-start')
  await page.getByRole('main').getByRole('button', { name: 'Connect' }).first().click()
  await page.getByRole('textbox', { name: 'Base URL' }).waitFor()
  await shoot(page, '02-connect')
  await page.getByRole('textbox', { name: 'Base URL' }).fill(sandbox.baseUrl)
  await page.getByLabel('API key', { exact: true }).fill('sk-not-a-key')
  await page.getByRole('button', { name: windowText('connect:test'), exact: true }).click()
  await page.getByText(windowText('connect:cause.keyRejected')).waitFor()
  await shoot(page, '02-connect-refused')
  await page.keyboard.press('Escape')
  // The pages that are empty without an account. The others have an empty state of their own below.
  for (const link of ['usage', 'keys'] as const) {
    await open(page, link)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await shoot(page, `02-${link}-empty`)
  }
  await page.getByRole('button', { name: windowText('alerts:bellNone') }).click()
  await page.getByText(windowText('alerts:emptyAbout')).waitFor()
  await shoot(page, '02-alerts-empty')
  await page.close()
  await host.stop()
}

/** Every page in a state that concerns all of them, such as a refused key. */
async function everywhere(page: Page, name: string): Promise<void> {
  for (const link of ['chat', 'speech', 'transcribe', 'images', 'usage', 'keys', 'proxy', 'settings'] as const) {
    await open(page, link)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.locator('.animate-breathe[aria-hidden]').first().waitFor({ state: 'detached' })
    await shoot(page, `${name}-${link}`)
  }
}

/** The service refuses the key (401). */
async function refused(browser: Browser): Promise<void> {
  const host = await openConnectedHost({ baseUrl: sandbox.baseUrl, apiKey: 'sk-not-a-key' })
  const page = await browser.newPage({ viewport: { width: 1280, height: 820 } })
  await page.goto(host.url)
  await page.getByRole('contentinfo').getByText(windowText('problems:kinds.unauthorized.title')).waitFor()
  await everywhere(page, '50-refused')
  await page.close()
  await host.stop()
}

/** The service stops. What is stored stays visible. */
async function offline(page: Page): Promise<void> {
  await sandbox.close()
  await open(page, 'chat')
  await composer(page).waitFor()
  await send(page, 'Is anybody there?')
  await page
    .getByRole('contentinfo')
    .getByRole('button', { name: windowText('offline:checkNow') })
    .waitFor()
  await everywhere(page, '60-offline')
  await open(page, 'usage')
  await page.evaluate(() => {
    location.hash = '#/usage/limits'
  })
  await page.getByText(windowText('offline:note.limits')).waitFor()
  await shoot(page, '60-offline-limits')
}

async function chat(page: Page): Promise<void> {
  await composer(page).waitFor()
  await shoot(page, '03-chat-empty')
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('combobox', { name: 'Search models' }).waitFor()
  await shoot(page, '04-model-picker')
  await page.keyboard.press('Escape')
  await pickModel(page, 'reasoner')
  await send(page, 'Why do lighthouses flash in patterns of their own?')
  await ended(page, 'reasoner', 'complete')
  await pickModel(page, 'writer-large')
  await send(page, 'Write a short guide to reading a chart, with a table and some code.')
  await ended(page, 'writer-large', 'complete')
  await shoot(page, '05-chat-reply')
  await pickModel(page, 'writer-large')
  await send(page, 'Write at length about harbours.')
  await page.locator('article[data-role="assistant"][data-status="streaming"] [data-part="text"]').waitFor()
  await page.keyboard.press('Escape')
  await ended(page, 'writer-large', 'stopped')
  await shoot(page, '06-chat-stopped')
  await pickModel(page, 'fault/429')
  await send(page, 'And about canals?')
  await ended(page, 'fault/429', 'failed')
  await shoot(page, '06-chat-failed')
  await compare(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await shoot(page, '07-palette')
  await page.keyboard.press('Escape')
}

/** Three models side by side in a new chat. */
async function compare(page: Page): Promise<void> {
  await page.getByRole('button', { name: windowText('chat:newChat'), exact: true }).click()
  await pickModel(page, 'mirror')
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('radio', { name: windowText('chat:modelsCompare') }).click()
  for (const model of ['writer-small', 'vision']) {
    await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill(model)
    await page.getByRole('option', { name: model }).first().click()
  }
  await page.keyboard.press('Escape')
  await composer(page).fill('What makes a harbour safe in a storm?')
  await page.getByRole('button', { name: 'Send to 3' }).click()
  for (const model of ['mirror', 'writer-small', 'vision']) await ended(page, model, 'complete')
  await shoot(page, '08-chat-compare')
}

async function speech(page: Page): Promise<void> {
  await open(page, 'speech')
  const text = page.getByRole('main').getByRole('textbox').first()
  await text.waitFor()
  await shoot(page, '10-speech-empty')
  await text.fill('The ferry leaves at eight, and the harbour lights go out one after another.')
  await page.getByRole('main').getByRole('button', { name: 'Generate speech' }).first().click()
  await page.locator('[data-speech][data-state="done"]').waitFor({ timeout: 60_000 })
  await shoot(page, '11-speech')
}

async function transcription(page: Page, recording: string): Promise<void> {
  await open(page, 'transcribe')
  await page.getByRole('button', { name: 'Add files' }).first().waitFor()
  await shoot(page, '12-transcribe-empty')
  await page
    .getByRole('button', { name: windowText('transcribe:record'), exact: true })
    .first()
    .click()
  await page.getByRole('button', { name: windowText('transcribe:discard'), exact: true }).waitFor()
  // The fake microphone beeps once a second: a level and a wave to see.
  await page.waitForTimeout(3000)
  await shoot(page, '12-recording')
  await page.getByRole('button', { name: windowText('transcribe:discard'), exact: true }).click()
  const question = page.getByRole('dialog').getByRole('button', { name: windowText('transcribe:discard') })
  if (await question.isVisible()) await question.click()
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).first().click()
  await (await chosen).setFiles(recording)
  await page.getByRole('button', { name: 'Send to Chat' }).waitFor({ timeout: 60_000 })
  await shoot(page, '13-transcript')
}

async function images(page: Page): Promise<void> {
  await open(page, 'images')
  const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await prompt.waitFor()
  await shoot(page, '14-images-empty')
  const gallery = page.getByRole('listbox', { name: 'Gallery' }).getByRole('option')
  const prompts = ['A lighthouse at dusk', 'An old map of an island', 'A harbour in the rain']
  for (const [index, words] of prompts.entries()) {
    await prompt.fill(words)
    await prompt.press('Enter')
    await gallery.nth(index).locator('img').waitFor({ timeout: 60_000 })
  }
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('[role="listbox"] img')].every((image) => image.naturalWidth > 0),
  )
  await shoot(page, '15-gallery')
  await gallery.first().dblclick()
  await page.getByRole('dialog').waitFor()
  await shoot(page, '16-lightbox')
  await page.keyboard.press('Escape')
}

async function figures(page: Page): Promise<void> {
  await open(page, 'usage')
  await page.getByRole('region', { name: 'Summary' }).waitFor()
  await page.getByText(windowText('chart:loading')).waitFor({ state: 'detached' })
  await shoot(page, '20-usage')
  await open(page, 'keys')
  await page.getByRole('main').getByRole('heading', { name: 'Key details' }).waitFor()
  await shoot(page, '21-keys')
}

/** Apps with requests of several outcomes, as the log shows them. */
async function sendAppRequests(host: WebHost): Promise<void> {
  for (const name of ['Editor', 'Nightly summary']) {
    const made = execFileSync(
      node24(),
      [join(root, 'out/main/node.js'), 'apps', 'add', name, '--json', '--data-dir', host.ready.dataDir],
      { encoding: 'utf8' },
    )
    const { key } = JSON.parse(made) as { key: string }
    const client = new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey: key, maxRetries: 0 })
    const ask = (model: string, fault?: string) =>
      client.chat.completions
        .create(
          { model, messages: [{ role: 'user', content: 'Summarise the log of today.' }] },
          fault === undefined ? {} : { headers: { 'x-sandbox-fault': fault } },
        )
        .catch(() => null)
    await ask('writer-small')
    await ask('mirror')
    await ask('mirror', 'refuse; status=429')
    await ask('no-such-model')
  }
}

async function proxy(page: Page, host: WebHost): Promise<void> {
  await open(page, 'proxy')
  await page.getByRole('main').getByRole('heading').first().waitFor()
  await shoot(page, '22-proxy-empty')
  await connectApp(page, host)
  await sendAppRequests(host)
  await page.getByRole('row').nth(3).waitFor()
  await shoot(page, '24-proxy')
  await page.getByRole('row').nth(1).click()
  await page
    .getByRole('complementary')
    .getByRole('heading', { name: windowText('proxy:detail.usage.title') })
    .waitFor()
  await shoot(page, '25-proxy-request')
}

/** Each step of the dialog that connects an app, up to its first request. */
async function connectApp(page: Page, host: WebHost): Promise<void> {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Connect an app' })
  await dialog.getByRole('searchbox').fill('claude')
  await dialog.getByRole('searchbox').press('Enter')
  const name = dialog.getByRole('textbox', { name: windowText('connect:name') })
  await name.waitFor()
  await shoot(page, '23-connect-app')
  await name.press('Enter')
  const budget = dialog.getByLabel(windowText('proxy:form.budgetDay'))
  await budget.fill('2')
  await shoot(page, '23-connect-limits')
  await budget.press('Enter')
  const key = await dialog.getByRole('textbox', { name: windowText('proxy:connect.key') }).inputValue()
  await shoot(page, '23-connect-key')
  await dialog.getByRole('button', { name: windowText('proxy:connect.test') }).click()
  await dialog.getByRole('status').waitFor()
  await shoot(page, '23-connect-waiting')
  const client = new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey: key, maxRetries: 0 })
  await client.chat.completions.create({ model: 'mirror', messages: [{ role: 'user', content: 'Hello' }] })
  await dialog.getByText(/works\./).waitFor()
  await shoot(page, '23-connect-works')
  await dialog.getByRole('button', { name: 'Done' }).click()
}

async function settings(page: Page): Promise<void> {
  await open(page, 'settings')
  const sections = page.getByRole('navigation', { name: windowText('settings:title') }).getByRole('link')
  await sections.first().waitFor()
  const names = await sections.allInnerTexts()
  for (const [index, name] of names.entries()) {
    await sections.nth(index).click()
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await shoot(page, `3${index}-settings-${name.toLowerCase().replaceAll(/\W+/g, '-')}`)
  }
}

/** All scenes of one size and theme on one picture. */
async function contactSheet(browser: Browser, width: number, theme: string): Promise<void> {
  const shown = width > 1000 ? 480 : 300
  const figure = (name: string) => {
    const data = readFileSync(join(singles, `${name}-${width}-${theme}.png`)).toString('base64')
    const title = name.replace(/^\d+-/, '').replaceAll('-', ' ')
    return `<figure><img src="data:image/png;base64,${data}"><figcaption>${title}</figcaption></figure>`
  }
  const page = await browser.newPage({ viewport: { width: shown * 4 + 5 * 16, height: 600 } })
  await page.setContent(`<style>
    body { margin: 16px; display: grid; grid-template-columns: repeat(4, ${shown}px); gap: 16px; font: 13px sans-serif;
      background: ${theme === 'dark' ? '#222' : '#ddd'}; color: ${theme === 'dark' ? '#ddd' : '#222'} }
    figure { margin: 0 } img { width: 100%; display: block } figcaption { padding-top: 4px }
  </style>${taken.map(figure).join('')}`)
  await page.screenshot({ path: join(sheets, `${width}-${theme}.jpg`), type: 'jpeg', quality: 72, fullPage: true })
  await page.close()
}

buildIfNeeded()
if (only === '') rmSync(singles, { recursive: true, force: true })
for (const folder of [singles, sheets]) mkdirSync(folder, { recursive: true })
const recording = join(root, 'src-renderer/features/transcription/example.ogg')
if (!existsSync(recording)) throw new Error(`${recording} is missing.`)
const executablePath = await findBrowser()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: [...chromiumArgs, ...fakeMicrophone],
})
const sandbox = await startSandbox({ paces: quick })
try {
  await firstStart(browser)
  const host = await openConnectedHost(sandbox)
  const page = await browser.newPage({ viewport: { width: 1280, height: 820 } })
  page.setDefaultTimeout(30_000)
  await page.goto(host.url)
  await chat(page)
  await speech(page)
  await transcription(page, recording)
  await images(page)
  await figures(page)
  await proxy(page, host)
  await settings(page)
  await refused(browser)
  await offline(page)
  if (only === '') for (const width of widths) for (const theme of themes) await contactSheet(browser, width, theme)
  console.log(`${taken.length} scenes, ${taken.length * widths.length * themes.length} pictures in ${singles}`)
} finally {
  await browser.close()
  await closeHosts()
  // It is closed already after the pictures of the offline state.
  await sandbox.close().catch(() => undefined)
}
