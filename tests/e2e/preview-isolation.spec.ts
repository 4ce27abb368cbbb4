import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Frame, type Page, test } from '@playwright/test'
import { root } from '../../resources/scripts/ready.mjs'
import { runningPageHeaders } from '../../src-main/hosts/csp.ts'
import { hostilePages, hostileReplies } from '../helpers/hostile.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, newChat, openChatWorld } from './chatWorld.ts'
import { type ForbiddenListeners, openForbiddenListeners, play } from './forbiddenListeners.ts'
import { composer, lastReply, pickModel, send, settled } from './journey.ts'
import { scripted, startScripted } from './scripted.ts'

// Hostile documents in the preview: no script, no request, no navigation, no access to the page, and the page responds.

test.use({ trace: 'off' })

let listeners: ForbiddenListeners
let world: ChatWorld
let closeService: () => Promise<unknown>
/** The next reply. */
let reply = ''

test.beforeAll(async () => {
  listeners = await openForbiddenListeners()
  world = await openChatWorld(async ({ baseUrl }) => {
    const service = await startScripted(baseUrl, () => ({ text: reply }))
    closeService = service.close
    return service.baseUrl
  })
})
test.afterAll(async () => {
  await world.close()
  await closeService()
  listeners.close()
})
test.beforeEach(() => listeners.clear())

const fence = '`'.repeat(40)
const asBlock = (text: string, language: string): string => `${fence}${language}\n${text}\n${fence}`

/** Records what the preview's documents cause in the browser. Blocked attempts are no requests. */
async function watchFor(page: Page): Promise<string[]> {
  const own = new URL(world.host.url).origin
  const seen: string[] = []
  const isOwn = (url: string): boolean => url.startsWith(`${own}/`) || /^(?:blob|data|about):/.test(url)
  await page.context().route('**/*', (route) => {
    const url = route.request().url()
    if (isOwn(url)) return route.continue()
    seen.push(`request ${url}`)
    return route.abort()
  })
  page.on('framenavigated', (frame) => {
    const url = frame.url().replace(/#.*/, '')
    const expected =
      frame === page.mainFrame()
        ? url.startsWith(`${own}/`)
        : // The last one replaces a document whose navigation was blocked.
          ['', 'about:srcdoc', 'about:blank', `${own}/preview/index.html`, 'chrome-error://chromewebdata/'].includes(
            url,
          )
    if (!expected) seen.push(`navigation ${url}`)
  })
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.context().on('page', (other) => seen.push(`window ${other.url()}`))
  page.on('download', (download) => seen.push(`download ${download.url()}`))
  page.on('worker', (worker) => {
    if (!worker.url().startsWith(`${own}/assets/`)) seen.push(`worker ${worker.url()}`)
  })
  return seen
}

async function responds(page: Page): Promise<number> {
  const begun = Date.now()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))))
  return Date.now() - begun
}

/** Shows a document in the preview of a chat. */
async function preview(page: Page, text: string, language = 'html'): Promise<void> {
  reply = asBlock(text, language)
  await send(page, 'Write it.')
  await settled(page, 'complete')
  await lastReply(page)
    .getByRole('button', { name: windowText('preview:open'), exact: true })
    .click()
}
async function enter(page: Page): Promise<string[]> {
  const seen = await watchFor(page)
  await world.enter(page)
  await pickModel(page, scripted)
  return seen
}

/** The frame of the document, once it is shown. */
async function documentFrame(page: Page): Promise<Frame> {
  const handle = await page.frameLocator('.chat-preview-frame').locator('iframe:not([data-loading])').elementHandle()
  const frame = await handle?.contentFrame()
  if (!frame) throw new Error('The preview shows no document.')
  return frame
}

test('the listeners report a request, a connection and a packet of an ordinary page', async ({ page }) => {
  await page.goto(`${listeners.http}/page`)
  await page.evaluate(
    ([tcp, udp]) => {
      void fetch(`${tcp}`, { mode: 'no-cors' }).catch(() => null)
      const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:${udp}` }] })
      peer.createDataChannel('x')
      void peer.createOffer().then((offer) => peer.setLocalDescription(offer))
    },
    [listeners.tcp, listeners.udp],
  )
  for (const what of ['request /page', 'connection', 'packet']) await expect.poll(listeners.reached).toContain(what)
})

test('a document runs no script, also when the page is asked to run them, and sends no packet', async ({ page }) => {
  const seen = await enter(page)
  const attack = hostilePages().find(({ name }) => name.endsWith('a fresh window behind a replaced method'))
  await preview(
    page,
    `<p>here</p><script>document.title = "ran"</script>${listeners.withAddresses(attack?.text ?? '')}`,
  )
  for (const begin of [() => documentFrame(page), () => play(page, listeners.withAddresses(attack?.text ?? ''))]) {
    await begin()
    // An unprotected page sends the first packet within 0.3 s.
    await page.waitForTimeout(1_000)
    const frame = await documentFrame(page)
    expect(await frame.title()).toBe('')
    expect(frame.childFrames()).toEqual([])
  }
  const sandbox = page.frameLocator('.chat-preview-frame').locator('iframe')
  await expect(sandbox).toHaveAttribute('sandbox', '')
  expect([...seen, ...listeners.reached()]).toEqual([])
})

test('the scripts of a page run in the browser alone, after one sentence', async ({ page }) => {
  const seen = await enter(page)
  await preview(page, '<p>here</p><script>document.title = "ran"</script>')
  await page.getByRole('button', { name: windowText('preview:runScripts') }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(windowText('preview:browserAbout'))
  expect(seen).toEqual([])
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('button', { name: windowText('preview:browserConfirm') }).click(),
  ])
  await expect.poll(() => tab.title()).toBe('ran')
  expect(await tab.evaluate(() => [origin, opener])).toEqual(['null', null])
  expect(await (await documentFrame(page)).title(), 'the preview beside it').toBe('')
})

test('a running page replaces nothing in the clipboard, with the headers and the preload script of the desktop', async ({
  browser,
}) => {
  const html = `<button>Copy</button><script>
    addEventListener('copy', (event) => { event.clipboardData.setData('text/plain', 'of the page'); event.preventDefault() }, true)
    document.querySelector('button').onclick = () => {
      const field = document.body.appendChild(document.createElement('textarea'))
      field.value = 'of the page'
      field.select()
      document.title = [document.execCommand('copy'), document.execCommand('cut')]
      navigator.clipboard?.writeText('of the page').catch(() => 0)
    }
  </script>`
  const copying = async (isGuarded: boolean): Promise<string> => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const [own, running] = [await context.newPage(), await context.newPage()]
    await own.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    await own.goto('http://localhost/')
    await own.evaluate(() => navigator.clipboard.writeText('of the person'))
    const session = await context.newCDPSession(running)
    await session.send('Page.enable')
    const source = readFileSync(join(root, 'out/preload/page.cjs'), 'utf8')
    if (isGuarded) await session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: 'preload' })
    const headers = isGuarded ? runningPageHeaders() : {}
    await running.route('**/*', (route) => route.fulfill({ headers, contentType: 'text/html', body: html }))
    await running.goto('http://localhost/page')
    await running.bringToFront()
    await running.getByRole('button').click()
    await expect.poll(() => running.title()).toBe('true,true')
    await own.bringToFront()
    const text = await own.evaluate(() => navigator.clipboard.readText())
    await context.close()
    return text
  }
  expect(await copying(false), 'an ordinary page').toBe('of the page')
  expect(await copying(true)).toBe('of the person')
})

test('a link inside the page scrolls, and one that leads away changes nothing', { tag: '@long' }, async ({ page }) => {
  const seen = await enter(page)
  await preview(
    page,
    listeners.withAddresses(
      '<a href="#end">down</a> <a href="HTTP/a">away</a><div style="height:3000px"></div><p id=end>End</p>',
    ),
  )
  const inside = page.frameLocator('.chat-preview-frame').frameLocator('iframe:not([data-loading])')
  await expect(inside.getByText('End')).not.toBeInViewport()
  await inside.getByRole('link', { name: 'down' }).click()
  await expect(inside.getByText('End')).toBeInViewport()
  await (await documentFrame(page)).evaluate(() => scrollTo(0, 0)).catch(() => null)
  await inside.getByRole('link', { name: 'away' }).click()
  await expect(inside.getByText('End')).not.toBeInViewport()
  await expect(inside.getByRole('link', { name: 'away' })).toBeVisible()
  expect([...seen, ...listeners.reached()]).toEqual([])
})

test('hostile pages reach nothing, get no key and no place in the history, and the page responds', {
  tag: '@long',
}, async ({ page }) => {
  const seen = await enter(page)
  // All attacks in one document each would hide one another, so each is a document of its own, in one frame after the other.
  await preview(page, '<p>begin</p>')
  await documentFrame(page)
  const pages = hostilePages()
  expect(pages.length).toBeGreaterThan(20)
  const address = page.url()
  const places = await page.evaluate(() => history.length)
  await composer(page).focus()
  for (const { name, text } of pages) {
    await test.step(name, async () => {
      await page.keyboard.press('x')
      await play(page, listeners.withAddresses(text))
      expect.soft(await responds(page), `${name}: the page responds`).toBeLessThan(1_000)
      expect([...seen, ...listeners.reached()], name).toEqual([])
      expect(page.url(), name).toBe(address)
      await expect(composer(page), name).toBeFocused()
    })
  }
  await expect(composer(page), 'every key').toHaveValue('x'.repeat(pages.length))
  expect(await page.evaluate(() => history.length), 'the history').toBe(places)
  // Late actions too, from timers.
  await page.waitForTimeout(500)
  expect([...seen, ...listeners.reached()]).toEqual([])
  await expect(page.locator('.chat-preview-frame')).toHaveAttribute('sandbox', 'allow-scripts')
})

test('the corpus of hostile replies reaches nothing as documents either', { tag: '@long' }, async ({ page }) => {
  const seen = await enter(page)
  await preview(page, '<p>begin</p>')
  await documentFrame(page)
  const corpus = hostileReplies().filter((_, at) => process.env.HOSTILE === 'all' || at % 9 === 0)
  for (const { name, text } of corpus) {
    await play(page, text)
    expect.soft(await responds(page), `${name}: the page responds`).toBeLessThan(1_000)
    expect([...seen, ...listeners.reached()], name).toEqual([])
  }
})

test('broken and very large blocks are explained, and the page responds', { tag: '@long' }, async ({ page }) => {
  await enter(page)
  const panel = page.getByRole('region', { name: windowText('preview:region') })
  const blocks: [string, string, string][] = [
    ['json', '{"a": [1, 2', windowText('preview:jsonFailed', { fault: '' })],
    ['svg', '<p>no image</p>', windowText('preview:svgFailed')],
    ['html', '<p>long</p>\n'.repeat(180_000), windowText('preview:tooLong', { most: 2_000_000 })],
  ]
  for (const [language, text, words] of blocks) {
    await preview(page, text, language)
    await expect(panel.getByText(words)).toBeVisible()
    expect(await responds(page)).toBeLessThan(1_000)
    await newChat(page)
  }
})
