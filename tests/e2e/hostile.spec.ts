import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { hostileReplies } from '../helpers/hostile.ts'
import { closeHosts, newDataDir, openWebHost } from './hosts.ts'
import { connectTo, lastReply, send } from './journey.ts'

// A service that says what a prompt injection would have it say, and the real page in front of it. Nothing may come of it but text.

const corpus = hostileReplies()
/** ms after which the page must have answered. */
const answersWithin = 1_000

let service: Server
let serviceUrl = ''

/** Streams the reply whose number is the last message's first word, in pieces that cut through everything. */
function startService(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'hostile', object: 'model', created: 1, owned_by: 'x' }] }),
      )
      return
    }
    if (!request.url?.endsWith('/chat/completions')) {
      response.writeHead(404).end()
      return
    }
    let body = ''
    request.on('data', (bytes: Buffer) => {
      body += bytes
    })
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] }
      const text = corpus[Number.parseInt(messages.at(-1)?.content ?? '', 10)]?.text ?? ''
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = (delta: object, finish: string | null): void => {
        const choices = [{ index: 0, delta, finish_reason: finish }]
        response.write(
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'hostile', choices })}\n\n`,
        )
      }
      const size = Math.max(7, Math.ceil(text.length / 60))
      for (let at = 0; at < text.length; at += size) chunk({ content: text.slice(at, at + size) }, null)
      chunk({}, 'stop')
      response.end('data: [DONE]\n\n')
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

test.beforeEach(async () => {
  service = await startService()
  serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`
})
test.afterEach(async () => {
  await closeHosts()
  service.close()
  service.closeAllConnections()
})

/** All that a reply could set in motion, as it happens. */
async function watchFor(page: Page, own: string): Promise<string[]> {
  const seen: string[] = []
  await page.context().route('**/*', (route) => {
    const { origin, protocol } = new URL(route.request().url())
    if (origin === own || protocol === 'blob:') return route.continue()
    seen.push(`request ${route.request().url()}`)
    return route.abort()
  })
  await page.exposeFunction('canary', (what: unknown) => seen.push(`script ${String(what)}`))
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('framenavigated', (frame) => {
    const { origin } = new URL(frame.url())
    if (frame === page.mainFrame() ? origin !== own : !frame.url().endsWith('/diagram/index.html'))
      seen.push(`navigation ${frame.url()}`)
  })
  page.context().on('page', (other) => seen.push(`window ${other.url()}`))
  page.on('download', (download) => seen.push(`download ${download.url()}`))
  page.on('pageerror', (error) => seen.push(`error ${error.message}`))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.error(`violation ${event.violatedDirective} ${event.blockedURI}`)
    })
  })
  page.on('console', (line) => {
    if (/violation|Refused to|Content Security Policy/.test(line.text())) seen.push(`console ${line.text()}`)
  })
  return seen
}

/** What could act, anywhere in the messages: none of it may ever stand there. */
const actors =
  'script, iframe:not(.md-diagram-frame), object, embed, link, meta, base, form, style, img, audio, video, [href]:not(use), [srcdoc], [ping], [background]'

async function open(page: Page): Promise<string[]> {
  const host = await openWebHost(newDataDir())
  const seen = await watchFor(page, new URL(host.url).origin)
  await page.goto(host.url)
  await connectTo(page, serviceUrl, 'sk-hostile-0123456789abcdef')
  // What the page itself tried at its start is no doing of a reply.
  seen.length = 0
  return seen
}

async function answers(page: Page): Promise<number> {
  const begun = Date.now()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))))
  return Date.now() - begun
}

async function drawn(page: Page, at: number, text: string): Promise<void> {
  const id = () =>
    lastReply(page)
      .getAttribute('data-message-id', { timeout: 500 })
      .catch(() => null)
  const before = await id()
  await send(page, `${at} says`)
  // A long reply has its turn far above the view, where it is not in the page: the reply itself is waited for.
  await expect.poll(id, { timeout: 20_000 }).not.toBe(before)
  await expect(lastReply(page)).toHaveAttribute('data-status', 'complete', { timeout: 30_000 })
  if (text.trim() !== '') await expect(lastReply(page).locator('[data-part="text"]')).toBeAttached()
}

test('every hostile reply is text: no request, no script, no navigation, and the page answers', async ({ page }) => {
  test.setTimeout(900_000)
  const seen = await open(page)
  for (const [at, { name, text }] of corpus.entries()) {
    // A new conversation now and then: each one's whole path goes along with every request.
    if (at % 20 === 0 && at > 0) await page.keyboard.press('ControlOrMeta+n')
    await drawn(page, at, text)
    expect.soft(await answers(page), `${name}: the page answers`).toBeLessThan(answersWithin)
    expect(seen, name).toEqual([])
    expect(await page.locator('.chat-talk').locator(actors).count(), name).toBe(0)
  }
})

test('an address is shown, decoded and whole, before anything is opened; a picture is a place with its address', async ({
  page,
}) => {
  const seen = await open(page)
  const at = (name: string): number => corpus.findIndex((one) => one.name === `addresses: ${name}`)
  const dialog = page.getByRole('alertdialog')

  await drawn(page, at('homograph in punycode'), 'x')
  await lastReply(page).getByRole('link', { name: 'apple' }).click()
  await expect(dialog).toContainText('xn--80ak6aa92e.com')
  await expect(dialog).toContainText('аррӏе.com')
  await page.keyboard.press('Escape')

  await drawn(page, at('user before the host'), 'x')
  await lastReply(page).getByRole('link', { name: 'bank', exact: true }).click()
  await expect(dialog).toContainText('evil.example')
  await expect(dialog).toContainText('bank.example')
  await page.keyboard.press('Escape')

  await drawn(page, at('remote image'), 'x')
  await expect(lastReply(page)).toContainText('https://evil.example/pixel.png')
  await lastReply(page).getByRole('button', { name: /pixel/ }).first().click()
  await expect(dialog).toContainText('https://evil.example/pixel.png')
  await page.keyboard.press('Escape')

  await drawn(page, at('javascript link'), 'x')
  await expect(lastReply(page).getByRole('link')).toHaveCount(0)
  // The dialog's own package would lock the page's scrolling with a style sheet in line; the policy refuses that, and nothing scrolls anyway.
  expect(seen.filter((line) => !/style-src/.test(line))).toEqual([])
})

test('a diagram is drawn in a frame that reaches nothing, only on a click; a hostile one stays a picture', async ({
  page,
}) => {
  test.setTimeout(240_000)
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(request.url()))
  const seen = await open(page)
  const cases = corpus.flatMap(({ name, text }, at) => (name.startsWith('extras: mermaid') ? [{ name, text, at }] : []))
  expect(cases.length).toBeGreaterThan(5)
  for (const { name, text, at } of cases) {
    await drawn(page, at, text)
    if (at === cases[0]?.at) expect(fetched.filter((url) => url.includes('/diagram/'))).toEqual([])
    await lastReply(page).getByRole('button', { name: 'Draw' }).click()
    const figure = lastReply(page).getByRole('figure', { name: 'Diagram' })
    await expect(figure.locator('.md-diagram[aria-busy="false"], .md-diagram-failed'), name).toBeVisible({
      timeout: 30_000,
    })
    const frame = figure.locator('iframe')
    if ((await frame.count()) > 0) {
      await expect(frame).toHaveAttribute('sandbox', 'allow-scripts')
      const inside = figure.frameLocator('iframe')
      expect(
        await inside.locator('a[href], a[*|href], image, script:not([src]), foreignObject, iframe').count(),
        name,
      ).toBe(0)
      const reach = await page
        .frames()
        .at(-1)
        ?.evaluate(async () => {
          const tried = (act: () => unknown): string => {
            try {
              act()
              return 'reached'
            } catch {
              return 'walled'
            }
          }
          const network = await fetch('https://evil.example').then(
            () => 'reached',
            () => 'walled',
          )
          return [
            origin,
            tried(() => parent.document),
            tried(() => localStorage.length),
            tried(() => document.cookie),
            network,
          ]
        })
      expect(reach, name).toEqual(['null', 'walled', 'walled', 'walled', 'walled'])
      // What this test itself tried in the frame is told of by the browser, and is no doing of the reply.
      seen.splice(
        0,
        seen.length,
        ...seen.filter((line) => !/evil\.example["']? because it violates|connect-src|default-src/.test(line)),
      )
    }
    await figure.getByRole('button', { name: 'Code', exact: true }).click()
    await expect(lastReply(page).getByRole('button', { name: 'Draw' })).toBeVisible()
    expect(seen, name).toEqual([])
  }
})
