import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { type ForbiddenListeners, openForbiddenListeners } from '../../e2e/forbiddenListeners.ts'
import { composer, connectTo, lastReply, pickModel, send, settled } from '../../e2e/journey.ts'
import { scripted, startScripted } from '../../e2e/scripted.ts'
import { type Desktop, launchDesktop } from '../../helpers/electron/launch.ts'
import { eventually } from '../../helpers/eventually.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { hostilePages } from '../../helpers/hostile.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, openedOutside, tidy, watchOutside } from './fixtures.ts'

// Pages of replies with running scripts, in windows without network.

let listeners: ForbiddenListeners
let sandbox: Sandbox
let service: Awaited<ReturnType<typeof startScripted>>
let desktop: Desktop
/** Chromium's own record of every name that it resolved and every connection. */
const netLog = join(temporaryFolder('studio-net-log-'), 'net-log.json')

const ordinary = '<p>Ready.</p><textarea></textarea><script>document.title = "Inference Studio"</script>'
const hostile = hostilePages()
const fence = '`'.repeat(40)

/** The reply with one page, by its place among all. Without a script of its own, a page could not be run. */
function reply(at: number): string {
  const text = at === 0 ? ordinary : listeners.withAddresses(hostile[at - 1]?.text ?? '')
  return `${fence}html\n<!doctype html><script></script>${text}\n${fence}\n`
}

beforeAll(async () => {
  listeners = await openForbiddenListeners()
  sandbox = await startSandbox()
  service = await startScripted(sandbox.baseUrl, ({ messages }) => ({
    text: reply(Number(String(messages.at(-1)?.content).replace('Page ', ''))),
  }))
  desktop = await launchDesktop(newDataDir(), {}, [`--log-net-log=${netLog}`])
  await watchOutside(desktop)
  await desktop.evaluate(({ app }) => {
    const count = Object.assign(globalThis, { opened: 0 })
    app.on('web-contents-created', () => {
      count.opened += 1
    })
  })
  const { page } = desktop
  await connectTo(page, service.baseUrl, sandbox.apiKey)
  await pickModel(page, scripted)
})
afterAll(async () => {
  await tidy()
  await service.close()
  await sandbox.close()
  listeners.close()
})

/** Asks for a page by its place, previews it and runs its scripts. Ends the page before. */
async function start(at: number): Promise<void> {
  const { page } = desktop
  const before = await opened()
  await desktop.evaluate(({ BrowserWindow }) => {
    for (const window of BrowserWindow.getAllWindows())
      if (!window.webContents.getURL().startsWith('app://studio/')) window.destroy()
  })
  await send(page, `Page ${at}`)
  await settled(page, 'complete')
  await lastReply(page)
    .getByRole('button', { name: windowText('preview:open'), exact: true })
    .click()
  await page.getByRole('button', { name: windowText('preview:runScripts') }).click()
  // Not its content, because the page may have ended again.
  await eventually(async () => expect(await opened()).toBe(before + 1))
}

/** Number of windows since the start of the test. */
const opened = (): Promise<number> => desktop.evaluate(() => (globalThis as unknown as { opened: number }).opened)

/** Runs code in the running page, as after a click. */
const run = (code: string): Promise<unknown> =>
  desktop.evaluate(({ BrowserWindow }, given) => {
    const window = BrowserWindow.getAllWindows().find(
      ({ webContents }) => !webContents.getURL().startsWith('app://studio/'),
    )
    return window?.webContents.executeJavaScript(given, true)
  }, code)
const titles = (): Promise<string[]> =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.getTitle()))

test('a running page has no origin, no network, no access to the program, and no say in its title', async () => {
  await start(0)
  await eventually(async () => expect(await run('document.body?.innerText ?? ""')).toContain('Ready.'))
  const reach = await run(`(async () => {
    const tried = (act) => { try { return act() } catch { return 'refused' } }
    const asked = (url) => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'refused')
    document.title = 'Inference Studio'
    return {
      origin, preload: typeof inferenceStudio, opener, storage: tried(() => localStorage.length), popup: tried(() => open('about:blank')),
      outside: await asked('${listeners.http}'), clipboard: await navigator.clipboard.writeText('x').then(() => 'written', () => 'refused'), scheme: await asked('app://studio/index.html'), file: await asked('file:///etc/passwd'),
    }
  })()`)
  expect(reach).toEqual({
    origin: 'null',
    preload: 'undefined',
    opener: null,
    storage: 'refused',
    popup: null,
    clipboard: 'refused',
    outside: 'refused',
    scheme: 'refused',
    file: 'refused',
  })
  expect(await titles()).toContainEqual(expect.stringMatching(/^Page from a chat: /))
})

test('the keys of the person stay in the composer, and the history of its window does not grow', async () => {
  const { page } = desktop
  const before = await page.evaluate(() => history.length)
  await composer(page).focus()
  await run(
    `setInterval(() => { location.hash = Math.random(); document.querySelector('textarea')?.select(); window.focus() }, 5)`,
  )
  await page.keyboard.type('to the composer')
  expect(await composer(page).inputValue()).toBe('to the composer')
  expect(await page.evaluate(() => history.length)).toBe(before)
})

/** Runs pages one after the other, and expects that nothing leaves the program. */
async function expectContained(pages: typeof hostile): Promise<void> {
  for (const { name, text } of pages) {
    await start(hostile.findIndex((one) => one.name === name) + 1)
    // An unprotected page sends the first packet of WebRTC within 0.3 s.
    await wait(/RTC|leak/.test(text) ? 1_500 : 200)
    expect([...listeners.reached(), ...(await openedOutside(desktop))], name).toEqual([])
    // One at most: Chromium ends a page whose inner frame uses WebRTC, and the window closes.
    expect((await titles()).length, name).toBeLessThanOrEqual(2)
  }
}

test('WebRTC of a fresh window sends no packet and no name', async () => {
  const pages = hostile.filter(({ name }) => /fresh window|names that are resolved/.test(name))
  expect(pages).toHaveLength(2)
  await expectContained(pages)
})

test('hostile pages send nothing, and open nothing', { tags: 'long' }, async () => {
  expect(hostile.length).toBeGreaterThan(20)
  await expectContained(hostile)
})

test('Chromium has resolved none of the names of these pages', async () => {
  expect(await desktop.quit()).toBe(0)
  const log = readFileSync(netLog, 'utf8')
  expect(log.length).toBeGreaterThan(1_000)
  expect(log.match(/[\w.-]*leak[.-]test[\w.-]*/g) ?? []).toEqual([])
})
